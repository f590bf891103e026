"""Settling a finished deal: the game item, the bonuses, Valat, both ledgers (rules text 3.1, 3.3, 1.8)."""

from __future__ import annotations

import numpy as np

from tarock_env.actions import ITEM_IDS, NUM_ITEMS
from tarock_env.engine.announce import NO_ITEMS, NUM_MELDS, item_bit, meld_units
from tarock_env.engine.bits import card_groups, card_thirds
from tarock_env.engine.bonus import VALAT, bonus_outcome, declarers_pile, side_sign, silent_made, valat_outcome
from tarock_env.engine.fewest import settle_fewest
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.settle import add_up, clear_items, pay, settle
from tarock_env.engine.state import DONE, SIXTHS
from tarock_env.rules.schema import Difference, Goal, Kontra, ValatScheme
from tarock_env.rules.schema import Talon as TalonKind

GAME = 0
WIN_THIRDS = 107  # 35 2/3 points, the same as 36 counted in groups
HALF_POINTS = 35
MOND_ITEM = ITEM_IDS["mond"]
FEWEST_POINTS, TRICKS, SLAM = int(Goal.FEWEST_POINTS), int(Goal.TRICKS), int(Goal.SLAM)
ADDED, MULTIPLIED = int(Difference.ADDED), int(Difference.MULTIPLIED)
EACH_OPPONENT = int(Kontra.EACH_OPPONENT)
UNUSED, STAGED = int(TalonKind.UNUSED), int(TalonKind.STAGED)
INSTEAD, GAME_MULTIPLE, VALAT_SLAM = int(ValatScheme.INSTEAD), int(ValatScheme.GAME_MULTIPLE), int(ValatScheme.SLAM)
ALL_ITEMS = np.uint32(0xFFFFFFFF)


@kernel
def settle_tricks(deal, rules):
    """Piccolo, Zwiccolo, Bettler: exactly so many tricks; kontra for all or for each opponent."""
    contract = deal.contract
    made = deal.tricks_won[deal.declarer] == rules.tricks[contract]
    units = rules.value[contract]
    if rules.kontra[contract] != EACH_OPPONENT:
        settle(deal, rules, GAME, units, made, made)
        return
    sixths = units * SIXTHS if made else -units * SIXTHS
    for seat in range(deal.num_seats):
        if seat != deal.declarer:
            factor = 1 << deal.seat_kontra[seat]
            pay(deal, rules, GAME, seat, -sixths, factor)
            pay(deal, rules, GAME, deal.declarer, sixths, factor)
    deal.settled[GAME] = 1
    deal.made[GAME] = made


@kernel
def settle_concession(deal, rules):
    """The declarer gives up: the game and the bird announced by the bid, to every other seat (1.8.13)."""
    settle(deal, rules, GAME, rules.value[deal.contract], False, False)
    for item in range(1, NUM_ITEMS):
        if deal.announced_by[item] >= 0:
            settle(deal, rules, item, rules.announced[item], False, False)


@kernel
def settle_game(deal, rules, declarers):
    """The game item of a contract that is about points."""
    contract = deal.contract
    won = card_thirds(declarers) >= WIN_THIRDS
    value = rules.value[contract]
    off = abs(card_groups(declarers) - HALF_POINTS)
    kind = rules.difference[contract]
    if kind == ADDED:
        step = rules.difference_rounding
        units = value + (2 * off + step) // (2 * step) * step
    elif kind == MULTIPLIED:
        level = deal.talon_choice + 1 if rules.talon[contract] == STAGED else 1
        units = off * value * level if off else 1
    else:
        units = value * (1 if won else rules.loss_factor[contract])
    settle(deal, rules, GAME, units, won, won)


@kernel
def settle_slam(deal, rules):
    """A contract to win every trick."""
    made = deal.tricks_won[deal.declarer] == rules.num_tricks
    settle(deal, rules, GAME, rules.value[deal.contract], made, made)


