"""A rule system in words and tables, from its data alone: what `tarock rules` prints and the pages of docs/rules/ contain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tarock_env.rules.schema import (
    ANY_BIRD,
    Announcer,
    Auction,
    BirdLoss,
    Bonus,
    Calls,
    Contract,
    Difference,
    Emperor,
    FewestPoints,
    Goal,
    Kontra,
    Play,
    Rules,
    Schrift,
    Shown,
    Talon,
    TalonTricks,
    Ultimo,
    ValatScheme,
)
from tarock_env.rules.table import RAISED

Row = tuple[object, ...]

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
AUCTIONS = {
    Auction.FOREHAND_LAST: "P1 first, P0 last",
    Auction.FOREHAND_FIRST: "P0 first",
    Auction.ONE_ROUND: "P0 first, each seat once",
}
EMPERORS = {Emperor.NEVER: "no", Emperor.ALWAYS: "yes", Emperor.TAROCK_LED: "if a tarock is led"}
ULTIMOS = {
    Ultimo.DECLARERS: "declarer's side, if it wins the trick",
    Ultimo.TRICK: "the side that wins the trick",
    Ultimo.ITSELF: "declarer's side, if the king itself wins",
}
SCHRIFTS = {Schrift.NONE: "-", Schrift.WITHOUT_KONTRA: "without kontra", Schrift.SINGLE_KONTRA: "kontra counts x2 at most"}
PAYMENTS = {
    FewestPoints.LOSER_PAYS_EACH: "the loser pays each other",
    FewestPoints.POT: "pot from the losers",
    FewestPoints.POT_BASE: "a base for each of three",
    FewestPoints.PLACES: "the upper two pay the lower two",
    FewestPoints.OWN_POINTS: "everybody loses his points",
    FewestPoints.LOSER_BY_POINTS: "the loser pays by his points",
}
TALON_TRICKS = {
    TalonTricks.UNUSED: "unused",
    TalonTricks.FIRST_SIX: "one card to each of tricks 1-6",
    TalonTricks.LAST: "to the last trick",
    TalonTricks.FOREHAND_CHOOSES: "P0 chooses: tricks 1-6 or last",
}
DIFFERENCES = {
    Difference.NONE: "fixed",
    Difference.ADDED: "plus the points over or under 35",
    Difference.MULTIPLIED: "times the points over or under 35",
}

CONTRACT_COLUMNS = (">rank", "contract", ">value", ">lost", "kind", "aim", "talon", "kontra", "condition")
BONUS_COLUMNS = ("bonus", ">silent", ">announced", "announced by", "counts in")
MELD_COLUMNS = ("meld", ">value")
OPTION_COLUMNS = ("option", "values", "meaning")
"""Names of the columns of the tables; `>` means right-aligned."""


def contract_rows(rules: Rules) -> list[Row]:
    """One line for each contract."""
    return [
        (
            contract.rank,
            contract.name,
            value(rules, contract),
            contract.value * contract.loss_factor,
            kind(contract),
            aim(contract),
            TALONS[contract.talon],
            KONTRAS[contract.kontra],
            ", ".join(conditions(rules, contract)) or "-",
        )
        for contract in rules.contracts
    ]


def bonus_rows(rules: Rules) -> list[Row]:
    """One line for each bonus."""
    return [(bonus.name, *bonus_values(rules, bonus), ANNOUNCERS[bonus.announcer], where(rules, bonus.name)) for bonus in rules.bonuses]


def option_rows(rules: Rules) -> list[Row]:
    """One line for each option, its default first."""
    return [(option.name, ", ".join(map(shown, option.values)), option.meaning) for option in rules.options]


def value(rules: Rules, contract: Contract) -> object:
    """What the game is worth; the bird of the bid is an item beside it."""
    if contract.bird is None:
        return contract.value
    return f"{contract.value} + {'bird' if contract.bird == ANY_BIRD else rules.bonus(contract.bird).announced}"


def kind(contract: Contract) -> str:
    """Who plays, and what tarocks do."""
    kinds = {Play.TAROCK: CALLS[contract.calls], Play.COLOUR: "colour, alone", Play.NEGATIVE: "negative"}
    return kinds[contract.play] + (", solo: bonuses double" if contract.solo else "")


def aim(contract: Contract) -> str:
    """What wins the game item."""
    if contract.goal == Goal.TRICKS:
        return {0: "no trick", 1: "exactly 1 trick"}.get(contract.tricks, f"exactly {contract.tricks} tricks")
    return {Goal.POINTS: "over half the points", Goal.SLAM: "all tricks", Goal.FEWEST_POINTS: "few points"}[contract.goal]


def conditions(rules: Rules, contract: Contract) -> Iterator[str]:
    """When the contract may be bid, and what comes with it."""
    if contract.opening_only:
        yield "forehand's opening"
    elif contract.forehand_only:
        yield "forehand, if nobody bid"
    if contract.others_only:
        yield "not by forehand"
    if not contract.bid:
        yield "set by the rules" if contract.name != RAISED else "raised from a game with an exchange"
    if contract.bird is not None:
        yield "any bird in hand, named" if contract.bird == ANY_BIRD else f"{contract.bird} in hand, announced"
    if contract.minimum_suit:
        yield f"{contract.minimum_suit} cards of a suit"
    if contract.shown != Shown.NOBODY:
        yield "all hands open after trick 1" if contract.shown == Shown.EVERYBODY else "declarer's hand open after trick 1"
    if contract.converts_to:
        yield f"may become {contract.converts_to}"
    if contract.may_raise:
        yield "may be raised"
    if contract.ring:
        yield "ring"


def bonus_values(rules: Rules, bonus: Bonus) -> tuple[object, object]:
    """What a bonus pays unannounced and announced."""
    if bonus.name == "valat" and rules.valat.scheme == ValatScheme.GAME_MULTIPLE:
        return f"game x{rules.valat.silent_multiple}", f"game x{rules.valat.announced_multiple}"
    return bonus.silent or "-", "-" if bonus.announcer == Announcer.NOBODY else bonus.announced


def where(rules: Rules, bonus: str) -> str:
    """The contracts a bonus counts in, said the short way."""
    positive = [contract for contract in rules.contracts if contract.bonuses]
    inside = [contract.name for contract in positive if bonus in contract.bonuses]
    outside = [contract.name for contract in positive if bonus not in contract.bonuses]
    if not outside:
        return "all games with bonuses"
    if len(outside) <= len(inside):
        return f"games with bonuses but {' '.join(outside)}"
    return " ".join(inside)


def shown(value: object) -> str:
    """A value as it is typed on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def yes(flag: object) -> str:
    """Yes or no."""
    return "yes" if flag else "no"


