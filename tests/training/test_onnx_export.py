"""The ONNX file gives what the bot file gives, and says where it comes from."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest

from agents.network import PolicyNetwork
from agents.weights import Manifest, read_weights, write_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import OBSERVATION_SIZE, SCALE, SCHEMA_VERSION
from tests.agents.bot_files import random_tensors
from training.console import UserError
from training.export_files import export_files
from training.onnx_export import OPSET


@pytest.fixture(params=[True, False], ids=["q", "no_q"])
def bot_file(tmp_path, request):
    q = request.param
    scales = {"juegatu": 16.0} if q else {}
    manifest = Manifest("tiny", SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, (64, 48), {"juegatu": "1"}, decisions=1234, q_scale=scales)
    write_weights(tmp_path / "tiny.safetensors", random_tensors(manifest, q), manifest)
    return tmp_path / "tiny.safetensors"


@pytest.fixture(scope="module")
def observations():
    return np.random.default_rng(5).integers(0, 3, (300, OBSERVATION_SIZE), dtype=np.uint8)


@pytest.mark.parametrize("input_type", ["uint8", "float32"])
def test_the_runtime_gives_what_the_bot_gives(bot_file, observations, tmp_path, input_type):
    target = tmp_path / "tiny.onnx"
    export_files(bot_file, None, target, input_type)
    session = onnxruntime.InferenceSession(target, providers=["CPUExecutionProvider"])
    _, tensors = read_weights(bot_file)
    network = PolicyNetwork(tensors, SCALE)
    expected = [network.logits(observations)] + ([network.action_values(observations)] if network.has_q else [])
    rows = observations if input_type == "uint8" else observations * SCALE
    found = session.run(None, {"observation": rows})
    assert [output.name for output in session.get_outputs()] == ["policy", "q"][: len(expected)]
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, atol=1e-4)
    for count in (1, 7):  # any number of rows
        np.testing.assert_allclose(session.run(["policy"], {"observation": rows[:count]})[0], expected[0][:count], atol=1e-4)


def test_the_model_carries_the_manifest(bot_file, tmp_path):
    export_files(bot_file, None, tmp_path / "tiny.onnx", name="renamed")
    model = onnx.load(tmp_path / "tiny.onnx")
    said = {entry.key: entry.value for entry in model.metadata_props}
    manifest, _ = read_weights(bot_file)
    assert said["name"] == "renamed"
    assert said["sha256"] == manifest.sha256
    assert json.loads(said["systems"]) == {"juegatu": "1"}
    assert json.loads(said["schema_version"]) == SCHEMA_VERSION
    assert json.loads(said["q_scale"]) == manifest.q_scale
    assert said["input"] == "uint8"
    assert model.opset_import[0].version == OPSET


def test_the_same_bot_gives_the_same_file(bot_file, tmp_path):
    for name in ("a", "b"):
        export_files(bot_file, None, tmp_path / f"{name}.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"out": None, "onnx": None}, "say what to write"),
        ({"onnx_input": "int8"}, "--onnx-input int8: write uint8 or float32"),
        ({"iteration": 3}, "--iteration 3: .* is one bot"),
    ],
)
def test_mistakes_are_one_line(bot_file, tmp_path, arguments, line):
    with pytest.raises(UserError, match=line):
        export_files(bot_file, **{"out": None, "onnx": tmp_path / "x.onnx"} | arguments)


def test_without_the_package_the_fix_is_named(bot_file, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(UserError, match=r"needs onnx; install it with pip install 'tarock\[onnx\]'"):
        export_files(bot_file, None, tmp_path / "x.onnx")


def test_a_file_is_not_written_over_itself(bot_file):
    with pytest.raises(ValueError, match="is the file that is read"):
        export_files(bot_file, bot_file, None)
