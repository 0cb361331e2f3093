"""The histories that the examples start from, made up for them: python examples/make_samples.py

`samples/greenhouse.jsonl` is a conversation as `%chat export` writes it: prose, tool calls with long results, plots.
`samples/pantry-bug.jsonl` has the form of a Claude Code transcript, with one branch. The same bytes on every run.
"""

from __future__ import annotations

import base64
import io
import json
import math
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from jupyter_history.store.records import Bundle, Conversation
from jupyter_history.transcript import Message, TurnRecord
from jupyter_history.transfer import write

SAMPLES = Path(__file__).parent / "samples"
BEGAN = 1_790_000_000.0
Block = dict[str, Any]


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def call(night: int) -> Block:
    return {"type": "tool_use", "id": f"call_{night}", "name": "read_logger", "input": {"night": night}}


def result(night: int, rows: list[str]) -> Block:
    return {"type": "tool_result", "tool_use_id": f"call_{night}", "content": "\n".join(rows)}


def logger(night: int, events: dict[int, str]) -> list[str]:
    """What the logger says of one night, a line every five minutes; `events` by line."""
    rows = []
    for n in range(96):
        warmth = 18.4 + 0.3 * math.sin(n / 10 + night) - max(0, min(n - 36, 24)) * 0.1
        clock = f"{(22 + n // 12) % 24:02}:{n % 12 * 5:02}"
        rows.append(
            f"{clock} air {warmth:.1f} vent {'shut' if n < 80 else 'ajar'} {events.get(n, 'nothing to report')}"
        )
    return rows


def plot(night: int) -> Block:
    """A plot of that night, 560 x 392 pixels."""
    picture = Image.new("1", (560, 392), 1)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((40, 20, 540, 350), outline=0)
    points = [(40 + 10 * n, 120 + 40 * math.sin(n / 5 + night) + max(0, min(n - 18, 12)) * 12) for n in range(51)]
    pen.line(points, fill=0, width=2)
    pen.text((44, 360), f"greenhouse 4, night {night}, air temperature", fill=0)
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    data = base64.b64encode(file.getvalue()).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


GREENHOUSE: list[list[list[Block]]] = [
    [
        [
            text(
                "We want to know why greenhouse 4 cools down at night. All times are in UTC. Nobody restarts the "
                "logger before Friday, whatever happens."
            )
        ],
        [
            text(
                "Understood: greenhouse 4, times in UTC, and the logger runs on until Friday. I begin with the first "
                "night."
            )
        ],
    ],
    [
        [text("Read the first night.")],
        [call(1)],
        [result(1, logger(1, {62: "valve V-17 reports E-7731"}))],
        [text("A quiet night. The air cools from one o'clock on, and one valve reports an error at ten past three.")],
    ],
    [
        [plot(1), text("This is the plot of the first night. What do you make of it?")],
        [
            text(
                "A steady fall of two and a half degrees, no jump. That looks like a leak of warm air, not like a "
                "broken heater."
            )
        ],
    ],
    [
        [
            text(
                "I asked around. Dr. Okafor measured the air that leaves through the north door, and the draught takes "
                "0.83 kilowatts. The door was repaired in March, but with the seal of an older model, which is softer. "
                "The night guard says that he opens nothing, and the cleaners come at six. Mrs. Lindqvist of the "
                "museum next door had the same trouble, and in her case it was a fan that started by itself to dry the "
                "roof."
            )
        ],
        [
            text(
                "Then two explanations are left: the soft seal of the north door, or a fan that starts at one. A fan "
                "would need current at one o'clock, and the meter would show it. A soft seal would leak all night, but "
                "more when the wind turns, and the wind turns at about one. Let us look at the second night, and at "
                "one without the fan, and decide only then: a new seal costs little, the wrong repair costs a week."
            )
        ],
    ],
    [
        [text("Now the second night.")],
        [call(2)],
        [result(2, logger(2, {}))],
        [text("The same fall at the same hour, and no error this time. So the valve is not what cools the house.")],
    ],
    [
        [plot(2), text("And its plot.")],
        [text("The two curves lie on each other. Whatever opens, opens every night at one.")],
    ],
    [
        [plot(3), text("The third night, with the fan's fuse taken out.")],
        [
            text(
                "No change at all without the fan. We decide: replace the seal of the north door, and leave valve and "
                "fan alone."
            )
        ],
    ],
    [
        [text("Read the fourth night, with the new seal in place.")],
        [call(4)],
        [result(4, logger(4, {14: "door N opened", 16: "door N shut"})[:42])],
        [text("So far the air stays above eighteen degrees. The door was opened once, for ten minutes.")],
    ],
    [
        [plot(4), text("The plot of the fourth night.")],
        [text("Flat. The seal was it.")],
    ],
]  # fmt: skip


