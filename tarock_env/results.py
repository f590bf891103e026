"""The `result` of finished deals, as records state it: contract, settled items, payoffs, ledgers. Many deals at a time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import CONTRACT_IDS, CONTRACTS, ITEMS, MELDS
from tarock_env.engine.score import meld_sign
from tarock_env.engine.state import DEAL, SIXTHS
from tarock_env.record import units
from tarock_env.rules import Rules
from tarock_env.rules.schema import Goal, Kontra, Schrift, Talon


def result_of(deal: Any, rules: Rules) -> dict[str, Any]:
    """The result of a finished DEAL record."""
    one = np.zeros(1, DEAL).view(np.recarray)
    one[0] = deal
    return results_of(one, rules)[0]


def results_of(deals: Any, rules: Rules) -> list[dict[str, Any]]:
    """The results of (B,) finished DEAL records: contract, declarer, partner, settled items, payoffs, ledgers where there are some."""
    players, contracts = rules.players, deals["contract"]
    items = _items(deals, rules)
    alone = np.isin(contracts, _ids(rules, lambda contract: contract.goal == Goal.FEWEST_POINTS))
    columns: dict[str, list[Any]] = {
        "contract": [CONTRACTS[contract] for contract in contracts.tolist()],
        "declarer": np.where(alone, -1, deals["declarer"]).tolist(),
        "partner": np.where(alone, -1, deals["partner"]).tolist(),
        "items": items,
        "payoffs": in_units(deals["payoffs"][:, :players]),
    }
    for name in ("declarer", "partner"):
        columns[name] = [None if seat < 0 else seat for seat in columns[name]]
    results = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    staged = np.isin(contracts, _ids(rules, lambda contract: contract.talon == Talon.STAGED))
    for row in np.flatnonzero(staged).tolist():
        results[row]["level"] = int(deals["talon_choice"][row]) + 1
    if rules.rings:
        for result, rings in zip(results, deals["rings"][:, :players].tolist(), strict=True):
            result["rings"] = rings
    if rules.schrift != Schrift.NONE:
        for result, schrift in zip(results, in_units(deals["schrift"][:, :players]), strict=True):
            result["schrift"] = schrift
    return results


def in_units(sixths: NDArray[np.integer[Any]]) -> list[list[int | str]]:
    """(N, P) sixths as records write them."""
    whole, rest = np.divmod(sixths, SIXTHS)
    written: list[list[int | str]] = whole.tolist()
    for row, seat in np.argwhere(rest).tolist():
        written[row][seat] = units(sixths[row, seat])
    return written


def _ids(rules: Rules, chosen: Any) -> list[int]:
    """Ids of the contracts for which `chosen` holds."""
    return [CONTRACT_IDS[contract.name] for contract in rules.contracts if chosen(contract)]


def _items(deals: Any, rules: Rules) -> list[list[dict[str, Any]]]:
    """The settled items of each deal in the order of their ids, then the melds by seat."""
    players = rules.players
    found: list[list[dict[str, Any]]] = [[] for _ in range(len(deals))]
    rows, items = np.nonzero(deals["settled"])
    void = deals["void_kontra"][rows] >> items.astype(np.uint32) & 1
    columns = (
        rows.tolist(),
        items.tolist(),
        deals["made"][rows, items].tolist(),
        (deals["announced_by"][rows, items] >= 0).tolist(),
        np.where(void, 1, 1 << deals["kontra"][rows, items].astype(np.int64)).tolist(),
        in_units(deals["item_payoffs"][rows, items, :players]),
    )
    each = {row: _own_kontras(deals, row, players) for row in _doubled_by_each(deals, rules)}
    for row, item, made, announced, kontra, payoffs in zip(*columns, strict=True):
        found[row].append(
            {
                "item": ITEMS[item],
                "made": None if made < 0 else made > 0,
                "announced": announced,
                "kontra": each.get(row, kontra),
                "payoffs": payoffs,
            }
        )
    for row, seat in np.argwhere(deals["melds"][:, :players]).tolist():
        for meld, name in enumerate(MELDS):
            if deals["melds"][row, seat] >> meld & 1:
                worth = int(deals["meld_units"][row, seat, meld]) * SIXTHS
                sixths = np.array([[worth * int(meld_sign(deals[row], seat, other)) for other in range(players)]])
                found[row].append({"item": f"meld:{name}", "made": True, "announced": False, "kontra": 1, "payoffs": in_units(sixths)[0]})
    return found


def _doubled_by_each(deals: Any, rules: Rules) -> list[int]:
    """Rows of the deals in which every opponent doubles for himself."""
    contracts = _ids(rules, lambda contract: contract.kontra == Kontra.EACH_OPPONENT)
    rows: list[int] = np.flatnonzero(np.isin(deals["contract"], contracts)).tolist()
    return rows


def _own_kontras(deals: Any, row: int, players: int) -> list[int]:
    """The factor of each seat, where every opponent doubles for himself."""
    return [1 if seat == deals["declarer"][row] else 1 << int(deals["seat_kontra"][row, seat]) for seat in range(players)]
