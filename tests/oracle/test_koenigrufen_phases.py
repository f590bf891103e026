"""Who may do what and when in the Königrufen oracle, and settlements beyond the worked examples."""

from __future__ import annotations

from tests.oracle.koenigrufen_positions import bids, facts, go, goods, payoffs, playable, start, twelve_tricks, words
from tests.oracle.koenigrufen_score import Trick, positive_result
from tests.oracle.koenigrufen_tables import contracts

FOUR_KINGS = "HK DK SK CK"
PASSES = ("1 pass", "2 pass", "3 pass")


def calls(deal, verb):
    return {name.partition(":")[2] for name in deal.legal() if name.startswith(verb + ":")}


# -- auction ------------------------------------------------------------------------------------


def test_juegatu_order_of_bids():
    assert list(contracts("juegatu", {"bonus_scale": 2})) == words(
        "trischaken rufer solorufer piccolo bettler rufer_pagat sechserdreier farbendreier dreier piccolo_ouvert "
        "rufer_uhu bettler_ouvert solofarbendreier solodreier rufer_kakadu rufer_quapil"
    )
    assert list(contracts("juegatu", {"bonus_scale": 1}))[-2:] == ["solofarbendreier", "solodreier"]


def test_juegatu_auction_starts_with_p1_and_nobody_holds():
    deal = start("juegatu", {0: "T5 T6 T7 T8"}, "1 bid:dreier", "2 pass", "3 pass")
    assert "dreier" not in bids(deal)
    assert deal.legal() >= {"pass", "bid:solodreier"}
    go(deal, "0 pass")
    assert (deal.seat, deal.legal()) == (1, {"talon:1", "talon:2"})


def test_after_the_top_bid_the_others_pass():
    deal = start("juegatu", {1: "T4"}, "1 bid:rufer_quapil")
    for seat in (2, 3, 0):
        assert (deal.seat, deal.legal()) == (seat, {"pass"})
        deal.apply("pass")
    assert all(name.startswith("call:") for name in deal.legal())


def test_a_bird_bid_needs_the_bird():
    assert not bids(start("juegatu", {1: "T5 T6", 0: "T1 T2 T3 T4"})) & {"rufer_pagat", "rufer_uhu", "rufer_kakadu"}
    deal = start("oberoesterreichisch", {0: "T1 T2", 1: "T3", 2: "T4", 3: "T5"}, "0 forehand")
    assert "besserrufer" in bids(deal)
    deal = start("oberoesterreichisch", {0: "T1 T2 T3 T4"}, "0 forehand")
    assert "besserrufer" not in bids(deal)


def test_cup_openings():
    assert start("steirisch", {}).legal() == {"forehand", "bid:sechserdreier"}
    legal = start("tiroler", {0: "T1"}).legal()
    assert legal >= {"forehand", "bid:sechserdreier", "bid:piccolo", "bid:besserrufer_1", "bid:solodreier"}
    assert not legal & {"bid:rufer", "bid:trischaken", "pass"}


def test_forehand_alone_may_choose_all_but_sechserdreier():
    deal = start("wiener", {0: "T1"}, "0 forehand", *PASSES)
    assert "pass" not in deal.legal()
    assert bids(deal) >= {"rufer", "trischaken", "pagatrufer"}
    assert "sechserdreier" not in bids(deal)


def test_upper_austrian_forehand_holds():
    deal = start("oberoesterreichisch", {0: "T5"}, "0 bid:piccolo", "1 bid:dreier", "2 pass", "3 pass")
    assert {"dreier", "solodreier"} <= bids(deal)
    go(deal, "0 bid:dreier")
    assert deal.seat == 1
    assert "dreier" not in bids(deal)
    assert "dreier" not in bids(start("tiroler", {}, "0 forehand", "1 bid:dreier", "2 pass", "3 pass"))


def test_piccolo_and_zwiccolo_do_not_overbid_each_other():
    assert "piccolo" not in bids(start("kaerntner", {}, "0 forehand", "1 bid:zwiccolo"))
    assert "zwiccolo" not in bids(start("kaerntner", {}, "0 forehand", "1 bid:piccolo"))
    assert "solorufer" in bids(start("kaerntner", {2: "T5"}, "0 forehand", "1 bid:zwiccolo"))


def test_four_kings_in_upper_austria_and_tyrol():
    for rules in ("oberoesterreichisch", "tiroler"):
        deal = start(rules, {0: f"{FOUR_KINGS} T1"}, "0 forehand", *PASSES)
        assert not any("rufer" in name for name in bids(deal))


def test_four_kings_and_four_queens_cannot_call():
    deal = start("steirisch", {0: f"{FOUR_KINGS} HQ DQ SQ CQ T1"}, "0 forehand", *PASSES)
    assert not any("rufer" in name for name in bids(deal))


