"""The same deal in our engine and in OpenSpiel's `tarok`, compared at every decision and at the end.

Both number the cards alike (tarok.cc and tarock_env/cards.py: 0 = T1 ... 21 = T22, then H D S C from the lowest card up), so a card action
there is the card id here. Seat p there is the p-th seat after forehand here. Bids there are numbers:

    0 pass   1 klop        2 three  3 two   4 one    (three players: our solo_three, solo_two, solo_one)
    5 solo three  6 solo two  7 solo one  8 beggar  9 solo without  10 open beggar  11 colour valat without  12 valat without

Decisions of only one engine are answered here: our raise and announcements with `good`, their last bidder's confirmation with his own bid.

`Pair.play` returns the names of the known faults and differences that a deal met (tests/test_openspiel.py lists and explains them) and
raises Disagreement for anything else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import pyspiel

from tarock_env.actions import BID, CALL, CALLS, CONTRACT_IDS, CONTRACTS, DISCARD, GOOD, ITEM_IDS, PASS, TALON
from tarock_env.cards import CARD_IDS, CARD_NAMES, CARD_VALUES, KING_IDS, MOND, NUM_TAROCKS, PAGAT, SKUES, mask_cards
from tarock_env.engine import state as phases
from tarock_env.engine.state import SIXTHS
from tarock_env.legal import mask_bits
from tarock_env.replay import record_of
from tarock_env.rules import Rules, load_rules
from tarock_env.single_deal import SingleDeal

THEIR_PASS, KLOP = 0, 1
BIDS = {
    4: ("all_beggars", "call_three", "call_two", "call_one", "solo_three", "solo_two", "solo_one", "beggar", "solo_without",
        "beggar_exposed", "colour_slam_without", "slam_without"),
    3: ("all_beggars", "solo_three", "solo_two", "solo_one", None, None, None, "beggar", "solo_without",
        "beggar_exposed", "colour_slam_without", "slam_without"),
}  # fmt: skip
FOREHAND_ONLY = (KLOP, 2)  # theirs: klop and three, after all others passed
GAMES = {players: pyspiel.load_game(f"tarok(players={players})") for players in (3, 4)}
NEGATIVE = ("all_beggars", "beggar", "beggar_exposed")
SLAM_CARDS = 48
RANDOM, STRONG, WEAK = range(3)

Choose = Callable[["Pair", Sequence[int]], int]


class Disagreement(AssertionError):
    """The two engines differ in something that is neither a known fault nor a known difference."""


def bridge_rules(system: str) -> Rules:
    """The rule system, with Solo Without for three players as well: OpenSpiel has it there."""
    return load_rules(system, {"solo_without": True} if system == "slovenian3" else {})


def their_deals(players: int, first_seed: int = 0) -> Iterator[tuple[int, Any]]:
    """(seed, state after the deal) of their deals from a seed on, without those that both engines throw in (a hand without tarocks)."""
    seed = first_seed
    while True:
        state = GAMES[players].deserialize_state(str(seed))
        if all(state.player_cards(seat)[0] < NUM_TAROCKS for seat in range(players)):
            yield seed, state
        seed += 1


def groups(cards: Collection[int]) -> int:
    """Whole card points, by counting off threes (rules.md 1.2)."""
    threes, odd = divmod(len(cards), 3)
    return sum(CARD_VALUES[card] for card in cards) - 2 * threes - (1 if odd else 0)


class Pair:
    """One deal in both engines.

    seed: their deal. forehand: our seat of their player 0. `notes`: known faults and differences met so far. `tricks`: (seat, card) in
    order of play, ours; `winners` their seats. `stuck`: the legal sets had nothing in common, so the deal could not go on.
    """

    def __init__(self, system: str, seed: int, forehand: int = 0, state: Any = None) -> None:
        self.rules = bridge_rules(system)
        self.players = self.rules.players
        self.seed = seed
        self.theirs = state or GAMES[self.players].deserialize_state(str(seed))
        dealt = [self.theirs.player_cards(player) for player in range(self.players)]
        hands = [dealt[(seat - forehand) % self.players] for seat in range(self.players)]
        self.ours = SingleDeal(self.rules, forehand, hands, self.theirs.talon())
        self.forehand = forehand
        self.bids = {name: number for number, name in enumerate(BIDS[self.players], start=1) if name}
        self.notes: set[str] = set()
        self.tricks: list[list[tuple[int, int]]] = []
        self.winners: list[int] = []
        self.stuck = False

    # What both show.

    @property
    def phase(self) -> int:
        return int(self.ours.deals.phase[0])

    @property
    def contract(self) -> str:
        """The highest bid, then the contract; "" before the first bid."""
        contract = int(self.ours.deals.contract[0])
        return CONTRACTS[contract] if contract >= 0 else ""

    @property
    def declarer(self) -> int:
        return int(self.ours.deals.declarer[0])

    @property
    def hand(self) -> list[int]:
        """Cards of the acting seat, ours."""
        return mask_cards(self.ours.deals.hands[0, self.ours.seat])

    @property
    def trick(self) -> list[int]:
        """Cards of the open trick."""
        return [card for _, card in self.tricks[-1]] if self.tricks and len(self.tricks[-1]) < self.players else []

    def fail(self, what: str) -> Disagreement:
        names = [f"{seat} {name}" for seat, name in record_of(self.ours.deal, self.rules, self.ours.actions).actions]
        return Disagreement(f"{self.rules.id}, their seed {self.seed}, our forehand {self.forehand}: {what}; after {names}")

    # Actions.

    def translate(self, action: int) -> int:
        """Their number of an action of ours."""
        if self.phase == phases.AUCTION:
            if action != PASS:
                return self.bids[CONTRACTS[action - BID]]
            everybody = self.ours.seat == self.forehand and not self.contract
            return KLOP if everybody and self.players == 3 else THEIR_PASS
        if self.phase == phases.CALL:
            name = CALLS[action - CALL]
            return CARD_IDS[name] if name != "fourth" else next(king for king in KING_IDS if king not in self.hand)
        return action - {phases.TALON: TALON, phases.DISCARD: DISCARD, phases.PLAY: 0}[self.phase]

    def shared_actions(self) -> list[int]:
        """Our actions that are legal in both engines. Notes known differences, raises Disagreement for others."""
        if self.theirs.is_terminal():
            raise self.fail("theirs is over, ours is not")
        theirs_acts = (self.theirs.current_player() + self.forehand) % self.players
        if theirs_acts != self.ours.seat:
            raise self.fail(f"seat {self.ours.seat} acts, theirs {theirs_acts}")
        ours = {action: self.translate(action) for action in mask_bits(self.ours.deals.legal[0]).nonzero()[0].tolist()}
        theirs = set(self.theirs.legal_actions())
        if set(ours.values()) != theirs:
            self.explain(set(ours.values()), theirs)
        shared = [action for action, number in ours.items() if number in theirs]
        self.stuck = not shared
        return shared

    def explain(self, ours: set[int], theirs: set[int]) -> None:
        """Note why two legal sets (their numbers) differ, or raise Disagreement."""
        more, less = theirs - ours, ours - theirs
        if self.phase == phases.AUCTION and not (more - self.equal_bid()) and not (less - self.early_three()):
            self.notes.update({"equal_bid"} if more else set(), {"early_three"} if less else set())
        elif self.phase == phases.DISCARD and not more and all(card < NUM_TAROCKS for card in less) and min(theirs) >= NUM_TAROCKS:
            self.notes.add("discard_order")
        elif self.phase == phases.PLAY and self.contract in NEGATIVE and self.emperor_fault(ours, theirs):
            self.notes.add(self.emperor_fault(ours, theirs))
        else:
            raise self.fail(f"legal here only {self.show(less)}, there only {self.show(more)}")

    def equal_bid(self) -> set[int]:
        """The bid that a seat before the highest bidder may repeat in theirs; ours leaves that to P0."""
        order = [(seat - self.forehand) % self.players for seat in (self.ours.seat, self.declarer)]
        return {self.bids[self.contract]} if self.contract and 0 < order[0] < order[1] else set()

    def early_three(self) -> set[int]:
        """Three players: ours offers the lowest solo to everybody, theirs keeps it for P0 after all passed."""
        return {2} if self.players == 3 and not self.contract and self.ours.seat != self.forehand else set()

    def emperor_fault(self, ours: set[int], theirs: set[int]) -> str:
        """Which fault about the Emperor trick in negative games explains two legal sets; "" if none."""
        trick, hand = set(self.trick), set(self.hand)
        tarocks = {card for card in hand if card < NUM_TAROCKS}
        if {MOND, SKUES} <= trick and PAGAT in hand and theirs == {PAGAT}:
            led = [card for card in hand if suit(card) == suit(self.trick[0])]
            return "revoke" if suit(self.trick[0]) and ours <= set(led) else ""
        if {PAGAT, MOND} <= trick and SKUES in hand and theirs == {SKUES} and ours == tarocks:
            return "skus_forced"
        return ""

    def show(self, numbers: Collection[int]) -> str:
        if self.phase in (phases.PLAY, phases.DISCARD, phases.CALL):
            return " ".join(CARD_NAMES[number] for number in sorted(numbers)) or "-"
        return " ".join(map(str, sorted(numbers))) or "-"

    def step(self, action: int) -> None:
        """Take one action in both engines, and the decisions that only one of them has after it."""
        number, seat = self.translate(action), self.ours.seat
        if self.phase == phases.PLAY:
            if not self.trick:
                self.tricks.append([])
            self.tricks[-1].append((seat, number))
        self.theirs.apply_action(number)
        self.ours.play(action)
        if self.tricks and len(self.tricks[-1]) == self.players and len(self.winners) < len(self.tricks):
            self.winners.append(int(self.ours.deals.leader[0]))
        if self.phase != phases.AUCTION and self.theirs.current_game_phase() == pyspiel.TarokGamePhase.BIDDING:
            self.confirm()
        while self.phase in (phases.RAISE, phases.ANNOUNCE):
            self.ours.play(GOOD)

    def confirm(self) -> None:
        """Their last bidder is asked once more whether he would like to raise."""
        bid = self.bids[self.contract]
        higher = [number for number in range(bid, 13) if BIDS[self.players][number - 1]]
        seat = (self.theirs.current_player() + self.forehand) % self.players
        if seat != self.declarer or self.theirs.legal_actions() != higher:
            raise self.fail(f"their confirmation: seat {seat}, legal {self.theirs.legal_actions()}, expected {self.declarer}, {higher}")
        self.theirs.apply_action(bid)

    def play(self, choose: Choose) -> set[str]:
        """Play to the end with `choose` among the shared actions; returns the notes."""
        while not self.ours.finished:
            shared = self.shared_actions()
            if self.stuck:
                return self.notes
            self.step(choose(self, shared))
        if not self.theirs.is_terminal():
            raise self.fail("ours is over, theirs is not")
        self.compare_scores()
        return self.notes

    # The end.

    def units(self, item: str) -> int:
        """What every defender pays for an item of ours; 0 where it is not settled."""
        deal, index = self.ours.deals, ITEM_IDS[item]
        paid = {-int(deal.item_payoffs[0, index, seat]) for seat in range(self.players) if seat not in self.side}
        if len(paid) != 1 or sum(deal.item_payoffs[0, index]) != 0:
            raise self.fail(f"{item} is not paid alike by all defenders")
        return paid.pop() // SIXTHS

    @property
    def side(self) -> set[int]:
        """The declarer and his partner."""
        return {self.declarer, int(self.ours.deals.partner[0])} - {-1}

    def won_by(self, seats: Collection[int]) -> list[int]:
        """Cards in the tricks of some seats."""
        return [card for trick, winner in zip(self.tricks, self.winners, strict=True) if winner in seats for _, card in trick]

    def swept(self) -> int:
        """+1 where the declarer's side won every trick, -1 where the defenders did, else 0."""
        if len(self.winners) < 48 // self.players:
            return 0
        won = [winner in self.side for winner in self.winners]
        return 1 if all(won) else -1 if not any(won) else 0

    def compare_scores(self) -> None:
        """Value and difference must agree once the terms in which the two are known to differ are taken out."""
        by_player = self.theirs.scores_without_captured_mond_penalties()
        theirs = [by_player[(seat - self.forehand) % self.players] for seat in range(self.players)]
        if self.contract == "all_beggars":
            self.compare_beggars(theirs)
            return
        if any(theirs[seat] != (theirs[self.declarer] if seat in self.side else 0) for seat in range(self.players)):
            raise self.fail(f"their scores {theirs} are not the declarer's for his side and 0 for the others")
        score = theirs[self.declarer]
        if self.rules.contract(self.contract).talon:
            self.compare_points(score)
        elif self.contract == "solo_without":
            self.compare_solo_without(score)
        elif score != self.units("game"):
            raise self.fail(f"game {self.units('game')}, theirs {score}")
        self.compare_mond()

    def compare_beggars(self, theirs: list[int]) -> None:
        """All Beggars: ours costs everybody his tricks; theirs adds talon cards to the first six and pays 70 for none or too much."""
        gifts = dict(zip(range(6), self.ours.deals.talon[0].tolist(), strict=True))
        counts = []
        for seat in range(self.players):
            tricks = self.won_by({seat})
            if int(self.ours.payoffs[seat]) != -groups(tricks) * SIXTHS:
                raise self.fail(f"seat {seat} has {groups(tricks)} points, ours {self.ours.payoffs[seat]} sixths")
            gifted = [card for number, card in gifts.items() if self.winners[number] == seat]
            counts.append(groups([*tricks, *gifted]))
        seventy = [70 if count == 0 else -70 if count > 35 else 0 for count in counts]
        expected = seventy if any(seventy) else [-count for count in counts]
        if theirs != expected:
            raise self.fail(f"klop {theirs}, from the tricks {expected}")
        self.notes.add("klop_seventy" if any(seventy) else "klop_gifts")

    def compare_points(self, score: int) -> None:
        """Contracts with an exchange."""
        deal = self.ours.deals
        pile = [*self.won_by(self.side), *mask_cards(deal.discards[0, self.declarer])]
        rest = [int(card) for card in deal.talon[0] if not int(deal.talon_taken[0]) >> int(card) & 1]
        if self.king_wins_rest():
            pile += rest
        defenders = self.won_by(set(range(self.players)) - self.side)
        off = groups(pile) - 35
        base = self.rules.contract(self.contract).value
        if SLAM_CARDS in (len(pile), len(defenders)):
            if score != (250 if len(pile) == SLAM_CARDS else -250):
                raise self.fail(f"their slam pays {score}")
            if len(pile) == SLAM_CARDS:
                self.notes.add("false_slam")
            elif self.units("valat") != score:
                raise self.fail(f"slam {self.units('valat')}, theirs {score}")
            return
        kings, ultimo = self.their_kings(len(pile), len(defenders)), self.their_ultimo(rest if self.king_wins_rest() else [])
        score -= kings + ultimo
        if score != (base + off if off > 0 else off - base):
            raise self.fail(f"their game is {score}, the pile has {groups(pile)} points")
        if self.swept():
            if self.units("valat") != 250 * self.swept() or self.units("game"):
                raise self.fail("all tricks on one side must be a silent slam and nothing else")
            self.notes.add("slam_unpaid")
        elif score != self.units("game"):
            raise self.fail(f"game {self.units('game')}, theirs {score}")
        else:
            self.compare_bonuses(pile, kings, ultimo)

    def king_wins_rest(self) -> bool:
        """Whether the called king, taken from the talon, won a trick himself."""
        deal = self.ours.deals
        return bool(deal.king_in_talon[0] and deal.king_itself[0] and int(deal.talon_taken[0]) >> int(deal.called[0]) & 1)

    def their_kings(self, pile: int, defenders: int) -> int:
        """Their bonus for kings, which looks at the size of the piles."""
        return 10 if pile == 4 else -10 if defenders == 4 else 0

    def their_ultimo(self, rest: list[int]) -> int:
        """Their bonus for the last trick: the called king, else the Pagat, among the last cards that its winner collected."""
        last = [card for _, card in self.tricks[-1]]
        if rest and int(self.ours.deals.called[0]) in last:
            last = [*last, *rest][-self.players :]
        bonus = 10 if int(self.ours.deals.called[0]) in last else 25 if PAGAT in last else 0
        return bonus if self.winners[-1] in self.side else -bonus

    def compare_bonuses(self, pile: list[int], kings: int, ultimo: int) -> None:
        """Ours must follow rules.md 3.4; note in which bonuses theirs differs, and why."""
        for item, cards in (("trull", {PAGAT, MOND, SKUES}), ("four_kings", set(KING_IDS))):
            earned = 10 if cards <= set(pile) else 0 if cards & set(pile) else -10
            if self.units(item) != earned:
                raise self.fail(f"{item} {self.units(item)}, from the piles {earned}")
            if earned:
                self.notes.add({"trull": "honours_unpaid", "four_kings": "kings_unpaid"}[item])
        if kings:
            self.notes.add("kings_for_four_cards")
        called, last, winner = int(self.ours.deals.called[0]), {card: seat for seat, card in self.tricks[-1]}, self.winners[-1]
        earned = {"pagat": 0, "king_ultimo": 0}
        if PAGAT in last:
            earned["pagat"] = 25 if (last[PAGAT] in self.side) == (last[PAGAT] == winner) else -25
        if called in last:
            earned["king_ultimo"] = 10 if last[called] == winner else 0 if winner in self.side else -10
        if earned != {item: self.units(item) for item in earned}:
            raise self.fail(f"last trick: expected {earned}")
        if sum(earned.values()) != ultimo:
            self.notes.add(self.ultimo_fault(last, called, winner))

    def ultimo_fault(self, last: dict[int, int], called: int, winner: int) -> str:
        """Why theirs pays something else for the last trick. last: card -> its seat."""
        if called in last and self.king_wins_rest():
            return "last_trick_hidden"
        if PAGAT in last and called in last:
            return "one_ultimo"
        if PAGAT in last and last[PAGAT] != winner and (last[PAGAT] in self.side) == (winner in self.side):
            return "pagat_taken_by_own_side"
        if called in last and last[called] != winner and winner in self.side:
            return "king_taken_by_own_side"
        raise self.fail(f"their bonus for the last trick {last}, won by {winner}")

    def compare_solo_without(self, score: int) -> None:
        """Theirs has no bonuses in it."""
        game = 80 if groups(self.won_by(self.side)) > 35 else -80
        if score != game or (self.units("game") != game and not self.swept()):
            raise self.fail(f"game {self.units('game')}, theirs {score}")
        if any(self.units(item) for item in ("valat", "trull", "four_kings", "pagat")):
            self.notes.add("solo_without_bonus")

    def compare_mond(self) -> None:
        """Who pays for the Mond: there its player or a declarer who left it in the talon, to nobody; here to the other side only."""
        penalties = self.theirs.captured_mond_penalties()
        theirs = {seat for seat in range(self.players) if penalties[(seat - self.forehand) % self.players]}
        paid = self.ours.deals.item_payoffs[0, ITEM_IDS["mond"]].tolist()
        ours = {seat for seat in range(self.players) if paid[seat] < 0}
        captured = {
            seat: winner
            for trick, winner in zip(self.tricks, self.winners, strict=True)
            for seat, card in trick
            if card == MOND and seat != winner and self.rules.contract(self.contract).bonuses
        }
        left = self.rules.contract(self.contract).talon and MOND in self.ours.deals.talon[0]
        left = left and not int(self.ours.deals.talon_taken[0]) >> MOND & 1 and not self.king_wins_rest()
        if theirs != (set(captured) or ({self.declarer} if left else set())):
            raise self.fail(f"the Mond costs {theirs} there, captured {captured}, left {left}")
        other = {seat for seat, winner in captured.items() if (seat in self.side) != (winner in self.side) and not self.swept()}
        takers = [captured[seat] for seat in other]
        if ours != other or any(paid[seat] != 20 * SIXTHS for seat in takers):
            raise self.fail(f"the Mond costs {ours}, captured {captured}")
        if left:
            self.notes.add("mond_left")
        elif theirs - ours:
            self.notes.add("mond_in_slam" if self.swept() else "mond_to_partner")
        elif theirs:
            self.notes.add("mond_unpaid")


