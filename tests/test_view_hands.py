"""Views in which each action has its hand, but no single hand has them all, are refused; so are announcements that the sides contradict."""

import json

import pytest

from tarock_env.record import RecordError
from tarock_env.view_text import parse_view

FIVE_TAROCKS = "T5 T6 T7 T8 T9"


def view(rules, hand, actions, seat, sides, talon="? ? ? ? ? ?", **more):
    """JSON of a view of four players; forehand is seat 0."""
    hands = [hand if number == seat else None for number in range(4)]
    content = {"format": "tarock-deal/1", "rules": rules, "options": {}, "forehand": 0, "hands": hands, "talon": talon, "view": seat}
    return json.dumps(content | {"sides": {str(number): side for number, side in sides.items()}, "actions": actions} | more)


def refusal(text):
    with pytest.raises(RecordError) as refused:
        parse_view(text)
    assert "\n" not in str(refused.value)
    return str(refused.value)


AUCTION = ["0 forehand", "1 bid:solorufer", "2 pass", "3 pass", "0 pass"]


@pytest.mark.parametrize("system", ["tiroler", "oberoesterreichisch"])
def test_who_calls_a_queen_has_four_kings_and_could_not_bid_a_calling_game(system):
    """The bid needs a hand without four kings, the queen's call one with them."""
    sides = {1: "declarer", 2: "defenders"}
    hand = f"{FIVE_TAROCKS} H4 H3 D4 D3 S7 S8 C7"
    text = view(system, hand, [*AUCTION, "1 call:HQ", "1 good"], 2, sides)
    assert "action 6 (1 call:HQ): no hand allows seat 1 this and what else it bid and played" in refusal(text)
    assert parse_view(text.replace("call:HQ", "call:HK")).seat == 2


@pytest.mark.parametrize("system", ["steirisch", "kaerntner", "wiener"])
def test_where_queens_may_be_called_the_bid_needs_one_that_is_missing(system):
    hand = f"{FIVE_TAROCKS} H4 H3 D4 D3 S7 S8 C7"
    text = view(system, hand, [*AUCTION, "1 call:HQ", "1 good"], 2, {1: "declarer", 2: "defenders"})
    assert parse_view(text).seat == 2


OVERBID = ["2 pass", "3 bid:solodreier", "0 pass", "1 pass", "3 good", "0 good", "1 good", "2 good"]
ALONE = {0: "defenders", 1: "defenders", 2: "defenders", 3: "declarer"}


def test_four_kings_that_a_seat_plays_bar_a_calling_game():
    """Nobody draws cards in a solo game: who plays four kings was dealt them."""
    hand = f"{FIVE_TAROCKS} H4 H3 D4 S7 C7 C8 C9"
    tricks = ["0 play:HJ", "1 play:HK", "2 play:H4", "3 play:H2", "1 play:DK", "2 play:D4", "3 play:D3", "0 play:D1"]
    tricks += ["1 play:SK", "2 play:S7", "3 play:S8", "0 play:S9", "1 play:CK"]
    line = refusal(view("tiroler", hand, ["0 forehand", "1 bid:solorufer", *OVERBID, *tricks], 2, ALONE))
    assert "no deal fits this view: no hand of seat 1 allows all that it bid, called and played" in line
    for system, bid in (("tiroler", "dreier"), ("wiener", "solorufer")):  # four kings bar neither
        assert parse_view(view(system, hand, ["0 forehand", f"1 bid:{bid}", *OVERBID, *tricks], 2, ALONE)).seat == 2


