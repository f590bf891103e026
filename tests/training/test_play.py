"""`tarock play` through scripted answers: whole deals of every rule system, undo, hints, and leaving at any moment."""

import errno
import io
import re
import sys
from fractions import Fraction

import numpy as np
import pytest

from agents.base import load_bot
from agents.random_bot import RandomBot
from tarock_env.actions import CONTRACT_IDS, ITEM_IDS
from tarock_env.engine.state import PLAY, new_deals
from tarock_env.record import read_records
from tarock_env.replay import verify
from tarock_env.rules import SYSTEMS, load_rules
from training.cards_text import CardStyle, columns, wrapped
from training.play import TerminalMatch, play_match
from training.play_text import in_order, move_text, status


def match(answers, system="juegatu", bot=None, **options):
    """Play with these answers; what was written, line by line, and the match."""
    lines, left = [], iter(answers)

    def read(prompt):
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    given = {"seat": 0, "num_deals": 1, "seed": 3} | options
    played = TerminalMatch(load_rules(system), bot or RandomBot(), read=read, write=lines.append, **given)
    last = play_match(played)
    return "\n".join([*lines, last]).split("\n"), played


def chance(seed, count=4000):
    return (str(number) for number in np.random.default_rng(seed).integers(1, 9, count))


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_whole_deal_by_random_answers(system, tmp_path):
    file = tmp_path / "mine.jsonl"
    lines, played = match(chance(1), system, seat=1, save=file, hint=True)
    assert played.single.finished
    assert max(map(columns, lines[:-1])) <= 80  # (the last one has the file's name)
    text = "\n".join(lines)
    assert "your hand" in text
    assert "payoffs" in text
    assert "hint: " in text
    ((_, record),) = read_records(file)
    verify(record)
    assert record.result is not None


def test_a_match_keeps_totals_and_moves_the_forehand(tmp_path):
    file = tmp_path / "mine.jsonl"
    lines, _ = match(chance(2), "slovenian3", num_deals=2, save=file)
    records = [record for _, record in read_records(file)]
    assert [record.forehand for record in records] == [records[0].forehand, (records[0].forehand + 1) % 3]
    assert any(line.startswith("totals after the match") for line in lines)


def test_undo_takes_the_last_decision_back():
    lines, played = match(["u", "1", "1", "u"])
    assert "you have made no decision yet." in lines
    assert "taken back." in lines
    assert len(played.asked) == 1


def test_the_end_of_the_input_saves_the_position(tmp_path):
    file = tmp_path / "mine.jsonl"
    lines, _ = match(["1", "1", "1"], save=file)
    assert "stopped." in "\n".join(lines)
    assert f"1 deal in {file}" in lines[-1]
    ((_, record),) = read_records(file)
    verify(record)
    assert record.result is None


def test_an_interrupt_saves_the_position(tmp_path):
    file = tmp_path / "mine.jsonl"

    def answers():
        yield "1"
        raise KeyboardInterrupt

    match(answers(), save=file)
    ((_, record),) = read_records(file)
    assert record.actions


def test_wrong_answers_are_asked_again():
    lines, _ = match(["99", "nonsense", "", "h", "q"])
    text = "\n".join(lines)
    assert "no move '99': a number from 1 to" in text
    assert "no move 'nonsense': number or name of a move" in text
    assert "hint: " in text


def test_hidden_discards_stay_hidden():
    for seed in range(6):
        lines, played = match(chance(seed), seed=seed)
        hidden = [line for line in lines if re.match(r"seat \d +discard ", line)]
        shown = int(played.single.deal.discards_shown).bit_count()
        assert len(hidden) <= shown


def test_cards_have_symbols_and_colours_where_they_can():
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    assert CardStyle().text("play:HK T21") == "play:♥K T21"
    assert CardStyle(symbols=False).card("S10") == "S10"
    assert CardStyle(colour=True).card("HK") == "\x1b[31m♥K\x1b[0m"
    assert CardStyle.of(Terminal()).colour
    assert not CardStyle.of(io.StringIO()).colour
    assert columns(CardStyle(colour=True).hand([0, 29, 53])) == len("T1  ♥K  ♣K")
    assert max(map(columns, wrapped(["x" * 9] * 30).split("\n"))) <= 80


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_color(monkeypatch, name, value):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.setenv(name, value)
    assert not CardStyle.of(Terminal()).colour