# -- call, talon, discards ------------------------------------------------------------------------


def test_three_kings_may_call_the_fourth():
    deal = start("juegatu", {0: "HK DK SK", 2: "CK"}, *PASSES, "0 bid:rufer")
    assert deal.legal() == {"call:CK", "call:fourth"}
    assert go(deal, "0 call:fourth").partner == 2


def test_cup_discards_spare_tarocks():
    hand = "HK DK SK H4 D4 T2 T3 T5 T6 T7 T22 T21"
    deal = start("steirisch", {1: hand}, "0 forehand", "1 bid:dreier", "2 pass", "3 pass", "0 pass", talon="T8 T9 T10")
    go(deal, "1 talon:1")
    tarocks = {f"discard:T{n}" for n in (2, 3, 5, 6, 7, 8, 9, 10)}
    assert deal.legal() == {"discard:H4", "discard:D4"} | tarocks
    go(deal, "1 discard:T2")
    assert deal.legal() == {"discard:H4", "discard:D4"}
    go(deal, "1 discard:H4", "1 discard:D4")
    assert calls(deal, "announce") >= {"kakadu", "trull", "valat"}


def test_juegatu_may_discard_tarocks_but_in_colour_games_must():
    hand = "HK DK SK H4 D4 T2 T3 T5 T6 T7 T22 T21"
    deal = start("juegatu", {1: hand}, "1 bid:dreier", "2 pass", "3 pass", "0 pass", "1 talon:1", talon="T8 T9 S7")
    assert deal.legal() == {f"discard:{card}" for card in words("H4 D4 S7 T2 T3 T5 T6 T7 T8 T9")}
    deal = start("juegatu", {1: hand}, "1 bid:farbendreier", "2 pass", "3 pass", "0 pass", "1 talon:1", talon="T8 T9 S7")
    assert deal.legal() == {f"discard:T{n}" for n in (2, 3, 5, 6, 7, 8, 9)}


def test_the_bird_of_the_bid_and_the_called_card_stay():
    hand = f"{FOUR_KINGS} T2 T1 T21 T22 HQ DQ SQ T5"
    auction = ("0 forehand", "1 bid:uhurufer", "2 pass", "3 pass", "0 pass", "1 call:CQ")
    deal = start("steirisch", {1: hand}, *auction, talon="CQ T6 T7 H4 H3 H2")
    assert deal.legal() == {"talon:1", "talon:2", "concede"}
    go(deal, "1 talon:1")
    assert "discard:CQ" not in deal.legal()
    go(deal, "1 discard:HQ", "1 discard:DQ", "1 discard:SQ")
    assert "king_ultimo" in calls(deal, "announce")


# -- announcements --------------------------------------------------------------------------------


def rufer(rules, *more, hands=None, **options):
    """Seat 0 plays a Rufer with seat 2 (SK), after talon and discards."""
    passes = PASSES if rules == "juegatu" else ("0 forehand", *PASSES)
    given = {0: "HK H4 H3 H2 H1 D4 D3 D2 T5 T6 T7 T8", 2: "SK T2", 1: "T1 T4", 3: "T22"}
    deal = start(rules, hands or given, *passes, "0 bid:rufer", "0 call:SK", "0 talon:1", talon="C7 C8 C9", **options)
    return go(deal, "0 discard:H4", "0 discard:H3", "0 discard:H2", *more)


def test_juegatu_round_is_repeated_and_kontra_may_come_late():
    deal = rufer("juegatu")
    assert calls(deal, "announce") == set(words("pagat uhu kakadu quapil king_ultimo trull four_kings honneurs absolut valat"))
    go(deal, "0 good")
    assert calls(deal, "kontra") == {"game"}
    go(deal, "1 announce:trull", "1 good", "2 kontra:trull", "2 good", "3 kontra:game", "3 good")
    assert calls(deal, "kontra") == {"game"}  # rekontra; the kontra on Trull came from the own side
    go(deal, "0 good")
    assert calls(deal, "kontra") == {"trull"}
    go(deal, "1 good", "2 announce:pagat", "2 good", "3 good", "0 kontra:game", "0 good")
    assert calls(deal, "kontra") == {"game", "trull", "pagat"}
    goods(deal, 2)
    assert (deal.seat, "good" in deal.legal()) == (3, True)
    goods(deal, 1)
    assert (deal.seat, deal.items["game"].kontra, deal.items["trull"].kontra) == (0, 4, 2)
    assert all(name.startswith("play:") for name in deal.legal())


def test_only_the_declarers_side_announces_king_ultimo():
    deal = goods(rufer("juegatu"), 1)
    assert "king_ultimo" not in calls(deal, "announce")
    assert "king_ultimo" in calls(goods(deal, 1), "announce")
    deal = rufer("steirisch")
    assert "king_ultimo" not in calls(deal, "announce")
    assert calls(goods(deal, 1), "announce") == {"trull", "four_kings", "valat", "pagat", "quapil"}
    assert "king_ultimo" in calls(goods(deal, 1), "announce")


