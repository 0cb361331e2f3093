"""How long a plan takes: a path of 10,000 messages with prose, tool results, images and thinking.

    python benchmarks/plan.py

Cold: a new session, nothing weighed and nothing drawn yet. Warm: the next turn of that session, same estimator, what
was decided stored as overlays. CPU time of this process; no model, database or network is involved.
"""

from __future__ import annotations

import base64
import random
import struct
import time
from collections.abc import Callable

from jupyter_history.context import Budget, Estimator, Plan, Policy, plan
from jupyter_history.model.catalog import profile
from jupyter_history.transcript import Block, Message

MESSAGES = 10_000
WORDS = (  # noqa: SIM905  a list would be thirty lines
    "the model path of error in run seed 8471 loss table index value 0.9134 and not /srv/data/part-017.parquet when "
    "committee 7f3c9a12 result was larger than expected because cached tokens were counted twice"
).split()


def history(messages: int) -> list[Message]:
    """Turns of two or four messages by turns; every 40th has an image."""
    rng = random.Random(7)

    def prose(words: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(words))

    path: list[Message] = []
    k = 0
    while len(path) < messages:
        id = f"t{k:05d}"
        prompt: list[Block] = [{"type": "text", "text": prose(30)}]
        if k % 40 == 0:
            head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 800, 600)
            data = base64.b64encode(head.ljust(20_000, b"\0")).decode()
            prompt.insert(0, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
        contents: list[list[Block]] = [prompt]
        if k % 2:
            call: Block = {"type": "tool_use", "id": f"c{k}", "name": "read", "input": {"path": f"part-{k}.csv"}}
            contents.append([{"type": "thinking", "thinking": prose(20), "signature": "s" * 200}, call])
            contents.append([{"type": "tool_result", "tool_use_id": f"c{k}", "content": prose(250)}])
        contents.append([{"type": "text", "text": prose(120)}])
        roles = ("user", "assistant")
        path += [Message(roles[n % 2], tuple(content), id, n) for n, content in enumerate(contents)]  # type: ignore[arg-type]
        k += 1
    return path[:messages]


def timed(make: Callable[[], Plan]) -> tuple[float, Plan]:
    begun = time.process_time()
    made = make()
    made.messages  # noqa: B018  what is sent is part of a plan
    made.rows  # noqa: B018  and so is the account of it
    return time.process_time() - begun, made


def main() -> None:
    path = history(MESSAGES)
    cases = [
        ("fits: nothing to do", "claude-sonnet-5-5", Budget(window=10_000_000), Policy()),
        ("elision and image drop", "claude-sonnet-5-5", Budget(window=1_500_000), Policy.named("elision,images")),
        ("pages, as many as the caps allow", "claude-sonnet-5-5", Budget(window=2_000_000), Policy.named("snapshot")),
        ("all rungs, a summary too", "claude-sonnet-5-5", Budget(window=600_000), Policy()),
        ("no vision: a summary is asked for", "offline-text", Budget(window=400_000), Policy()),
    ]
    print(f"{len(path):,} messages, CPU time. Limits: cold 3,000 ms, warm 150 ms.\n")
    print(f"{'case':<36}{'raw tokens':>12}{'sent':>10}{'cold ms':>9}{'warm ms':>9}")
    for name, model, budget, policy in cases:
        estimator = Estimator(profile(model).tokenizer, profile(model).tier)

        def make(overlays: tuple[object, ...] = (), *, model: str = model) -> Plan:
            return plan(path, "next", profile(model), budget, policy, overlays, estimator=estimator)  # type: ignore[arg-type]  # noqa: B023

        cold, first = timed(make)
        stored = first.overlays
        if first.need is not None:
            stored = (*stored, first.need.overlay("Goal: to be measured.", model=model))
            make(stored)
        warm, second = min((timed(lambda: make(stored)) for _ in range(3)), key=lambda each: each[0])  # noqa: B023
        print(f"{name:<36}{first.rungs[0].before:>12,}{second.tokens:>10,}{1e3 * cold:>9,.0f}{1e3 * warm:>9,.0f}")


if __name__ == "__main__":
    main()
