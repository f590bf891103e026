"""`tarock rules R`: a rule system in tables, from its data alone."""

from tarock_env.rules import Rules
from tarock_env.rules.describe import (
    BONUS_COLUMNS,
    CONTRACT_COLUMNS,
    DIFFERENCES,
    MELD_COLUMNS,
    OPTION_COLUMNS,
    bonus_rows,
    contract_rows,
    option_rows,
    shown,
)
from tarock_env.rules.schema import Difference
from training.cards_text import WIDTH
from training.console import console, table

VALUES = (">rank", "contract", ">value", ">lost", "aim", "talon")
WAYS = ("contract", "kind", "kontra", "condition")
"""The columns of a contract in two tables: side by side they would be 170 columns wide."""


def show_rules(rules: Rules) -> None:
    """Print contracts, bonuses and options of a rule system."""
    chosen = ", ".join(f"{name}={shown(value)}" for name, value in rules.chosen.items())
    lines = (
        f"{rules.title} ({rules.id}, version {rules.version}){f', with {chosen}' if chosen else ''}",
        f"{rules.players} players, {rules.hand_size} cards each, talon of 6. Sources: {'; '.join(rules.sources)}\n",
    )
    for line in lines:
        _note(line)
    rows = [dict(zip(CONTRACT_COLUMNS, row, strict=True)) for row in contract_rows(rules)]
    table("Contracts, lowest first", VALUES, [[row[name] for name in VALUES] for row in rows], WIDTH)
    if any(contract.bird is not None for contract in rules.contracts):
        _note("a sum: the game and the bird announced with the bid, each won or lost by itself")
    for difference in (Difference.ADDED, Difference.MULTIPLIED):
        if names := [contract.name for contract in rules.contracts if contract.difference == difference]:
            _note(f"{DIFFERENCES[difference]}: {' '.join(names)}")
    console.print()
    table("How they are played", WAYS, [[row[name] for name in WAYS] for row in rows], WIDTH)
    console.print()
    table("Bonuses", BONUS_COLUMNS, bonus_rows(rules), WIDTH)
    if without := [contract.name for contract in rules.contracts if not contract.bonuses]:
        _note(f"games without bonuses: {' '.join(without)}")
    if rules.melds:
        console.print()
        table("Melds", MELD_COLUMNS, rules.melds.items())
    console.print()
    table("Options (--rule name=value), default first", OPTION_COLUMNS, option_rows(rules), WIDTH)


def _note(line: str) -> None:
    console.print(line, markup=False, width=WIDTH)
