"""The tables of the documentation, made from the data they describe.

    python -m docs.generate            # names the pages whose tables are out of date; exit code 1 where there are any
    python -m docs.generate --write    # brings them up to date

A table stands between `<!-- generated: NAME -->` and `<!-- end -->`; everything else on a page is written by hand.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path

from tarock_env import actions, observation
from tarock_env.cards import CARD_NAMES
from tarock_env.files import write_text
from tarock_env.rules import SYSTEMS, Rules, load_rules
from tarock_env.rules import describe as d
from tarock_env.rules import table as rules_table

DOCS = Path(__file__).resolve().parent
RULES = DOCS / "rules"
BLOCK = re.compile(r"(<!-- generated: ([a-z_]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

KOENIGRUFEN = SYSTEMS[:6]
CUPS = SYSTEMS[1:6]
SLOVENIAN = ("slovenian4", "slovenian3")
GROUPS = {"koenigrufen": KOENIGRUFEN, "cups": CUPS, "east": SYSTEMS[1:4], "slovenian": SLOVENIAN}
SIBLINGS = {
    "juegatu": ("juegatu", "wiener", "oberoesterreichisch"),
    **dict.fromkeys(CUPS, CUPS),
    **dict.fromkeys(SLOVENIAN, SLOVENIAN),
    "czech19": ("czech19", "slovenian4", "juegatu"),
}
"""Which systems a page's own is set beside."""


def markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; a column whose name begins with `>` is aligned right."""

    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

    head = line(name.removeprefix(">") for name in columns)
    rule = "|" + "|".join("--:" if name.startswith(">") else "---" for name in columns) + "|\n"
    return head + rule + "".join(map(line, rows))


def coded(rows: Iterable[Sequence[object]], column: int) -> list[list[object]]:
    """The rows with one column in code type."""
    return [[f"`{cell}`" if index == column else cell for index, cell in enumerate(row)] for row in rows]


# -- pages of rule systems --


def contracts(rules: Rules) -> str:
    """Contracts, lowest first."""
    return markdown(d.CONTRACT_COLUMNS, coded(d.contract_rows(rules), 1))


def bonuses(rules: Rules) -> str:
    """Bonuses, and melds where there are any."""
    text = markdown(d.BONUS_COLUMNS, coded(d.bonus_rows(rules), 0))
    return text + "\n" + markdown(d.MELD_COLUMNS, coded(rules.melds.items(), 0)) if rules.melds else text


def options(rules: Rules) -> str:
    """Options, default first."""
    rows = [[f"`{option.name}`", ", ".join(f"`{d.shown(value)}`" for value in option.values), option.meaning] for option in rules.options]
    return markdown(d.OPTION_COLUMNS, rows)


@cache
def all_decisions() -> tuple[dict[str, object], ...]:
    """The entries of decisions.toml; `systems` with its groups spelled out."""
    entries = tomllib.loads((RULES / "decisions.toml").read_text(encoding="utf-8"))["decision"]
    for entry in entries:
        entry["systems"] = [system for name in entry["systems"] for system in GROUPS.get(name, (name,))]
    return tuple(entries)


def decisions(rules: Rules) -> str:
    """What the sources leave open."""
    rows = [(entry["about"], entry["choice"], entry["why"]) for entry in all_decisions() if rules.id in entry["systems"]]  # type: ignore[operator]
    return markdown(("question", "how it is played", "why"), rows)


def siblings(rules: Rules) -> str:
    """Where the system differs from its siblings."""
    group = [load_rules(system) for system in SIBLINGS[rules.id]]
    rows = [row for row in compared(group) if len(set(row[1:])) > 1]
    own = [other.id for other in group].index(rules.id)
    rows = [row for row in rows if any(cell != row[1 + own] for cell in row[1:])]
    return markdown(("", *(other.id for other in group)), rows)


def compared(group: Sequence[Rules]) -> list[tuple[str, ...]]:
    """One row a feature, contract and bonus, one column a system; rows that say nothing about any system are left out."""
    rows = [(feature, *(say(rules) for rules in group)) for feature, say in d.FEATURES.items()]
    names = dict.fromkeys(contract.name for rules in group for contract in rules.contracts)
    rows += [(f"`{name}`", *(contract_value(rules, name) for rules in group)) for name in names]
    names = dict.fromkeys(bonus.name for rules in group for bonus in rules.bonuses)
    rows += [(f"bonus `{name}`", *(bonus_value(rules, name) for rules in group)) for name in names]
    return [row for row in rows if set(row[1:]) != {"-"}]


def contract_value(rules: Rules, name: str) -> str:
    """A contract's value, - where the system does not have it."""
    return next((str(d.value(rules, contract)) for contract in rules.contracts if contract.name == name), "-")


