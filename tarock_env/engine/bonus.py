"""Who earned a bonus: one predicate each. +1 the declarer's side, -1 the defenders, 0 nobody (rules text 3.1, 3.3)."""

from __future__ import annotations

from tarock_env.actions import ITEM_IDS
from tarock_env.engine.bits import ALL_CARDS, FIVES, KINGS, TRULL, bit, card_groups, card_thirds, size
from tarock_env.engine.exchange import talon_cards, talon_part
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.rules.schema import BirdLoss, Ultimo
from tarock_env.rules.schema import Talon as TalonKind

PAGAT, QUAPIL, ULTIMO = ITEM_IDS["pagat"], ITEM_IDS["quapil"], ITEM_IDS["king_ultimo"]
TRULL_ITEM, FOUR_KINGS, VALAT = ITEM_IDS["trull"], ITEM_IDS["four_kings"], ITEM_IDS["valat"]
HONNEURS, ABSOLUT = ITEM_IDS["honneurs"], ITEM_IDS["absolut"]
SACK1, SACK2 = ITEM_IDS["sack1"], ITEM_IDS["sack2"]
MONDFANG, KOENIGFANG = ITEM_IDS["mondfang"], ITEM_IDS["koenigfang"]
ULTIMO_TRICK, ULTIMO_ITSELF = int(Ultimo.TRICK), int(Ultimo.ITSELF)
OTHER_SIDE = int(BirdLoss.OTHER_SIDE)
UNUSED = int(TalonKind.UNUSED)
HONNEURS_CARDS = 5
ABSOLUT_THIRDS = 136  # 45 1/3 points
SACK1_POINTS, SACK2_POINTS = 46, 56


@kernel
def side_sign(deal, seat):
    """+1 for a member of the declarer's side, -1 for a defender."""
    return 1 if with_declarer(deal, seat) else -1


@kernel
def declarers_pile(deal, rules):
    """Cards that count for the declarer's side at the end: tricks, discards, and talon cards that the rules give it (1.6)."""
    cards = deal.won[deal.declarer] | deal.discards[deal.declarer]
    if deal.partner >= 0:
        cards |= deal.won[deal.partner] | deal.discards[deal.partner]
    if rules.talon[deal.contract] == UNUSED and deal.king_in_talon and rules.king_half_to_declarer:
        first = talon_part(deal, 0, 3)
        cards |= first if first & bit(deal.called) else talon_cards(deal) & ~first
    if rules.king_wins_talon and deal.king_itself and deal.talon_taken & bit(deal.called):
        cards |= talon_cards(deal) & ~deal.talon_taken
    return cards


@kernel
def by_piles(declarers, wanted, count):
    """The side that has at least `count` of the wanted cards; `count` is more than half of them."""
    if size(declarers & wanted) >= count:
        return 1
    return -1 if size(~declarers & ALL_CARDS & wanted) >= count else 0


@kernel
def bird_outcome(deal, rules, item, announced):
    """A bird counts for its player's side where the card itself won its trick; beaten there, perhaps for the other side."""
    bird = item - PAGAT
    seat = deal.bird_seat[bird]
    if seat < 0:
        return 0
    if deal.bird_won[bird]:
        return side_sign(deal, seat)
    loses_it = rules.announced_bird_follows_trick if announced else rules.bird_loss == OTHER_SIDE
    return -side_sign(deal, seat) if loses_it else 0


@kernel
def ultimo_outcome(deal, rules):
    """The called king in the last trick (schema.Ultimo)."""
    if deal.ultimo_winner < 0:
        return 0
    sign = side_sign(deal, deal.ultimo_winner)
    if rules.ultimo == ULTIMO_TRICK:
        return sign
    if rules.ultimo == ULTIMO_ITSELF:
        if deal.ultimo_itself:
            return sign
        return -1 if rules.ultimo_loss and sign < 0 else 0
    return 1 if sign > 0 else 0


@kernel
def koenigfang_outcome(deal, rules):
    """The called king in a trick of the defenders, or left to them in the talon."""
    if deal.king_winner >= 0:
        return 0 if with_declarer(deal, deal.king_winner) else -1
    left = deal.king_in_talon and rules.talon[deal.contract] != UNUSED and not deal.talon_taken & bit(deal.called)
    return -1 if left else 0


@kernel
def bonus_outcome(deal, rules, item, declarers, announced):
    """Which side earned a bonus other than Valat. `declarers` is that side's pile; the rest of the deck is the defenders'."""
    if PAGAT <= item <= QUAPIL:
        return bird_outcome(deal, rules, item, announced)
    if item == ULTIMO:
        return ultimo_outcome(deal, rules)
    if item == TRULL_ITEM:
        return by_piles(declarers, TRULL, 3)
    if item == FOUR_KINGS:
        return by_piles(declarers, KINGS, 4)
    if item == HONNEURS:
        return by_piles(declarers, FIVES, HONNEURS_CARDS)
    if item == ABSOLUT:
        if card_thirds(declarers) >= ABSOLUT_THIRDS:
            return 1
        return -1 if card_thirds(~declarers & ALL_CARDS) >= ABSOLUT_THIRDS else 0
    if item == SACK1 or item == SACK2:
        return 1 if card_groups(declarers) >= (SACK1_POINTS if item == SACK1 else SACK2_POINTS) else 0
    if item == MONDFANG:
        return -side_sign(deal, deal.mond_seat) if deal.mond_seat >= 0 else 0
    if item == KOENIGFANG:
        return koenigfang_outcome(deal, rules)
    return 0


@kernel
def valat_outcome(deal, rules):
    """The side that won every trick of a deal played to the end, or 0."""
    if deal.trick_number < rules.num_tricks:
        return 0
    tricks = deal.tricks_won[deal.declarer]
    if deal.partner >= 0:
        tricks += deal.tricks_won[deal.partner]
    if tricks == rules.num_tricks:
        return 1
    return -1 if tricks == 0 else 0


@kernel
def silent_made(deal, rules, item):
    """The `made` flag of a silent bonus: of a bird or a king that must win itself, whether it did; else true."""
    if item == ULTIMO and rules.ultimo == ULTIMO_ITSELF:
        return deal.ultimo_itself
    return deal.bird_won[item - PAGAT] if PAGAT <= item <= QUAPIL else 1
