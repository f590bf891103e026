"""Scripts for deals that both our engine and OpenSpiel's `tarok` play: all shared contracts, long games, won and lost ones.

Uniformly random bidding would end in the highest contract, and random play loses nearly all slams and beggars with the first tricks.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tarock_env.actions import BID, CONTRACT_IDS, PASS
from tarock_env.cards import NUM_TAROCKS
from tarock_env.engine import state as phases
from tests.openspiel_bridge import BIDS, KLOP, Pair, bridge_rules, suit, their_deals

FOREHAND_ONLY = (KLOP, 2)  # theirs: klop and three, after all others passed
RANDOM, STRONG, WEAK = range(3)
SUIT_MASKS = ((1 << NUM_TAROCKS) - 1, *(0xFF << low for low in range(NUM_TAROCKS, 54, 8)))


def scripted_pairs(system: str, count: int, first_seed: int = 0) -> Iterator[tuple[Pair, Script]]:
    """`count` deals with a script each: all contracts in turn, each with all styles in turn.

    Outside style RANDOM the declarer is who suits the style, in the best of 40 deals: slams and beggars end at once with most hands, and
    tarocks are discarded by the longest ones only.
    """
    players = bridge_rules(system).players
    contracts = [number for number, name in enumerate(BIDS[players], start=1) if name]
    deals = their_deals(players, first_seed)
    for number in range(count):
        wanted, style = contracts[number % len(contracts)], number // len(contracts) % 3
        name = BIDS[players][wanted - 1] or ""
        sign = -1 if style == WEAK else 1
        bidders = [0] if wanted in FOREHAND_ONLY else range(players)
        states = dict(next(deals) for _ in range(1 if style == RANDOM else 40))
        _, seed, player = max(
            (sign * strength(state.player_cards(player), name), seed, player) for seed, state in states.items() for player in bidders
        )
        rng = random.Random(f"{system} {seed}")
        if style == RANDOM:
            player = rng.choice(bidders)
        pair = Pair(system, seed, rng.randrange(players), states[seed])
        yield pair, Script(wanted, style, (player + pair.forehand) % players, rng)


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
        """One of the shared actions: the script as a `Choose`."""
        if pair.phase == phases.AUCTION:
            return self.bid(pair, shared)
        if pair.phase != phases.PLAY or self.style == RANDOM or self.rng.random() < self.slips:
            return self.rng.choice(shared)
        if (pair.seat == pair.declarer) != (self.style == STRONG):
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
        if pair.seat == self.bidder and (wish in shared or self.wanted == KLOP):
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


def height(card: int) -> int:
    """Tarocks above suit cards, each by strength."""
    return card + 8 if card < NUM_TAROCKS else (card - NUM_TAROCKS) % 8


def strength(cards: Sequence[int], contract: str) -> int:
    """How fit a hand is to win tricks."""
    if contract != "colour_slam_without":
        return sum(map(height, cards))
    return sum(card if card < NUM_TAROCKS else 3 * ((card - NUM_TAROCKS) % 8) for card in cards)


def wins_against_low(pair: Pair, lead: int) -> bool:
    """Whether a lead wins if all others play as low as they may."""
    led = SUIT_MASKS[suit(lead)]
    for seat, hand in enumerate(map(int, pair.deal["hands"])):
        follow = hand & led
        if seat == pair.seat:
            continue
        if follow and (follow & -follow).bit_length() > lead:
            return False
        if not follow and hand & SUIT_MASKS[0] and pair.contract != "colour_slam_without":
            return False
    return True