def test_four_empty_turns_end_a_round_without_calls():
    deal = goods(rufer("wiener"), 4)
    assert deal.legal() == {f"play:{card}" for card in deal.hands[0]}


def test_cup_kontra_window():
    deal = go(goods(rufer("steirisch"), 1), "1 good", "2 announce:uhu", "2 good", "3 kontra:game", "3 good")
    assert deal.legal() == {"good", "kontra:game"}  # no announcement in a second turn
    go(deal, "0 good")
    assert deal.legal() == {"good", "kontra:uhu"}  # his first turn after the Uhu
    go(deal, "1 good")
    assert deal.legal() == {"good", "kontra:game"}
    go(deal, "2 good")
    assert all(name.startswith("play:") for name in deal.legal())


def test_tyrol_announces_in_any_turn_and_saecke_by_the_declarers_side():
    deal = goods(rufer("tiroler"), 1)
    assert not calls(deal, "announce") & {"sack1", "sack2"}
    go(deal, "1 announce:trull", "1 good", "2 good", "3 good")
    assert calls(deal, "announce") == {"four_kings", "valat", "sack1", "sack2"}


def test_valat_excludes_trull_and_four_kings_of_the_own_side():
    deal = go(rufer("steirisch"), "0 announce:valat")
    assert not calls(deal, "announce") & {"trull", "four_kings"}
    go(deal, "0 good")
    assert calls(deal, "announce") >= {"trull", "four_kings"}
    go(deal, "1 good")
    assert not calls(deal, "announce") & {"trull", "four_kings"}
    deal = go(rufer("oberoesterreichisch"), "0 announce:valat")
    assert calls(deal, "announce") >= {"trull", "four_kings"}


def test_colour_games_announce_four_kings_and_valat():
    tail = ("1 bid:farbensolo", "2 pass", "3 pass", "0 pass")
    hand = {1: "HK HQ HN HJ H1 H2 T1"}
    assert calls(start("steirisch", hand, "0 forehand", *tail), "announce") == {"four_kings", "valat"}
    assert calls(start("tiroler", hand, "0 forehand", *tail), "announce") == {"four_kings", "valat", "sack1", "sack2"}
    deal = start("juegatu", {}, "1 bid:solofarbendreier", "2 pass", "3 pass", "0 pass")
    assert calls(deal, "announce") == {"four_kings", "valat", "honneurs", "absolut"}


def test_each_opponent_doubles_a_cup_bettler_for_himself():
    deal = start("kaerntner", {}, "0 forehand", "1 bid:bettler", "2 pass", "3 pass", "0 pass")
    assert (deal.seat, deal.legal()) == (1, {"good"})
    go(deal, "1 good", "2 kontra:game", "2 good", "3 good", "0 kontra:game", "0 good")
    assert deal.legal() == {"good", "kontra:game@2", "kontra:game@0"}
    go(deal, "1 kontra:game@0", "1 good", "2 good", "3 good")
    assert deal.legal() == {"good", "kontra:game"}
    go(deal, "0 kontra:game", "0 good")
    goods(deal, 3)
    while not deal.finished:
        deal.apply(min(deal.legal()))
    (item,) = deal.result()["items"]
    assert item["kontra"] == [8, 1, 2, 1]
    value = -4 if item["made"] else 4
    assert item["payoffs"] == [8 * value, -11 * value, 2 * value, value]


def test_juegatu_bettler_has_one_kontra():
    deal = start("juegatu", {}, "1 bid:bettler", "2 pass", "3 pass", "0 pass", "1 good", "2 kontra:game", "2 good")
    assert deal.legal() == {"good"}
    go(deal, "3 good", "0 good", "1 kontra:game", "1 good")
    assert deal.legal() == {"good", "kontra:game"}


# -- locks ----------------------------------------------------------------------------------------


def test_announced_birds_are_held_back():
    announced = {"locked": "pagat uhu"}
    assert playable("juegatu", "rufer", "T1 T2 T5 S7", "T10", **announced) == {"T5"}
    assert playable("juegatu", "rufer", "T1 T2 S7", "T10", number=10, **announced) == {"T2"}
    assert playable("juegatu", "rufer", "T1 T2", "T10", number=11, **announced) == {"T2"}
    assert playable("juegatu", "rufer", "T1 T2", number=11, **announced) == {"T2"}
    assert playable("juegatu", "rufer", "T2 T5 S7 S8", "T10", number=11, locked="uhu") == {"T2"}
    assert playable("juegatu", "rufer", "T2 S7", "S8", number=11, locked="uhu") == {"S7"}
    assert playable("juegatu", "rufer", "T2", "S8", number=12, locked="uhu") == {"T2"}


