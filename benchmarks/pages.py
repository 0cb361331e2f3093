"""What drawing pages takes, how much text a page holds, and which characters have a glyph.

    python benchmarks/pages.py              the tables
    python benchmarks/pages.py --samples docs/pages    draws the samples again

Times are CPU milliseconds of this process, the best of several runs, with the cache of drawn pages and of unpacked
glyphs empty before each: normalise + layout + draw + PNG of one text. Beside it the deflate of the same bitmap alone,
at the same level, which nothing that writes a PNG can save. The texts are the words (Japanese: characters) of
benchmarks/corpus in shuffled order, so that nothing repeats as a loop over a short text would.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from jupyter_history.pages import PROFILES, draw, normalise, profile
from jupyter_history.pages.atlas import Atlas, atlas
from jupyter_history.pages.draw import LEVEL, painted, pixels, png
from jupyter_history.pages.layout import lay_out
from jupyter_history.pages.profiles import CELLS

CORPUS = Path(__file__).parent / "corpus"
RUNS = 9
ODDS = "Ünïcode — “quotes”, a–b, α → β, Привет, שלום, ✓ 😀 🎉, e\u0301, \u1200, a\tb, x    y, \r\n┌──┬━┓ done."
"""What else a conversation may hold: marks, dashes, other scripts, emoji, a tab, counted spaces, a Windows line end."""


def corpus(name: str) -> str:
    return (CORPUS / f"{name}.txt").read_text("utf-8")


def text(name: str, length: int) -> str:
    """So many characters in the words of a text of the corpus, in an order of their own."""
    draw_lots = random.Random(name)
    source = corpus(name)
    words = list(source) if name == "japanese" else re.findall(r"\S+\s*", source)
    found = ""
    while len(found) < length:
        found += "".join(draw_lots.sample(words, len(words)))
    return found[:length]


def best(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """CPU milliseconds of the fastest run."""
    times = []
    for _ in range(RUNS):
        before()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def times(name: str, length: int, style: str = "default") -> str:
    source, chosen = text(name, length), profile(style)
    plain = normalise(source).text
    sheets = lay_out([("", "", plain)], chosen, growing=True)
    font = atlas(sheets[0].font)

    def bitmaps() -> list[tuple[bytes, int]]:
        sizes = [(sheet, page.height) for sheet, page in zip(sheets, draw(source, style), strict=True)]
        return [(pixels(s.font, s.leading, s.rows, chosen.width, height), height) for s, height in sizes]

    def forget() -> None:
        painted.cache_clear()
        font.strips.clear()

    drawn = bitmaps()
    whole = best(lambda: draw(source, style), forget)
    steps = (
        best(lambda: normalise(source)),
        best(lambda: lay_out([("", "", plain)], chosen, growing=True)),
        best(
            lambda: [
                pixels(s.font, s.leading, s.rows, chosen.width, h) for s, (_, h) in zip(sheets, drawn, strict=True)
            ],
            forget,
        ),
        best(lambda: [png(bitmap, chosen.width, height) for bitmap, height in drawn]),
    )
    deflate = best(lambda: [zlib.compress(bitmap, LEVEL) for bitmap, _ in drawn])
    pages = draw(source, style)
    size = sum(len(page.png) for page in pages)
    columns = "".join(f"{step:7.1f}" for step in steps)
    tokens = sum(page.tokens() for page in pages)
    return f"{name:10}{length:8,}{len(pages):7}{tokens:8,}{columns}{whole:9.1f}{deflate:10.1f}{size:10,}"


def loads() -> list[str]:
    found = []
    for each in CELLS:
        data = (Path(sys.modules[Atlas.__module__].__file__ or "").parent / "font" / f"{each}.atlas").read_bytes()
        half = int.from_bytes(data[2:6], "little")

        def load(name: str = each, data: bytes = data, half: int = half) -> Atlas:
            return Atlas(name, data[0], data[1], data[6 : 6 + half], data[6 + half :])

        font = load()
        count = len(font.half) + len(font.wide)
        found.append(f"{each:10}{count:8,}{len(data):10,}{best(load):10.1f}{best(lambda load=load: load().wide):12.1f}")  # type: ignore[misc]
    return found


def capacities() -> list[str]:
    """Of the corpus, repeated over many pages: characters on a full page, and characters a token of the image."""
    counts = json.loads((CORPUS / "counts.json").read_text("utf-8"))["new"]
    found = []
    for name in ("english", "code", "json", "logs", "japanese", "korean"):
        source = corpus(name)
        tokens = sum(counts[name])
        row = f"{name:10}{len(source) / tokens:12.2f}"
        for style in PROFILES:
            # One page more than is counted, so that the counted one is full.
            first = draw(source * (2 * profile(style).capacity // len(source) + 2), style)[0]
            chars = sum(span.end - span.start for span in first.spans)
            tier = "high" if style == "large" else "standard"
            row += f"{chars:8,}{chars / first.tokens(tier):6.2f}"
        found.append(row)
    return found


def coverage() -> list[str]:
    """How many characters of a script have a glyph; the others are drawn as escapes, or on pages in Unifont cells."""

    def pairs(codec: str, last: int) -> str:
        return "".join(
            bytes((high, low)).decode(codec, "ignore") for high in range(0xB0, last) for low in range(0xA1, 0xFF)
        )

    def span(first: int, last: int) -> str:
        return "".join(map(chr, range(first, last + 1)))

    scripts = {
        "Latin-1": span(0x20, 0x7E) + span(0xA0, 0xAC) + span(0xAE, 0xFF),
        "Vietnamese": span(0x1EA0, 0x1EF9),
        "Greek": span(0x391, 0x3A1) + span(0x3A3, 0x3C9),
        "Cyrillic": span(0x400, 0x45F),
        "Hebrew": span(0x5D0, 0x5EA),
        "Arabic": span(0x621, 0x63A) + span(0x641, 0x64A),
        "kana": span(0x3041, 0x3096) + span(0x30A1, 0x30FA),
        "JIS kanji": pairs("euc_jp", 0xF5),
        "Hangul KS": pairs("euc_kr", 0xC9),
        "Hangul": span(0xAC00, 0xD7A3),
        "GB 2312": pairs("gb2312", 0xF8),
        "box, block": span(0x2500, 0x259F),
        "math": span(0x2200, 0x22FF),
        "symbols": span(0x2600, 0x27BF),
        "emoji faces": span(0x1F600, 0x1F64F),
        "pictographs": span(0x1F300, 0x1F5FF),
    }
    found = []
    for name, chars in scripts.items():
        row = "".join(f"{len(chars) - len(atlas(each).lacks(set(chars))):8,}" for each in CELLS)
        found.append(f"{name:12}{len(chars):8,}{row}")
    return found


def samples(folder: Path) -> None:
    """One page of each kind, as a conversation would draw it."""
    question = "Summarise what you know, then answer: why does it fail, and since when?"
    plans = {
        "english": [("T001", "user", question), ("T001", "assistant", corpus("english"))],
        "code": [("T001", "user", "Read the module."), ("T001", "tool result", corpus("code"))],
        "japanese": [("T001", "user", "要約してください。"), ("T001", "assistant", corpus("japanese"))],
        "korean": [("T001", "user", "요약해 주세요."), ("T001", "assistant", corpus("korean"))],
        "mixed": [
            (f"T{n:03}", role, corpus(name)[:700])
            for n, (role, name) in enumerate(
                [
                    ("user", "english"),
                    ("tool result", "logs"),
                    ("assistant", "japanese"),
                    ("tool result", "json"),
                    ("assistant", "korean"),
                    ("tool result", "code"),
                ],
                1,
            )
        ]
        + [("T007", "user", ODDS)],
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, messages in plans.items():
        style = "korean" if name == "korean" else "default"
        (folder / f"{name}.png").write_bytes(draw(messages, style)[0].png)


def main() -> None:
    if sys.argv[1:2] == ["--samples"]:
        samples(Path(sys.argv[2]))
        return
    print("CPU ms, best of", RUNS, "runs; profile default; zlib level", LEVEL)
    steps = "".join(f"{step:>7}" for step in ("norm", "layout", "draw", "PNG"))
    print(f"{'text':10}{'chars':>8}{'pages':>7}{'tokens':>8}{steps}{'together':>9}{'(deflate)':>10}{'bytes':>10}")
    for name, length in (("english", 12_000), ("code", 12_000), ("japanese", 6_000), ("korean", 6_000)):
        print(times(name, length))
    print()
    print(f"{'atlas':10}{'glyphs':>8}{'bytes':>10}{'load ms':>10}{'with wide':>12}")
    print("\n".join(loads()))
    print()
    print("Characters on a full page, and characters a token of the image (high tier for large, else standard)")
    print(f"{'text':10}{'as text':>12}" + "".join(f"{style:>14}" for style in PROFILES))
    print("\n".join(capacities()))
    print()
    print(f"{'glyphs for':12}{'of':>8}" + "".join(f"{each:>8}" for each in CELLS))
    print("\n".join(coverage()))


if __name__ == "__main__":
    main()