# -- one line a feature, for comparing systems --


def feature_rows(rules: Rules) -> list[tuple[str, str]]:
    """(feature, what this system does), the same features in the same order for every system."""
    return [(name, say(rules)) for name, say in FEATURES.items()]


def _kinds(rules: Rules, play: Play) -> list[Contract]:
    return [contract for contract in rules.contracts if contract.play == play]


def _shared(values: Iterable[str]) -> str:
    """The values that occur, once each; - for none."""
    return ", ".join(dict.fromkeys(values)) or "-"


def _has(rules: Rules, *bonuses: str) -> bool:
    return any(name in contract.bonuses for contract in rules.contracts for name in bonuses)


def _called(rules: Rules) -> str:
    calls = {contract.calls for contract in rules.contracts} - {Calls.NOTHING}
    if not calls:
        return "-"
    if Calls.TAROCK in calls:
        return "XIX, or the highest missing down to XVI"
    return "any king" if rules.own_king_callable else "a king not in hand"


def _four_kings(rules: Rules) -> str:
    if not any(contract.calls == Calls.KING for contract in rules.contracts):
        return "-"
    if rules.own_king_callable:
        return "calls an own king, alone"
    return "calls a queen" if rules.queens_with_four_kings else "no calling game"


def _openings(rules: Rules) -> str:
    if rules.auction != Auction.FOREHAND_FIRST:
        return "-"
    games = [contract.name for contract in rules.contracts if contract.opening_only]
    return "any normal game" if rules.opening_games else " ".join(["forehand", *games])


