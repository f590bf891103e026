"""The 54 cards: ids, names, suits and values (rules.md 1.1, 1.2).

Ids ascend in strength within a suit, so the highest set bit of a suit's mask is its highest card:

    tarocks   0 T1   1 T2   2 T3  ...  20 T21  21 T22 (Sküs)
    hearts   22 H4  23 H3  24 H2  25 H1   26 HJ  27 HN  28 HQ  29 HK
    diamonds 30 D4  31 D3  32 D2  33 D1   34 DJ  35 DN  36 DQ  37 DK
    spades   38 S7  39 S8  40 S9  41 S10  42 SJ  43 SN  44 SQ  45 SK
    clubs    46 C7  47 C8  48 C9  49 C10  50 CJ  51 CN  52 CQ  53 CK

A set of cards is a `uint64` with bit `id` for each card.
"""

from __future__ import annotations

from collections.abc import Iterable

NUM_CARDS = 54
NUM_TAROCKS = 22
SUITS = "HDSC"
NUM_SUITS = 5  # tarock is suit 0, then H D S C

RED_RANKS = ("4", "3", "2", "1", "J", "N", "Q", "K")
BLACK_RANKS = ("7", "8", "9", "10", "J", "N", "Q", "K")

CARD_NAMES: tuple[str, ...] = tuple(f"T{number}" for number in range(1, NUM_TAROCKS + 1)) + tuple(
    suit + rank for suit in SUITS for rank in (RED_RANKS if suit in "HD" else BLACK_RANKS)
)
CARD_IDS: dict[str, int] = {name: card for card, name in enumerate(CARD_NAMES)}

PAGAT, UHU, KAKADU, QUAPIL = 0, 1, 2, 3
MOND, SKUES = 20, 21
KING_IDS = (29, 37, 45, 53)
QUEEN_IDS = (28, 36, 44, 52)

COURT_VALUES = {"J": 2, "N": 3, "Q": 4, "K": 5}
CARD_VALUES: tuple[int, ...] = tuple(
    5 if name in ("T1", "T21", "T22") else 1 if name[0] == "T" else COURT_VALUES.get(name[1:], 1) for name in CARD_NAMES
)
CARD_SUITS: tuple[int, ...] = tuple(0 if card < NUM_TAROCKS else 1 + (card - NUM_TAROCKS) // 8 for card in range(NUM_CARDS))


def card_id(name: str) -> int:
    """Id of a card name. Raises ValueError naming the unknown card."""
    try:
        return CARD_IDS[name]
    except KeyError:
        raise ValueError(f"unknown card {name!r}; cards are T1..T22 and H D S C with a rank, as HK or S10") from None


def card_mask(names: str | Iterable[str]) -> int:
    """The set of the named cards (space-separated text or an iterable of names), as a Python int.

    Raises ValueError for an unknown or repeated card.
    """
    mask = 0
    for name in names.split() if isinstance(names, str) else names:
        bit = 1 << card_id(name)
        if mask & bit:
            raise ValueError(f"card {name} appears twice")
        mask |= bit
    return mask


def mask_cards(mask: int) -> list[int]:
    """Card ids in a set, ascending."""
    mask = int(mask)
    return [card for card in range(NUM_CARDS) if mask >> card & 1]


def mask_names(mask: int) -> list[str]:
    """Card names in a set, by ascending id."""
    return [CARD_NAMES[card] for card in mask_cards(mask)]
