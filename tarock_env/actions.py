"""Action ids and their names (deal-record.md), the same for all rule systems.

An id is 64 * word + bit, so a legal-action mask is four `uint64` words:

    word 0, ids   0..53    play:CARD         (card id = action id)
    word 1, ids  64..117   discard:CARD      (card id = action id - 64)
    word 2, ids 128..175   bid:CONTRACT      (contract id = action id - 128), 176 pass, 177 forehand
    word 3, ids 192..252   good, choose, call, talon, concede, take, expose, return, raise, announce, kontra, meld

All other ids are reserved and never legal. The layout is part of the schema version that exported bots carry.
"""

from __future__ import annotations

from tarock_env.cards import CARD_NAMES

NUM_ACTIONS = 256
NUM_WORDS = 4

CONTRACTS: tuple[str, ...] = (
    # Königrufen
    "trischaken", "rufer", "solorufer", "piccolo", "zwiccolo", "bettler", "sechserdreier", "farbendreier", "dreier",
    "piccolo_ouvert", "zwiccolo_ouvert", "bettler_ouvert", "farbensolo", "solofarbendreier", "solodreier",
    "rufer_pagat", "rufer_uhu", "rufer_kakadu", "rufer_quapil",
    "pagatrufer", "uhurufer", "kakadurufer", "quapilrufer",
    "besserrufer", "besserrufer_1", "besserrufer_2", "besserrufer_3", "besserrufer_4",
    # Slovenian Tarok
    "all_beggars", "call_three", "call_two", "call_one", "solo_three", "solo_two", "solo_one", "beggar",
    "solo_without", "beggar_exposed", "colour_slam_without", "slam_without", "colour_slam",
    # Neunzehnerrufen
    "first_duty", "second_duty", "solo", "warsaw",
)  # fmt: skip
NUM_CONTRACT_SLOTS = 48
CONTRACT_IDS: dict[str, int] = {name: contract for contract, name in enumerate(CONTRACTS)}

ITEMS: tuple[str, ...] = (
    "game", "pagat", "uhu", "kakadu", "quapil", "king_ultimo", "trull", "four_kings", "valat", "honneurs", "absolut",
    "sack1", "sack2", "mondfang", "koenigfang", "mond",
)  # fmt: skip
NUM_ITEMS = 16
NUM_CALLABLE_ITEMS = 13  # game and the bonuses that can be announced; the last three are only ever settled
ITEM_IDS: dict[str, int] = {name: item for item, name in enumerate(ITEMS)}

MELDS = ("trumps", "few_trumps", "trull", "honours")
CALLS = ("HK", "DK", "SK", "CK", "fourth", "HQ", "DQ", "SQ", "CQ", "T19", "T18", "T17", "T16")

DISCARD = 64
BID = 128
PASS = 176
FOREHAND = 177
GOOD = 192
CHOOSE_BEAT, CHOOSE_FREE, CHOOSE_TALON_FIRST, CHOOSE_TALON_LAST = 193, 194, 195, 196
CALL = 197
TALON = 210
CONCEDE, TAKE, EXPOSE, RETURN, RAISE = 216, 217, 218, 219, 220
ANNOUNCE = 221  # + item - 1
KONTRA = 233  # + item
KONTRA_SEAT = 246  # + (seats after the speaker) - 1: the declarer answers one opponent's own kontra
MELD = 249

_FIXED: dict[int, str] = (
    {card: f"play:{name}" for card, name in enumerate(CARD_NAMES)}
    | {DISCARD + card: f"discard:{name}" for card, name in enumerate(CARD_NAMES)}
    | {BID + contract: f"bid:{name}" for contract, name in enumerate(CONTRACTS)}
    | {PASS: "pass", FOREHAND: "forehand", GOOD: "good"}
    | {CHOOSE_BEAT: "choose:beat", CHOOSE_FREE: "choose:free"}
    | {CHOOSE_TALON_FIRST: "choose:talon_first", CHOOSE_TALON_LAST: "choose:talon_last"}
    | {CALL + index: f"call:{name}" for index, name in enumerate(CALLS)}
    | {TALON + index: f"talon:{index + 1}" for index in range(6)}
    | {CONCEDE: "concede", TAKE: "take", EXPOSE: "expose", RETURN: "return", RAISE: "raise:colour_slam"}
    | {ANNOUNCE + item - 1: f"announce:{ITEMS[item]}" for item in range(1, NUM_CALLABLE_ITEMS)}
    | {KONTRA + item: f"kontra:{ITEMS[item]}" for item in range(NUM_CALLABLE_ITEMS)}
    | {MELD + index: f"meld:{name}" for index, name in enumerate(MELDS)}
)
_FIXED_IDS: dict[str, int] = {name: action for action, name in _FIXED.items()}
_ANSWER = "kontra:game@"
_SEATS = ("0", "1", "2", "3")


def action_name(action: int, seat: int, num_seats: int = 4) -> str:
    """Name of an action taken by `seat`. Raises ValueError for a reserved id.

    Only `kontra:game@SEAT` depends on the seat: the id counts seats from the speaker, the name is absolute.
    """
    action = int(action)
    if KONTRA_SEAT <= action < KONTRA_SEAT + 3:
        return f"{_ANSWER}{(seat + 1 + action - KONTRA_SEAT) % num_seats}"
    try:
        return _FIXED[action]
    except KeyError:
        raise ValueError(f"action id {action} names no action; ids are 0..{NUM_ACTIONS - 1}, some reserved") from None


def action_id(name: str, seat: int, num_seats: int = 4) -> int:
    """Id of an action name spoken by `seat`. Raises ValueError naming an unknown action."""
    if name.startswith(_ANSWER) and name[len(_ANSWER) :] in _SEATS[:num_seats]:
        other = _SEATS.index(name[len(_ANSWER) :])
        if other != seat:
            return KONTRA_SEAT + (other - seat) % num_seats - 1
    elif name in _FIXED_IDS:
        return _FIXED_IDS[name]
    raise ValueError(f"unknown action {name!r}")


def known_actions() -> tuple[int, ...]:
    """All ids that name an action, ascending."""
    return tuple(sorted((*_FIXED, *range(KONTRA_SEAT, KONTRA_SEAT + 3))))
