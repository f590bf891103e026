"""Kernels of tarock_env.arrays: deals played from their actions, and what the acting seats saw."""

from tarock_env.engine.jit import kernel
from tarock_env.engine.step import begin_deal, is_legal, only_legal, step
from tarock_env.observation import encode_mask, encode_observation


@kernel
def play_rows(deals, tables, offsets, seats, actions, legal):
    """Play every deal from its deal to where its actions end; returns the first row that is not legal or not that seat's turn, else -1.

    deals: (D,) DEAL, dealt and not begun. tables: (1,) RULES. offsets: (D + 1,). seats, actions: (N,). legal: (N, 4), what was legal, or
    (0, 4) where it is not asked for.
    """
    rules = tables[0]
    for row in range(len(deals)):
        deal = deals[row]
        begin_deal(deal, rules)
        for index in range(offsets[row], offsets[row + 1]):
            if deal.seat != seats[index] or not is_legal(deal, int(actions[index])):
                return index
            if len(legal):
                legal[index] = deal.legal
            step(deal, rules, int(actions[index]))
    return -1


@kernel
def observe_played(deals, tables, offsets, seats, actions, choices_only, rows, observation, mask):
    """Play deals, and write down what each acting seat saw; returns how many rows there are, and the first row at fault as above.

    deals, tables, offsets, seats, actions: as above. choices_only: leave out decisions with one legal action. rows: (N,), which
    action a row belongs to. observation: (N, F) uint8, mask: (N, A) bool.
    """
    rules = tables[0]
    count = 0
    for row in range(len(deals)):
        deal = deals[row]
        begin_deal(deal, rules)
        for index in range(offsets[row], offsets[row + 1]):
            if deal.seat != seats[index] or not is_legal(deal, int(actions[index])):
                return count, index
            if not choices_only or only_legal(deal) < 0:
                rows[count] = index
                encode_observation(deal, rules, observation[count])
                encode_mask(deal, mask[count])
                count += 1
            step(deal, rules, int(actions[index]))
    return count, -1