def test_a_colour_bid_leaves_no_room_for_seven_tarocks():
    """Six cards of a suit and six tarocks are a hand, with a seventh tarock they are thirteen cards."""
    mine = [f"T{16 + number}" for number in range(7)]
    others = [["T15", "HJ", "HN", "HQ", "HK", "DJ", "DN"], ["H3", "H2", "H1", "D3", "D2", "D1", "DQ"]]
    actions = ["0 forehand", "1 bid:farbensolo", *OVERBID, "0 play:T15", "1 play:T1", f"2 play:{mine[0]}", f"3 play:{others[1][0]}"]
    views = []
    for number in range(1, 7):
        actions += [f"2 play:{mine[number]}", f"3 play:{others[1][number]}", f"0 play:{others[0][number]}", f"1 play:T{number + 1}"]
        views.append(view("wiener", f"{' '.join(mine)} H4 D4 S7 C7 C8", actions, 2, ALONE))
    assert parse_view(views[-2]).seat == 2
    assert "no hand of seat 1 allows all that it bid, called and played" in refusal(views[-1])
    assert parse_view(views[-1].replace("farbensolo", "dreier")).seat == 2


def test_an_open_hand_must_have_had_the_bird_that_it_bid():
    """Bettler ouvert: all hands lie open, so nobody can have had the Uhu of the talon."""
    hands = ["T1 T4 T5 T6 T7 T8 H2 D1 D2 S7 S8 C7", "T3 T9 T10 T11 T12 T13 H1 D4 D3 S9 S10 C8",
             "T14 T15 T16 T17 T18 T19 H4 DJ DN SJ SN C9", "T20 T21 T22 HJ HN HQ H3 DQ DK SQ SK C10"]  # fmt: skip
    sides = {0: "defenders", 1: "defenders", 2: "declarer", 3: "defenders"}

    def opened(bid):
        actions = ["0 forehand", f"1 bid:{bid}", "2 bid:bettler_ouvert", "3 pass", "0 pass", "1 pass"]
        actions += ["2 good", "3 good", "0 good", "1 good", "2 play:H4", "3 play:H3", "0 play:H2", "1 play:H1", "1 play:D4"]
        return view("wiener", "", actions, 2, sides, hands=hands)

    assert parse_view(opened("dreier")).seat == 2
    assert "action 2 (1 bid:uhurufer): no hand allows seat 1 this" in refusal(opened("uhurufer"))


def test_the_fourth_king_may_be_any_that_nobody_has_seen():
    """The declarer is void in hearts, so his three kings are the others, and it is the heart king that the partner announces."""
    actions = ["0 forehand", "1 pass", "2 bid:uhurufer", "3 pass", "0 pass", "2 call:fourth", "2 talon:2", "2 discard:T8", "2 discard:?"]
    actions += ["2 discard:?", "2 good", "3 announce:king_ultimo", "3 good", "0 good", "1 good", "2 good"]
    actions += ["0 play:H2", "1 play:H3", "2 play:T22", "3 play:HQ", "2 play:T21", "3 play:T18"]
    hand = "T10 T12 T19 H2 H1 D2 DN DQ S9 SN C9 CQ"
    sides = {0: "defenders", 1: "defenders", 2: "declarer", 3: "declarer"}
    assert parse_view(view("steirisch", hand, actions, 0, sides, talon="HJ T17 H4 T4 S8 T8")).seat == 0
    with pytest.raises(RecordError):
        parse_view(view("steirisch", hand.replace("DQ", "DK"), actions, 0, sides, talon="HJ T17 H4 T4 S8 T8"))


def test_who_announces_the_called_king_is_the_partner():
    """Only its holder may announce the king ultimo, and the holder is the declarer's partner, whatever `sides` says."""
    hand = "T5 T6 T7 T8 T9 H4 H3 D4 D3 S7 S8 C7"
    actions = ["1 bid:call_two", "2 pass", "3 pass", "0 pass", "1 call:HK", "1 talon:1", "1 discard:?", "1 discard:?", "1 good"]
    actions += ["2 announce:king_ultimo", "2 good"]
    shown = {"talon": "T10 T11 T12 T13 C8 C9", "rules": "slovenian4", "hand": hand, "actions": actions, "seat": 3}
    sides = {0: "defenders", 1: "declarer", 2: "declarer", 3: "defenders"}
    assert parse_view(view(sides=sides, **shown)).seat == 3
    for wrong in ({2: "defenders"}, {0: "declarer"}):
        assert "but the actions show 0 defenders, 1 declarer, 2 declarer, 3 defenders" in refusal(view(sides=sides | wrong, **shown))
    assert "action 10 (2 announce:king_ultimo): " in refusal(view(sides=sides | {0: "declarer", 2: "defenders"}, **shown))
    assert "sides: " in refusal(view(sides={1: "declarer", 2: "defenders", 3: "defenders"}, **shown))


