"""The exported actor as an ONNX model, for players without Python; built from the bot file, without torch.

    input   observation  (batch, F)  uint8: the rows of tarock_env.observation; or float32: the same rows times SCALE, as the PettingZoo
                                     environment gives them
    output  policy       (batch, A)  float32 logits over the whole action space: set illegal actions to minus infinity, play the highest
    output  q            (batch, A)  float32 value of every action in units of q_scale; only where the bot has action values

Opset 17, the first with LayerNormalization. The manifest stands in the model's metadata_props, one entry a field: text as it is, all
else as JSON; `sha256` is the hash of the bot file's tensors, `input` says which input the model takes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.network import LAYER_NORM_EPS
from agents.weights import Manifest, Tensors
from tarock_env.files import new_file
from training.console import UserError

OPSET = 17
IR_VERSION = 8  # the one of opset 17's time: older runtimes refuse newer ones
INPUTS = ("uint8", "float32")


def actor_model(manifest: Manifest, tensors: Tensors, scale: NDArray[np.float32], input_type: str = "uint8") -> Any:
    """The onnx.ModelProto of an exported actor.

    scale: (F,) what uint8 rows are multiplied with, folded into the first layer; float32 rows come scaled. input_type: uint8 or float32.
    """
    from onnx import TensorProto, checker, helper, numpy_helper

    whole = input_type == "uint8"
    values: dict[str, NDArray[np.float32]] = {name: np.ascontiguousarray(value, np.float32) for name, value in tensors.items()}
    if whole:
        values["trunk.0.weight"] = values["trunk.0.weight"] * scale[np.newaxis, :]
    nodes = [helper.make_node("Cast", ["observation"], ["rows"], to=TensorProto.FLOAT)] if whole else []
    x = "rows" if whole else "observation"
    for layer in range(len(manifest.hidden_sizes)):
        linear, norm, hidden = f"linear.{layer}", f"normed.{layer}", f"hidden.{layer}"
        nodes += [
            helper.make_node("Gemm", [x, f"trunk.{layer}.weight", f"trunk.{layer}.bias"], [linear], transB=1),
            helper.make_node(
                "LayerNormalization",
                [linear, f"norm.{layer}.weight", f"norm.{layer}.bias"],
                [norm],
                axis=-1,
                epsilon=float(LAYER_NORM_EPS),
            ),
            helper.make_node("Relu", [norm], [hidden]),
        ]
        x = hidden
    heads = [head for head in ("policy", "q") if f"{head}.weight" in values]
    nodes += [helper.make_node("Gemm", [x, f"{head}.weight", f"{head}.bias"], [head], transB=1) for head in heads]
    element = TensorProto.UINT8 if whole else TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "tarock",
        [helper.make_tensor_value_info("observation", element, ["batch", manifest.observation_size])],
        [helper.make_tensor_value_info(head, TensorProto.FLOAT, ["batch", manifest.num_actions]) for head in heads],
        [numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="tarock")
    model.doc_string = __doc__ or ""
    helper.set_model_props(model, metadata(manifest, input_type))
    checker.check_model(model, full_check=True)
    return model


def metadata(manifest: Manifest, input_type: str) -> dict[str, str]:
    """The manifest as ONNX's metadata_props."""
    fields: Mapping[str, Any] = asdict(manifest) | {"input": input_type}
    return {name: value if isinstance(value, str) else json.dumps(value, sort_keys=True) for name, value in fields.items()}


def write_onnx(path: Path, manifest: Manifest, tensors: Tensors, scale: NDArray[np.float32], input_type: str = "uint8") -> None:
    """Write the model; an older file of that name is replaced in one step. Raises UserError where the package onnx is missing."""
    try:
        model = actor_model(manifest, tensors, scale, input_type)
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise UserError("tarock export: needs onnx; install it with pip install 'tarock[onnx]' -c constraints.txt") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path, binary=True) as file:
        file.write(model.SerializeToString())
