"""`tarock rules R`: a rule system in tables, from its data alone."""

from tarock_env.rules import Rules
from tarock_env.rules.schema import Announcer, Bonus, Calls, Contract, Goal, Kontra, Play, Talon, ValatScheme
from training.console import console, table

CALLS = {Calls.NOTHING: "alone", Calls.KING: "calls a king", Calls.TAROCK: "calls a tarock"}
TALONS = {
    Talon.UNUSED: "-",
    Talon.HALVES: "one half of 3",
    Talon.PAIRS: "one pair of 3",
    Talon.SINGLES: "one card of 6",
    Talon.ALL_OPEN: "all six, open",
    Talon.ALL_HIDDEN: "all six, hidden",
    Talon.DUTY: "4 + 1 + 1",
    Talon.STAGED: "3, in steps",
}
ANNOUNCERS = {
    Announcer.ANYONE: "anyone",
    Announcer.HOLDER: "who holds the card",
    Announcer.DECLARERS: "declarer's side",
    Announcer.NOBODY: "never announced",
}
KONTRAS = {Kontra.NONE: "-", Kontra.SIDES: "by sides", Kontra.EACH_OPPONENT: "each for himself"}


def show_rules(rules: Rules) -> None:
    """Print contracts, bonuses and options of a rule system."""
    chosen = ", ".join(f"{name}={shown(value)}" for name, value in rules.chosen.items())
    console.print(f"{rules.title} ({rules.id}, version {rules.version}){f', with {chosen}' if chosen else ''}", markup=False)
    console.print(f"{rules.players} players, {rules.hand_size} cards each, talon of 6. Sources: {'; '.join(rules.sources)}\n", markup=False)
    table(
        "Contracts, lowest first",
        (">rank", "contract", ">value", ">lost", "kind", "aim", "talon", "kontra", "condition"),
        [contract_row(contract) for contract in rules.contracts],
    )
    table(
        "\nBonuses",
        ("bonus", ">silent", ">announced", "announced by", "counts in"),
        [(bonus.name, *bonus_values(rules, bonus), ANNOUNCERS[bonus.announcer], where(rules, bonus.name)) for bonus in rules.bonuses],
    )
    if rules.melds:
        table("\nMelds", ("meld", ">value"), rules.melds.items())
    table(
        "\nOptions (--rule name=value), default first",
        ("option", "values", "meaning"),
        [(option.name, ", ".join(map(shown, option.values)), option.meaning) for option in rules.options],
    )


def contract_row(contract: Contract) -> tuple[object, ...]:
    """One line of the contract table."""
    return (
        contract.rank,
        contract.name,
        contract.value,
        contract.value * contract.loss_factor,
        {Play.TAROCK: CALLS[contract.calls], Play.COLOUR: "colour, alone", Play.NEGATIVE: "negative"}[contract.play]
        + (", solo: bonuses double" if contract.solo else ""),
        aim(contract),
        TALONS[contract.talon],
        KONTRAS[contract.kontra],
        ", ".join(conditions(contract)) or "-",
    )


def bonus_values(rules: Rules, bonus: Bonus) -> tuple[object, object]:
    """What a bonus pays unannounced and announced."""
    if bonus.name == "valat" and rules.valat.scheme == ValatScheme.GAME_MULTIPLE:
        return f"game x{rules.valat.silent_multiple}", f"game x{rules.valat.announced_multiple}"
    return bonus.silent, "-" if bonus.announcer == Announcer.NOBODY else bonus.announced


def where(rules: Rules, bonus: str) -> str:
    """The contracts a bonus counts in, said the short way."""
    positive = [contract for contract in rules.contracts if contract.bonuses]
    inside = [contract.name for contract in positive if bonus in contract.bonuses]
    outside = [contract.name for contract in positive if bonus not in contract.bonuses]
    if not outside:
        return "all positive games"
    if len(outside) <= len(inside):
        return f"positive games but {' '.join(outside)}"
    return " ".join(inside)


def aim(contract: Contract) -> str:
    """What wins the game item."""
    if contract.goal == Goal.TRICKS:
        return {0: "no trick", 1: "exactly 1 trick"}.get(contract.tricks, f"exactly {contract.tricks} tricks")
    return {Goal.POINTS: "over half the points", Goal.SLAM: "all tricks", Goal.FEWEST_POINTS: "few points"}[contract.goal]


def conditions(contract: Contract) -> list[str]:
    """When the contract may be bid."""
    found = []
    if contract.opening_only:
        found.append("forehand's opening")
    elif contract.forehand_only:
        found.append("forehand, if nobody bid")
    if not contract.bid:
        found.append("set by the rules")
    if contract.bird is not None:
        found.append("any bird in hand, named" if contract.bird == "any" else f"{contract.bird} in hand, announced")
    if contract.needs_card is not None:
        found.append(f"{contract.needs_card} in hand")
    if contract.minimum_suit:
        found.append(f"{contract.minimum_suit} cards of a suit")
    if contract.ring:
        found.append("ring")
    return found


def shown(value: object) -> str:
    """A value as it is typed on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
