"""Rule systems that do not come with the project: files, modules, registered ones."""

from dataclasses import replace

import pytest

from tarock_env.record import RecordError, parse_record
from tarock_env.rules import SYSTEMS, RulesError, known_rules, load_rules, own, register_rules
from tarock_env.rules.schema import Option
from tarock_env.single_deal import SingleDeal
from training.config_file import ConfigError, config_from

FILE = """
from dataclasses import replace
from tarock_env.rules import load_rules
RULES = replace(load_rules("wiener"), id="{id}", title="Ours")
"""
OURS = FILE.format(id="ours")


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch):
    monkeypatch.setattr(own, "_KNOWN", {})
    monkeypatch.delenv(own.VARIABLE, raising=False)


@pytest.fixture
def rules_file(tmp_path):
    def write(text=OURS, name="ours.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def error_of(system, options=None):
    with pytest.raises(RulesError) as caught:
        load_rules(system, options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_file_is_a_rule_system_and_its_id_is_known_from_then_on(rules_file):
    rules = load_rules(rules_file(), {"sixer_loss_factor": 1})
    assert rules.id == "ours"
    assert dict(rules.chosen) == {"sixer_loss_factor": 1}
    assert load_rules("ours").title == "Ours"


@pytest.mark.parametrize("text", ["raise SystemExit(3)", "import sys\nsys.exit()", "exit(0)"])
def test_a_file_that_ends_the_program_is_one_line(rules_file, text):
    assert error_of(rules_file(text)).endswith("ours.py: it ends the program (SystemExit); a rules file only defines RULES")


def test_a_module_is_a_rule_system(rules_file, tmp_path, monkeypatch):
    (tmp_path / "our_club").mkdir()
    rules_file(name="our_club/rules.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert load_rules("our_club.rules").id == "ours"


def test_a_program_may_register_rules_and_replace_them():
    register_rules(replace(load_rules("wiener"), id="ours"))
    register_rules(replace(load_rules("tiroler"), id="ours", title="Newer"))
    assert load_rules("ours").title == "Newer"


def test_own_options_need_an_effect():
    pot = Option(name="pot", values=(1, 2), meaning="ours")
    rules = replace(load_rules("wiener"), id="ours", options=(pot,))
    with pytest.raises(RulesError, match="rules ours: option pot has no effect; add it to OPTION_EFFECTS"):
        register_rules(rules)
    register_rules(rules, {"pot": lambda rules, value: replace(rules, version=value)})
    assert load_rules("ours", {"pot": 2}).version == 2


def test_the_environment_makes_ids_known_to_every_process(rules_file, monkeypatch):
    monkeypatch.setenv(own.VARIABLE, rules_file())
    assert load_rules("ours").title == "Ours"
    monkeypatch.setenv(own.VARIABLE, "gone.py")
    assert error_of("theirs") == "TAROCK_RULES: gone.py: there is no such file"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "F: defines no RULES; write RULES = Rules(id=..., ...)"),
        ("RULES = {}", "F: has a RULES that is a dict; write RULES = Rules(id=..., ...)"),
        ("\nRULES = (", "F: line 2: '(' was never closed"),
        ("RULES = Rule()", "F: NameError: name 'Rule' is not defined"),
        ("import no_such_thing", "F: there is no module no_such_thing; a file is named by its path, as rules/mine.py"),
        (FILE.format(id="wiener"), "F: rules id wiener is that of a built-in system; choose another id"),
        (FILE.format(id="Our Rules"), "F: rules id 'Our Rules': write small letters, digits and _, a letter first"),
        (
            "from tarock_env.rules.schema import Contract\nContract(name='dreir', rank=1, value=4)",
            "F: contract 'dreir' has no action id; add the name to actions.CONTRACTS",
        ),
    ],
)
def test_a_file_that_is_no_rule_system_says_so_in_one_line(rules_file, text, message):
    path = rules_file(text)
    assert error_of(path) == message.replace("F", path, 1)


def test_an_unknown_name_gets_a_hint(rules_file, tmp_path, monkeypatch):
    own = "A system of your own: list its file in TAROCK_RULES"
    assert error_of("steirsch") == f"unknown rules 'steirsch'; did you mean steirisch? {own}"
    rules_file()
    monkeypatch.chdir(tmp_path)
    assert error_of("ours") == "unknown rules 'ours'; did you mean the file ours.py?"
    assert error_of("missing.py") == "missing.py: there is no such file"


def test_what_the_environment_lists_is_run_once(rules_file, tmp_path, monkeypatch):
    runs = tmp_path / "runs"
    monkeypatch.setenv(own.VARIABLE, rules_file(f"open({str(runs)!r}, 'a').write('x')\n{OURS}"))
    for _ in range(3):
        with pytest.raises(RulesError, match="unknown rules 'nothing'"):
            known_rules("nothing")
    assert known_rules("ours").title == "Ours"
    assert runs.read_text() == "x"


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "\ud800"])
def test_names_that_no_file_can_have(name):
    assert error_of(name).startswith(f"unknown rules {name[:60]!r}; there are juegatu, ")


def test_names_from_elsewhere_are_not_looked_for_on_the_disk(rules_file, tmp_path, monkeypatch):
    rules_file()
    monkeypatch.chdir(tmp_path)
    for name in ("ours", "ours.py", str(tmp_path / "ours.py")):
        with pytest.raises(RulesError, match="there are juegatu, "):
            known_rules(name)


def test_a_deal_record_cannot_make_anybody_run_a_file(rules_file):
    marker = rules_file("raise SystemExit", name="evil.py")
    with pytest.raises(RecordError, match="unknown rules"):
        parse_record(f'{{"format": "tarock-deal/1", "rules": "{marker}", "forehand": 0, "hands": [], "talon": "", "actions": []}}')


def test_records_of_own_rules_are_read_where_the_id_is_known(rules_file):
    rules = load_rules(rules_file())
    deck = list(range(54))
    deal = SingleDeal(rules, 0, [deck[seat * 12 : seat * 12 + 12] for seat in range(4)], deck[48:])
    assert deal.legal_names() == "bid:sechserdreier forehand"
    assert known_rules("ours") == rules


def test_built_in_systems_are_what_their_files_say():
    for system in SYSTEMS:
        assert load_rules(system).id == system


def test_a_config_names_the_id_and_never_the_file(rules_file, monkeypatch):
    path = rules_file()
    with pytest.raises(
        ConfigError, match=r"rules.systems: .*ours.py is where rules lie, a config names ids: write ours, and put TAROCK_RULES="
    ):
        config_from({"run": {"iterations": 1}, "rules": {"systems": [str(path)]}}, "a.toml", ())
    monkeypatch.setattr(own, "_KNOWN", {})
    monkeypatch.setenv(own.VARIABLE, str(path))
    assert config_from({"run": {"iterations": 1}, "rules": {"systems": ["ours"]}}, "a.toml", ()).rules.systems == ("ours",)