SUIT_MASKS = ((1 << NUM_TAROCKS) - 1, *(0xFF << low for low in range(NUM_TAROCKS, 54, 8)))


def suit(card: int) -> int:
    """0 tarock, then H D S C."""
    return 0 if card < NUM_TAROCKS else 1 + (card - NUM_TAROCKS) // 8


def height(card: int) -> int:
    """Tarocks above suit cards, each by strength."""
    return card + 8 if card < NUM_TAROCKS else (card - NUM_TAROCKS) % 8


class Script:
    """A way to play one deal: an auction that leads to a contract, then one of three styles of play, in every other deal with slips.

    `wanted`: their number of the contract. `style` RANDOM: any legal card. STRONG: the declarer plays to win, the others low, which
    makes slams and long solo games. WEAK: the declarer low, the others high, which makes beggars and lost games.
    `bidder`: our seat of the declarer to be.
    """

    def __init__(self, wanted: int, style: int, bidder: int, rng: random.Random) -> None:
        self.wanted = wanted
        self.style = style
        self.bidder = bidder
        self.rng = rng
        self.slips = rng.choice((0, 0.1))

    def __call__(self, pair: Pair, shared: Sequence[int]) -> int:
        if pair.phase == phases.AUCTION:
            return self.bid(pair, shared)
        if pair.phase != phases.PLAY or self.style == RANDOM or self.rng.random() < self.slips:
            return self.rng.choice(shared)
        if (pair.ours.seat == pair.declarer) != (self.style == STRONG):
            return min(shared, key=height)
        if pair.trick:
            return max(shared, key=height)
        winning = [card for card in shared if wins_against_low(pair, card)]
        return min(winning) if winning else max(shared, key=height)  # the lowest that wins, tarocks first

    def bid(self, pair: Pair, shared: Sequence[int]) -> int:
        """The bidder names the contract; others sometimes bid less before him, P0 sometimes holds, and now and then somebody bids more."""
        name = BIDS[pair.players][self.wanted - 1]
        assert name
        wish = BID + CONTRACT_IDS[name]
        if pair.ours.seat == self.bidder and (wish in shared or self.wanted == KLOP):
            return wish if wish in shared else PASS
        bids = [action for action in shared if action != PASS]
        lower = [action for action in bids if pair.translate(action) < self.wanted]
        higher = [action for action in bids if pair.translate(action) > self.wanted]
        if PASS not in shared:
            return self.rng.choice(lower or bids)
        if wish in shared and pair.contract and self.rng.random() < 0.3:
            return wish
        if lower and self.wanted not in FOREHAND_ONLY and self.rng.random() < 0.3:
            return self.rng.choice(lower)
        return self.rng.choice(higher) if higher and pair.contract == name and self.rng.random() < 0.03 else PASS


