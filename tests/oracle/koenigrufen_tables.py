"""Contracts, bonus values and options of the six Königrufen systems (rules.md 1.9, 3.1-3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CUPS = ("steirisch", "kaerntner", "wiener", "oberoesterreichisch", "tiroler")
STYRIAN = ("steirisch", "kaerntner", "wiener")  # the three cup systems of one bid list
BID_BIRDS = ("pagat", "uhu", "kakadu", "quapil")


@dataclass(frozen=True)
class Contract:
    """One bid. level: its rank in the auction; equal levels do not overbid each other.

    kind: "rufer" (calls a card), "dreier" (alone), "negative" or "trischaken".
    talon: cards taken, 0, 3 or 6. tricks: what the declarer of a negative game must make.
    """

    name: str
    value: int
    level: int
    kind: str
    talon: int = 0
    colour: bool = False
    solo: bool = False
    tricks: int | None = None
    bird: str | None = None
    forehand_only: bool = False

    @property
    def positive(self) -> bool:
        return self.kind in ("rufer", "dreier")

    @property
    def black(self) -> bool:
        return self.positive and not self.colour


def _contract(name: str, value: int, level: int) -> Contract:
    """What the name says about a contract."""
    forehand_only = name in ("rufer", "trischaken", "sechserdreier")
    if name == "trischaken":
        return Contract(name, value, level, "trischaken", forehand_only=True)
    for start, tricks in (("piccolo", 1), ("zwiccolo", 2), ("bettler", 0)):
        if name.startswith(start):
            return Contract(name, value, level, "negative", tricks=tricks)
    solo = name.startswith("solo") or name == "farbensolo"
    if "rufer" in name:
        bird = next((bird for bird in BID_BIRDS if bird in name), None)
        if name.startswith("besserrufer_"):
            bird = BID_BIRDS[int(name[-1]) - 1]
        return Contract(
            name,
            value,
            level,
            "rufer",
            talon=0 if solo else 3,
            solo=solo,
            bird=bird,
            forehand_only=forehand_only,
        )
    return Contract(
        name,
        value,
        level,
        "dreier",
        talon=0 if solo else 6 if name == "sechserdreier" else 3,
        colour="farben" in name,
        solo=solo,
        forehand_only=forehand_only,
    )


# Ascending; "=" before a name: the same level as the contract before it. The value is that of the
# game alone: a bird announced by the bid is an item of its own (3.1, 3.2).
BID_LISTS = {
    "juegatu": """trischaken 2, rufer 2, solorufer 4, piccolo 4, bettler 5, rufer_pagat 2,
        sechserdreier 6, farbendreier 6, dreier 6, piccolo_ouvert 8, rufer_uhu 2,
        bettler_ouvert 10, solofarbendreier 12, solodreier 12, rufer_kakadu 2, rufer_quapil 2""",
    "juegatu scale 1": """trischaken 2, rufer 2, solorufer 4, piccolo 4, rufer_pagat 2, bettler 5,
        rufer_uhu 2, sechserdreier 6, farbendreier 6, dreier 6, rufer_kakadu 2, piccolo_ouvert 8,
        rufer_quapil 2, bettler_ouvert 10, solofarbendreier 12, solodreier 12""",
    "styrian": """rufer 1, trischaken 2, piccolo 2, =zwiccolo 2, solorufer 2, pagatrufer 1,
        bettler 4, sechserdreier 4, uhurufer 1, farbendreier 5, dreier 5, piccolo_ouvert 6,
        =zwiccolo_ouvert 6, kakadurufer 1, bettler_ouvert 8, quapilrufer 1, farbensolo 10,
        solodreier 10""",
    "oberoesterreichisch": """trischaken 1, rufer 1, piccolo 2, bettler 2, solorufer 2,
        besserrufer 1, farbendreier 3, sechserdreier 4, dreier 4, farbensolo 6, piccolo_ouvert 6,
        bettler_ouvert 7, solodreier 8""",
    "tiroler": """rufer 1, trischaken 2, piccolo 2, solorufer 2, besserrufer_1 1, bettler 4,
        sechserdreier 4, besserrufer_2 1, farbendreier 5, dreier 5, besserrufer_3 1,
        zwiccolo_ouvert 8, piccolo_ouvert 8, bettler_ouvert 8, besserrufer_4 1, farbensolo 10,
        solodreier 10""",
}


def contracts(rules: str, options: dict[str, Any]) -> dict[str, Contract]:
    """The bid list of a system, by name, ascending."""
    key = "styrian" if rules in STYRIAN else rules
    if rules == "juegatu" and options["bonus_scale"] == 1:
        key = "juegatu scale 1"
    table: dict[str, Contract] = {}
    level = 0
    for entry in BID_LISTS[key].split(","):
        name, value = entry.split()
        if not name.startswith("="):
            level += 1
        name = name.removeprefix("=")
        table[name] = _contract(name, int(value), level)
    return table


# silent, announced (rules.md 3.1 and 3.3); Säcke exist announced only.
JUEGATU_BONUSES = {
    "pagat": (2, 4),
    "uhu": (4, 8),
    "kakadu": (6, 12),
    "quapil": (8, 16),
    "king_ultimo": (2, 4),
    "mondfang": (2, 0),
    "koenigfang": (2, 0),
    "trull": (2, 4),
    "four_kings": (2, 4),
    "honneurs": (2, 4),
    "absolut": (2, 4),
    "valat": (20, 40),
}
CUP_BONUSES = {
    "trull": (1, 2),
    "four_kings": (1, 2),
    "king_ultimo": (1, 2),
    "pagat": (1, 2),
    "uhu": (2, 4),
    "kakadu": (3, 6),
    "quapil": (4, 8),
    "sack1": (0, 2),
    "sack2": (0, 2),
    "valat": (10, 20),
}


def bonus_value(rules: str, options: dict[str, Any], contract: Contract, bonus: str, announced: bool) -> int:
    """Value of a bonus for each opponent, before kontra. O and `replace`: see `valat_value`."""
    table = JUEGATU_BONUSES if rules == "juegatu" else CUP_BONUSES
    amount = table[bonus][announced]
    if rules == "juegatu":
        amount = amount * options["bonus_scale"] // 2
    return 2 * amount if contract.solo else amount


def valat_replaces_game(rules: str, options: dict[str, Any]) -> bool:
    """Whether Valat is 4 or 8 times the game instead of the game (O, option valat_scheme)."""
    return rules == "oberoesterreichisch" or options.get("valat_scheme") == "replace"


def valat_value(rules: str, options: dict[str, Any], contract: Contract, announced: bool) -> int:
    if valat_replaces_game(rules, options):
        return contract.value * (8 if announced else 4)
    return bonus_value(rules, options, contract, "valat", announced)


def default_options(rules: str) -> dict[str, Any]:
    """The options of one system (1.9) with its defaults."""
    options: dict[str, Any] = {
        "sixer_loss_factor": 2 if rules in ("juegatu", "kaerntner", "wiener") else 1,
        "hard_hold": rules != "oberoesterreichisch",
        "emperor_trick": rules in ("juegatu", *STYRIAN),
        "forehand_may_hold": rules == "oberoesterreichisch",
    }
    if rules == "juegatu":
        return {**options, "bonus_scale": 2}
    options |= {"trischaken_exact": True, "silent_bird_loss": False}
    if rules in STYRIAN:
        options["colour_min_scope"] = "single_suit"
    if rules != "oberoesterreichisch":
        options["valat_scheme"] = "add"
    return options
