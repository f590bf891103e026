"""What a rule system is made of: frozen dataclasses, validated once.

Only features stand here, never the name of a system: the kernels read `Rules` through `rules.table` and know nothing else.
Section numbers in comments are those of the rules text that docs/rules/ summarises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from tarock_env.actions import CONTRACT_IDS, ITEM_IDS, ITEMS, MELDS, NUM_CALLABLE_ITEMS

SINGLE_BIRDS = ("pagat", "uhu", "kakadu", "quapil")
ANY_BIRD = "any"
HIGHEST_RANK = 19  # the observation has room for ranks 0..19


class RulesError(ValueError):
    """A rule system, an option or a value that makes no sense; one line that names the place and the fix."""


class Auction(IntEnum):
    """Who speaks first and how the auction ends (2, row "first bidder")."""

    FOREHAND_LAST = 0  # P1 first; bids ascend until all others passed; P0 speaks last and may be forced
    FOREHAND_FIRST = 1  # P0 opens with "Vorhand" or a bid; bids ascend until all others passed
    ONE_ROUND = 2  # every seat speaks once


class Play(IntEnum):
    """How cards are followed and tricks are won (1.3, 1.4)."""

    TAROCK = 0  # tarocks are trumps
    COLOUR = 1  # tarocks are a fifth suit
    NEGATIVE = 2  # must-beat, Pagat last


class Goal(IntEnum):
    """What decides the game item."""

    POINTS = 0  # more than half of the card points
    TRICKS = 1  # exactly `tricks` tricks
    SLAM = 2  # every trick
    FEWEST_POINTS = 3  # everybody alone


class Calls(IntEnum):
    """What the declarer calls to find a partner."""

    NOTHING = 0
    KING = 1  # a king, the fourth king, or a queen where the rules allow
    TAROCK = 2  # XIX down to XVI


class Talon(IntEnum):
    """What the declarer takes from the talon, and who sees it."""

    UNUSED = 0
    HALVES = 1  # six cards exposed, one half of three taken
    PAIRS = 2  # six exposed, one of three pairs
    SINGLES = 3  # six exposed, one card
    ALL_OPEN = 4  # all six, seen by everyone
    ALL_HIDDEN = 5  # all six, seen by the declarer
    DUTY = 6  # four to the declarer, one each to the next two players
    STAGED = 7  # look at one half, then perhaps at the other


TALON_GROUP = {Talon.HALVES: 3, Talon.PAIRS: 2, Talon.SINGLES: 1}


class Shown(IntEnum):
    """Whose hand lies open after the first trick."""

    NOBODY = 0
    EVERYBODY = 1
    DECLARER = 2


class Kontra(IntEnum):
    """Whether and for whom the game can be doubled."""

    NONE = 0
    SIDES = 1  # binds a whole side
    EACH_OPPONENT = 2  # every opponent for himself


class Emperor(IntEnum):
    """Whether the Pagat wins a trick with Mond and Sküs in it (1.3)."""

    NEVER = 0
    ALWAYS = 1
    TAROCK_LED = 2  # only if a tarock was led


class Announcer(IntEnum):
    """Who may announce a bonus."""

    ANYONE = 0
    HOLDER = 1  # who holds the card
    DECLARERS = 2  # a member of the declarer's side
    NOBODY = 3  # settled, never announced


class BirdLoss(IntEnum):
    """What happens when a silent bird is played to its trick and does not win it."""

    NOTHING = 0
    OTHER_SIDE = 1  # the other side earns it


class Ultimo(IntEnum):
    """Who earns the called king in the last trick."""

    DECLARERS = 0  # the declarer's side, if it wins the trick
    TRICK = 1  # the side that wins the trick
    ITSELF = 2  # the declarer's side, if the king itself wins; captured by the defenders it may cost


class Difference(IntEnum):
    """What card points over or under half do to a game's value."""

    NONE = 0
    ADDED = 1  # value plus difference
    MULTIPLIED = 2  # difference times value; at half exactly, one unit is lost


class ValatScheme(IntEnum):
    """How all tricks by one side are paid."""

    INSTEAD = 0  # fixed value instead of everything; a silent one counts only where it is worth more
    ADD = 1  # fixed value beside the game
    GAME_MULTIPLE = 2  # a multiple of the game's value instead of the game
    SLAM = 3  # fixed value instead of everything, made or announced


class Schrift(IntEnum):
    """The second ledger of the cup systems."""

    NONE = 0
    WITHOUT_KONTRA = 1
    SINGLE_KONTRA = 2  # keeps x2, caps the rest at x2


class FewestPoints(IntEnum):
    """Who pays whom in the all-against-all game."""

    LOSER_PAYS_EACH = 0  # juegatu
    POT = 1  # the three eastern cups
    POT_BASE = 2  # Upper Austria
    PLACES = 3  # Tirol
    OWN_POINTS = 4  # Slovenian All Beggars
    LOSER_BY_POINTS = 5  # Czech Warsaw


