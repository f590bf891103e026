"""Following, winning and ending: the play of the cards (rules text 1.3, 1.4, 1.7, 1.8.3)."""

from __future__ import annotations

from tarock_env.actions import ITEM_IDS
from tarock_env.cards import MOND
from tarock_env.engine.announce import item_card
from tarock_env.engine.bits import (
    SUIT_CARDS, SUIT_MASKS, T1, T21, T22, TAROCKS, TRULL, ZERO, above, bit, highest, size, suit_of,
)  # fmt: skip
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import next_seat, reveal_all, seat_after, with_declarer
from tarock_env.engine.state import PLAY
from tarock_env.rules.schema import Emperor, Goal, TalonTricks
from tarock_env.rules.schema import Play as PlayKind

COLOUR, NEGATIVE = int(PlayKind.COLOUR), int(PlayKind.NEGATIVE)
EMPEROR_ALWAYS, EMPEROR_TAROCK_LED = int(Emperor.ALWAYS), int(Emperor.TAROCK_LED)
TRICKS, SLAM, FEWEST_POINTS = int(Goal.TRICKS), int(Goal.SLAM), int(Goal.FEWEST_POINTS)
FIRST_SIX, LAST = int(TalonTricks.FIRST_SIX), int(TalonTricks.LAST)
PAGAT_ITEM, ULTIMO_ITEM, VALAT_ITEM = ITEM_IDS["pagat"], ITEM_IDS["king_ultimo"], ITEM_IDS["valat"]


@kernel
def begin_play(deal, rules):
    """Set the leader of the first trick."""
    deal.phase = PLAY
    deal.leader = deal.declarer if rules.declarer_leads[deal.contract] else deal.forehand
    deal.seat = deal.leader


@kernel
def trick_cards(deal):
    """Cards of the current trick as a set."""
    cards = ZERO
    for index in range(deal.trick_size):
        cards |= bit(deal.trick[index])
    return cards


@kernel
def winning_card(cards, led, play, emperor):
    """The card that wins a set of cards of which `led` was led (1.3)."""
    if TRULL & ~cards == ZERO and (emperor == EMPEROR_ALWAYS or (emperor == EMPEROR_TAROCK_LED and led < 22)):
        return 0
    if play != COLOUR and cards & TAROCKS:
        return highest(cards & TAROCKS)
    return highest(cards & SUIT_MASKS[suit_of(led)])


@kernel
def beating_cards(cards, led, play, emperor):
    """All cards that would be winning if they joined a trick of these cards (1.4).

    Two Trull cards on the table make the third an Emperor trick: the Pagat wins it as the third card, and the Mond or the Sküs
    as the third card would lose it to the Pagat.
    """
    best = winning_card(cards, led, play, emperor)
    winners = _beating(best, led, play)
    if size(cards & TRULL) == 2 and (emperor == EMPEROR_ALWAYS or (emperor == EMPEROR_TAROCK_LED and led < 22)):
        return winners & ~(T21 | T22) if cards & T1 else T1
    return winners


@kernel
def _beating(best, led, play):
    """Cards above the best one: higher ones of its suit, and every tarock where a suit card is best and tarocks are trumps."""
    if best < 22:
        return TAROCKS & above(best)
    higher = SUIT_MASKS[suit_of(best)] & above(best)
    return higher if play == COLOUR else higher | TAROCKS


@kernel
def must_beat(deal, rules):
    """Whether a negative game forces the winning card."""
    if rules.goal[deal.contract] != FEWEST_POINTS:
        return True
    return deal.must_beat == 1 if deal.must_beat >= 0 else rules.fewest_must_beat == 1


@kernel
def must_tarock(deal, rules):
    """Whether a void seat must play a tarock."""
    return rules.goal[deal.contract] != FEWEST_POINTS or rules.fewest_must_tarock == 1


@kernel
def pagat_barred(cards, hand):
    """The cards less the Pagat, as long as another tarock is held (negative games)."""
    return cards & ~T1 if hand & TAROCKS & ~T1 else cards


