"""An expert's audit: how often a bot makes the mistakes that card players complain about, and how its games end.

    overtrump    beats the card of a partner it knows with a tarock, nobody behind being a possible opponent, though it could stay
                 below (to bring Pagat or Mond home is no mistake)
    mond         plays the Mond by choice and loses it to the Sküs, which lay in the trick or was still out
    mond_seen    ... to a Sküs that lay in the trick already
    pagat        plays the Pagat by choice and the other side takes it, its announced trick apart
    feed         plays last, a known opponent has the trick, and gives more points than it must
    smear        plays last, a known partner has the trick, and gives fewer points than it could without beating him

Each is counted against its opportunities: decisions in tarock games in which the mistake was possible and avoidable. Seats see
only their views; the audit sees everything.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena import ContractCount, contract_table, count_contracts
from agents.base import Bot
from tarock_env.batch import DealBatch
from tarock_env.cards import MOND, PAGAT, SKUES
from tarock_env.engine.bits import T1, T21, T22, TAROCKS, ZERO, bit, card_thirds, lowest, without_lowest
from tarock_env.engine.bonus import PAGAT as PAGAT_ITEM
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import beating_cards, trick_cards, winning_card
from tarock_env.engine.seats import seat_after, side_known, with_declarer
from tarock_env.engine.state import DONE, PLAY
from tarock_env.engine.view import make_views
from tarock_env.rules import Rules
from tarock_env.rules.schema import Goal, Play

MISTAKES = ("overtrump", "mond", "mond_seen", "pagat", "feed", "smear")
MEANINGS = (
    "takes a known partner's trick with a tarock, for nothing",
    "plays the Mond by choice and loses it to the Sküs",
    "... that lay in the trick already",
    "plays the Pagat by choice and loses it to the other side",
    "last in a known opponent's trick, gives more points than needed",
    "last in a known partner's trick, gives fewer points than possible",
)
OVERTRUMP, MOND_LOST, MOND_SEEN, PAGAT_LOST, FEED, SMEAR = range(len(MISTAKES))
TAROCK_PLAY = int(Play.TAROCK)
LOCKSTEP = 4096


@kernel
def _sure_friends_behind(deal, seat):  # type: ignore[no-untyped-def]
    """Whether every seat that still plays to the trick after `seat` is known to be on its side."""
    side = with_declarer(deal, seat)
    for steps in range(deal.trick_size + 1, deal.num_seats):
        other = seat_after(deal, deal.leader, steps)
        if not side_known(deal, seat, other) or with_declarer(deal, other) != side:
            return False
    return True


@kernel
def _fewest_and_most(cards):  # type: ignore[no-untyped-def]
    """Lowest and highest points, in thirds, of one card of a set."""
    fewest, most = 99, -1
    while cards:
        points = card_thirds(bit(lowest(cards)))
        cards = without_lowest(cards)
        fewest = min(fewest, points)
        most = max(most, points)
    return fewest, most


@kernel
def _judge_trick(deal, rules, card, counts):  # type: ignore[no-untyped-def]
    """Overtrumping, feeding and smearing: what a card does to a trick that somebody else is winning."""
    seat, contract, legal = deal.seat, deal.contract, deal.legal[0]
    play, emperor = rules.play[contract], rules.emperor[contract]
    cards = trick_cards(deal)
    best = winning_card(cards, deal.trick[0], play, emperor)
    owner = deal.leader
    for index in range(deal.trick_size):
        if deal.trick[index] == best:
            owner = seat_after(deal, deal.leader, index)
    if not side_known(deal, seat, owner):
        return
    beating = legal & beating_cards(cards, deal.trick[0], play, emperor)
    below = legal & ~beating
    beats = bit(card) & beating != ZERO
    last = deal.trick_size == deal.num_seats - 1
    if with_declarer(deal, owner) == with_declarer(deal, seat):
        trumps = beating & TAROCKS & ~(T1 | T21)
        if trumps and below and _sure_friends_behind(deal, seat):
            counts[OVERTRUMP, 1] += 1
            counts[OVERTRUMP, 0] += bit(card) & trumps != ZERO
        if last and below and not beats:
            fewest, most = _fewest_and_most(below & ~(T1 | T21 | T22))
            if 0 <= fewest < most:
                counts[SMEAR, 1] += 1
                counts[SMEAR, 0] += card_thirds(bit(card)) < most
    elif last and not beats:
        fewest, most = _fewest_and_most(below)
        if fewest < most:
            counts[FEED, 1] += 1
            counts[FEED, 0] += card_thirds(bit(card)) > fewest


@kernel
def _judge_honours(deal, rules, card, counts, chosen):  # type: ignore[no-untyped-def]
    """Mond and Pagat played by choice. What becomes of them shows at the end: `chosen` (2,) remembers who chose."""
    seat, legal = deal.seat, deal.legal[0]
    fell = deal.trick_of[SKUES]
    if legal & T21 and legal & ~T21 and not deal.hands[seat] & T22 and (fell < 0 or fell == deal.trick_number):
        counts[MOND_LOST, 1] += 1
        counts[MOND_SEEN, 1] += fell >= 0
        if card == MOND:
            chosen[0] = 1
            counts[MOND_SEEN, 0] += fell >= 0
    if legal & T1 and legal & ~T1:
        due = deal.announced_by[PAGAT_ITEM] >= 0 and deal.trick_number == rules.num_tricks - 1
        counts[PAGAT_LOST, 1] += not due
        if card == PAGAT and not due:
            chosen[1] = 1 + seat


@kernel
def _judge(deals, tables, actions, counts, chosen):  # type: ignore[no-untyped-def]
    """Look at one action of every unfinished deal before it is played; returns the number of decisions with a choice."""
    decisions = 0
    for row in range(len(deals)):
        deal = deals[row]
        if deal.phase == DONE:
            continue
        decisions += 1
        if deal.phase != PLAY or tables[deal.rules_id].play[deal.contract] != TAROCK_PLAY:
            continue
        if deal.trick_size:
            _judge_trick(deal, tables[deal.rules_id], actions[row], counts)
        _judge_honours(deal, tables[deal.rules_id], actions[row], counts, chosen[row])
    return decisions


@kernel
def _judge_ends(deals, counts, chosen):  # type: ignore[no-untyped-def]
    """What became of the Monds and Pagats that were played by choice."""
    for row in range(len(deals)):
        deal = deals[row]
        if chosen[row, 0] and deal.trick_of[MOND] == deal.trick_of[SKUES] and deal.mond_seat >= 0:
            counts[MOND_LOST, 0] += 1
        if chosen[row, 1]:
            for seat in range(deal.num_seats):
                if deal.won[seat] & T1 and with_declarer(deal, seat) != with_declarer(deal, chosen[row, 1] - 1):
                    counts[PAGAT_LOST, 0] += 1


def audit(
    bot: Bot, rules: Rules, deals: int, seed: int, forced: bool = False, report: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """The bot in all seats of `deals` deals. forced: with the contract of each deal set, so that the rare ones occur often.

    report(done, total) counts deals.

    Returns decisions (with a choice); mistakes: name -> count, opportunities, rate, per_1000 decisions; above_forced: share of the
    deals played as a contract that `forced_contracts` does not hold; contracts as in the arena: share, win rate and points of each
    contract as declarer.
    """
    counts = np.zeros((len(MISTAKES), 2), np.int64)
    contracts: tuple[dict[int, ContractCount], dict[int, ContractCount]] = ({}, {})
    rng = np.random.default_rng(seed)
    decisions = 0
    for done in range(0, deals, LOCKSTEP):
        batch = DealBatch(min(LOCKSTEP, deals - done), rules, np.random.SeedSequence([seed, done]))
        if forced:
            batch.force_contracts(1.0)
            batch.reset()
        decisions += _play_judged(batch, bot, rng, counts)
        count_contracts(contracts, batch.deals, np.zeros((batch.num_deals, 4), np.int8))
        if report is not None:
            report(done + batch.num_deals, deals)
    table, forced_names = contract_table(contracts[0]), forced_contracts(rules)
    return {
        "bot": bot.name,
        "rules": rules.id,
        "options": dict(rules.chosen),
        "deals": deals,
        "seed": seed,
        "forced": forced,
        "decisions": decisions,
        "mistakes": {
            name: {
                "count": int(made),
                "opportunities": int(possible),
                "rate": made / possible if possible else 0.0,
                "per_1000": 1000 * made / max(decisions, 1),
            }
            for name, (made, possible) in zip(MISTAKES, counts.tolist(), strict=True)
        },
        "above_forced": sum(row["share"] for name, row in table.items() if name not in forced_names),
        "contracts": table,
    }


def forced_contracts(rules: Rules) -> set[str]:
    """Names of the contracts that show no will to play: P0's own where nobody bids, the lowest where P0 must bid, all against all unbid."""
    bid = [contract for contract in rules.contracts if contract.bid]
    forced = {contract.name for contract in rules.contracts if contract.forehand_only or contract.opening_only}
    forced |= {contract.name for contract in rules.contracts if not contract.bid and contract.goal == Goal.FEWEST_POINTS}
    return forced | ({min(bid, key=lambda contract: contract.rank).name} if rules.forehand_must_bid else set())


