"""What a run shows in TensorBoard, read back from its event files."""

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import plugin_data_pb2

from tests.training.conftest import small_config
from training.metrics import SCALARS, meaning
from training.report import Reporter, layout

CONFIG = small_config(rules={"systems": ["juegatu", "czech19"]}, evaluation={"opponents": ["rule", "random"]})


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    with Reporter(folder, 0) as reporter:
        reporter.describe(CONFIG)
        reporter.write(1, {"speed/sampling": 5.0})
    found = EventAccumulator(str(folder / "tensorboard"))
    found.Reload()
    return found


def text(events, tag):
    return events.Tensors(tag)[0].tensor_proto.string_val[0].decode()


def test_the_charts_that_matter_are_laid_out(events):
    parsed = layout_pb2.Layout()
    parsed.ParseFromString(events.Tensors("custom_scalars__config__")[0].tensor_proto.string_val[0])
    charts = [chart.title for category in parsed.category for chart in category.chart]
    assert len(charts) >= 10
    assert {"all systems against rule", "czech19 against random, 99% interval", "contracts in juegatu", "entropy by phase"} <= set(charts)


def test_every_exact_tag_of_the_layout_is_a_listed_scalar():
    tags = [tag for charts in layout(CONFIG).values() for _, listed in charts.values() for tag in listed]
    exact = [tag.removesuffix("$") for tag in tags if "*" not in tag]
    assert len(exact) > 10
    assert all(meaning(tag) for tag in exact)


def test_settings_are_there_as_text_and_as_hyperparameters(events):
    assert "| `ppo.lambda` | `0.95` |" in text(events, "run/config/text_summary")
    shown = text(events, "run/scalars/text_summary")
    assert all(name in shown for name in SCALARS)
    content = events.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
    assert start.hparams["network.width"].number_value == 32
    assert start.hparams["rules.systems"].string_value == "('juegatu', 'czech19')"