def bonus_value(rules: Rules, name: str) -> str:
    """A bonus' values, - where the system does not have it."""
    return next((" / ".join(map(str, d.bonus_values(rules, bonus))) for bonus in rules.bonuses if bonus.name == name), "-")


def systems() -> str:
    """The index of the pages."""
    rows = [
        (f"[`{rules.id}`]({rules.id}.md)", rules.title, rules.players, len(rules.contracts), len(rules.options), rules.version)
        for rules in map(load_rules, SYSTEMS)
    ]
    return markdown(("id", "title", ">players", ">contracts", ">options", ">version"), rows)


def comparison(group: Sequence[str]) -> str:
    """Features of some systems side by side."""
    rows = compared([load_rules(system) for system in group])
    return markdown(("", *group), [row for row in rows if not row[0].startswith(("`", "bonus `"))])


# -- observation and actions --


def fields(listed: Sequence[observation.Field], slices: dict[str, slice]) -> str:
    """The fields of an observation row."""
    rows = [
        (f"`{field.name}`", field.size, f"{slices[field.name].start}:{slices[field.name].stop}", scale(field.scale), field.meaning)
        for field in listed
    ]
    return markdown(("field", ">size", ">slice", ">scale", "meaning"), rows)


def scale(value: float) -> str:
    """A scale as the fraction it is."""
    return "1" if value == 1 else f"1/{round(1 / value)}"


def rules_vector() -> str:
    """The features of a rule system, in the order of the field `rules`."""
    names = ["three players", *(f"`{name}`" for name in rules_table._FLAGS)]
    names += [f"`{name}` is {value.name}" for name, kind in rules_table._KINDS for value in kind]
    names.append("some lost game counts double")
    start = rules_table.RULE_VALUES.start
    rows: list[tuple[object, object]] = list(enumerate(names))
    rows += [(f"{len(names)}..{start - 1}", "always zero")] if len(names) < start else []
    rows += [(start + item, f"silent value of `{name}`: 16 log2(1 + value)") for item, name in enumerate(actions.ITEMS)]
    return markdown((">feature", "meaning"), rows)


def card_actions() -> str:
    """Ids of playing and discarding."""
    columns = [range(start, start + 22) if start == 0 else range(start, start + 8) for start in (0, 22, 30, 38, 46)]
    rows = []
    for line in range(22):
        cells: list[object] = []
        for column in columns:
            cells += [f"`{CARD_NAMES[column[line]]}`", column[line]] if line < len(column) else ["", ""]
        rows.append(cells)
    return markdown(("card", ">id") * 5, rows)


def bid_actions() -> str:
    """Ids of bids, and who has them."""
    has = {
        name: [rules.id for rules in map(load_rules, SYSTEMS) if any(c.name == name for c in rules.contracts)] for name in actions.CONTRACTS
    }
    rows = [(actions.BID + index, f"`bid:{name}`", " ".join(has[name])) for index, name in enumerate(actions.CONTRACTS)]
    return markdown((">id", "action", "systems that have the contract"), rows)