def _play_judged(batch: DealBatch, bot: Bot, rng: np.random.Generator, counts: NDArray[np.int64]) -> int:
    """Play a batch to its end, every decision judged; returns the number of decisions."""
    chosen = np.zeros((batch.num_deals, 2), np.int64)
    actions = np.zeros(batch.num_deals, np.int64)
    decisions = 0
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        actions[acting] = bot.act(make_views(batch.deals, batch.tables, acting), batch.tables, rng)
        decisions += int(_judge(batch.deals, batch.tables, actions, counts, chosen))
        batch.step(actions)
    _judge_ends(batch.deals, counts, chosen)
    return decisions


def audit_text(result: dict[str, Any]) -> str:
    """An audit as a table for people."""
    lines = [
        f"{result['bot']} on {result['rules']}: {result['deals']} deals{', contracts set' if result['forced'] else ''}, "
        f"{result['decisions']} decisions",
        "",
        f"{'mistake':<12}{'made':>8}{'possible':>10}{'rate':>9}{'per 1000':>10}",
    ]
    for name, row in result["mistakes"].items():
        lines.append(f"{name:<12}{row['count']:>8}{row['opportunities']:>10}{row['rate']:>9.2%}{row['per_1000']:>10.2f}")
    lines += [
        "",
        *(f"{name:<12}{meaning}" for name, meaning in zip(result["mistakes"], MEANINGS, strict=True)),
        f"{'per 1000':<12}in a thousand decisions of any kind",
        "",
        f"{'contract':<20}{'deals':>8}{'share':>9}{'won':>8}{'points':>9}",
    ]
    for name, row in result["contracts"].items():
        won = "-" if row["won"] is None else f"{row['won']:.1%}"
        lines.append(f"{name:<20}{row['deals']:>8}{row['share']:>9.1%}{won:>8}{row['points']:>9.2f}")
    lines.append(f"won, points: of the declarer; {result['above_forced']:.1%} of the deals above the contracts that forehand falls back on")
    return "\n".join(lines)
