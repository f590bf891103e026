"""Comparing what a deal pays here and in OpenSpiel's `tarok`, after taking out the terms in which the two are known to differ.

Theirs pays the declarer and his partner only: `score` below, the value and the difference with bonuses; the Mond penalty stands beside it.
"""

from __future__ import annotations

from collections.abc import Collection

from tarock_env.actions import ITEM_IDS
from tarock_env.cards import CARD_VALUES, KING_IDS, MOND, PAGAT, SKUES, mask_cards
from tarock_env.engine.state import SIXTHS
from tests.openspiel_bridge import Pair

SLAM_CARDS = 48  # theirs takes a pile of so many cards for all tricks
SEVENTY = 70


def groups(cards: Collection[int]) -> int:
    """Whole card points, by counting off threes (rules.md 1.2)."""
    threes, odd = divmod(len(cards), 3)
    return sum(CARD_VALUES[card] for card in cards) - 2 * threes - (1 if odd else 0)


def units(pair: Pair, item: str) -> int:
    """What every defender pays for an item of ours; 0 where it is not settled."""
    payoffs = pair.deal["item_payoffs"][ITEM_IDS[item]].tolist()
    paid = {-payoffs[seat] for seat in range(pair.players) if seat not in pair.side}
    if len(paid) != 1 or sum(payoffs):
        raise pair.fail(f"{item} is not paid alike by all defenders")
    return paid.pop() // SIXTHS


def their_scores(pair: Pair) -> list[int]:
    """Their scores without the Mond penalty, by our seats."""
    scores = pair.theirs.scores_without_captured_mond_penalties()
    return [scores[pair.player(seat)] for seat in range(pair.players)]


def their_score(pair: Pair) -> int:
    """Their declarer's."""
    return their_scores(pair)[pair.declarer]


def compare_scores(pair: Pair) -> set[str]:
    """Raise Disagreement unless both agree but for known terms; returns the pair's notes with those added."""
    if pair.contract == "all_beggars":
        compare_beggars(pair)
        return pair.notes
    scores, score = their_scores(pair), their_score(pair)
    if any(scores[seat] != (score if seat in pair.side else 0) for seat in range(pair.players)):
        raise pair.fail(f"their scores {scores} are not the declarer's for his side and 0 for the others")
    if pair.terms.talon:
        compare_points(pair, score)
    elif pair.contract == "solo_without":
        compare_solo_without(pair, score)
    elif score != units(pair, "game"):
        raise pair.fail(f"game {units(pair, 'game')}, theirs {score}")
    compare_mond(pair)
    return pair.notes


def compare_beggars(pair: Pair) -> None:
    """All Beggars: ours costs everybody his tricks; theirs adds talon cards to the first six, and pays 70 for none or too much."""
    gifts = list(zip(pair.deal["talon"].tolist(), pair.winners, strict=False))
    counts = []
    for seat in range(pair.players):
        tricks = pair.won_by({seat})
        if int(pair.deal["payoffs"][seat]) != -groups(tricks) * SIXTHS:
            raise pair.fail(f"seat {seat} has {groups(tricks)} points, which is not what he pays")
        counts.append(groups([*tricks, *(card for card, winner in gifts if winner == seat)]))
    seventy = [SEVENTY if count == 0 else -SEVENTY if count > 35 else 0 for count in counts]
    expected = seventy if any(seventy) else [-count for count in counts]
    if their_scores(pair) != expected:
        raise pair.fail(f"klop {their_scores(pair)}, from the tricks {expected}")
    pair.notes.add("klop_seventy" if any(seventy) else "klop_gifts")


def piles(pair: Pair) -> tuple[list[int], list[int], list[int]]:
    """The declarer's side's pile, the defenders' tricks, and the rest of the talon that the called king won."""
    talon, taken = pair.deal["talon"].tolist(), int(pair.deal["talon_taken"])
    rest = [card for card in talon if not taken >> card & 1] if pair.king_wins_rest() else []
    pile = [*pair.won_by(pair.side), *mask_cards(pair.deal["discards"][pair.declarer]), *rest]
    return pile, pair.won_by(set(range(pair.players)) - pair.side), rest


def compare_points(pair: Pair, score: int) -> None:
    """Contracts with an exchange: the base and the difference, our Slam, bonuses."""
    pile, defenders, rest = piles(pair)
    swept = pair.swept()
    if swept and (units(pair, "valat") != 250 * swept or units(pair, "game")):
        raise pair.fail("all tricks on one side are a silent slam and nothing else")
    if len(defenders) == SLAM_CARDS or len(pile) == SLAM_CARDS:
        if score != (-250 if len(defenders) == SLAM_CARDS else 250) or (swept and units(pair, "valat") != score):
            raise pair.fail(f"their slam pays {score}")
        if not swept:
            pair.notes.add("false_slam")
        return
    kings, ultimo = their_kings(len(pile), len(defenders)), their_ultimo(pair, rest)
    off, base = groups(pile) - 35, pair.terms.value
    if score - kings - ultimo != (base + off if off > 0 else off - base):
        raise pair.fail(f"theirs {score}, of it kings {kings} and last trick {ultimo}; the pile has {groups(pile)} points")
    if swept:
        pair.notes.add("slam_unpaid")
        return
    if score - kings - ultimo != units(pair, "game"):
        raise pair.fail(f"game {units(pair, 'game')}, theirs {score}, of it kings {kings} and last trick {ultimo}")
    compare_bonuses(pair, pile, kings, ultimo)