@kernel
def settle_mond(deal, rules):
    """The Mond's player pays the winner of its trick, beside the sides and never doubled (3.4, 1.8.11)."""
    payer, winner = deal.mond_seat, deal.mond_winner
    if payer < 0 or payer == winner:
        return
    if with_declarer(deal, payer) == with_declarer(deal, winner) and not rules.mond_to_partner:
        return
    pay(deal, rules, MOND_ITEM, payer, -rules.mond_penalty * SIXTHS, 1)
    pay(deal, rules, MOND_ITEM, winner, rules.mond_penalty * SIXTHS, 1)
    deal.settled[MOND_ITEM] = 1
    deal.made[MOND_ITEM] = 1


@kernel
def settle_melds(deal, rules):
    """Melds count for the melder's whole side; the hand after the exchange is what he has played (3.6)."""
    for seat in range(deal.num_seats):
        for meld in range(NUM_MELDS):
            if deal.melds[seat] >> meld & 1:
                units = meld_units(rules, deal.played[seat], meld)
                deal.meld_units[seat, meld] = units
                for other in range(deal.num_seats):
                    deal.payoffs[other] += units * SIXTHS * meld_sign(deal, seat, other)


@kernel
def meld_sign(deal, melder, seat):
    """How often `seat` gets (or, negative, pays) the units of a meld."""
    share = deal.num_seats - 1 if with_declarer(deal, seat) and deal.partner < 0 else 1
    return share if with_declarer(deal, melder) == with_declarer(deal, seat) else -share


@kernel
def enter_rings(deal, rules):
    """Cancel the declarer's ring where the bid was won, then give everybody one where the deal played for one (1.8.11)."""
    ring = rules.ring[deal.contract] == 1
    if deal.declarer >= 0:
        won = deal.made[GAME] == 1
        if deal.settled[VALAT]:
            ring = True
            won = deal.item_payoffs[VALAT, deal.declarer] > 0
        if won and deal.rings[deal.declarer] > 0:
            deal.rings[deal.declarer] -= 1
    if ring:
        for seat in range(deal.num_seats):
            deal.rings[seat] += 1


@kernel
def bonus_factor(deal, rules):
    """2 in solo games, else 1."""
    return 2 if rules.solo[deal.contract] else 1


@kernel
def settle_bonus(deal, rules, item, declarers):
    """One bonus other than Valat: an announced one is won or lost by its announcer, a silent one goes to who earned it."""
    by = deal.announced_by[item]
    outcome = bonus_outcome(deal, rules, item, declarers, by >= 0)
    if by >= 0:
        side = side_sign(deal, by)
        earned = outcome == side
        units = rules.announced[item] * bonus_factor(deal, rules)
        settle(deal, rules, item, units, earned == (side > 0), earned)
    elif outcome != 0 and rules.silent[item] > 0:
        units = rules.silent[item] * bonus_factor(deal, rules)
        settle(deal, rules, item, units, outcome > 0, silent_made(deal, rules, item))


@kernel
def settle_bonuses(deal, rules, declarers, keeps_silent, keeps_announced):
    """All bonuses of the contract but Valat, as far as the two sets let them count."""
    for item in range(1, NUM_ITEMS):
        if item == VALAT or not rules.bonuses[deal.contract] & item_bit(item):
            continue
        keeps = keeps_announced if deal.announced_by[item] >= 0 else keeps_silent
        if keeps & item_bit(item):
            settle_bonus(deal, rules, item, declarers)


@kernel
def valat_units(deal, rules, announced):
    """What a Valat pays each opponent, before kontra."""
    if rules.valat_scheme == GAME_MULTIPLE:
        multiple = rules.valat_announced_multiple if announced else rules.valat_silent_multiple
        return rules.value[deal.contract] * multiple
    units = rules.announced[VALAT] if announced else rules.silent[VALAT]
    return units * bonus_factor(deal, rules) if rules.valat_in_solo else units


