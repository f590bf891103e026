import numpy as np
import pytest

from agents.solver import ILLEGAL, solve
from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.engine.state import PLAY
from tarock_env.observation import OBSERVATION_SIZE
from tarock_env.rules import known_systems, load_rules
from training.columns import ENDGAME_CARDS
from training.endgames import ALONE_TRICKS, EndgameJudge


def side_of(deal):
    """The seats that win and lose with the acting one."""
    if deal.declarer < 0:
        return [int(deal.seat)]
    seats = range(deal.num_seats)
    declarers = {int(deal.declarer), int(deal.partner)}
    return [seat for seat in seats if (seat in declarers) == (int(deal.seat) in declarers)]


@pytest.mark.parametrize("system", known_systems())
def test_cards_are_judged_in_the_last_tricks_by_the_share_of_their_side(system):
    batch = DealBatch(400, load_rules(system), 3)
    batch.force_contracts(1.0)
    batch.reset()
    judge, judged = EndgameJudge(3, threads=2), 0
    observation, mask = np.zeros((400, OBSERVATION_SIZE), np.uint8), np.zeros((400, NUM_ACTIONS), np.bool_)
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        out = np.zeros((len(rows), ENDGAME_CARDS), np.float32)
        judge.judge(batch.deals, rows, batch.tables, out)
        batch.observe(observation, mask)
        for row, values in zip(rows, out, strict=True):
            deal = batch.deals[row]
            left = int(batch.tables["num_tricks"][0]) - int(deal.trick_number)
            if deal.phase != PLAY or left > (ALONE_TRICKS if deal.declarer < 0 else 3):
                assert np.isnan(values).all()
                continue
            exact = solve(batch.deals[row : row + 1], batch.tables)[0]
            cards = np.flatnonzero(exact != ILLEGAL)
            assert cards.tolist() == np.flatnonzero(mask[row]).tolist()
            np.testing.assert_allclose(values[: len(cards)], exact[cards] / 6 / len(side_of(deal)), rtol=1e-6)
            assert np.isnan(values[len(cards) :]).all()
            judged += 1
        batch.step(batch.random_actions())
    assert judged > 40


def test_a_judge_of_no_tricks_judges_none():
    batch = DealBatch(4, load_rules("juegatu"), 3)
    batch.reset()
    out = np.zeros((4, ENDGAME_CARDS), np.float32)
    EndgameJudge(0).judge(batch.deals, np.arange(4), batch.tables, out)
    assert np.isnan(out).all()
