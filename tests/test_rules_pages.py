"""The documentation's tables are what the data says, and nothing that can be played or set is missing from its page."""

import re
import shutil

import pytest

from docs import generate
from tarock_env import actions, observation
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.table import NUM_RULE_FEATURES, rules_table


def page(name):
    return (generate.DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", generate.PAGES, ids=lambda path: path.stem)
def test_every_page_is_up_to_date(path):
    assert generate.up_to_date(path) == path.read_text(encoding="utf-8"), "run python -m docs.generate --write"


@pytest.mark.parametrize("system", SYSTEMS)
def test_contracts_bonuses_melds_options_and_their_values_are_on_the_page(system):
    rules, text = load_rules(system), page(f"rules/{system}")
    names = [*(c.name for c in rules.contracts), *(b.name for b in rules.bonuses), *rules.melds, *(o.name for o in rules.options)]
    values = [str(value).lower() for option in rules.options for value in option.values]
    assert [name for name in [*names, *values] if f"`{name}`" not in text] == []
    assert all(option.meaning in text for option in rules.options)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_page_has_its_sections_and_the_index_links_to_it(system):
    headings = re.findall("^## (.*)$", page(f"rules/{system}"), re.MULTILINE)
    wanted = ["Contracts", "A deal", "Counting", "Bonuses", "Beside its siblings", "Options", "Decisions", "Sources"]
    assert [heading for heading in headings if heading in wanted] == wanted
    assert f"({system}.md)" in page("rules/README")


@pytest.mark.parametrize("path", generate.PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_decisions_are_complete_and_concern_systems_that_exist():
    for entry in generate.all_decisions():
        assert set(entry) == {"systems", "about", "choice", "why"}
        assert all(entry.values())
        assert set(entry["systems"]) <= set(SYSTEMS)
        assert len(set(entry["systems"])) == len(entry["systems"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_question_is_answered_twice(system):
    questions = [entry["about"] for entry in generate.all_decisions() if system in entry["systems"]]
    assert sorted(set(questions)) == sorted(questions)
    assert len(questions) >= 15


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_option_is_argued_for_and_none_is_invented(system):
    text = " ".join(f"{entry['choice']} {entry['why']}" for entry in generate.all_decisions() if system in entry["systems"])
    named = set(re.findall(r"`(\w+)`", text)) - {"forced", "made"}
    assert named == {option.name for option in load_rules(system).options}


def test_every_field_of_the_observation_is_on_its_page():
    text = page("observation")
    assert all(f"| `{field.name}` | {field.size} |" in text for field in (*observation.FIELDS, *observation.HIDDEN_FIELDS))


def test_every_action_is_on_its_page():
    text = page("actions")
    for action in actions.known_actions():
        name = actions.action_name(action, 0)
        wanted = name.removeprefix("play:").removeprefix("discard:")
        assert f"`{wanted}`" in text or name.startswith("kontra:game@"), name


def test_the_rules_vector_is_what_its_page_says():
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", generate.rules_vector(), re.MULTILINE))
    for system in SYSTEMS:
        rules = load_rules(system)
        row = rules_table(rules)[0]
        for feature, meaning in rows.items():
            name = re.findall("`(.*)`", meaning)[0] if "`" in meaning else None
            seen = int(row.vector[int(feature)])
            if name in (row.dtype.names or ()) and " is " not in meaning:
                assert seen == int(row[name]), (system, meaning)
            elif name in actions.ITEMS:
                assert (seen > 0) == (row.silent[actions.ITEM_IDS[name]] > 0), (system, meaning)
    assert max(map(int, rows)) == NUM_RULE_FEATURES - 1


@pytest.fixture
def copied_docs(tmp_path, monkeypatch):
    """The generator at work on a copy of the documentation."""
    docs = tmp_path / "docs"
    shutil.copytree(generate.DOCS, docs)
    pages = tuple(docs / path.relative_to(generate.DOCS) for path in generate.PAGES)
    monkeypatch.setattr(generate, "DOCS", docs)
    monkeypatch.setattr(generate, "RULES", docs / "rules")
    monkeypatch.setattr(generate, "PAGES", pages)
    return docs


def test_the_command_names_a_stale_page_and_renews_it(copied_docs, capsys):
    wiener = copied_docs / "rules" / "wiener.md"
    text = wiener.read_text()
    wiener.write_text(text.replace("| 10 | `dreier` | 5 |", "| 10 | `dreier` | 6 |"))
    assert generate.main([]) == 1
    assert capsys.readouterr().out == "docs/rules/wiener.md: out of date; run python -m docs.generate --write\n"
    assert generate.main(["--write"]) == 0
    assert wiener.read_text() == text
    assert generate.main([]) == 0


def test_a_page_without_one_of_its_tables_is_named(copied_docs, capsys):
    (copied_docs / "actions.md").write_text("# Actions\n")
    assert generate.main([]) == 2
    assert "it has the tables none; it must have card_actions, bid_actions, other_actions, once each" in capsys.readouterr().err
    assert generate.main(["--wirte"]) == 2
