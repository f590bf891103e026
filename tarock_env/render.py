"""Text pictures: a deal in progress, as everyone or as one seat sees it, and a whole record."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from textwrap import wrap
from typing import Any

from tarock_env.actions import CALLS, CONTRACTS, ITEMS, NUM_CALLABLE_ITEMS
from tarock_env.cards import CARD_NAMES, CARD_SUITS, mask_cards
from tarock_env.engine.state import AUCTION, DONE, PHASES, PLAY
from tarock_env.engine.view import make_view
from tarock_env.legal import legal_names
from tarock_env.record import UNSEEN, Record
from tarock_env.replay import replay
from tarock_env.results import result_of
from tarock_env.rules import Rules
from tarock_env.single_deal import SingleDeal
from tarock_env.deal_behind import deal_behind

WIDTH = 80  # columns of a line
KONTRA_WORDS = ("", " kontra", " rekontra", " subkontra")


def cards_text(cards: Iterable[int]) -> str:
    """Cards as a player sorts them: tarocks from the top, then suit by suit from the top."""
    ordered = sorted(cards, key=lambda card: (CARD_SUITS[card], -card))
    return "  ".join(" ".join(CARD_NAMES[card] for card in suit) for _, suit in groupby(ordered, key=lambda card: CARD_SUITS[card]))


def render_deal(single: SingleDeal, viewer: int | None = None) -> str:
    """A deal as it stands. viewer: only what that seat knows; None: everything."""
    deal = single.deal if viewer is None else make_view(single.deals, single.tables, 0, viewer)[0]
    rules = single.rules
    lines = [_headline(deal, rules)]
    if deal.contract >= 0:
        lines.append(contract_text(deal))
    for seat in range(rules.players):
        lines.append(_seat(deal, seat))
    if deal.phase == PLAY and deal.trick_size:
        played = [f"{(deal.leader + step) % rules.players} {CARD_NAMES[deal.trick[step]]}" for step in range(deal.trick_size)]
        lines.append(f"trick {deal.trick_number + 1}: {', '.join(played)}")
    called = _announcements(deal)
    if called:
        lines.append(f"announced: {called}")
    if deal.phase == DONE:
        lines.append(f"payoffs: {' '.join(map(str, result_of(deal, rules)['payoffs']))}")
    elif viewer in (None, deal.seat):
        lines.append(f"legal: {legal_names(deal.legal, int(deal.seat), rules.players)}")
    return "\n".join(lines)


def _headline(deal: Any, rules: Rules) -> str:
    phase = PHASES[deal.phase]
    trick = f", trick {deal.trick_number + 1} of {rules.hand_size}" if deal.phase == PLAY else ""
    acts = f", seat {deal.seat} acts" if deal.seat >= 0 else ""
    return f"{rules.title}: {phase}{trick}{acts}"


def contract_text(deal: Any) -> str:
    """The highest bid, or the contract with declarer, call and partner, as far as a DEAL record says so."""
    name = CONTRACTS[deal.contract]
    if deal.phase == AUCTION:
        return f"highest bid: {name} by seat {deal.declarer}"
    text = f"contract: {name}" + (f" by seat {deal.declarer}" if deal.declarer >= 0 else ", everybody alone")
    if deal.call >= 0:
        text += f", called {CALLS[deal.call]}"
        text += f", partner seat {deal.partner}" if deal.partner >= 0 else ""
    return text


def _seat(deal: Any, seat: int) -> str:
    marks = "".join(
        mark if there else " " for mark, there in ((">", seat == deal.seat), ("F", seat == deal.forehand), ("D", seat == deal.declarer))
    )
    tricks = f" {deal.tricks_won[seat]:2d} tricks" if deal.phase in (PLAY, DONE) else ""
    return f"{marks} seat {seat}{tricks}  {cards_text(mask_cards(deal.hands[seat]))}".rstrip()


def _announcements(deal: Any) -> str:
    said = []
    for item in range(NUM_CALLABLE_ITEMS):
        by = deal.announced_by[item]
        if by >= 0 or (item == 0 and deal.kontra[0]):
            said.append(ITEMS[item] + (f" by {by}" if by >= 0 else "") + KONTRA_WORDS[deal.kontra[item]])
    said += [f"game for seat {seat}{KONTRA_WORDS[steps]}" for seat, steps in enumerate(deal.seat_kontra) if steps]
    return ", ".join(said)


def render_record(record: Record, line: int = 1) -> str:
    """A whole record: hands, talon, what was said and played, the result. Raises RecordError where its actions break the rules."""
    rules = record.rules
    chosen = "".join(f" {name}={value}" for name, value in rules.chosen.items())
    lines = [
        f"line {line}: {rules.id}{chosen}, forehand {record.forehand}" + ("" if record.view is None else f", as seat {record.view} sees it")
    ]
    for seat, hand in enumerate(record.hands):
        lines.append(f"  seat {seat}  {UNSEEN if hand is None else cards_text(hand)}")
    talon = [UNSEEN if card is None else CARD_NAMES[card] for card in record.talon]
    lines.append(f"  talon   {' '.join(talon[:3])} | {' '.join(talon[3:])}")
    plays = [(seat, name.removeprefix("play:")) for seat, name in record.actions if name.startswith("play:")]
    spoken = [(seat, name) for seat, name in record.actions if not name.startswith("play:")]
    for seat, said in groupby(spoken, key=lambda action: action[0]):
        lines += wrap(f"  {seat}: {', '.join(name for _, name in said)}", WIDTH, subsequent_indent="     ", break_on_hyphens=False)
    end = replay(record, line) if record.view is None else deal_behind(record, line)
    last_winner = int(end.deals.leader[0])
    lines += _tricks(plays, rules.players, last_winner)
    if record.result is not None:
        lines += result_lines(record.result)
    return "\n".join(lines) + "\n"


def _tricks(plays: list[tuple[int, str]], players: int, last_winner: int | None) -> list[str]:
    """One line a trick; its winner leads the next, or is known from the end."""
    lines = []
    for start in range(0, len(plays), players):
        trick = plays[start : start + players]
        following = plays[start + players][0] if start + players < len(plays) else last_winner
        winner = f"-> {following}" if len(trick) == players and following is not None else ""
        lines.append(f"  {start // players + 1:2d}. {'  '.join(f'{seat} {card:<3}' for seat, card in trick)} {winner}".rstrip())
    return lines


def result_lines(result: Mapping[str, Any]) -> list[str]:
    """A `result` item by item, then the sums of both ledgers; at most 80 columns."""
    lines = []
    for item in result.get("items", []):
        made = {True: "made", False: "lost", None: ""}[item["made"]]
        said = [word for word in (made, "announced" if item["announced"] else "", factors(item["kontra"])) if word]
        lines.append(f"  {item['item']:<12}{' '.join(said):<22}{_payments(item['payoffs'])}")
    lines.append(f"  {'payoffs':<34}{_payments(result.get('payoffs', []))}")
    if "schrift" in result:
        lines.append(f"  {'schrift':<34}{_payments(result['schrift'])}")
    return lines


def factors(kontra: int | list[int]) -> str:
    """How often an item counts: x4, by seat where each has its own (0:x2); "" where nothing is doubled."""
    if isinstance(kontra, int):
        return "" if kontra == 1 else f"x{kontra}"
    return " ".join(f"{seat}:x{factor}" for seat, factor in enumerate(kontra) if factor > 1)


def _payments(payoffs: list[object]) -> str:
    return " ".join(f"{payoff!s:>7}" for payoff in payoffs)