def _king_in_talon(rules: Rules) -> str:
    if not any(contract.calls == Calls.KING for contract in rules.contracts):
        return "-"
    said = ["may concede"] if rules.may_concede else []
    if rules.king_wins_talon:
        said.append("a trick won with it brings the rest of the talon")
    if rules.king_half_to_declarer:
        said.append("solo: its half to the declarer" + (", kontras void" if rules.king_in_talon_voids_kontra else ""))
    return "; ".join(said) or "-"


def _discards(rules: Rules) -> str:
    if all(contract.talon == Talon.UNUSED for contract in rules.contracts):
        return "-"
    return "tarocks freely, hidden" if rules.free_tarock_discards else "tarocks only if forced, shown"


def _announcing(rules: Rules) -> str:
    if not rules.repeated_announcements:
        return "one turn each"
    return "repeated round" if rules.announce_any_turn else "a seat's first turn only"


def _kontra(rules: Rules) -> str:
    kinds = {contract.kontra for contract in rules.contracts} - {Kontra.NONE}
    if not kinds:
        return "-"
    said = (
        "own round after the announcements"
        if rules.separate_kontra_round
        else "in any turn"
        if rules.kontra_any_turn
        else "next own turn only"
    )
    return said + ("; negative games: each opponent for himself" if Kontra.EACH_OPPONENT in kinds else "")


def _birds(rules: Rules) -> str:
    birds = [bonus.name for bonus in rules.bonuses if bonus.name in ("pagat", "uhu", "kakadu", "quapil")]
    return _shared(birds)


def _bird_lost(rules: Rules) -> str:
    silent = "the other side earns it" if rules.bird_loss == BirdLoss.OTHER_SIDE else "nothing"
    if rules.announced_bird_follows_trick:
        silent += "; announced by either side, it goes by the trick"
    return silent


def _valat(rules: Rules) -> str:
    if not any(bonus.name == "valat" for bonus in rules.bonuses):
        return "-"
    silent, announced = bonus_values(rules, rules.bonus("valat"))
    return (
        f"{silent} / {announced}, "
        + {
            ValatScheme.INSTEAD: "instead of everything",
            ValatScheme.ADD: "beside the game",
            ValatScheme.GAME_MULTIPLE: "instead of the game",
            ValatScheme.SLAM: "instead of everything, made or announced",
        }[rules.valat.scheme]
    )


def _valat_keeps(rules: Rules) -> str:
    if rules.valat.scheme in (ValatScheme.INSTEAD, ValatScheme.SLAM):
        return "nothing"
    silent, announced = (
        " ".join(name for name in names if name != "valat") or "nothing"
        for names in (rules.valat.keeps_silent, rules.valat.keeps_announced)
    )
    return silent if silent == announced else f"silent: {silent}; announced: {announced}"


def _solo(rules: Rules) -> str:
    if not any(contract.solo for contract in rules.contracts):
        return "-"
    return "bonuses double" + ("" if rules.valat.doubles_in_solo else ", Valat does not")


def _lost_double(rules: Rules) -> str:
    return _shared(contract.name for contract in rules.contracts if contract.loss_factor > 1)


def _colour_minimum(rules: Rules) -> str:
    least = {contract.minimum_suit for contract in rules.contracts if contract.minimum_suit}
    return f"{min(least)} {'suit cards' if rules.any_suit_minimum else 'cards of one suit'}" if least else "-"


