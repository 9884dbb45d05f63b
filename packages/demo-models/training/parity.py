"""Cases for parity.mjs: python parity.py --checkpoint DIR/latest.pt --tokenizer DIR/tokenizer.json > parity.json"""

import argparse
import json
import re
from pathlib import Path

import torch
from tokenizers import Tokenizer

from model import Model, Shape
from svc_demo.mix import sample
from tokenizer import encode_turns

ODD = [
    "",
    " ",
    "a  b",
    "tab\tand\r\nline",
    "don't I'll WE'VE",
    "1234567 12,5",
    "naïve café Übung",
    "日本語と中文",
    "한국어",
    "مرحبا بالعالم",
    "👩‍👩‍👧 🇫🇷 ❤️",
    "ä combining e\u0301",
    "\u0001\u0007",
    "ＦＵＬＬ width",
    "𝒳𝒴",
    "  leading",
    "trailing  ",
    "\n\n\nlines\n",
    "a ? b : c",
    '{"a": [1, 2]}',
    "<tag attr='x'>",
    "http://a.b/c?d=e",
]
TOOL = re.compile(r"^- (\S+?)\((.*?)\): (.*)$")


def structured(turns):
    """Turns as a client sends them: tools and calls apart from the text."""
    messages, tools = [], []
    for role, text in turns:
        if role == "system" and "Tools:\n" in text:
            head, _, lines = text.partition("Tools:\n")
            for line in lines.split("\n"):
                name, arguments, description = TOOL.match(line).groups()
                properties = {key: {"type": "string"} for key in arguments.split(", ")}
                tools.append(
                    {
                        "type": "function",
                        "function": {
                            "name": name,
                            "description": description,
                            "parameters": {"type": "object", "properties": properties},
                        },
                    }
                )
            if head:
                messages.append({"role": "system", "content": head.rstrip("\n")})
        elif role == "assistant" and text.startswith("<tool_call>"):
            call = json.loads(text[len("<tool_call>") : -len("</tool_call>")])
            messages.append(
                {
                    "role": role,
                    "content": None,
                    "tool_calls": [
                        {
                            "type": "function",
                            "id": "call_1",
                            "function": {
                                "name": call["name"],
                                "arguments": json.dumps(call["arguments"], ensure_ascii=False),
                            },
                        }
                    ],
                }
            )
        else:
            messages.append({"role": role, "content": text})
    return {
        "messages": messages,
        "tools": tools,
        "text": "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in turns),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    model = Model(Shape())
    model.load_state_dict(torch.load(options.checkpoint, weights_only=True)["model"])
    samples = [sample(2_000_000_000 + i)[1] for i in range(300)]
    texts = ODD + [text for turns in samples for _, text in turns if "tool_call>" not in text]
    sequences = []
    for turns in samples[:24]:
        ids = encode_turns(tokenizer, turns)[0][:200]
        with torch.no_grad():
            logits = model.logits(model.hidden(torch.tensor([ids]))[0, -1])
        sequences.append({"ids": ids, "logProbabilities": torch.log_softmax(logits, -1).tolist()})
    print(
        json.dumps(
            {
                "tokens": [{"text": text, "ids": tokenizer.encode(text).ids} for text in texts],
                "sequences": sequences,
                "templates": [structured(turns) for turns in samples],
            },
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