@kernel
def mond_barred(rules, cards, hand, contract):
    """The cards less the Mond where a tarock besides Pagat and Mond is held and the rules guard it (3.6)."""
    if rules.mond_guard and rules.goal[contract] == FEWEST_POINTS and hand & TAROCKS & ~(T1 | T21):
        return cards & ~T21
    return cards


@kernel
def legal_leads(rules, hand, contract):
    """Cards that may be led (1.4)."""
    play = rules.play[contract]
    if play == COLOUR and not rules.colour_leads_free:
        suits = hand & SUIT_CARDS
        return suits if suits else hand
    if play != NEGATIVE:
        return hand
    if rules.pagat_waits_for_all:
        return hand & ~T1 if hand != T1 else hand
    return mond_barred(rules, pagat_barred(hand, hand), hand, contract)


@kernel
def followers(hand, led, tarock_forced):
    """Cards that may follow: the led suit, else tarocks, else anything (1.4)."""
    follow = hand & SUIT_MASKS[suit_of(led)]
    if follow:
        return follow
    tarocks = hand & TAROCKS
    return tarocks if tarocks and tarock_forced else hand


@kernel
def legal_plays(deal, rules):
    """Word 0: the cards that the acting seat may play."""
    hand = deal.hands[deal.seat]
    play = rules.play[deal.contract]
    if deal.trick_size == 0:
        legal = legal_leads(rules, hand, deal.contract)
    else:
        legal = followers(hand, deal.trick[0], must_tarock(deal, rules))
        if play == NEGATIVE:
            return negative_followers(deal, rules, hand, legal)
    if play == NEGATIVE or not rules.locks:
        return legal
    return held_back(deal, rules, legal)


@kernel
def negative_followers(deal, rules, hand, legal):
    """Must-beat and Pagat last, within the cards that may follow (1.4)."""
    contract = deal.contract
    cards = trick_cards(deal)
    emperor = rules.emperor[contract]
    if cards & T22:
        legal = mond_barred(rules, legal, hand, contract)
    pagat_free = emperor > 0 and cards & (T21 | T22) == T21 | T22
    if must_beat(deal, rules):
        winners = legal & beating_cards(cards, deal.trick[0], rules.play[contract], emperor)
        winners = winners if pagat_free else pagat_barred(winners, hand)
        if winners:
            return winners
    rest = legal if pagat_free else pagat_barred(legal, hand)
    return rest if rest else legal


@kernel
def target_trick(deal, rules, item):
    """The trick (from 0) for which an announced card is held back."""
    return rules.num_tricks - 1 - (item - PAGAT_ITEM if item < ULTIMO_ITEM else 0)


@kernel
def held_back(deal, rules, legal):
    """Apply the locks of announced cards that the acting seat holds for its own side (1.7, 1.8.6)."""
    seat = deal.seat
    locked, due, first = ZERO, ZERO, 99
    for item in range(PAGAT_ITEM, ULTIMO_ITEM + 1):
        by = deal.announced_by[item]
        if by < 0 or with_declarer(deal, by) != with_declarer(deal, seat):
            continue
        card = bit(item_card(deal, item)) & legal
        target = target_trick(deal, rules, item)
        if not card or deal.trick_number > target:
            continue
        if deal.trick_number == target:
            due |= card
            continue
        first = min(first, target)
        locked |= card
    if due:
        return due
    if legal & ~locked:
        return legal & ~locked
    return earliest_locked(deal, rules, legal, first)


@kernel
def earliest_locked(deal, rules, legal, first):
    """Only held-back cards are legal: those with the earliest target trick go first (1.8.13)."""
    cards = ZERO
    for item in range(PAGAT_ITEM, ULTIMO_ITEM + 1):
        if deal.announced_by[item] >= 0 and target_trick(deal, rules, item) == first:
            card = bit(item_card(deal, item)) & legal
            cards |= card
    return cards if cards else legal


