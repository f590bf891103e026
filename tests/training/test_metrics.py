import numpy as np
import pytest

from tarock_env.batch import DealBatch
from tarock_env.rules import load_rules
from training.metrics import SCALARS, DealLog, DealTable, deal_scalars, meaning


@pytest.fixture(scope="module")
def table():
    rules = [load_rules("juegatu")]
    batch, log = DealBatch(600, rules, seed=1), DealLog(rules)
    owner = np.zeros((600, 4), np.int8)
    owner[:100, 2] = 1
    ids = log.start(batch, np.arange(600), owner)
    while not batch.finished.all():
        batch.step(batch.random_actions())
    log.end(batch, np.arange(600), ids)
    return DealTable([log])


def test_every_scalar_of_deals_has_a_meaning(table):
    scalars = dict(deal_scalars(table))
    assert all(meaning(name) for name in scalars)
    assert scalars["deals/against_past_selves"] == pytest.approx(1 / 6)
    assert any(name.startswith("kontra/") for name in scalars)


def test_shares_of_contracts_sum_to_one(table):
    assert sum(value for name, value in deal_scalars(table) if name.startswith("contract_share/")) == pytest.approx(1)


def test_roles_cover_every_seat(table):
    roles = table.roles()
    assert set(np.unique(roles)) <= {0, 1, 2}
    declared = table.records["declarer"] >= 0
    assert ((roles == 0).sum(1) == declared).all()


def test_the_points_of_a_role_are_those_of_the_records(table):
    name, value = next((name, value) for name, value in deal_scalars(table) if name.endswith("_declarer") and "points" in name)
    from tarock_env.actions import CONTRACT_IDS

    contract = CONTRACT_IDS[name.removeprefix("contract_points/").removesuffix("_declarer")]
    points = [
        record["payoffs"][record["declarer"]] / 6
        for record, owners in zip(table.records, table.owners, strict=True)
        if record["contract"] == contract and record["declarer"] >= 0 and owners[record["declarer"]] == 0
    ]
    assert value == pytest.approx(np.mean(points))


def test_an_unlisted_scalar_is_refused():
    with pytest.raises(KeyError, match="no scalar 'speed/of_light'"):
        meaning("speed/of_light")


def test_logs_of_several_runners_are_joined(table):
    assert len(DealTable([])) == 0
    assert dict(deal_scalars(DealTable([]))) == {}
    assert len(SCALARS) == len(set(SCALARS))


def test_contracts_of_several_systems_are_told_apart():
    rules = [load_rules("juegatu"), load_rules("slovenian3")]
    batch, log = DealBatch(200, rules, seed=1), DealLog(rules)
    ids = log.start(batch, np.arange(200), np.zeros((200, 4), np.int8))
    while not batch.finished.all():
        batch.step(batch.random_actions())
    log.end(batch, np.arange(200), ids)
    scalars = dict(deal_scalars(DealTable([log])))
    assert all(meaning(name) for name in scalars)
    for system in ("juegatu", "slovenian3"):
        shares = {name.rpartition("/")[2]: value for name, value in scalars.items() if name.startswith(f"contract_share_{system}/")}
        assert sum(shares.values()) == pytest.approx(1)
        assert set(shares) <= {contract.name for contract in load_rules(system).contracts}
