"""The recall table of the shipped histories, as Markdown.

    python benchmarks/recall.py                         the offline readers: no key, no network, no cost
    python benchmarks/recall.py -m claude-sonnet-5-5    any model; the estimate is shown, --budget DOLLARS allows it

The offline readers are deterministic and no language models: the exact one is the upper bound of what a rung still
shows to whoever can search it, the blurry one simulates misreadings.
"""

from __future__ import annotations

import argparse
import sys

from jupyter_history.errors import ChatError
from jupyter_history.experiments import recall_test
from jupyter_history.experiments.recall import LADDERS


def main() -> int:
    parser = argparse.ArgumentParser(description="The recall table of the shipped histories, as Markdown.")
    parser.add_argument("histories", nargs="*", help="analysis, debugging, discussion; all by default")
    parser.add_argument("-m", "--model", action="append", help="may be given several times")
    parser.add_argument("--ladders", default=",".join(LADDERS))
    parser.add_argument("--window", type=int, help="tokens that the rungs get")
    parser.add_argument("--budget", type=float, default=1.0, help="dollars")
    parser.add_argument("--grader", help="a model that judges replies which match in no form")
    asked = parser.parse_args()
    try:
        made = recall_test(
            asked.histories or None,
            ladders=asked.ladders,
            models=asked.model,
            window=asked.window,
            budget=asked.budget,
            grader=asked.grader,
            tell=lambda line: print(line, file=sys.stderr),
        )
    except ChatError as error:
        print(error, file=sys.stderr)
        return 1
    print(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
