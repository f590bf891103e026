"""The state machine: apply one action, move to the next decision, list what is legal there."""

from __future__ import annotations

from tarock_env.actions import ANNOUNCE as ANNOUNCE_ACTION
from tarock_env.actions import CALL as CALL_ACTION
from tarock_env.actions import GOOD, NUM_WORDS
from tarock_env.actions import RAISE as RAISE_ACTION
from tarock_env.engine.announce import (
    announce, announced_items, apply_announcement, begin_announcements, begin_kontra_round, legal_announcements, legal_kontras,
)  # fmt: skip
from tarock_env.engine.auction import (
    apply_auction, apply_conversion, auction_over, count_passed, legal_auction, legal_conversion, start_auction,
)  # fmt: skip
from tarock_env.engine.bits import ZERO, bit, lowest, nth, size
from tarock_env.engine.exchange import (
    WORD_3, apply_call, apply_choice, apply_discard, apply_staged, apply_talon, begin_call, begin_choices, begin_talon,
    legal_call, legal_choice, legal_discards, legal_name_bird, legal_staged, legal_talon,
)  # fmt: skip
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import apply_play, begin_play, legal_plays
from tarock_env.engine.score import score_deal
from tarock_env.engine.seats import reveal_all
from tarock_env.engine.state import (
    ANNOUNCE, AUCTION, CALL, CHOOSE_BEAT, CHOOSE_TALON, DISCARD, DONE, KONTRA, NAME_BIRD, PLAY, RAISE, STAGED, TALON,
    WARSAW,
)  # fmt: skip
from tarock_env.rules.schema import Goal

FEWEST_POINTS = int(Goal.FEWEST_POINTS)


@kernel
def begin_deal(deal, rules):
    """Open the auction of a freshly dealt record."""
    deal.num_seats = rules.num_seats
    if deal.forced:
        deal.contract = rules.fewest_contract
        after_auction(deal, rules)
    else:
        deal.phase = AUCTION
        start_auction(deal, rules)
    update_legal(deal, rules)


@kernel
def update_legal(deal, rules):
    """Write the legal actions of the acting seat into `deal.legal`."""
    for word in range(NUM_WORDS):
        deal.legal[word] = ZERO
    phase = deal.phase
    if phase == PLAY:
        deal.legal[0] = legal_plays(deal, rules)
    elif phase == DISCARD:
        deal.legal[1] = legal_discards(deal, rules)
    elif phase == AUCTION:
        deal.legal[2] = legal_auction(deal, rules)
    elif phase == NAME_BIRD:
        deal.legal[3] = legal_name_bird(deal)
    elif phase == CHOOSE_BEAT or phase == CHOOSE_TALON:
        deal.legal[3] = legal_choice(deal)
    elif phase == CALL:
        deal.legal[3] = legal_call(deal, rules)
    elif phase == TALON:
        deal.legal[3] = legal_talon(deal, rules)
    elif phase == ANNOUNCE:
        deal.legal[3] = legal_announcements(deal, rules)
    elif phase == KONTRA:
        deal.legal[3] = legal_kontras(deal, rules, announced_items(deal)) | bit(GOOD - WORD_3)
    elif phase == STAGED:
        deal.legal[3] = legal_staged(deal)
    elif phase == RAISE:
        deal.legal[3] = bit(RAISE_ACTION - WORD_3) | bit(GOOD - WORD_3)
    elif phase == WARSAW:
        deal.legal[2] = legal_conversion(deal, rules)