def _everybody_alone(rules: Rules) -> list[Contract]:
    return [contract for contract in rules.contracts if contract.goal == Goal.FEWEST_POINTS]


def _mayor(rules: Rules) -> str:
    doubling = (FewestPoints.LOSER_PAYS_EACH, FewestPoints.POT, FewestPoints.POT_BASE, FewestPoints.PLACES)
    thirds = rules.all_against_all.mayor_thirds
    if rules.all_against_all.scheme not in doubling:
        return "-"
    return f"{thirds // 3} points" if thirds % 3 == 0 else f"{thirds // 3} {thirds % 3}/3 points"


FEATURES: dict[str, Callable[[Rules], str]] = {
    "players, hand, talon": lambda rules: f"{rules.players}, {rules.hand_size}, 6",
    "contracts": lambda rules: str(len(rules.contracts)),
    "auction": lambda rules: AUCTIONS[rules.auction],
    "P0 opens with": _openings,
    "P0 may hold an equal bid": lambda rules: yes(rules.forehand_may_hold),
    "if all others pass, P0": lambda rules: "must play" if rules.forehand_must_bid else "may pass",
    "only P0 may bid": lambda rules: _shared(c.name for c in rules.contracts if c.bid and (c.forehand_only or c.opening_only)),
    "called card": _called,
    "with four kings": _four_kings,
    "called king in the talon": _king_in_talon,
    "talon": lambda rules: _shared(TALONS[c.talon] for c in rules.contracts if c.talon != Talon.UNUSED),
    "discards": _discards,
    "colour games need": _colour_minimum,
    "announcing": _announcing,
    "kontra": _kontra,
    "announced cards are held back": lambda rules: yes(rules.locks),
    "Pagat beats Mond and Sküs": lambda rules: _shared(EMPERORS[c.emperor] for c in _kinds(rules, Play.TAROCK)),
    "... in colour games": lambda rules: _shared(EMPERORS[c.emperor] for c in _kinds(rules, Play.COLOUR)),
    "... in negative games": lambda rules: _shared(EMPERORS[c.emperor] for c in _kinds(rules, Play.NEGATIVE)),
    "tarocks led in colour games": lambda rules: "-" if not _kinds(rules, Play.COLOUR) else "freely" if rules.colour_leads_free else "last",
    "Pagat led in negative games": lambda rules: "as the last card" if rules.pagat_waits_for_all else "as the last tarock",
    "game value": lambda rules: _shared(DIFFERENCES[c.difference] for c in rules.contracts if c.goal == Goal.POINTS),
    "lost double": _lost_double,
    "solo": _solo,
    "birds": _birds,
    "silent bird beaten at its trick": _bird_lost,
    "king ultimo": lambda rules: ULTIMOS[rules.ultimo] if _has(rules, "king_ultimo") else "-",
    "captured Mond": lambda rules: f"costs {rules.mond_penalty}" if rules.mond_penalty else "bonus" if _has(rules, "mondfang") else "-",
    "Valat": _valat,
    "beside a Valat counts": _valat_keeps,
    "all-against-all game": lambda rules: _shared(f"{c.name}, {c.value}" for c in _everybody_alone(rules)),
    "... is paid": lambda rules: PAYMENTS[rules.all_against_all.scheme],
    "... its talon": lambda rules: TALON_TRICKS[rules.all_against_all.talon],
    "... must-beat": lambda rules: "P0 chooses" if rules.all_against_all.forehand_chooses_beat else yes(rules.all_against_all.must_beat),
    "... void seats must play a tarock": lambda rules: yes(rules.all_against_all.must_tarock),
    "... is counted in": lambda rules: "thirds" if rules.all_against_all.exact else "whole points",
    "... pays double from": _mayor,
    "second ledger": lambda rules: SCHRIFTS[rules.schrift],
    "rings, 0-or-500 rule": lambda rules: yes(rules.rings),
    "melds": lambda rules: _shared(rules.melds),
}
