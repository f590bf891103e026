"""A house-rule Königrufen, as data: ten games, a talon taken whole, holding, a captured Mond, and a pot that grows.

Built up line by line in docs/tutorial-rule-system.md. Play it by its path: `tarock sample --rules docs/examples/house_rules.py ...`.
"""

from dataclasses import replace

from tarock_env.rules import cup
from tarock_env.rules.schema import (
    AllAgainstAll,
    Announcer,
    Auction,
    Bonus,
    Contract,
    Emperor,
    FewestPoints,
    Option,
    Rules,
    Talon,
    TalonTricks,
    Valat,
    ValatScheme,
)

GAMES = cup.Family(emperor=True, colour_minimum=5, extra=("mondfang",))

RULES = Rules(
    id="stammtisch",
    title="Königrufen at our table",
    version=1,
    sources=("the notebook in the drawer under the coffee machine",),
    auction=Auction.FOREHAND_FIRST,
    opening_games=True,
    forehand_may_hold=True,
    contracts=(
        GAMES.calling("rufer", 1, forehand_only=True),
        GAMES.trischaken(2, 1),
        GAMES.negative("piccolo", 3, 2, tricks=1),
        GAMES.calling("solorufer", 4, 2, solo=True),
        GAMES.calling("pagatrufer", 5, bird="pagat"),
        GAMES.negative("bettler", 6, 4, tricks=0),
        GAMES.colour("farbendreier", 7, 4),
        GAMES.alone("dreier", 8, 5),
        Contract(
            name="sechserdreier", rank=9, value=6, loss_factor=2, talon=Talon.ALL_OPEN, emperor=Emperor.ALWAYS,
            bonuses=(*cup.ALONE_BONUSES, "mondfang"),
        ),
        GAMES.alone("solodreier", 10, 10, solo=True),
    ),
    bonuses=(
        *cup.bonuses(valat_silent=8, valat_announced=20),
        Bonus(name="mondfang", silent=1, announced=0, announcer=Announcer.NOBODY),
    ),
    valat=Valat(scheme=ValatScheme.ADD, keeps_silent=cup.BIRDS, keeps_announced=cup.CALLING_BONUSES),
    all_against_all=AllAgainstAll(scheme=FewestPoints.POT, talon=TalonTricks.LAST),
    king_in_talon_voids_kontra=True,
    free_tarock_discards=False,
    kontra_any_turn=False,
    options=(
        Option(name="pot", values=(1, 2, 5), meaning="a third of the pot of a Trischaken"),
        Option(name="hard_hold", values=(True, False), meaning="announced cards are held back for their trick"),
        Option(name="sixer_loss_factor", values=(2, 1), meaning="factor of a lost Sechserdreier"),
    ),
)  # fmt: skip


def _pot(rules: Rules, third: int) -> Rules:
    return replace(rules, contracts=tuple(replace(c, value=third) if c.name == "trischaken" else c for c in rules.contracts))


OPTION_EFFECTS = {"pot": _pot}
