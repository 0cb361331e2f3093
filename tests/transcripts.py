"""Paths to plan with: small builders, and random transcripts with tools, images and thinking."""

from __future__ import annotations

import base64
import struct
from typing import Any

from hypothesis import strategies as st

from jupyter_history.transcript import Block, Message

ABC = "abcdefghjkmnpqrstvwxyz"


def name(k: int) -> str:
    """A turn id: six characters, the first a letter."""
    return f"{ABC[k % len(ABC)]}{k:05d}"


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def thinking(words: str = "let me see") -> Block:
    return {"type": "thinking", "thinking": words, "signature": "c2lnbmVk"}


def image(width: int = 800, height: int = 600, size: int = 40) -> Block:
    """A PNG by its header; the ladder reads no more of it. `size`: bytes of it."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    data = base64.b64encode(head.ljust(max(size, 32), b"\0")).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def call(id: str, tool: str = "search", **arguments: Any) -> Block:
    return {"type": "tool_use", "id": id, "name": tool, "input": arguments}


def result(id: str, content: Any = "found nothing", *, failed: bool = False) -> Block:
    block = {"type": "tool_result", "tool_use_id": id, "content": content}
    return {**block, "is_error": True} if failed else block


def plain_turn(k: int, prompt: str = "", answer: str = "", **extra: Any) -> list[Message]:
    """A prompt and its answer."""
    return turn(k, [text(prompt or f"question {k}")], [text(answer or f"answer {k}")], **extra)


def turn(k: int, *contents: list[Block], id: str = "") -> list[Message]:
    """Messages that alternate, the user's first."""
    roles = ("user", "assistant")
    return [Message(roles[n % 2], tuple(content), id or name(k), n) for n, content in enumerate(contents)]  # type: ignore[arg-type]


def tool_turn(k: int, size: int = 2_000, *, failed: bool = False, tool: str = "search") -> list[Message]:
    """A prompt, one call with thinking before it, its result of so many characters, and the answer."""
    row = f"row {k}: value {k * 7919 % 1000:03d}, checked and of no further interest\n"
    return turn(
        k,
        [text(f"question {k}")],
        [thinking(), call(f"call_{k}", tool, q=f"item {k}", limit=k)],
        [result(f"call_{k}", (row * (size // len(row) + 1))[:size], failed=failed)],
        [text(f"answer {k}: " + "as far as the rows show. " * 4)],
    )


# few characters, one of each kind that is counted or drawn in a way of its own: all of Unicode is for the pages' tests
words = st.text("ab Z09-\n\té漢か한🙂", min_size=1, max_size=60).filter(str.strip)
long_words = st.builds(lambda w, n: (w + " ") * n, words, st.integers(1, 120))
images = st.builds(image, st.sampled_from([40, 800, 1600, 2600]), st.sampled_from([40, 600, 3000]))
prompts = st.one_of(
    long_words.map(lambda w: [text(w)]),
    st.tuples(images, words).map(lambda both: [both[0], text(both[1])]),
)
answers = st.tuples(st.booleans(), long_words).map(lambda both: [*([thinking()] if both[0] else []), text(both[1])])
bodies = st.one_of(long_words, st.tuples(images, words).map(lambda both: [both[0], text(both[1])]), st.just(""))


@st.composite
def turns(draw: st.DrawFn, k: int = 0) -> list[Message]:
    """One closed turn: a prompt, perhaps rounds of calls with their results, an answer."""
    contents: list[list[Block]] = [draw(prompts)]
    for round_ in range(draw(st.integers(0, 2))):
        ids = [f"call_{k}_{round_}_{n}" for n in range(draw(st.integers(1, 2)))]
        said = [*([thinking()] if draw(st.booleans()) else []), *([text(draw(words))] if draw(st.booleans()) else [])]
        tool = draw(st.sampled_from(["search", "recall", "read"]))
        contents.append([*said, *(call(id, tool, q=draw(words)) for id in ids)])
        contents.append([result(id, draw(bodies), failed=draw(st.integers(0, 4)) == 0) for id in ids])
    contents.append(draw(answers))
    return turn(k, *contents)


@st.composite
def histories(draw: st.DrawFn, most: int = 7) -> list[list[Message]]:
    """Turns that follow each other."""
    return [draw(turns(k)) for k in range(draw(st.integers(0, most)))]