def test_pagat_and_called_king_held_together_are_both_legal():
    assert playable("steirisch", "rufer", "T1 HK", number=11, locked="pagat king_ultimo") == {"T1", "HK"}


def test_upper_austria_has_no_lock():
    assert playable("oberoesterreichisch", "rufer", "T1 T5", "T10", locked="pagat") == {"T1", "T5"}
    assert playable("oberoesterreichisch", "rufer", "T1 T5", "T10", locked="pagat", hard_hold=True) == {"T5"}


def test_colour_games_lead_suits_first():
    assert playable("tiroler", "farbendreier", "T1 T5 S7") == {"S7"}
    assert playable("tiroler", "farbendreier", "T1 T5") == {"T1", "T5"}
    assert playable("tiroler", "farbendreier", "T1 T5 S7", "H4") == {"T1", "T5"}


# -- scoring beyond the examples --------------------------------------------------------------------


def items_of(result):
    return {item["item"]: item["payoffs"] for item in result["items"]}


def test_silent_juegatu_valat_is_ignored_when_the_rest_is_worth_more():
    solo = positive_result(facts("juegatu", "solodreier", 0, tricks=twelve_tricks(0)))
    assert items_of(solo) == {"valat": [120, -40, -40, -40]}
    # 12 * 4 for the game under rekontra is more than 40
    doubled = positive_result(facts("juegatu", "solodreier", 0, tricks=twelve_tricks(0), game_kontra=4))
    assert items_of(doubled)["game"] == [144, -48, -48, -48]
    assert "valat" not in items_of(doubled)


def test_announced_juegatu_valat_stands_alone():
    lost = [Trick(1, 0, ["T5", "T6", "T7", "T8"], winner=3)]
    announced = {"valat": ("declarer", 2), "pagat": ("declarer", 1)}
    result = positive_result(facts("juegatu", "solodreier", 0, tricks=lost, announced=announced))
    assert items_of(result) == {"valat": [-480, 160, 160, 160]}


def test_announced_bird_of_the_other_sides_card_in_juegatu():
    last = [Trick(12, 0, ["T9", "C7", "T1", "C8"], winner=0)]
    rest = {"called": "SK", "tricks": last, "announced": {"pagat": ("declarer", 1)}}
    assert payoffs("juegatu", "rufer", 0, 1, **rest) == (6, 6, -6, -6)


def test_missed_valat_still_suppresses_silent_trull():
    pile = {"declarer_extra": words("T1 T21 T22 HK DK HQ DQ SQ CQ HN DN SN CN"), "announced": {"valat": ("declarer", 1)}}
    assert items_of(positive_result(facts("steirisch", "dreier", 0, **pile))) == {
        "game": [15, -5, -5, -5],
        "valat": [-60, 20, 20, 20],
    }
    assert items_of(positive_result(facts("oberoesterreichisch", "dreier", 0, **pile))) == {"valat": [-96, 32, 32, 32]}


def test_silent_bird_loss_option():
    missed = [Trick(12, 0, ["T1", "C7", "T9", "C8"], winner=2)]
    assert payoffs("steirisch", "dreier", 0, tricks=missed) == (15, -5, -5, -5)
    lost = payoffs("steirisch", "dreier", 0, tricks=missed, options={"silent_bird_loss": True})
    assert lost == (12, -4, -4, -4)


def test_bonus_scale_one_halves_the_bonuses():
    pile = {"declarer_extra": words("HK T1 T21 T22 HQ DQ SQ CQ HN DN SN CN"), "called": "SK"}
    assert payoffs("juegatu", "solorufer", 0, 2, options={"bonus_scale": 1}, **pile) == (6, -6, 6, -6)


def test_valat_scheme_replace():
    rest = {"tricks": twelve_tricks(0), "options": {"valat_scheme": "replace"}}
    assert payoffs("kaerntner", "solodreier", 0, **rest) == (120, -40, -40, -40)


# -- sides ------------------------------------------------------------------------------------------


def test_sides_become_public_by_calls_and_by_the_called_king():
    deal = rufer("juegatu")
    assert deal.sides_known_to(0) == {0: "declarer"}
    assert deal.sides_known_to(1) == {0: "declarer", 1: "defenders"}
    everybody = {0: "declarer", 1: "defenders", 2: "declarer", 3: "defenders"}
    assert deal.sides_known_to(2) == everybody
    go(deal, "0 good", "1 kontra:game", "1 good")
    assert deal.sides_known_to(0) == {0: "declarer", 1: "defenders"}
    assert deal.sides_known_to(3) == everybody  # two defenders known, and the king is not in the talon
    go(deal, "2 kontra:game", "2 good")
    assert deal.sides_known_to(0) == everybody