@kernel
def apply_play(deal, rules, card):
    """Play a card; True when the deal is over."""
    seat = deal.seat
    deal.hands[seat] &= ~bit(card)
    deal.played[seat] |= bit(card)
    deal.trick_of[card] = deal.trick_number
    deal.trick[deal.trick_size] = card
    deal.trick_size += 1
    if deal.trick_size > 1:
        note_voids(deal, rules, seat, card)
    if card == deal.called:
        reveal_all(deal)
    if deal.trick_size < deal.num_seats:
        deal.seat = next_seat(deal, seat)
        return False
    return finish_trick(deal, rules)


@kernel
def note_voids(deal, rules, seat, card):
    """What a card played to a led suit proves: none of that suit, and no tarock where tarocks are compulsory and absent."""
    led = suit_of(deal.trick[0])
    suit = suit_of(card)
    if suit != led:
        deal.voids[seat] |= 1 << led
        if suit != 0 and must_tarock(deal, rules):
            deal.voids[seat] |= 1


@kernel
def finish_trick(deal, rules):
    """Give the trick to its winner and note what scores; True when the deal is over."""
    contract = deal.contract
    cards = trick_cards(deal)
    best = winning_card(cards, deal.trick[0], rules.play[contract], rules.emperor[contract])
    winner = deal.leader
    for index in range(deal.num_seats):
        if deal.trick[index] == best:
            winner = seat_after(deal, deal.leader, index)
    deal.won[winner] |= cards
    deal.tricks_won[winner] += 1
    for index in range(deal.num_seats):
        note_card(deal, rules, deal.trick[index], seat_after(deal, deal.leader, index), winner, best)
    if rules.goal[contract] == FEWEST_POINTS:
        award_talon(deal, rules, winner)
    deal.trick_number += 1
    deal.leader = winner
    deal.seat = winner
    deal.trick_size = 0
    for index in range(deal.num_seats):
        deal.trick[index] = -1
    return deal.trick_number == rules.num_tricks or decided_early(deal, rules, winner)


@kernel
def note_card(deal, rules, card, seat, winner, best):
    """Remember what happened to a bird at its trick, to the Mond and to the called card."""
    last = rules.num_tricks - 1
    if card < 4 and deal.trick_number == last - card:
        deal.bird_seat[card] = seat
        deal.bird_won[card] = card == best
    if card == MOND and card != best:
        deal.mond_seat = seat
        deal.mond_winner = winner
    if card == deal.called:
        deal.king_winner = winner
        deal.king_itself = card == best
        if deal.trick_number == last:
            deal.ultimo_seat = seat
            deal.ultimo_winner = winner
            deal.ultimo_itself = card == best


@kernel
def award_talon(deal, rules, winner):
    """Talon cards that go to tricks in an all-against-all game (1.8.2)."""
    mode = deal.talon_tricks if deal.talon_tricks >= 0 else rules.fewest_talon
    if mode == FIRST_SIX and deal.trick_number < 6:
        card = bit(deal.talon[deal.trick_number])
        deal.awarded[winner] |= card
        deal.talon_open |= card
    elif mode == LAST and deal.trick_number == rules.num_tricks - 1:
        for card_id in deal.talon:
            deal.awarded[winner] |= bit(card_id)
            deal.talon_open |= bit(card_id)


@kernel
def decided_early(deal, rules, winner):
    """Whether the trick just won ends the deal before its time (1.8.3)."""
    contract = deal.contract
    goal = rules.goal[contract]
    if goal == TRICKS:
        return deal.tricks_won[deal.declarer] > rules.tricks[contract]
    if goal == SLAM:
        return winner != deal.declarer
    by = deal.announced_by[VALAT_ITEM]
    return by >= 0 and rules.valat_ends_deal == 1 and with_declarer(deal, by) != with_declarer(deal, winner)


@kernel
def hands_shown(deal, rules):
    """0 nobody's, 1 everybody's, 2 the declarer's hand lies open now."""
    if deal.phase != PLAY or deal.trick_number == 0:
        return 0
    return rules.shown[deal.contract]
