"""Stepping through a record, and drawing one."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from tarock_env.record import RecordError, read_records, write_records
from tarock_env.rules import SYSTEMS
from tarock_env.replay import view_of
from tarock_env.svg import deal_svg, tricks_of
from training.cards_text import CardStyle, columns
from training.show_deal import deal_pages, show_pages

SVG = "{http://www.w3.org/2000/svg}"


def record_of_system(system):
    return next(iter(read_records(f"tests/playthroughs/{system}.jsonl")))[1]


@pytest.mark.parametrize("system", SYSTEMS)
def test_pages_tell_the_whole_deal(system):
    record = record_of_system(system)
    pages = deal_pages(record, 1, CardStyle(colour=True))
    text = "\n".join(pages)
    assert max(columns(line) for line in text.split("\n")) <= 80
    tricks = [page for page in pages if page.startswith("trick ")]
    assert len(tricks) == sum(name.startswith("play:") for _, name in record.actions) // record.rules.players
    assert all("-> seat" in page for page in tricks)
    assert "payoffs" in pages[-1]


def test_winners_lead_the_next_trick():
    tricks = tricks_of(record_of_system("juegatu"))
    assert [winner for _, winner in tricks[:-1]] == [plays[0][0] for plays, _ in tricks[1:]]
    assert tricks[-1][1] is not None


def test_a_position_ends_in_an_unfinished_trick():
    record = record_of_system("juegatu")
    tricks = tricks_of(replace(record, actions=record.actions[:-2], result=None))
    assert len(tricks[-1][0]) == 2
    assert tricks[-1][1] is None


def test_pages_go_on_and_back():
    answers = iter(["", "b", "", "q"])
    shown = []
    show_pages(["one", "two", "three"], shown.append, lambda prompt: next(answers))
    assert [page.strip() for page in shown] == ["one", "two", "one", "two"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_drawing_has_every_card(system):
    record = record_of_system(system)
    root = ElementTree.fromstring(deal_svg(record))
    assert root.tag == f"{SVG}svg"
    width, height = (float(root.get(name)) for name in ("width", "height"))
    boxes = root.findall(f"{SVG}rect")[2:]  # (paper and felt stand before the cards)
    plays = sum(name.startswith("play:") for _, name in record.actions)
    assert len(boxes) == 54 + plays
    for box in boxes:
        assert 0 <= float(box.get("x")) <= width - float(box.get("width"))
        assert 0 <= float(box.get("y")) <= height - float(box.get("height"))
    framed = [box for box in boxes if box.get("stroke-width") == "3"]
    assert len(framed) == plays // record.rules.players


def test_a_view_is_one_page_and_no_drawing():
    view = view_of(record_of_system("juegatu"), 1)
    assert len(deal_pages(view, 1, CardStyle())) == 1
    with pytest.raises(RecordError, match="hides cards"):
        deal_svg(view)


def test_the_command(tarock, tmp_path):
    file = tmp_path / "deals.jsonl"
    write_records(file, [record_of_system("tiroler")])
    code, out, _ = tarock("replay", file, "--deal", 1)
    assert code == 0
    assert "trick 1" in out
    drawing = tmp_path / "deal.svg"
    code, out, _ = tarock("replay", file, "--svg", drawing)
    assert code == 0
    assert str(drawing) in out
    assert drawing.read_text(encoding="utf-8").startswith("<svg")
    for arguments, said in (
        (["--svg", tmp_path / "no" / "folder.svg"], "there is no such folder"),
        (["--svg", drawing, "--verify"], "not both"),
        (["--deal", 2], "no record on line 2"),
    ):
        code, _, err = tarock("replay", file, *arguments)
        assert code == 2
        assert said in err
        assert err.count("\n") == 1
