"""The six Königrufen systems: how a deal runs (rules.md 1.4-1.8, 3.1-3.3).

Decisions, where the rules leave something open (section they are nearest to):

D1  (1.8.13) JuegaTu colour games count Honneurs and Absolut too: table 3.1 and the seed say "all
    positive games"; the sentence "only four kings and Valat (T: Säcke)" is read as AT5 only.
D2  (3.1) JuegaTu: any player may announce any bird, even one the other side holds. It is made if
    the bonus goes to the announcer's side: the card loses its trick in the other side's hands.
D3  (3.1, seed) One bonus is announced once a deal by one player; nobody announces it again, in all
    six systems. A bird of the bid counts as announced.
D4  (3.1) JuegaTu König ultimo may be announced by declarer or partner whoever holds the king.
D5  (1.7) At its trick the announced card must be played when it is legal, also by leading it.
    Locks hold in positive games only; the card of the bid is locked like any other.
D6  (3.3) Kontra window of the cup systems: an item that last changed in turn t may be raised by a
    seat only in that seat's first turn after t; the game and the bird of the bid changed before
    the first turn. Several calls in one turn are allowed. JuegaTu has no window.
D7  (3.3) T announces in any turn; S, K, W, O only in the seat's first turn.
D8  (1.8.7) A side that announced Valat may not announce Trull or four kings, and the reverse, in
    S, K, W only (with valat_scheme=replace too).
D9  (1.8.8) After an announced Valat all further announcements and kontras stay legal, also a
    kontra on a game that no longer counts (J, O).
D10 (1.9) valat_scheme=replace takes the whole of O's rule: game x4 / x8 instead of the game, no
    solo doubling of it, only announced bonuses beside it, also T's Trull, four kings and Säcke.
D11 (1.9) sixer_loss_factor changes the game item only, never the base of a replaced Valat.
D12 (1.8.13) Holding: `bid:` of exactly the current contract, by P0, when the current bid is
    another seat's and P0 fulfils its conditions. A contract of equal level (S, K, W piccolo and
    zwiccolo) is not a hold.
D13 (3.3) Negative games begin with the declarer's turn, although he can never start a call.
D14 (3.3) O Trischaken without must-trump: only that contract; Piccolo and Bettel keep must-trump.
D15 (1.8.13) A forbidden discard (called card, bird of the bid) is neither free nor restricted.
D16 (3.3) Four kings and four queens: no Rufer contract is biddable, P0's last choice included.
D17 (3.2) Option silent_bird_loss: birds only, not König ultimo; `made` false, the silent value to
    the other side, under the same suppression by Valat as a made bird.
D18 (1.8.14) A missed announced Valat settles Valat for that side only: if the other side makes
    all twelve tricks it earns no silent Valat.
D19 (1.3, 1.9) emperor_trick in J never reaches colour games; in the cups it does, tarock led.
D20 (3.3) Discards face up or down change nothing here: the oracle keeps one list.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracle.core import (
    BIRD_TRICK,
    BIRDS,
    KINGS,
    QUEENS,
    TRULL,
    Script,
    beating,
    follow_or_trump,
    locked_cards,
    pagat_last,
    suit,
    tarocks,
    winner,
)
from tests.oracle.koenigrufen_auction import Auction
from tests.oracle.koenigrufen_score import (
    Facts,
    Trick,
    concession,
    negative_result,
    positive_result,
)
from tests.oracle.koenigrufen_tables import STYRIAN
from tests.oracle.koenigrufen_trischaken import trischaken_result


@dataclass
class Item:
    """Something that can be doubled. turn: the turn in which it last changed, -1 before all."""

    side: str
    kontra: int = 1
    turn: int = -1

    def raised_by(self) -> str | None:
        """The side that may raise it next (1.8.13)."""
        other = "defenders" if self.side == "declarer" else "declarer"
        return {1: other, 2: self.side, 4: other}.get(self.kontra)


class KoenigrufenDeal(Auction):
    """One deal of juegatu or of a cup system."""

    def script(self) -> Script:
        self.bird: str | None = None
        self.called: str | None = None
        self.called_fourth = False
        self.partner: int | None = None
        self.discards: list[str] = []
        self.awarded: list[str] = []  # talon cards of the declarer's side, beside those he took
        self.left: list[str] = list(self.talon)  # talon cards of the other side
        self.items: dict[str, Item] = {}
        self.duels: dict[int, Item] = {}
        self.public: dict[int, str] = {}
        self.tricks: list[Trick] = []
        self.must_beat = self.must_trump = True
        self.talon_first = self.rules != "oberoesterreichisch"

        yield from self.auction()
        if self.contract.kind == "trischaken":
            return (yield from self.trischaken())
        if self.contract.kind == "negative":
            return (yield from self.negative_game())
        return (yield from self.positive_game())

    # -- positive games: call, talon, announcements -------------------------------------------

    def positive_game(self) -> Script:
        if self.contract.kind == "rufer":
            yield from self.name_bird()
            yield from self.call()
        conceded = yield from self.use_talon()
        if conceded:
            return concession(self.facts())
        self.items = {"game": Item("declarer")}
        if self.bird:
            self.items[self.bird] = Item("declarer")
        yield from self.repeated_round(self.declarer, self.calls, self.make_call)
        yield from self.play(self.forehand)
        return positive_result(self.facts())

    def name_bird(self) -> Script:
        """The bird of the bid; O's Besserrufer names it now."""
        self.bird = self.contract.bird
        if self.contract.name == "besserrufer":
            held = {f"announce:{b}" for b, card in BIRDS.items() if card in self.hand}
            name = yield self.declarer, held
            self.bird = name.removeprefix("announce:")

    @property
    def hand(self) -> set[str]:
        return self.hands[self.declarer]

    def call(self) -> Script:
        missing = KINGS - self.hand
        names = {f"call:{king}" for king in missing}
        if len(missing) == 1:
            names.add("call:fourth")
        if not missing:
            names = {f"call:{queen}" for queen in QUEENS - self.hand}
        name = (yield self.declarer, names).removeprefix("call:")
        self.called_fourth = name == "fourth"
        self.called = next(iter(missing)) if self.called_fourth else name
        self.partner = next((s for s in range(4) if self.called in self.hands[s]), None)

    def use_talon(self) -> Script:
        """Talon and discards; returns whether the declarer conceded."""
        if self.contract.talon == 0:
            if self.called in self.talon:  # the half with the called card is his (1.6)
                half = 0 if self.called in self.talon[:3] else 3
                self.awarded = self.talon[half : half + 3]
                self.left = [card for card in self.talon if card not in self.awarded]
            return False
        if self.contract.talon == 6:
            taken, self.left = set(self.talon), []
        else:
            names = {"talon:1", "talon:2"}
            if self.contract.kind == "rufer" and self.called in self.talon:
                names.add("concede")
            name = yield self.declarer, names
            if name == "concede":
                return True
            taken = set(self.talon[:3] if name == "talon:1" else self.talon[3:])
            self.left = [card for card in self.talon if card not in taken]
        self.hands[self.declarer] |= taken
        self.discards = yield from self.discard(self.declarer, len(taken), self.discard_classes)
        return False

    def discard_classes(self, hand: set[str]) -> tuple[set[str], set[str]]:
        """Free and restricted discards (1.8.5); the rest is forbidden."""
        forbidden = KINGS | TRULL
        if self.called:
            forbidden = forbidden | {self.called}
        if self.bird:
            forbidden = forbidden | {BIRDS[self.bird]}
        allowed = hand - forbidden
        if self.contract.colour:
            return tarocks(allowed), allowed - tarocks(allowed)
        if self.is_juegatu:
            return allowed, set()
        return allowed - tarocks(allowed), tarocks(allowed)

    def side(self, seat: int) -> str:
        return "declarer" if seat in (self.declarer, self.partner) else "defenders"

    def calls(self, seat: int) -> set[str]:
        """Announcements and kontras open to the seat in a positive game."""
        names = {f"announce:{bonus}" for bonus in self.announceable(seat)}
        for name, item in self.items.items():
            if item.raised_by() == self.side(seat) and self.in_window(seat, item):
                names.add(f"kontra:{name}")
        return names

    def in_window(self, seat: int, item: Item) -> bool:
        """Cup systems: only the seat's first turn after the item last changed."""
        first_turn = seat not in self.last_turn
        return self.is_juegatu or first_turn or self.last_turn[seat] < item.turn

    def announceable(self, seat: int) -> set[str]:
        if seat in self.last_turn and self.rules not in ("juegatu", "tiroler"):
            return set()
        hand, contract, own = self.hands[seat], self.contract, self.side(seat)
        bonuses = {"four_kings", "valat"}
        if self.is_juegatu:
            bonuses |= {"honneurs", "absolut"}
        if self.rules == "tiroler" and own == "declarer":
            bonuses |= {"sack1", "sack2"}
        if contract.black:
            bonuses.add("trull")
            bonuses |= {b for b, card in BIRDS.items() if self.is_juegatu or card in hand}
        if contract.kind == "rufer" and own == "declarer" and (self.is_juegatu or self.called in hand):
            bonuses.add("king_ultimo")
        if self.rules in STYRIAN:
            ours = {name for name, item in self.items.items() if item.side == own}
            if "valat" in ours:
                bonuses -= {"trull", "four_kings"}
            if ours & {"trull", "four_kings"}:
                bonuses.discard("valat")
        return bonuses - set(self.items)

    def make_call(self, seat: int, name: str) -> None:
        verb, what = name.split(":")
        self.public[seat] = self.side(seat)
        if verb == "announce":
            self.items[what] = Item(self.side(seat), turn=self.turn)
            return
        item = self.items[what]
        item.kontra *= 2
        item.turn = self.turn

    # -- negative games and Trischaken ----------------------------------------------------------

    def negative_game(self) -> Script:
        if self.is_juegatu:
            self.items = {"game": Item("declarer")}
            yield from self.repeated_round(self.declarer, self.negative_calls, self.make_call)
        else:
            opponents = self.seats_from(self.declarer)[1:]
            self.duels = {seat: Item("declarer") for seat in opponents}
            yield from self.repeated_round(self.declarer, self.duel_calls, self.make_duel_call)
        yield from self.play(self.declarer)
        return negative_result(self.facts())

    def negative_calls(self, seat: int) -> set[str]:
        """JuegaTu: one kontra for all, nothing else."""
        return {"kontra:game"} if self.items["game"].raised_by() == self.side(seat) else set()

    def duel_calls(self, seat: int) -> set[str]:
        """Cup systems: each opponent doubles for himself."""
        if seat != self.declarer:
            mine = self.duels[seat]
            may = mine.raised_by() == "defenders" and self.in_window(seat, mine)
            return {"kontra:game"} if may else set()
        return {
            f"kontra:game@{opponent}"
            for opponent, item in self.duels.items()
            if item.raised_by() == "declarer" and self.in_window(seat, item)
        }

    def make_duel_call(self, seat: int, name: str) -> None:
        opponent = int(name.partition("@")[2]) if "@" in name else seat
        self.duels[opponent].kontra *= 2
        self.duels[opponent].turn = self.turn

    def trischaken(self) -> Script:
        forehand = self.forehand
        if self.rules == "tiroler":
            name = yield forehand, {"choose:beat", "choose:free"}
            self.must_beat = name == "choose:beat"
            name = yield forehand, {"choose:talon_first", "choose:talon_last"}
            self.talon_first = name == "choose:talon_first"
        self.must_trump = self.rules != "oberoesterreichisch"
        yield from self.play(forehand)
        piles: list[list[str]] = [[] for _ in range(4)]
        for trick in self.tricks:
            piles[trick.winner] += trick.cards
            if not self.is_juegatu:
                piles[trick.winner] += self.talon_with(trick.number)
        trickless = {s for s in range(4) if s not in {trick.winner for trick in self.tricks}}
        return trischaken_result(self.rules, self.options, self.forehand, piles, trickless)

    def talon_with(self, number: int) -> list[str]:
        """Talon cards that go to the winner of this trick (1.8.2, 3.3)."""
        if self.talon_first:
            return self.talon[number - 1 : number]
        return self.talon if number == 12 else []

    # -- play -----------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        if not self.contract.positive:
            return "negative"
        return "colour" if self.contract.colour else "positive"

    @property
    def emperor(self) -> bool:
        """Whether the Emperor trick exists in this deal (1.3); colour: see core.winner."""
        reaches = self.contract.black if self.is_juegatu else self.contract.positive
        return bool(self.options["emperor_trick"]) and reaches

    def play(self, leader: int) -> Script:
        for number in range(1, 13):
            cards: list[str] = []
            for seat in self.seats_from(leader):
                names = {f"play:{card}" for card in self.playable(seat, cards, number)}
                card = (yield seat, names).removeprefix("play:")
                self.hands[seat].remove(card)
                cards.append(card)
                if card == self.called:
                    self.public[seat] = "declarer"
            taker = (leader + winner(cards, self.mode, self.emperor)) % 4
            self.tricks.append(Trick(number, leader, cards, taker))
            leader = taker
            if self.ended():
                return

    def playable(self, seat: int, trick: list[str], number: int) -> set[str]:
        """Legal cards (1.4) under the locks (1.7)."""
        hand = self.hands[seat]
        if self.contract.positive:
            cards = follow_or_trump(hand, trick) if trick else set(hand)
            if not trick and self.contract.colour:
                cards = hand - tarocks(hand) or set(hand)
            return locked_cards(cards, self.locks(seat), number)
        if not trick:
            return pagat_last(hand, hand)
        cards = follow_or_trump(hand, trick)
        if not self.must_trump and not any(suit(card) == suit(trick[0]) for card in hand):
            cards = set(hand)
        if self.must_beat:
            over = pagat_last(beating(cards, trick, self.mode, self.emperor), hand)
            if over:
                return over
        return pagat_last(cards, hand)

    def locks(self, seat: int) -> dict[str, int]:
        """Cards announced by the seat's side and the tricks they are held for."""
        if not self.options["hard_hold"]:
            return {}
        ours = {name for name, item in self.items.items() if item.side == self.side(seat)}
        locks = {card: BIRD_TRICK[bird] for bird, card in BIRDS.items() if bird in ours}
        if "king_ultimo" in ours:
            locks[self.called] = 12
        return locks

    def ended(self) -> bool:
        """Early ends (1.8.3)."""
        last = self.tricks[-1]
        if self.contract.kind == "negative":
            made = sum(trick.winner == self.declarer for trick in self.tricks)
            return made > self.contract.tricks
        valat = self.items.get("valat")
        return self.is_juegatu and valat is not None and self.side(last.winner) != valat.side

    # -- what scoring and comparing see ---------------------------------------------------------

    def facts(self) -> Facts:
        return Facts(
            rules=self.rules,
            options=self.options,
            contract=self.contract,
            declarer=self.declarer,
            partner=self.partner,
            bird=self.bird,
            called=self.called,
            called_in_talon=self.called in self.talon,
            announced={name: (item.side, item.kontra) for name, item in self.items.items() if name != "game"},
            game_kontra=self.items["game"].kontra if "game" in self.items else 1,
            duel_kontra={seat: item.kontra for seat, item in self.duels.items()},
            tricks=self.tricks,
            declarer_extra=self.discards + self.awarded,
            defenders_extra=self.left,
        )

    def sides_known_to(self, seat: int) -> dict[int, str]:
        """From announcements, kontras, the exposed talon, the called card, and the own hand."""
        if self.contract is None or self.contract.kind == "trischaken":
            return {}
        everybody = {s: self.side(s) for s in range(4)}
        if self.contract.kind != "rufer":
            return everybody
        known = {self.declarer: "declarer", **self.public}
        if self.called is None:
            return known
        known[seat] = self.side(seat)
        talon_seen = self.contract.talon > 0
        if talon_seen and self.called in self.talon:
            return everybody
        defenders = [s for s, side in known.items() if side == "defenders"]
        if self.partner in known or (talon_seen and len(defenders) == 2):
            return everybody
        return known
