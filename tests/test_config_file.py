from pathlib import Path

import pytest

from tarock_env.rules import SYSTEMS
from training.config_file import ConfigError, load_config

GOOD = """
[run]
name = "small"
iterations = 3
[ppo]
learning_rate = 1e-4
[rules]
systems = ["juegatu", "oberoesterreichisch"]
[rules.options.juegatu]
bonus_scale = 1
"""


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "a.toml"
        path.write_text(text)
        return path

    return write


def error_of(path, *overrides):
    with pytest.raises(ConfigError) as caught:
        load_config(path, overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), "a.toml")


def test_a_config_is_read(config):
    loaded = load_config(config(GOOD))
    assert loaded.run.name == "small"
    assert loaded.ppo.learning_rate == 1e-4
    assert loaded.rules.systems == ("juegatu", "oberoesterreichisch")
    assert loaded.rules.options == {"juegatu": {"bonus_scale": 1}}


def test_a_config_may_begin_with_a_byte_order_mark(config):
    assert load_config(config("\ufeff" + GOOD)).run.name == "small"


def test_a_line_break_in_an_override_lets_no_further_key_in(config):
    assert "run.iterations" in error_of(config(GOOD), "run.iterations=1\nx=2")


def test_overrides_win_and_are_toml_values(config):
    path = config(GOOD)
    loaded = load_config(path, ["ppo.learning_rate=2e-4", "run.name=other", 'rules.systems=["juegatu"]', "network.q_head = false"])
    assert loaded.ppo.learning_rate == 2e-4
    assert loaded.run.name == "other"
    assert loaded.rules.systems == ("juegatu",)
    assert not loaded.network.q_head


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ppo]\nlr = 1", "a.toml: unknown key ppo.lr; did you mean ppo.learning_rate?"),
        ("[ppo]\nlearning_rat = 1", "a.toml: unknown key ppo.learning_rat; did you mean ppo.learning_rate?"),
        ("[pppo]\n", "a.toml: unknown key pppo; did you mean ppo?"),
        ("learning_rate = 1", "a.toml: unknown key learning_rate; did you mean ppo.learning_rate?"),
        ("[pool]\nqqqq = 1", "a.toml: unknown key pool.qqqq; known: share, every, size, drawn"),
        ("[qqqq]\n", "a.toml: unknown key qqqq; known: run, rules, network, ppo, "),
        ("[ppo]\nclip = 1.5", "a.toml: ppo.clip = 1.5: should be less than 1"),
        ('[ppo]\nclip = "0.1"', 'a.toml: ppo.clip = "0.1": should be a valid number'),
        ("[ppo]\nepochs = 1.5", "a.toml: ppo.epochs = 1.5: should be a valid integer"),
        ("[ppo]\nepochs = true", "a.toml: ppo.epochs = true: should be a valid integer"),
        ('[resources]\nprecision = "fp8"', "a.toml: resources.precision = \"fp8\": should be 'auto', 'bf16' or 'fp32'"),
        ('[rules]\nsystems = ["juegato"]', "a.toml: rules: unknown rules 'juegato'; did you mean juegatu?"),
        ("[rules.options.juegatu]\nbonus_scale = 3", "a.toml: rules: rules juegatu: option bonus_scale is 3; allowed are 2, 1"),
        ("[rules.options.wiener]\n", "a.toml: rules.options.wiener: wiener is not in rules.systems"),
        ("[run]\niterations = " + "9" * 5000, "a.toml: cannot be read (Exceeds the limit"),
        ("x = " + "[" * 5000, "a.toml: cannot be read (maximum recursion depth"),
        ('[imitation]\nteacher = "rul"', "a.toml: imitation.teacher: bot 'rul': unknown; did you mean rule?"),
        ('[evaluation]\nopponents = ["randon"]', "a.toml: evaluation.opponents: bot 'randon': unknown; did you mean random?"),
        ('[run]\niterations = 1\nalgorithm = "pp"', "a.toml: run.algorithm: unknown algorithm 'pp'; did you mean ppo?"),
        ('[exploit]\ntarget = "rul"', "a.toml: exploit.target: bot 'rul': unknown; did you mean rule?"),
        ("[ppo\n", "a.toml: not valid TOML:"),
        ("[ppo]\nclip = 2000-01-01", "a.toml: dates and times are not used in a config"),
        ("[ppo]\nclip = 2\nepochs = 0", "(and 1 more)"),
    ],
)
def test_mistakes_are_one_line_with_the_place(config, text, message):
    run = "" if "[run]" in text else "\n[run]\niterations = 1\n"
    assert message in error_of(config(text + run))