@kernel
def settle_valat(deal, rules, made_by):
    """The Valat item: the announcer wins or loses it, a silent one goes to its side. `made_by`: sign of that side, or 0."""
    by = deal.announced_by[VALAT]
    if by < 0:
        settle(deal, rules, VALAT, valat_units(deal, rules, False), made_by > 0, True)
        return
    side = side_sign(deal, by)
    made = made_by == side
    settle(deal, rules, VALAT, valat_units(deal, rules, True), made == (side > 0), made)


@kernel
def defenders_net(deal):
    """What one defender gets from all settled items, in sixths."""
    for seat in range(deal.num_seats):
        if not with_declarer(deal, seat):
            total = 0
            for item in range(NUM_ITEMS):
                total += deal.item_payoffs[item, seat]
            return total
    return 0


@kernel
def settle_instead(deal, rules, declarers, made_by):
    """Announced, Valat is all that counts; silent, it counts where it is worth at least as much as everything else (3.1)."""
    if deal.announced_by[VALAT] >= 0:
        settle_valat(deal, rules, made_by)
        return
    settle_game(deal, rules, declarers)
    settle_bonuses(deal, rules, declarers, ALL_ITEMS, ALL_ITEMS)
    if made_by != 0 and -made_by * defenders_net(deal) <= valat_units(deal, rules, False) * SIXTHS:
        clear_items(deal)
        settle_valat(deal, rules, made_by)


@kernel
def settle_beside(deal, rules, declarers, made_by):
    """Valat beside the game, or as a multiple of it in its place; it limits which bonuses count (3.3)."""
    valat = made_by != 0 or deal.announced_by[VALAT] >= 0
    if made_by != 0 and deal.announced_by[VALAT] < 0 and rules.valat_voids_game_kontra:
        deal.void_kontra |= item_bit(GAME)
    if not (valat and rules.valat_scheme == GAME_MULTIPLE):
        settle_game(deal, rules, declarers)
    if valat:
        settle_valat(deal, rules, made_by)
        settle_bonuses(deal, rules, declarers, rules.valat_keeps_silent, rules.valat_keeps_announced)
    else:
        settle_bonuses(deal, rules, declarers, ALL_ITEMS, ALL_ITEMS)


@kernel
def settle_points(deal, rules):
    """A contract that is about card points."""
    if deal.king_in_talon and rules.talon[deal.contract] == UNUSED and rules.king_in_talon_voids_kontra:
        deal.void_kontra = ALL_ITEMS
    declarers = declarers_pile(deal, rules)
    made_by = 0
    if rules.bonuses[deal.contract] & item_bit(VALAT):
        made_by = valat_outcome(deal, rules)
    if rules.valat_scheme == INSTEAD:
        settle_instead(deal, rules, declarers, made_by)
    elif rules.valat_scheme == VALAT_SLAM and (made_by != 0 or deal.announced_by[VALAT] >= 0):
        settle_valat(deal, rules, made_by)
    else:
        settle_beside(deal, rules, declarers, made_by)
        if rules.mond_penalty and rules.bonuses[deal.contract]:
            settle_mond(deal, rules)


@kernel
def score_deal(deal, rules):
    """Settle the deal and close it."""
    clear_items(deal)
    deal.void_kontra = NO_ITEMS
    goal = rules.goal[deal.contract]
    if deal.conceded:
        settle_concession(deal, rules)
    elif goal == FEWEST_POINTS:
        settle_fewest(deal, rules)
    elif goal == TRICKS:
        settle_tricks(deal, rules)
    elif goal == SLAM:
        settle_slam(deal, rules)
    else:
        settle_points(deal, rules)
    add_up(deal)
    settle_melds(deal, rules)
    if rules.rings:
        enter_rings(deal, rules)
    deal.phase = DONE
    deal.seat = -1
