"""What occurred in a corpus of deals, as tables: contracts, bonuses and what was said about them, and the rest."""

from collections.abc import Mapping
from typing import Any

from tarock_env.occurrences import KONTRA_STEPS
from tarock_env.rules import Rules

CONTRACT_COLUMNS = {"deals": "contract {}", "won": "{} won", "lost": "{} lost"}
BONUS_COLUMNS = {
    "silent": "silent {}",
    "beaten": "silent {} beaten",
    "made": "announced {} made",
    "lost": "announced {} lost",
    **{step: f"{{}} {step}" for step in KONTRA_STEPS[1:]},
}
Cells = tuple[Any, ...]


def occurrence_tables(rules: Rules, counts: Mapping[str, int]) -> list[tuple[tuple[str, ...], list[Cells]]]:
    """Columns and rows of each table for what `tarock_env.occurrences.count_deals` counted.

    A cell is empty where the rule system has no such thing, 0 where it has it and it did not occur.
    """
    left = dict(counts)

    def pivot(names: list[str], columns: Mapping[str, str]) -> list[Cells]:
        rows = [(name, *(left.pop(column.format(name), "") for column in columns.values())) for name in names]
        return [row for row in rows if any(cell != "" for cell in row[1:])]

    contracts = pivot([contract.name for contract in rules.contracts], CONTRACT_COLUMNS)
    bonuses = pivot(["game", "game of one opponent", *(bonus.name for bonus in rules.bonuses)], BONUS_COLUMNS)
    tables = [(("contract", *CONTRACT_COLUMNS), contracts), (("bonus", *BONUS_COLUMNS), bonuses), (("also", "deals"), list(left.items()))]
    return [(columns, rows) for columns, rows in tables if rows]