def test_the_budget_is_needed(config):
    assert error_of(config("[run]\nseed = 1")) == "a.toml: run: set at least one of iterations, decisions, deals, hours"
    assert error_of(config("")) == "a.toml: run is missing"


def test_a_mistake_in_an_override_names_the_override(config):
    path = config(GOOD)
    assert error_of(path, "ppo.lr=1") == "--set ppo.lr=1: unknown key ppo.lr; did you mean ppo.learning_rate?"
    assert error_of(path, "ppo.clip=7").startswith("--set ppo.clip=7: ppo.clip = 7: should be")
    assert error_of(path, "ppo.clip") == "--set ppo.clip: write --set section.key=value"
    assert error_of(path, "run.name.x=1") == "--set run.name.x=1: name is a value, not a section"


def test_an_unreadable_file_is_named(tmp_path):
    assert error_of(tmp_path / "none.toml") == "a.toml: no such file"
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    assert "cannot be read" in error_of(tmp_path / "b.toml")
    assert "a folder, not a config" in error_of(tmp_path)


@pytest.mark.parametrize(
    "setting",
    [
        "run.hours=inf", "ppo.learning_rate=inf", "network.width=10000000000", "network.layers=100000", "network.value_bins=128",
        "sampling.deals_in_lockstep=100000000000", "resources.num_env_runners=100000", 'rules.systems=["juegatu", "juegatu"]',
    ],
)  # fmt: skip
def test_absurd_values_are_refused(setting):
    with pytest.raises(ConfigError) as error:
        load_config("configs/juegatu.toml", [setting])
    assert "\n" not in str(error.value)
    assert setting.partition("=")[0] in str(error.value)


def test_a_config_may_say_only_what_differs_from_another(config, tmp_path):
    (tmp_path / "under.toml").write_text(GOOD)
    loaded = load_config(config('base = "under.toml"\n[ppo]\nclip = 0.3\n[rules]\nsystems = ["juegatu"]'), ["run.seed=9"])
    assert (loaded.run.name, loaded.run.seed, loaded.ppo.learning_rate, loaded.ppo.clip) == ("small", 9, 1e-4, 0.3)
    assert loaded.rules.systems == ("juegatu",)
    assert loaded.rules.options == {"juegatu": {"bonus_scale": 1}}


def test_mistakes_with_a_base_name_the_file(config, tmp_path):
    (tmp_path / "b.toml").write_text('base = "a.toml"')
    assert error_of(config('base = "none.toml"')).startswith("a.toml: base = none.toml: no such file")
    assert error_of(config("base = 3")) == 'a.toml: base = 3: name a config file, as in base = "juegatu.toml"'
    assert "files are each other's base" in error_of(config('base = "b.toml"'))
    (tmp_path / "b.toml").write_text(GOOD + "[pool]\nevry = 3")
    assert error_of(config('base = "b.toml"')).endswith("b.toml: unknown key pool.evry; did you mean pool.every?")


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_its_config(system):
    loaded = load_config(f"configs/{system}.toml")
    assert (loaded.run.name, loaded.rules.systems) == (system, (system,))
    assert loaded.evaluation.opponents == ("random", "rule")


@pytest.mark.parametrize("path", sorted(Path("configs").rglob("*.toml")), ids=str)
def test_every_config_is_valid(path):
    assert load_config(path).run.name == path.stem


def test_an_ablation_changes_one_thing():
    baseline, *others = (load_config(f"configs/ablations/{name}.toml") for name in ("baseline", "own_view_critic", "free_auctions"))
    for other, section, key in zip(others, ("network", "sampling"), ("privileged_critic", "forced_contracts"), strict=True):
        changed = {
            (name, entry)
            for name, values in baseline.model_dump().items()
            for entry in values
            if name != "run" and values[entry] != other.model_dump()[name][entry]
        }
        assert changed == {(section, key)}