def wins_against_low(pair: Pair, lead: int) -> bool:
    """Whether a lead wins if all others play as low as they may."""
    seat, led = pair.ours.seat, suit(lead)
    for other, hand in enumerate(map(int, pair.ours.deals.hands[0])):
        follow = hand & SUIT_MASKS[led]
        if other == seat:
            continue
        if follow and (follow & -follow).bit_length() > lead:
            return False
        if not follow and hand & SUIT_MASKS[0] and pair.contract != "colour_slam_without":
            return False
    return True


def strength(cards: Sequence[int], contract: str) -> int:
    """How fit a hand is to win tricks."""
    if contract != "colour_slam_without":
        return sum(map(height, cards))
    return sum(card % 22 if card < NUM_TAROCKS else 3 * ((card - NUM_TAROCKS) % 8) for card in cards)


def scripted_pairs(system: str, count: int, first_seed: int = 0) -> Iterator[tuple[Pair, Script]]:
    """`count` deals with a script each: all contracts in turn, each with all styles in turn.

    Outside style RANDOM the declarer is who suits the style, in slams and beggars (which end at once with most hands) the best of 40 deals.
    """
    players = bridge_rules(system).players
    contracts = [number for number, name in enumerate(BIDS[players], start=1) if name]
    deals = their_deals(players, first_seed)
    for number in range(count):
        wanted, style = contracts[number % len(contracts)], number // len(contracts) % 3
        name = BIDS[players][wanted - 1] or ""
        picky = style != RANDOM and name in ("beggar", "beggar_exposed", "colour_slam_without", "slam_without")
        sign = -1 if style == WEAK else 1

        def fitness(seed: int, state: Any, player: int, name: str = name, sign: int = sign) -> tuple[int, int, int]:
            return sign * strength(state.player_cards(player), name), seed, player

        drawn = [next(deals) for _ in range(40 if picky else 1)]
        by_seed = dict(drawn)
        _, seed, player = max(fitness(seed, state, player) for seed, state in drawn for player in range(players))
        rng = random.Random(f"{system} {seed}")
        if wanted in FOREHAND_ONLY or style == RANDOM:
            player = 0 if wanted in FOREHAND_ONLY else rng.randrange(players)
        pair = Pair(system, seed, rng.randrange(players), by_seed[seed])
        yield pair, Script(wanted, style, (player + pair.forehand) % players, rng)