class TalonTricks(IntEnum):
    """What becomes of the talon in the all-against-all game."""

    UNUSED = 0
    FIRST_SIX = 1  # one card to the winner of each of tricks 1-6
    LAST = 2  # all six to the winner of the last trick
    FOREHAND_CHOOSES = 3


@dataclass(frozen=True, kw_only=True)
class Contract:
    """One game that can be bid or set. `rank` orders bids; equal ranks do not overbid each other. Values are table units."""

    name: str
    rank: int
    value: int
    loss_factor: int = 1
    play: Play = Play.TAROCK
    goal: Goal = Goal.POINTS
    tricks: int = 0
    calls: Calls = Calls.NOTHING
    talon: Talon = Talon.UNUSED
    forehand_only: bool = False  # only by P0, and only where nobody has bid
    opening_only: bool = False  # only as P0's opening
    bid: bool = True  # False: never bid, set by the rules
    bird: str | None = None  # announced by the bid and needed in hand; "any": the bidder names one he holds
    solo: bool = False  # bonuses count double
    shown: Shown = Shown.NOBODY
    declarer_leads: bool = False
    kontra: Kontra = Kontra.SIDES
    emperor: Emperor = Emperor.NEVER
    bonuses: tuple[str, ...] = ()  # what can be earned or announced in this contract
    minimum_suit: int = 0  # cards of one suit needed to bid
    difference: Difference = Difference.NONE
    ring: bool = False  # played, it gives every player a ring
    others_only: bool = False  # not by P0
    may_raise: bool = False  # to a colour slam after the exchange
    converts_to: str | None = None  # what P0 may turn it into when the others passed

    def __post_init__(self) -> None:
        if self.name not in CONTRACT_IDS:
            raise RulesError(f"contract {self.name!r} has no action id; add the name to actions.CONTRACTS")
        if self.bird not in (None, ANY_BIRD, *SINGLE_BIRDS):
            raise RulesError(f"contract {self.name}: bird {self.bird!r} is none of {', '.join(SINGLE_BIRDS)} or any")
        for name in self.bonuses:
            if name not in ITEM_IDS or name == "game":
                raise RulesError(f"contract {self.name}: unknown bonus {name!r}; bonuses are {', '.join(ITEMS[1:])}")
        if self.loss_factor not in (1, 2):
            raise RulesError(f"contract {self.name}: loss_factor is {self.loss_factor}, allowed are 1 and 2")
        if self.value < 0 or self.tricks < 0:
            raise RulesError(f"contract {self.name}: value and tricks cannot be negative")
        if not 0 <= self.rank <= HIGHEST_RANK:
            raise RulesError(f"contract {self.name}: rank is {self.rank}, allowed are 0 to {HIGHEST_RANK}")


@dataclass(frozen=True, kw_only=True)
class Bonus:
    """One bonus: what it pays unannounced and announced, in table units, and who may announce it."""

    name: str
    silent: int
    announced: int
    announcer: Announcer = Announcer.ANYONE

    def __post_init__(self) -> None:
        if self.name not in ITEM_IDS or self.name == "game":
            raise RulesError(f"unknown bonus {self.name!r}; bonuses are {', '.join(ITEMS[1:])}")
        if ITEM_IDS[self.name] >= NUM_CALLABLE_ITEMS and self.announcer != Announcer.NOBODY:
            raise RulesError(f"bonus {self.name} has no announcement; its announcer must be NOBODY")
        if self.silent < 0 or self.announced < 0:
            raise RulesError(f"bonus {self.name}: values cannot be negative")


@dataclass(frozen=True, kw_only=True)
class Valat:
    """All tricks by one side. The values stand in the bonus table; here stands what else still counts (3.1, 3.3)."""

    scheme: ValatScheme
    silent_multiple: int = 4  # GAME_MULTIPLE only
    announced_multiple: int = 8
    keeps_silent: tuple[str, ...] = ()  # bonuses that still count unannounced beside a Valat
    keeps_announced: tuple[str, ...] = ()  # ... announced
    silent_voids_game_kontra: bool = False
    excludes: tuple[str, ...] = ()  # a side may not announce one of these and Valat
    doubles_in_solo: bool = True
    ends_deal: bool = False  # announced: the first trick of the other side ends the deal


@dataclass(frozen=True, kw_only=True)
class AllAgainstAll:
    """The game in which everybody plays alone for few points (Trischaken and its kin)."""

    scheme: FewestPoints
    talon: TalonTricks = TalonTricks.UNUSED
    must_beat: bool = True
    must_tarock: bool = True
    forehand_chooses_beat: bool = False
    exact: bool = True  # compare thirds; False: whole points
    mayor_thirds: int = 107  # from here the loser is "Bürgermeister"