def test_who_lays_cards_away_openly_keeps_none_that_could_go_unseen():
    """One hidden discard: of the talon's suit cards one can have gone, and none may be played later (rules text 1.8.5)."""
    hand = "T2 T5 T8 T9 HJ D3 D2 DN S9 SN C10 CQ"
    bids = ["1 forehand", "2 pass", "3 pass", "0 pass", "1 bid:pagatrufer", "1 call:SK", "1 talon:1"]

    def laid(cards, talon, *more):
        actions = [*bids, *(f"1 discard:{card}" for card in cards), "1 good", "2 good", *more]
        return view("kaerntner", hand, actions, 3, {1: "declarer", 3: "defenders"}, talon=talon, forehand=1)

    rest = ["3 good", "0 good", "1 play:SQ", "2 play:S8"]
    assert parse_view(laid(["?", "T20", "T16"], "S10 T6 T11 DJ T13 CN")).seat == 3
    assert parse_view(laid(["?", "?", "T16"], "S10 T6 C7 DJ T13 CN")).seat == 3
    assert "there is no place left where " in refusal(laid(["?", "T20", "T16"], "S10 T6 C7 DJ T13 CN"))
    assert parse_view(laid(["?", "?", "?"], "S10 T6 C7 DJ T13 CN", *rest)).seat == 3
    assert "action 10 (1 discard:T16): " in refusal(laid(["?", "?", "T16"], "S10 T6 C7 DJ T13 CN", *rest))
    assert "who laid cards away openly had no SQ to keep" in refusal(laid(["T16", "?", "?"], "S10 T6 C7 DJ T13 CN", *rest))


def test_the_called_king_lies_with_somebody():
    """It is not in the talon and no known defender has it, so the seat that is left is the partner."""
    hand = "T2 T3 T6 T8 T11 H4 H1 D2 DN C9 CN D4"
    actions = ["0 forehand", "1 pass", "2 pass", "3 bid:quapilrufer", "0 pass", "3 call:SK", "3 talon:1"]
    actions += ["3 discard:?", "3 discard:?", "3 discard:?", "3 good", "0 announce:four_kings", "0 good", "1 good"]
    sides = {0: "defenders", 2: "defenders", 3: "declarer"}
    text = view("kaerntner", hand, actions, 2, sides | {1: "declarer"}, talon="T7 DJ CK DQ HN T10")
    assert parse_view(text).seat == 2
    assert refusal(text.replace('"1": "declarer"', '"1": "defenders"'))


def test_a_deal_that_goes_on_after_an_announced_valat_shows_the_partner():
    """The declarer's side has announced the valat and seat 0 wins a trick: only as the partner, or the deal were over."""
    calls = ["quapil", "honneurs", "trull", "absolut", "king_ultimo", "four_kings", "uhu", "kakadu", "pagat", "valat"]
    actions = ["3 bid:solorufer", "0 pass", "1 pass", "2 pass", "3 call:CK", *(f"3 announce:{item}" for item in calls)]
    actions += ["3 good", "0 good", "1 good", "2 good", "2 play:T9", "3 play:T17", "0 play:T19", "1 play:T5", "0 play:T15", "1 play:T20"]
    sides = {2: "defenders", 3: "declarer"}
    text = view("juegatu", "T1 T9 T14 T21 H4 D4 D1 DK S10 C9 C10 CN", actions, 2, sides, forehand=2)
    assert parse_view(text).seat == 2
    assert "sides: " in refusal(text.replace('"2": "defenders"', '"0": "defenders", "2": "defenders"'))
    assert "the deal was over before it" in refusal(text.replace("0 play:T19", "0 play:T16").replace("1 play:T5", "1 play:T19"))
