"""The tables of `tarock sample` show every count once."""

import pytest

from tarock_env.occurrences import expected
from tarock_env.rules import SYSTEMS, load_rules
from training.occurrence_tables import occurrence_tables


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_count_stands_in_one_cell(system):
    rules = load_rules(system)
    counts = {name: number for number, name in enumerate(expected(rules), start=100)}
    cells = [cell for _, rows in occurrence_tables(rules, counts) for row in rows for cell in row[1:] if cell != ""]
    assert sorted(cells) == sorted(counts.values())


def test_what_did_not_occur_is_0_and_what_cannot_is_empty():
    rules = load_rules("juegatu")
    (_, contracts), (columns, bonuses), _ = occurrence_tables(rules, dict.fromkeys(expected(rules), 0) | {"silent pagat beaten": 3})
    assert ("trischaken", 0, "", "") in contracts
    pagat = dict(zip(columns, next(row for row in bonuses if row[0] == "pagat"), strict=True))
    assert (pagat["beaten"], pagat["silent"]) == (3, 0)
    king = dict(zip(columns, next(row for row in bonuses if row[0] == "koenigfang"), strict=True))
    assert (king["beaten"], king["made"]) == ("", "")