@dataclass(frozen=True, kw_only=True)
class Option:
    """A named rule option: its allowed values, the default first."""

    name: str
    values: tuple[bool | int | str, ...]
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One rule system as data. `options` lists what may be set, `chosen` what differs from the defaults."""

    id: str
    title: str
    version: int
    sources: tuple[str, ...]
    auction: Auction
    contracts: tuple[Contract, ...]  # in the order of the record's table
    bonuses: tuple[Bonus, ...]
    valat: Valat
    all_against_all: AllAgainstAll
    players: int = 4
    hand_size: int = 12
    forehand_may_hold: bool = False
    forehand_must_bid: bool = True
    opening_games: bool = False  # P0 may open with any normal game (FOREHAND_FIRST)
    queens_with_four_kings: bool = False
    any_suit_minimum: bool = False  # the colour minimum counts all suit cards together
    own_king_callable: bool = False
    may_concede: bool = True
    king_half_to_declarer: bool = True  # solo with the called king in the talon
    king_wins_talon: bool = False  # a called king taken from the talon that wins a trick brings the rest of the talon
    king_in_talon_voids_kontra: bool = False  # ... and all kontras are void
    free_tarock_discards: bool = True  # tarocks may be discarded at will, hidden
    free_suit_discards: bool = False  # colour games too: suit cards are never the restricted ones
    repeated_announcements: bool = True
    announce_any_turn: bool = True  # else only in a seat's first turn
    kontra_any_turn: bool = True  # else only in a seat's first turn after the item last changed
    separate_kontra_round: bool = False
    pagat_waits_for_all: bool = False  # negative leads: the Pagat only as the last card, not only as the last tarock
    mond_guard: bool = False  # all-against-all: the Mond is neither led nor put on the Sküs while another tarock is held
    colour_leads_free: bool = False  # tarocks may be led in colour games while suit cards are held
    locks: bool = True  # announced cards are held back for their trick (1.7)
    bird_loss: BirdLoss = BirdLoss.NOTHING
    announced_bird_follows_trick: bool = False  # a bird beaten at its trick is earned by the other side, announced too
    ultimo: Ultimo = Ultimo.DECLARERS
    ultimo_loss: bool = False  # a silent called king captured in the last trick costs its silent value
    mond_penalty: int = 0  # units that the Mond's player pays the winner of its trick
    mond_to_partner: bool = False  # ... even to the partner
    rings: bool = False  # rings, the 0-or-500 rule, and redeals of hands without tarocks
    difference_rounding: int = 1
    seventy: int = 0  # all-against-all by own points: what no trick wins and more than half loses, the others nothing
    schrift: Schrift = Schrift.NONE
    melds: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    options: tuple[Option, ...] = ()
    chosen: Mapping[str, bool | int | str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        def fail(message: str) -> None:
            raise RulesError(f"rules {self.id}: {message}")

        if self.players not in (3, 4):
            fail(f"players is {self.players}, allowed are 3 and 4")
        if self.players * self.hand_size + 6 != 54:
            fail(f"{self.players} hands of {self.hand_size} and a talon of 6 are not the 54 cards")
        names = [contract.name for contract in self.contracts]
        if len(set(names)) != len(names) or not names:
            fail("contract names must be there and differ")
        defined = {bonus.name for bonus in self.bonuses}
        if len(defined) != len(self.bonuses):
            fail("a bonus is defined twice")
        for contract in self.contracts:
            missing = [name for name in contract.bonuses if name not in defined]
            if missing:
                fail(f"contract {contract.name} counts {missing[0]}, which no bonus defines")
        for name in (*self.valat.keeps_silent, *self.valat.keeps_announced, *self.valat.excludes):
            if name not in defined:
                fail(f"valat names {name}, which no bonus defines")
        for meld in self.melds:
            if meld not in MELDS:
                fail(f"unknown meld {meld!r}; melds are {', '.join(MELDS)}")
        for contract in self.contracts:
            if contract.converts_to and contract.converts_to not in names:
                fail(f"contract {contract.name} converts to {contract.converts_to}, which is no contract")
        if self.rings and not any(c.goal == Goal.FEWEST_POINTS for c in self.contracts):
            fail("rings need an all-against-all contract")
        normal = [c for c in self.contracts if c.bid and not c.opening_only]
        if (
            self.auction != Auction.ONE_ROUND
            and self.forehand_must_bid
            and not any(c.calls == Calls.NOTHING and not c.bird and not c.minimum_suit for c in normal)
        ):
            fail("forehand must always have a contract that any hand may play")

    def __deepcopy__(self, memo: object) -> Rules:
        """Itself: nothing in it can change, so a copied environment plays by the same object."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which cannot store a read-only mapping."""
        return {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in vars(self).items()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update({name: MappingProxyType(value) if isinstance(value, dict) else value for name, value in state.items()})

    def contract(self, name: str) -> Contract:
        """The contract of that name; RulesError where the system lacks it."""
        for contract in self.contracts:
            if contract.name == name:
                return contract
        raise RulesError(f"rules {self.id} have no contract {name!r}; they have {', '.join(c.name for c in self.contracts)}")

    def bonus(self, name: str) -> Bonus:
        """The bonus of that name; RulesError where the system lacks it."""
        for bonus in self.bonuses:
            if bonus.name == name:
                return bonus
        raise RulesError(f"rules {self.id} have no bonus {name!r}; they have {', '.join(b.name for b in self.bonuses)}")