def their_kings(pile: int, defenders: int) -> int:
    """Their bonus for kings, which looks at the size of the piles."""
    return 10 if pile == 4 else -10 if defenders == 4 else 0


def their_ultimo(pair: Pair, rest: list[int]) -> int:
    """Their bonus for the last trick: the called king, else the Pagat, among the last cards that its winner collected."""
    last, called = [card for _, card in pair.tricks[-1]], int(pair.deal["called"])
    if called in last:
        last = [*last, *rest][-pair.players :]
    bonus = 10 if called in last else 25 if PAGAT in last else 0
    return bonus if pair.winners[-1] in pair.side else -bonus


def compare_bonuses(pair: Pair, pile: list[int], kings: int, ultimo: int) -> None:
    """Ours must follow rules.md 3.4; note in which bonuses theirs differs, and why."""
    for item, note, cards in (("trull", "honours_unpaid", {PAGAT, MOND, SKUES}), ("four_kings", "kings_unpaid", set(KING_IDS))):
        earned = 10 if cards <= set(pile) else 0 if cards & set(pile) else -10
        if units(pair, item) != earned:
            raise pair.fail(f"{item} {units(pair, item)}, from the piles {earned}")
        if earned:
            pair.notes.add(note)
    if kings:
        pair.notes.add("kings_for_four_cards")
    called, last, winner = int(pair.deal["called"]), {card: seat for seat, card in pair.tricks[-1]}, pair.winners[-1]
    pagat = king = 0
    if PAGAT in last:
        pagat = 25 if (last[PAGAT] in pair.side) == (last[PAGAT] == winner) else -25
    if called in last:
        king = 10 if last[called] == winner else 0 if winner in pair.side else -10
    if (pagat, king) != (units(pair, "pagat"), units(pair, "king_ultimo")):
        raise pair.fail(f"last trick: expected {pagat} for the Pagat, {king} for the king")
    if pagat + king != ultimo:
        pair.notes.add(ultimo_note(pair, last, called, winner))


def ultimo_note(pair: Pair, last: dict[int, int], called: int, winner: int) -> str:
    """Why theirs pays something else for the last trick. last: card -> its seat."""
    if called in last and pair.king_wins_rest():
        return "last_trick_hidden"
    if PAGAT in last and called in last:
        return "one_ultimo"
    if PAGAT in last and last[PAGAT] != winner and (last[PAGAT] in pair.side) == (winner in pair.side):
        return "pagat_taken_by_own_side"
    if called in last and last[called] != winner and winner in pair.side:
        return "king_taken_by_own_side"
    raise pair.fail(f"their bonus for the last trick {last}, won by {winner}")


def compare_solo_without(pair: Pair, score: int) -> None:
    """Theirs has no bonuses in it."""
    game = pair.terms.value if groups(pair.won_by(pair.side)) > 35 else -pair.terms.value
    if score != game or units(pair, "game") != (0 if pair.swept() else game):
        raise pair.fail(f"game {units(pair, 'game')}, theirs {score}")
    if any(units(pair, item) for item in ("valat", "trull", "four_kings", "pagat")):
        pair.notes.add("solo_without_bonus")


def compare_mond(pair: Pair) -> None:
    """Who pays for the Mond: there its player or a declarer who left it in the talon, to nobody; here to the other side only."""
    penalties = pair.theirs.captured_mond_penalties()
    theirs = {seat for seat in range(pair.players) if penalties[pair.player(seat)]}
    paid = pair.deal["item_payoffs"][ITEM_IDS["mond"]].tolist()
    ours = {seat: winner for seat in range(pair.players) for winner in range(pair.players) if paid[seat] < 0 < paid[winner]}
    captured = {}
    for trick, winner in zip(pair.tricks, pair.winners, strict=True):
        captured |= {seat: winner for seat, card in trick if card == MOND and seat != winner and pair.terms.bonuses}
    unseen = MOND in pair.deal["talon"].tolist() and not int(pair.deal["talon_taken"]) >> MOND & 1
    left = bool(pair.terms.talon) and unseen and not pair.king_wins_rest()
    if theirs != ({pair.declarer} if left else set(captured)):
        raise pair.fail(f"the Mond costs {theirs} there; captured {captured}, left {left}")
    other = {seat: winner for seat, winner in captured.items() if (seat in pair.side) != (winner in pair.side) and not pair.swept()}
    if ours != other or any((paid[seat], paid[winner]) != (-20 * SIXTHS, 20 * SIXTHS) for seat, winner in other.items()):
        raise pair.fail(f"the Mond costs {paid} sixths; captured {captured}")
    if left:
        pair.notes.add("mond_left")
    elif ours:
        pair.notes.add("mond_unpaid")
    elif captured:
        pair.notes.add("mond_in_slam" if pair.swept() else "mond_to_partner")