MEANINGS = {
    "pass": "out of the auction; in the Warsaw question: keep the contract",
    "forehand": "P0's opening that keeps everything open",
    "good": "end of a turn; no raise",
    "choose": "P0's terms of an all-against-all game",
    "call": "the card whose holder is the partner",
    "talon": "take a group of the talon: a half, a pair or a card",
    "concede": "give up, the called king lying in the talon",
    "take": "take the talon group that was looked at",
    "expose": "show it and look at the second group",
    "return": "show the second group and go back to the first",
    "raise": "turn a game with an exchange into a colour slam",
    "announce": "announce a bonus; name the bird of a Besserrufer",
    "kontra": "double the game or an announced bonus, one step",
    "kontra:game@": "the declarer answers the own kontra of the seat 1, 2 or 3 places after him; its name carries the absolute seat",
    "meld": "show cards that are paid for",
}


def other_actions() -> str:
    """Ids of everything but cards and bids, a line a kind."""
    kinds: dict[str, list[tuple[int, str]]] = {}
    for action in actions.known_actions():
        name = actions.action_name(action, 0)
        if action >= actions.BID + len(actions.CONTRACTS):
            answer = name.startswith("kontra:game@")
            kinds.setdefault("kontra:game@" if answer else name.partition(":")[0], []).append((action, name))
    rows = []
    for kind, listed in kinds.items():
        first, last = listed[0][0], listed[-1][0]
        names = ["`kontra:game@SEAT`"] if kind.endswith("@") else [f"`{name}`" for _, name in listed]
        rows.append((first if first == last else f"{first}..{last}", " ".join(names), MEANINGS[kind]))
    return markdown((">ids", "actions", "meaning"), rows)


def house_rules() -> str:
    """The tutorial's file, whole."""
    return f"```python\n{(DOCS / 'examples' / 'house_rules.py').read_text(encoding='utf-8')}```\n"


# -- pages --


def page_blocks(path: Path) -> dict[str, Callable[[], str]]:
    """The tables that may stand on a page, by name."""
    if path.parent == RULES and path.stem in SYSTEMS:
        rules = load_rules(path.stem)
        made = (contracts, bonuses, options, decisions, siblings)
        return {make.__name__: partial(make, rules) for make in made}
    return {
        "rules/README": {
            "systems": systems,
            "koenigrufen": lambda: comparison(KOENIGRUFEN),
            "others": lambda: comparison((*SLOVENIAN, "czech19")),
        },
        "observation": {
            "fields": lambda: fields(observation.FIELDS, observation.SLICES),
            "hidden": lambda: fields(observation.HIDDEN_FIELDS, observation.HIDDEN_SLICES),
            "rules_vector": rules_vector,
        },
        "tutorial-rule-system": {"house_rules": house_rules},
        "actions": {"card_actions": card_actions, "bid_actions": bid_actions, "other_actions": other_actions},
    }[str(path.relative_to(DOCS).with_suffix(""))]


PAGES: tuple[Path, ...] = (
    *(RULES / f"{system}.md" for system in SYSTEMS),
    RULES / "README.md",
    *(DOCS / f"{name}.md" for name in ("observation", "actions", "tutorial-rule-system")),
)


def up_to_date(path: Path) -> str:
    """The page's text with its tables made anew. Raises ValueError for a table that it should have, or an unknown one."""
    blocks = page_blocks(path)
    text = path.read_text(encoding="utf-8")
    found = [match[2] for match in BLOCK.finditer(text)]
    if sorted(found) != sorted(blocks):
        raise ValueError(f"{path}: it has the tables {', '.join(found) or 'none'}; it must have {', '.join(blocks)}, once each")
    return BLOCK.sub(lambda match: match[1] + blocks[match[2]]() + match[4], text)


def main(arguments: Sequence[str]) -> int:
    """Check the pages, or with --write renew them."""
    if any(argument != "--write" for argument in arguments):
        print("usage: python -m docs.generate [--write]", file=sys.stderr)
        return 2
    stale = []
    for path in PAGES:
        try:
            text = up_to_date(path)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
        if text != path.read_text(encoding="utf-8"):
            stale.append(path)
            if arguments:
                write_text(path, text)
    for path in stale:
        print(f"{path.relative_to(DOCS.parent)}: {'written' if arguments else 'out of date; run python -m docs.generate --write'}")
    return 1 if stale and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
