"""Writes the folder of the model: python export.py --run DIR --out ../../weights/demo-ner [--corpora DIR]

The graph is written with its weights in 8 bits, and one vector a piece in place of form, shape and spelling. With the corpora its
scores are calibrated.
"""

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import nn

from calibrate import fit_temperature
from corpora import Corpora
from model import LABELS, WIDTH, Recogniser
from pieces import PADDING, describe_pieces

# Characters that a host may send at once, and room for the tokens around them.
CONTEXT = 4_104
OPSET = 17


class Folded(nn.Module):
    """The recogniser as the backend asks it: ids and a mask of padding in, scores of labels out."""

    def __init__(self, model):
        super().__init__()
        self.pieces = nn.Embedding.from_pretrained(model.table().detach())
        self.model = model

    def forward(self, input_ids, attention_mask):
        mask = attention_mask.unsqueeze(-1).to(self.pieces.weight.dtype)
        return self.model.mix(self.pieces(input_ids), mask)


def export_graph(model, file):
    ids = torch.ones(2, 12, dtype=torch.int64)
    axes = {0: "rows", 1: "length"}
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "model.onnx"
        torch.onnx.export(
            Folded(model).eval(),
            (ids, torch.ones_like(ids)),
            str(whole),
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "logits": axes},
            opset_version=OPSET,
            dynamo=False,
        )
        sign(whole)
        # 7 bits of weights: the products of 8 bits overflow on processors without the newer instructions
        quantize_dynamic(
            str(whole), str(file), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
            extra_options={"DefaultTensorType": 1},
        )


def sign(file):
    """Writes name and licence into a graph."""
    graph = onnx.load(file)
    onnx.helper.set_model_props(graph, {"general.name": "demo-ner", "general.license": "mit"})
    onnx.save(graph, file)


@torch.no_grad()
def calibrate(model, tokenizer, folder):
    temperature, lines = fit_temperature(model, tokenizer, Corpora(folder))
    print(f"temperature {temperature:.2f}", *lines, sep="\n")
    model.head.weight /= temperature
    model.head.bias /= temperature


def write_json(file, value):
    file.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--lean", type=float, default=0, help="taken from the score of no name, for a higher recall")
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(options.run / "tokenizer.json"))
    model = Recogniser(*describe_pieces(tokenizer))
    state = torch.load(options.run / "latest.pt", weights_only=True)
    model.load_state_dict(state["model"])
    model.eval()
    with torch.no_grad():
        model.head.bias[0] -= options.lean
    if options.corpora:
        calibrate(model, tokenizer, options.corpora)
    (options.out / "onnx").mkdir(parents=True, exist_ok=True)
    write_json(
        options.out / "config.json",
        {
            "model_type": "demo-ner",
            "architectures": ["DemoForTokenClassification"],
            "hidden_size": WIDTH,
            "vocab_size": tokenizer.get_vocab_size(),
            "max_position_embeddings": CONTEXT,
            "pad_token_id": 0,
            "id2label": {str(index): label for index, label in enumerate(LABELS)},
        },
    )
    write_json(options.out / "tokenizer.json", json.loads(tokenizer.to_str()))
    write_json(options.out / "tokenizer_config.json", {"pad_token": PADDING, "model_max_length": CONTEXT})
    graph = options.out / "onnx" / "model_int8.onnx"
    export_graph(model, graph)
    print(f"steps {state['step']}, parameters {sum(p.numel() for p in model.parameters())}")
    for file in sorted(options.out.rglob("*")):
        if file.is_file():
            print(file.relative_to(options.out), file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
