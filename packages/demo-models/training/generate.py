"""Shows what the data program draws.

python generate.py --count 20 [--seed 0]     training samples as JSON lines
python generate.py --evaluation 100          the held-out sets of both models as JSON lines
python generate.py --facts                   the keys of facts.json the answers use, and those nobody uses
"""

import argparse
import json
import re

from svc_demo import pairs
from svc_demo.files import TRAINING, facts
from svc_demo.mix import evaluation, sample
from svc_demo.off_topic import HINT


def used_facts():
    text = (
        "".join((TRAINING / "data" / name).read_text("utf-8") for name in ("help.topics", "small-talk.topics")) + HINT
    )
    return {key for key in re.findall(r"\{([a-z0-9]+\.[a-z0-9-]+)\}", text)}


def evaluation_lines(count):
    """The held-out questions of both models, one a line."""
    for name, items in evaluation(count).items():
        for item in items:
            yield {"model": "demo", "set": name, **item}
    for name, items in pairs.evaluation(count).items():
        for item in items:
            yield {"model": "demo-embed", "set": name, **item}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--evaluation", type=int)
    parser.add_argument("--facts", action="store_true")
    options = parser.parse_args()
    if options.facts:
        used = used_facts()
        print(
            json.dumps(
                {"used": sorted(used), "unused": sorted(set(facts()) - used), "missing": sorted(used - set(facts()))},
                indent=2,
            )
        )
    elif options.evaluation:
        for line in evaluation_lines(options.evaluation):
            print(json.dumps(line, ensure_ascii=False))
    else:
        for seed in range(options.seed, options.seed + options.count):
            part, turns = sample(seed)
            print(json.dumps({"part": part, "turns": turns}, ensure_ascii=False))


if __name__ == "__main__":
    main()