@pytest.fixture
def play_command(tarock, monkeypatch):
    """Run `tarock play` with these answers on standard input."""

    def run(answers, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        return tarock("play", *arguments)

    return run


def test_the_command_reads_standard_input(play_command, tmp_path):
    file = tmp_path / "mine.jsonl"
    answers = "".join(f"{answer}\n" for answer in chance(5, 400))
    code, out, err = play_command(answers, "--rules", "czech19", "--bot", "random", "--seed", 4, "--save", file)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert f"in {file}" in out
    code, _, err = play_command("", "--bot", "random", "--save", file)
    assert code == 2
    assert "exists already" in err


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_deal_against_level_5_with_hints_and_undo(play_command, tarock, tmp_path, system):
    """Hints have numbers, moves are taken back, lines fit, the settlement adds up, and the record verifies."""
    file = tmp_path / "mine.jsonl"
    answers = ["h", "1", "u", *(answer for number in chance(8, 300) for answer in (number, "1"))]
    answers.insert(20, "u")
    code, out, err = play_command("\n".join(answers), "--rules", system, "--level", 5, "--seed", 6, "--seat", 1, "--save", file)
    assert (code, err) == (0, "")
    assert re.search(r"hint: .* \d+% \([+-]\d+\.\d\)", out)
    assert "taken back." in out
    lines = out.replace("your move: ", "").splitlines()
    assert max(map(columns, lines[:-1])) <= 80
    players = load_rules(system).players
    seats = [word for seat in range(players) for word in ("seat", str(seat))]
    header = next(index for index, line in enumerate(lines) if line.split() == seats)
    end = next(index for index, line in enumerate(lines) if line.split()[:1] == ["payoffs"])
    rows = [[Fraction(number) for number in line.split()[-players:]] for line in lines[header + 1 : end + 1]]
    assert [sum(column[:-1]) for column in zip(*rows, strict=True)] == rows[-1]
    assert sum(rows[-1]) == 0
    assert tarock("replay", file, "--verify")[:2] == (0, f"{file}: 1 record, all right\n")


def test_a_full_disk_at_the_end_of_a_deal_is_one_line(play_command, tmp_path, monkeypatch):
    def full(path, records):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("training.play.write_records", full)
    code, out, err = play_command("1\n" * 400, "--bot", "random", "--seed", 4, "--save", tmp_path / "mine.jsonl")
    assert code == 2
    assert err == f"{tmp_path / 'mine.jsonl'}: No space left on device\n"
    assert "payoffs" in out  # the deal is shown all the same
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--level", 1, "--bot", "rule"], "not both"),
        (["--bot", "nobody"], "Known:"),
        (["--bot", "random", "--seat", 5], "--seat 5: seats of juegatu are 0 to 3"),
        (["--rules", "whist"], "whist"),
        (["--bot", "random", "--save", "/nowhere/at/all.jsonl"], "there is no such folder; make it first: /nowhere/at"),
    ],
)
def test_mistakes_are_one_line(play_command, arguments, said):
    code, _, err = play_command("", *arguments)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_bids_stand_from_low_to_high_with_what_the_game_is_worth():
    rules = load_rules("juegatu")
    names = in_order(["bid:solodreier", "bid:rufer_pagat", "bid:sechserdreier", "pass"], rules)
    assert [move_text(name, None, rules, 0) for name in names] == [
        "pass", "rufer_pagat (2 + 4)", "sechserdreier (6, lost 12)", "solodreier (12)"
    ]  # fmt: skip
    slovenian = load_rules("slovenian4")
    assert move_text("bid:call_three", None, slovenian, 0) == "call_three (10+)"
    lines, _ = match(["q"], "slovenian4", seed=2)
    assert "(+: plus the points over or under 35)" in "\n".join(lines)


def test_moves_are_said_in_words_and_groups_of_the_talon_with_their_cards():
    rules = load_rules("slovenian3")
    deal = new_deals(1)[0]
    deal.contract, deal.talon[:] = CONTRACT_IDS["solo_two"], range(6)
    names = ["talon:1", "talon:3", "call:HK", "call:fourth", "announce:valat", "good"]
    assert [move_text(name, deal, rules, 0) for name in names] == [
        "talon 1: T1 T2", "talon 3: T5 T6", "call HK", "call the fourth king", "announce valat", "good"
    ]  # fmt: skip
    assert in_order(["announce:valat", "kontra:game", "announce:pagat", "good"], rules) == [
        "good", "announce:pagat", "announce:valat", "kontra:game"
    ]  # fmt: skip


def said(contract, seat=0, **fields):
    """Announcements and kontras as the status shows them, of a deal in which seat 1 declares."""
    deal = new_deals(1)[0]
    deal.num_seats, deal.phase, deal.contract, deal.declarer = 4, PLAY, CONTRACT_IDS[contract], 1
    for name, values in fields.items():
        for place, given in values.items():
            deal[name][place] = given
    return deal, [re.sub(" +", " ", line) for line in status(deal, load_rules("steirisch"), seat, CardStyle())][1:]


def test_what_was_announced_and_doubled_is_shown_and_what_a_kontra_makes_of_it():
    pagat, uhu, trull = (ITEM_IDS[name] for name in ("pagat", "uhu", "trull"))
    deal, lines = said("rufer", announced_by={pagat: 2, uhu: 2, trull: 0}, kontra={0: 1, pagat: 2})
    assert lines == ["announced you: trull; seat 2: pagat, uhu", "doubled kontra x2: game; rekontra x4: pagat"]
    names = ("kontra:game", "kontra:pagat", "kontra:trull")
    moves = [move_text(name, deal, load_rules("steirisch"), 0) for name in names]
    assert moves == ["rekontra on game (x4)", "subkontra on pagat (x8)", "kontra on trull (x2)"]


def test_opponents_who_double_for_themselves():
    deal, lines = said("bettler", seat_kontra={0: 1, 3: 2})
    assert lines == ["doubled kontra x2: game against you; rekontra x4: game against seat 3"]
    rules = load_rules("steirisch")
    assert move_text("kontra:game", deal, rules, 2) == "kontra on game (x2)"
    assert move_text("kontra:game", deal, rules, 3) == "subkontra on game (x8)"
    assert move_text("kontra:game@0", deal, rules, 1) == "rekontra on game against seat 0 (x4)"


def test_a_row_of_decisions_does_not_repeat_what_has_not_changed():
    lines, _ = match(["dreier", "1", "1", "1", "1"], bot=load_bot("rule"), seed=4)
    discards = [index for index, line in enumerate(lines) if line.startswith("1) discard")]
    assert len(discards) == 3
    assert all(lines[index - 1].startswith("your hand") and lines[index - 2] == "" for index in discards)
    assert lines.count("contract: dreier by seat 0") == 1


def test_a_kontra_may_be_typed_as_it_stands_in_the_list():
    _, played = match([])
    played.single.deal.kontra[0] = 1
    assert "rekontra on game" in played._spellings("kontra:game")
    assert "rekontra" in played._spellings("kontra:game")
