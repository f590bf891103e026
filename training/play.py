"""`tarock play`: a match at the terminal, one person against bots.

Everything shown comes from the view of the player's seat. A deal is played on a copy that can be taken back to any of the player's
decisions; the environment, which deals and keeps the match, gets its actions once the deal is over.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from agents.advice import advise
from agents.base import Bot
from tarock_env.aec import raw_env
from tarock_env.cards import mask_cards
from tarock_env.engine.view import make_view, make_views
from tarock_env.record import Record, units, write_records
from tarock_env.render import result_lines
from tarock_env.replay import record_of
from tarock_env.results import result_of
from tarock_env.rules import Rules
from tarock_env.single_deal import SingleDeal
from training.cards_text import SYMBOLS, CardStyle, wrapped
from training.play_text import in_order, move_text, status

HELP = "number or name of a move; h hint, u take back, q stop, ? this line"
SHOWN_HINTS = 6
LETTERS = {symbol: suit.lower() for suit, symbol in SYMBOLS.items()}


class Stop(Exception):
    """The player leaves: `q`, the end of the input, or an interrupt."""


class TerminalMatch:
    """A match of `num_deals` deals between the player in `seat` and `bot` in all others.

    read: asks for a line (raises EOFError at the end of the input); write: prints one. hint: numbers before every decision. save: file
    of deal records, rewritten whole after each deal and when the player leaves.
    """

    def __init__(
        self,
        rules: Rules,
        bot: Bot,
        seat: int,
        num_deals: int,
        seed: int,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] = print,
        style: CardStyle | None = None,
        hint: bool = False,
        save: Path | None = None,
    ) -> None:
        self.rules, self.bot, self.seat, self.hint, self.save = rules, bot, seat, hint, save
        self.read, self.write, self.style = read, write, style or CardStyle()
        self.game = raw_env(rules, deals=num_deals)
        self.game.reset(seed)
        self.rng = np.random.default_rng(seed)
        self.records: list[Record] = []

    def play(self) -> None:
        """Play to the end or until the player leaves; what was played is saved either way."""
        self.write(HELP)
        try:
            while True:
                self._play_deal()
                if self._end_deal():
                    return
        except (Stop, EOFError, KeyboardInterrupt):
            if self.single.actions and not self.single.finished:
                self.records.append(self._record())
            self.write("\nstopped.")
        finally:
            self._save()

    def _play_deal(self) -> None:
        """One deal up to its settlement."""
        dealt = self.game.single
        self.totals = list(self.game.totals)
        forced = bool(dealt.deal.forced)

        def fresh() -> SingleDeal:
            talon = dealt.deal.talon.tolist()
            return SingleDeal(self.rules, int(dealt.deal.forehand), dealt.deal_hands, talon, self.totals, dealt.rings, forced)

        self.single = fresh()
        self.asked: list[int] = []  # how many actions there were at each decision of the player
        self.seen: list[str] = []  # lines about the deal that were shown at his last decision; others have not acted since
        number = f"deal {self.game.deal_number} of {self.game.num_deals}"
        self.write(f"\n{self.rules.title}, {number}")
        self.write(f"you are seat {self.seat}, forehand is seat {int(dealt.deal.forehand)}")
        while not self.single.finished:
            if self.single.seat != self.seat:
                self._take(int(self.bot.act(make_views(self.single.deals, self.single.tables), self.single.tables, self.rng)[0]))
            elif len(legal := in_order(self.single.legal_names().split(), self.rules)) == 1:
                self._take_name(legal[0], " (your only move)")
            elif (name := self._ask(legal)) is not None:
                self.asked.append(len(self.single.actions))
                self._take_name(name)
            elif self.asked:
                kept = self.single.actions[: self.asked.pop()]
                self.single = fresh()
                for _, action in kept:
                    self.single.play(action)
                self.seen = []
                self.write("taken back.")
            else:
                self.write("you have made no decision yet.")

    def _ask(self, legal: list[str]) -> str | None:
        """The player's move by name; None to take the last one back. Raises Stop."""
        self._show(legal)
        if self.hint:
            self._advise()
        while True:
            answer = self.read("your move: ").strip()
            if answer.lower() in ("q", "quit"):
                raise Stop
            if answer.lower() in ("u", "undo"):
                return None
            if answer.lower() in ("h", "hint"):
                self._advise()
            elif answer.lower() in ("?", "help"):
                self.write(HELP)
            elif answer.isdecimal() and 1 <= int(answer) <= len(legal):
                return legal[int(answer) - 1]
            else:
                wanted = "".join(LETTERS.get(sign, sign) for sign in answer.lower())
                named = [name for name in legal if wanted and wanted in self._spellings(name)]
                if len(named) == 1:
                    return named[0]
                self.write(f"no move {answer[:40]!r}: {f'a number from 1 to {len(legal)}' if answer.isdecimal() else HELP}")

    def _spellings(self, name: str) -> tuple[str, ...]:
        """What a player may type for a move, in small letters: its name, what stands after the colon, the words of the list."""
        words = move_text(name, self.single.deal, self.rules, self.seat).lower().partition(" (")[0]
        return name.lower(), name.partition(":")[2].lower(), words, words.partition(" ")[0]

    def _show(self, legal: list[str]) -> None:
        """The situation as the player sees it, less what he has just seen, and what he may do."""
        deal = make_view(self.single.deals, self.single.tables, 0, self.seat)[0]
        lines = list(status(deal, self.rules, self.seat, self.style))
        self.write("")
        for line in lines:
            if line not in self.seen:
                self.write(line)
        self.seen = lines
        self.write(f"your hand  {self.style.hand(mask_cards(deal.hands[self.seat]))}")
        moves = [f"{number}) {self._move(name)}" for number, name in enumerate(legal, start=1)]
        self.write(wrapped(moves, "   "))

    def _move(self, name: str) -> str:
        """A move as it stands in lists."""
        return self.style.text(move_text(name, self.single.deal, self.rules, self.single.seat))

    def _advise(self) -> None:
        """What the bot would do, with its numbers where it has some."""
        views = make_views(self.single.deals, self.single.tables)
        advice = advise(self.bot, views, self.single.tables, self.rules, np.random.default_rng(0))
        parts = [f"hint: {self._move(advice.action)}"]
        for name, share in list((advice.policy or {}).items())[:SHOWN_HINTS]:
            value = "" if advice.values is None else f" ({advice.values[name]:+.1f})"
            move = self._move(name).partition(" (")[0]  # a bid's worth beside two more numbers would be one too many
            parts.append(f"{move} {share:.0%}{value}")
        if advice.policy is None:
            parts.append(f"({self.bot.name} has no numbers to show)")
        self.write(wrapped(parts, "  ", "      "))

    def _take_name(self, name: str, note: str = "") -> None:
        move, before = self._move(name), int(self.single.deal.trick_number)
        self.single.play_name(name)
        if note:
            self.write(f"you        {move}{note}")
        self._tell_trick(before)

    def _take(self, action: int) -> None:
        """A bot's action, told as far as the player may know it."""
        seat, before = self.single.seat, int(self.single.deal.trick_number)
        name = self.game.action_name(action, f"player_{seat}")
        move = self._move(name)
        self.single.play(action)
        if name.startswith("discard:") and not int(self.single.deal.discards_shown) >> action - 64 & 1:
            move = "discards a card"
        self.write(f"seat {seat}     {move}")
        self.seen = []
        self._tell_trick(before)

    def _tell_trick(self, before: int) -> None:
        deal = self.single.deal
        if deal.trick_number > before:
            winner = "you take" if deal.leader == self.seat else f"seat {deal.leader} takes"
            self.write(f"           -> {winner} trick {before + 1}")

    def _end_deal(self) -> bool:
        """Settle, keep the record, go on with the match; True when it is over."""
        self.records.append(self._record())
        self.write("")
        for line in self._settlement():
            self.write(line)
        for _, action in self.single.actions:
            self.game.step(action)
        over = not self.game.agents or all(self.game.terminations.values())
        totals = self.game.totals
        self.write(f"totals after the {'match' if over else 'deal'}: {', '.join(f'seat {s} {units(t)}' for s, t in enumerate(totals))}")
        self._save()  # last: what a full disk stops has been shown
        return over

    def _settlement(self) -> Iterator[str]:
        """The deal item by item."""
        result = result_of(self.single.deal, self.rules)
        whose = "everybody alone" if result["declarer"] is None else f"declared by seat {result['declarer']}"
        partner = "" if result["partner"] is None else f" with seat {result['partner']}"
        seats = [f"seat {seat}" for seat in range(self.rules.players)]
        yield f"{result['contract']}, {whose}{partner}. You {_won(int(self.single.payoffs[self.seat]))}."
        yield f"  {'':<34}{' '.join(f'{seat_name:>7}' for seat_name in seats)}"
        yield from result_lines(result)

    def _record(self) -> Record:
        single = self.single
        return record_of(single.deal, self.rules, single.actions, hands=single.deal_hands, rings=single.rings)

    def _save(self) -> None:
        if self.save is not None and self.records:
            write_records(self.save, self.records)


def _won(sixths: int) -> str:
    """A payoff as a clause."""
    return f"win {units(sixths)}" if sixths > 0 else f"lose {units(-sixths)}" if sixths < 0 else "neither win nor lose"


def play_match(match: TerminalMatch) -> str:
    """Play; returns the last line for the player: what was saved where."""
    match.play()
    if match.save is None or not match.records:
        return ""
    count = f"{len(match.records)} deal{'s' if len(match.records) > 1 else ''}"
    return f"{count} in {match.save}; look at one: tarock replay {match.save} --deal 1"