def greenhouse() -> Bundle:
    turns = []
    for n, told in enumerate(GREENHOUSE):
        id = f"g{n:05}"
        messages = tuple(Message(("user", "assistant")[m % 2], tuple(each), id, m) for m, each in enumerate(told))
        prompt = messages[0].text
        parent = turns[-1].id if turns else None
        turns.append(TurnRecord(id, "", parent, prompt, messages, "an-assistant", created=BEGAN + 60 * n))
    made = Conversation("", "greenhouse", turns[0].prompt, BEGAN, BEGAN, turns[-1].id, 0, settings={})
    return Bundle(made, tuple(turns), labels={"end": turns[-1].id})


def pantry() -> list[dict[str, Any]]:
    """A small debugging session; its last prompt was edited once, so that it has two branches."""
    lines: list[dict[str, Any]] = [{"type": "summary", "summary": "The pantry list sorts wrongly", "leafUuid": "m10"}]

    def add(uuid: str, parent: str | None, kind: str, content: Any, **message: Any) -> None:
        stamp = f"2026-09-21T13:{len(lines):02}:00.000Z"
        told = {"role": kind, "content": content, **message}
        lines.append(
            {"uuid": uuid, "parentUuid": parent, "type": kind, "message": told, "timestamp": stamp,
             "sessionId": "pantry", "isSidechain": False}
        )  # fmt: skip

    def answer(n: int) -> dict[str, Any]:
        return {
            "id": f"msg_{n}",
            "model": "claude-sonnet-4-6",
            "usage": {"input_tokens": 400 + 90 * n, "output_tokens": 60},
        }

    add("m1", None, "user", "The pantry list prints 10 before 9. Find out why.")
    add("m2", "m1", "assistant", [
        text("I look at the code first."),
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat pantry.py stock.txt"}},
    ], **answer(1))  # fmt: skip
    goods = ("beans", "rice", "lentils", "salt", "flour", "oats", "tea")
    stock = [f"{n * 37 % 113} {goods[n % 7]}, shelf {n % 9}" for n in range(140)]
    code = "for count in sorted(open('stock.txt')):\n    print(count)"
    add("m3", "m2", "user", [
        {"type": "tool_result", "tool_use_id": "t1", "content": "\n".join([code, "", *stock])}
    ])  # fmt: skip
    why = 'The counts are sorted as text, and "10" comes before "9". Sort them by `int`.'
    add("m4", "m3", "assistant", [text(why)], **answer(2))
    add("m5", "m4", "user", "Fix it, please.")
    add(
        "m6",
        "m5",
        "assistant",
        [text("`for count in sorted(open('stock.txt'), key=int):` is the line now.")],
        **answer(3),
    )
    add("m7", "m4", "user", "Before you fix it: which other lists have this fault?")
    add("m8", "m7", "assistant", [
        {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "grep -n sorted *.py"}},
    ], **answer(4))  # fmt: skip
    found = ["pantry.py:1:for count in sorted(open('stock.txt')):", "shopping.py:12:prices = sorted(lines)"]
    add("m9", "m8", "user", [{"type": "tool_result", "tool_use_id": "t2", "content": "\n".join(found)}])
    add(
        "m10",
        "m9",
        "assistant",
        [text("The shopping list: it sorts prices as text too, in `shopping.py` line 12.")],
        **answer(5),
    )
    return lines


if __name__ == "__main__":
    SAMPLES.mkdir(exist_ok=True)
    write(greenhouse(), SAMPLES / "greenhouse.jsonl")
    (SAMPLES / "greenhouse.jsonl").chmod(0o644)
    (SAMPLES / "pantry-bug.jsonl").write_text("".join(json.dumps(line) + "\n" for line in pantry()), encoding="utf-8")
