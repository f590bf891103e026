"""Building blocks that the five Austrian cup systems share (rules text 3.2, 3.3): bonus names, contract families."""

from __future__ import annotations

from tarock_env.rules.schema import (
    Announcer, Bonus, Calls, Contract, Emperor, Goal, Kontra, Option, Play, Shown, Talon,
)  # fmt: skip

BIRDS = ("pagat", "uhu", "kakadu", "quapil")
COLOUR_BONUSES = ("four_kings", "valat")
ALONE_BONUSES = (*BIRDS, "trull", "four_kings", "valat")
CALLING_BONUSES = (*ALONE_BONUSES, "king_ultimo")
EVENT_BONUSES = (*BIRDS, "king_ultimo")  # decided by the course of play, not by the piles


def bonuses(*, valat_silent: int, valat_announced: int) -> tuple[Bonus, ...]:
    """The common bonus table; Valat differs."""
    holder = Announcer.HOLDER
    return (
        Bonus(name="pagat", silent=1, announced=2, announcer=holder),
        Bonus(name="uhu", silent=2, announced=4, announcer=holder),
        Bonus(name="kakadu", silent=3, announced=6, announcer=holder),
        Bonus(name="quapil", silent=4, announced=8, announcer=holder),
        Bonus(name="king_ultimo", silent=1, announced=2, announcer=holder),
        Bonus(name="trull", silent=1, announced=2),
        Bonus(name="four_kings", silent=1, announced=2),
        Bonus(name="valat", silent=valat_silent, announced=valat_announced),
    )


class Family:
    """Makes contracts of one cup: what they share is said once."""

    def __init__(self, *, emperor: bool, colour_minimum: int, extra: tuple[str, ...] = ()) -> None:
        self.black = Emperor.ALWAYS if emperor else Emperor.NEVER
        self.in_colour = Emperor.TAROCK_LED if emperor else Emperor.NEVER
        self.colour_minimum = colour_minimum
        self.extra = extra

    def calling(self, name: str, rank: int, value: int = 1, *, bird: str | None = None, solo: bool = False,
                forehand_only: bool = False) -> Contract:  # fmt: skip
        """Rufer games. A bird game is worth a Rufer; its bird is a bonus of its own, announced by the bid."""
        return Contract(
            name=name, rank=rank, value=value, calls=Calls.KING, talon=Talon.UNUSED if solo else Talon.HALVES,
            bird=bird, solo=solo, forehand_only=forehand_only, emperor=self.black,
            bonuses=CALLING_BONUSES + self.extra,
        )  # fmt: skip

    def alone(self, name: str, rank: int, value: int, *, solo: bool = False, six: bool = False,
              loss_factor: int = 1) -> Contract:  # fmt: skip
        """Dreier games; the Sechserdreier takes all six talon cards unseen by the others."""
        talon = Talon.UNUSED if solo else Talon.ALL_HIDDEN if six else Talon.HALVES
        return Contract(
            name=name, rank=rank, value=value, talon=talon, solo=solo, opening_only=six, loss_factor=loss_factor,
            emperor=self.black, bonuses=ALONE_BONUSES + self.extra,
        )  # fmt: skip

    def colour(self, name: str, rank: int, value: int, *, solo: bool = False) -> Contract:
        """Colour games: tarocks are no trumps."""
        return Contract(
            name=name, rank=rank, value=value, play=Play.COLOUR, talon=Talon.UNUSED if solo else Talon.HALVES,
            solo=solo, minimum_suit=self.colour_minimum, emperor=self.in_colour,
            bonuses=COLOUR_BONUSES + self.extra,
        )  # fmt: skip

    def negative(self, name: str, rank: int, value: int, *, tricks: int, shown: bool = False) -> Contract:
        """Exactly so many tricks; `shown` is the ouvert form."""
        return Contract(
            name=name, rank=rank, value=value, play=Play.NEGATIVE, goal=Goal.TRICKS, tricks=tricks,
            shown=Shown.EVERYBODY if shown else Shown.NOBODY, declarer_leads=True, kontra=Kontra.EACH_OPPONENT,
        )  # fmt: skip

    def trischaken(self, rank: int, value: int) -> Contract:
        """All against all, P0's last resort."""
        return Contract(
            name="trischaken", rank=rank, value=value, play=Play.NEGATIVE, goal=Goal.FEWEST_POINTS,
            forehand_only=True, kontra=Kontra.NONE,
        )  # fmt: skip


def options(*, sixer: tuple[int, int], hard_hold: bool, emperor: bool, hold: bool, colour: bool = False,
            add_valat: bool = True) -> tuple[Option, ...]:  # fmt: skip
    """The option table of a cup system, each with the system's own default first."""

    def flag(name: str, default: bool, meaning: str) -> Option:
        return Option(name=name, values=(default, not default), meaning=meaning)

    listed = [
        Option(name="sixer_loss_factor", values=sixer, meaning="factor of a lost Sechserdreier"),
        flag("trischaken_exact", True, "Trischaken compares exact thirds; else whole points"),
        flag("hard_hold", hard_hold, "announced cards are held back for their trick"),
        flag("silent_bird_loss", False, "a silent bird beaten at its trick pays the other side"),
        flag("emperor_trick", emperor, "Kaiserstich: the Pagat beats Mond and Sküs in one trick"),
        flag("forehand_may_hold", hold, "P0 may take over an equal bid"),
    ]
    if colour:
        listed.append(
            Option(
                name="colour_min_scope",
                values=("single_suit", "any_suit_cards"),
                meaning="the six cards that a colour game needs: of one suit, or suit cards in all",
            )
        )
    if add_valat:
        listed.append(
            Option(
                name="valat_scheme",
                values=("add", "replace"),
                meaning="Valat beside the game, or four and eight times the game instead of it",
            )
        )
    return tuple(listed)
