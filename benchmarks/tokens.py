"""How far the token estimate is off, by kind of text, on texts written for this benchmark and fitted to nothing.

    python benchmarks/tokens.py

The reference is `ctok`, an unofficial offline reconstruction of hosted Claude's counts, not the provider's own counter;
its author reports no under-count in 2.3 million recorded texts. It needs Python 3.12 and is no dependency: its counts
of the corpus are stored in corpus/counts.json, and counted anew where it is installed. Six short texts say where the
estimate leans; they are too few for a distribution. In use, the running calibration takes most of the lean away.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Literal

from jupyter_history.context import Calibration, text_tokens

CORPUS = Path(__file__).parent / "corpus"
TOKENIZERS: tuple[Literal["new", "old"], ...] = ("new", "old")
FAMILY = {"old": "3.0", "new": "4.8"}


def halves(text: str) -> tuple[str, str]:
    """The text in two, at a line end near its middle."""
    middle = text.index("\n", len(text) // 2) + 1
    return text[:middle], text[middle:]


def counted() -> tuple[dict[str, dict[str, list[int]]], str]:
    """Tokenizer -> text -> tokens of its two halves, and where the figures come from."""
    stored = json.loads((CORPUS / "counts.json").read_text("utf-8"))
    try:
        from ctok import token_count  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return stored, "stored counts of ctok 1.3.0"
    empty = {tokenizer: token_count(".", FAMILY[tokenizer]) - 1 for tokenizer in TOKENIZERS}
    fresh = {
        tokenizer: {
            path.stem: [
                token_count(half, FAMILY[tokenizer]) - empty[tokenizer] for half in halves(path.read_text("utf-8"))
            ]
            for path in sorted(CORPUS.glob("*.txt"))
        }
        for tokenizer in TOKENIZERS
    }
    return fresh, "counted now by ctok"


def main() -> None:
    reference, source = counted()
    print(f"Token estimate against the reference ({source}); 1.00 is exact, below it the estimate is too low.\n")
    print(
        f"{'text':<10}{'characters':>11}",
        *(f"{t + ' ref':>9}{'estimate':>10}{'ratio':>7}{'ch/4':>7}" for t in TOKENIZERS),
    )
    errors: dict[str, list[float]] = {tokenizer: [] for tokenizer in TOKENIZERS}
    quarter: dict[str, list[float]] = {tokenizer: [] for tokenizer in TOKENIZERS}
    after: dict[str, list[float]] = {tokenizer: [] for tokenizer in TOKENIZERS}
    for path in sorted(CORPUS.glob("*.txt")):
        text = path.read_text("utf-8")
        cells = []
        for tokenizer in TOKENIZERS:
            parts = reference[tokenizer][path.stem]
            true, estimate = sum(parts), text_tokens(text, tokenizer)
            errors[tokenizer].append(abs(estimate / true - 1))
            quarter[tokenizer].append(abs(len(text) / 4 / true - 1))
            after[tokenizer].append(calibrated(text, tokenizer, parts))
            cells.append(f"{true:>9,}{estimate:>10,.0f}{estimate / true:>7.2f}{len(text) / 4 / true:>7.2f}")
        print(f"{path.stem:<10}{len(text):>11,}", *cells)
    for tokenizer in TOKENIZERS:
        mean, rough, learned = (
            100 * sum(e) / len(e) for e in (errors[tokenizer], quarter[tokenizer], after[tokenizer])
        )
        print(
            f"\n{tokenizer} tokenizer: mean error {mean:.1f} % (characters / 4: {rough:.1f} %); "
            f"{learned:.1f} % on the second half of each text after calibrating on the first half",
            end="",
        )
    text = "".join(path.read_text("utf-8") for path in CORPUS.glob("*.txt")) * 20
    begun = time.process_time()
    text_tokens(text)
    print(f"\n\nSpeed: {1e9 * (time.process_time() - begun) / len(text):.0f} ms CPU a million characters of the mix")


def calibrated(text: str, tokenizer: Literal["new", "old"], parts: list[int]) -> float:
    """The error on the second half of a text once its first half was measured."""
    first, second = (text_tokens(half, tokenizer) for half in halves(text))
    return abs(second * Calibration().learn(parts[0], first).ratio / parts[1] - 1)


if __name__ == "__main__":
    main()
