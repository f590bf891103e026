"""`tarock rules R`: a rule system in tables, from its data alone."""

from tarock_env.rules import Rules
from tarock_env.rules.describe import (
    BONUS_COLUMNS,
    CONTRACT_COLUMNS,
    MELD_COLUMNS,
    OPTION_COLUMNS,
    bonus_rows,
    contract_rows,
    option_rows,
    shown,
)
from training.console import console, table


def show_rules(rules: Rules) -> None:
    """Print contracts, bonuses and options of a rule system."""
    chosen = ", ".join(f"{name}={shown(value)}" for name, value in rules.chosen.items())
    console.print(f"{rules.title} ({rules.id}, version {rules.version}){f', with {chosen}' if chosen else ''}", markup=False)
    console.print(f"{rules.players} players, {rules.hand_size} cards each, talon of 6. Sources: {'; '.join(rules.sources)}\n", markup=False)
    table("Contracts, lowest first", CONTRACT_COLUMNS, contract_rows(rules))
    console.print()
    table("Bonuses", BONUS_COLUMNS, bonus_rows(rules))
    if rules.melds:
        console.print()
        table("Melds", MELD_COLUMNS, rules.melds.items())
    console.print()
    table("Options (--rule name=value), default first", OPTION_COLUMNS, option_rows(rules))