@kernel
def step(deal, rules, action):
    """Apply a legal action of the acting seat and move on to the next decision. Legality is the caller's business."""
    phase = deal.phase
    if phase == PLAY:
        if apply_play(deal, rules, action):
            score_deal(deal, rules)
    elif phase == ANNOUNCE or phase == KONTRA:
        if apply_announcement(deal, rules, action) and (phase == KONTRA or not begin_kontra_round(deal, rules)):
            begin_play(deal, rules)
    elif phase == DISCARD:
        if apply_discard(deal, rules, action):
            after_exchange(deal, rules)
    elif phase == AUCTION:
        apply_auction(deal, rules, action)
        if auction_over(deal, rules):
            after_bidding(deal, rules)
    elif phase == NAME_BIRD:
        announce(deal, deal.seat, action - ANNOUNCE_ACTION + 1)
        after_bird(deal, rules)
    elif phase == CHOOSE_BEAT or phase == CHOOSE_TALON:
        if apply_choice(deal, rules, action):
            begin_play(deal, rules)
    elif phase == CALL:
        apply_call(deal, action - CALL_ACTION)
        before_talon(deal, rules)
    elif phase == TALON:
        if apply_talon(deal, rules, action):
            score_deal(deal, rules)
    elif phase == STAGED:
        apply_staged(deal, action)
    elif phase == RAISE:
        if action == RAISE_ACTION:
            deal.raised = 1
            deal.contract = rules.raise_contract
        after_talon(deal, rules)
    elif phase == WARSAW:
        apply_conversion(deal, action)
        after_auction(deal, rules)
    update_legal(deal, rules)


@kernel
def after_bidding(deal, rules):
    """Nobody may speak any more: set a contract that nobody bid, or let P0 convert one that all others passed."""
    if deal.contract < 0:
        deal.contract = rules.fewest_contract
    converts = rules.converts_to[deal.contract] >= 0 and deal.declarer == deal.forehand
    if converts and count_passed(deal) == deal.num_seats - 1:
        deal.phase = WARSAW
        deal.seat = deal.forehand
    else:
        after_auction(deal, rules)


@kernel
def after_exchange(deal, rules):
    """The declarer may raise where the contract allows it."""
    if rules.may_raise[deal.contract]:
        deal.phase = RAISE
        deal.seat = deal.declarer
    else:
        after_talon(deal, rules)


@kernel
def after_auction(deal, rules):
    """The contract stands: what comes next."""
    contract = deal.contract
    if rules.goal[contract] == FEWEST_POINTS:
        deal.declarer = -1
        reveal_all(deal)
        if not begin_choices(deal, rules):
            begin_play(deal, rules)
        return
    deal.sides_public = 1 << deal.declarer
    if not rules.calls[contract]:
        reveal_all(deal)
    if rules.bird[contract] > 0:
        announce(deal, deal.declarer, rules.bird[contract])
    after_bird(deal, rules)


@kernel
def after_bird(deal, rules):
    """Call a partner where the contract has one, else straight to the talon."""
    if not begin_call(deal, rules):
        before_talon(deal, rules)


@kernel
def before_talon(deal, rules):
    """Talon where the contract uses it."""
    if not begin_talon(deal, rules):
        after_talon(deal, rules)


@kernel
def after_talon(deal, rules):
    """Announcements where the contract has any, else the first lead."""
    if not begin_announcements(deal, rules):
        begin_play(deal, rules)


@kernel
def count_legal(deal):
    """How many actions are legal."""
    count = 0
    for word in range(NUM_WORDS):
        count += size(deal.legal[word])
    return count


@kernel
def legal_at(deal, index):
    """The id of the legal action number `index`, counted from 0 in ascending order."""
    for word in range(NUM_WORDS):
        count = size(deal.legal[word])
        if index < count:
            return 64 * word + nth(deal.legal[word], index)
        index -= count
    return -1


@kernel
def only_legal(deal):
    """The one legal action where there is just one, else -1."""
    found = -1
    for word in range(NUM_WORDS):
        bits = deal.legal[word]
        if bits:
            if found >= 0 or size(bits) > 1:
                return -1
            found = 64 * word + lowest(bits)
    return found


@kernel
def is_legal(deal, action):
    """Whether an action id is legal now; any integer may be asked about."""
    if action < 0 or action >= 64 * NUM_WORDS:
        return False
    return deal.legal[action >> 6] & bit(action & 63) != ZERO


@kernel
def skip_forced(deal, rules):
    """Play decisions that have one legal action until there is a choice or the deal is done."""
    while deal.phase != DONE:
        action = only_legal(deal)
        if action < 0:
            return
        step(deal, rules, action)
