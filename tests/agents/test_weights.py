import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from agents.weights import BotFileError, check_layout, critic_shapes, read_manifest, read_weights, tensors_sha256, write_weights
from tests.agents.bot_files import random_tensors, small_manifest, write_small


def critic_tensors():
    return {name: np.zeros(shape) for name, shape in critic_shapes(10, (8, 7), 5, 3).items()}


def rewrite(path, change_manifest=None, change_tensors=None):
    """Write the file anew with something changed behind the writer's back."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        manifest = json.loads(file.metadata()["manifest"])
    tensors = load_file(path)
    if change_manifest:
        change_manifest(manifest)
    if change_tensors:
        change_tensors(tensors)
    save_file(tensors, path, {"manifest": json.dumps(manifest)})
    return path


def test_what_is_written_is_read_back(tmp_path):
    manifest = small_manifest(decisions=1000, q_scale={"juegatu": 4.5}, training={"note": "x"})
    tensors = random_tensors(manifest)
    stored = write_weights(tmp_path / "deep" / "bot.safetensors", tensors, manifest)
    again, values = read_weights(tmp_path / "deep" / "bot.safetensors")
    assert again == stored
    assert stored.sha256 == tensors_sha256(tensors)
    assert values.keys() == tensors.keys()
    assert all((values[name] == tensors[name]).all() for name in tensors)
    assert read_manifest(tmp_path / "deep" / "bot.safetensors") == stored


def test_no_temporary_file_stays_behind(tmp_path):
    write_small(tmp_path / "bot.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["bot.safetensors"]


def test_a_file_truncated_anywhere_is_one_clear_line(tmp_path):
    path = write_small(tmp_path / "bot.safetensors")
    content = path.read_bytes()
    for length in (0, 4, 8, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(BotFileError, match="truncated, or not a bot file") as error:
            read_weights(path)
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)


def test_one_changed_byte_is_noticed(tmp_path):
    path = write_small(tmp_path / "bot.safetensors")
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(BotFileError, match="damaged"):
        read_weights(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format="tarock-bot/9"), "format is 'tarock-bot/9'"),
        (lambda m: m.pop("systems"), "lacks systems"),
        (lambda m: m.update(observation_size="10"), "observation_size = '10'"),
        (lambda m: m.update(schema_version=True), "schema_version = True"),
        (lambda m: m.update(hidden_sizes=[8]), "implies"),
        (lambda m: m.update(hidden_sizes=[]), "hidden_sizes"),
        (lambda m: m.update(kind="tree"), "kind is 'tree'"),
        (lambda m: m.update(observation_size=11), "shape"),
    ],
)
def test_a_manifest_that_lies_is_refused(tmp_path, change, message):
    path = rewrite(write_small(tmp_path / "bot.safetensors"), change_manifest=change)
    with pytest.raises(BotFileError, match=message):
        read_weights(path)


def test_missing_and_unknown_tensors_are_named(tmp_path):
    manifest = small_manifest()
    tensors = random_tensors(manifest)
    with pytest.raises(BotFileError, match=r"trunk\.1\.bias is missing"):
        write_weights(tmp_path / "a", {name: value for name, value in tensors.items() if name != "trunk.1.bias"}, manifest)
    with pytest.raises(BotFileError, match=r"unknown tensor extra"):
        write_weights(tmp_path / "a", tensors | {"extra": np.zeros(3)}, manifest)
    tensors["policy.bias"][0] = np.nan
    with pytest.raises(BotFileError, match=r"policy\.bias holds NaN"):
        write_weights(tmp_path / "a", tensors, manifest)
    assert not list(tmp_path.iterdir())


def test_nan_with_a_hash_that_fits_is_refused(tmp_path):
    path = write_small(tmp_path / "bot.safetensors")
    tensors = load_file(path)
    tensors["policy.bias"][0] = np.nan

    def damage(values):
        values["policy.bias"][0] = np.nan

    rewrite(path, lambda manifest: manifest.update(sha256=tensors_sha256(tensors)), damage)
    with pytest.raises(BotFileError, match=r"policy\.bias holds NaN or infinity"):
        read_weights(path)


@pytest.mark.parametrize("manifest", ["[" * 100_000, '{"format": ' + "9" * 5000 + "}", "{"])
def test_a_manifest_that_is_no_json_is_one_clear_line(tmp_path, manifest):
    save_file({"w": np.zeros(3, np.float32)}, tmp_path / "bot", {"manifest": manifest})
    with pytest.raises(BotFileError, match="its manifest is not valid JSON"):
        read_weights(tmp_path / "bot")


def test_a_safetensors_file_of_another_project_is_refused(tmp_path):
    save_file({"w": np.zeros(3, np.float32)}, tmp_path / "other")
    with pytest.raises(BotFileError, match="without a manifest"):
        read_weights(tmp_path / "other")
    with pytest.raises(BotFileError, match="no such file"):
        read_weights(tmp_path / "nothing")


def test_the_critic_is_not_taken_for_an_actor(tmp_path):
    write_weights(tmp_path / "critic", critic_tensors(), small_manifest(kind="critic"))
    assert read_weights(tmp_path / "critic", kind="critic")[1]["critic.value.weight"].shape == (5, 7)
    with pytest.raises(BotFileError, match="holds the critic, not the actor"):
        read_weights(tmp_path / "critic")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("critic.value.bias", None, "tensor critic.value.weight has shape"),
        ("critic.trunk.1.weight", None, "critic.trunk.1.weight is missing"),
        ("critic.trunk.0.weight", np.zeros((8, 9)), r"critic.trunk.0.weight has shape \(8, 9\), the manifest implies \(8, 10\)"),
        ("critic.extra.weight", np.zeros((7, 3)), r"critic.extra.weight has shape \(7, 3\), the manifest implies \(8, 3\)"),
        ("policy.weight", np.zeros((6, 7)), "unknown tensor policy.weight"),
    ],
)
def test_a_critic_of_other_shapes_is_refused(tmp_path, name, value, message):
    tensors = {kept: tensor for kept, tensor in critic_tensors().items() if kept != name} | ({} if value is None else {name: value})
    with pytest.raises(BotFileError, match=message):
        write_weights(tmp_path / "critic", tensors, small_manifest(kind="critic"))


def test_another_layout_is_refused():
    manifest = small_manifest()
    check_layout(manifest, 1, 10, 6, "bot")
    with pytest.raises(BotFileError, match="schema_version 1, this version of Tarock has 2"):
        check_layout(manifest, 2, 10, 6, "bot")
    with pytest.raises(BotFileError, match="observation_size 10, this version of Tarock has 11"):
        check_layout(manifest, 1, 11, 6, "bot")


def test_half_precision_is_half_the_size_and_reads_as_float32(tmp_path):
    manifest = small_manifest()
    tensors = random_tensors(manifest)
    write_weights(tmp_path / "full.safetensors", tensors, manifest)
    write_weights(tmp_path / "half.safetensors", tensors, manifest, half=True)
    sizes = [(tmp_path / name).stat().st_size for name in ("full.safetensors", "half.safetensors")]
    assert sizes[1] < 0.8 * sizes[0]  # small as the test bot is, its manifest weighs too
    _, read = read_weights(tmp_path / "half.safetensors")
    for name, value in read.items():
        assert value.dtype == np.float32
        np.testing.assert_allclose(value, tensors[name], rtol=1e-3, atol=1e-6)
