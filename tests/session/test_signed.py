"""Rules 12 and 18 against a server that enforces them: a thought is bound to all bytes before it, or refused.

The server signs each thought with the bytes of its prefix (system prompt, tools, all that stands before; thoughts and
cache marks left out) and refuses a request in which one stands behind another prefix.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import httpx2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_history.model import sse
from jupyter_history.model.client import Client
from jupyter_history.session.resume import Window
from jupyter_history.session.session import Session
from jupyter_history.store import Store
from jupyter_history.transcript import THINKING, problems


class Signing(httpx2.BaseTransport):
    """Thinks before each answer, calls `look` and its own tools as the prompt says, and checks every signature."""

    def __init__(self) -> None:
        self.refused: list[str] = []
        self.thoughts = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.read())
        if request.url.path.endswith("/count_tokens"):
            return httpx2.Response(200, json={"input_tokens": 9})
        wrong = [*problems(body["messages"]), *self._unbound(body)]
        if wrong:
            self.refused += wrong
            return sse.error(400, "invalid_request_error", wrong[0])
        content = [self._thought(body), *self._said(body)]
        stop = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        parts = [part for n, block in enumerate(content) for part in sse.block(n, block)]
        events = [sse.start(body["model"], {"input_tokens": 9}, "m"), *parts, sse.stop(stop, 9)]
        return sse.streaming(iter(events), "req")

    def _said(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """What the words of the prompt ask for, one call after the other; text when all is done."""
        last = max(n for n, m in enumerate(body["messages"]) if m["content"][-1]["type"] == "text")
        plan = body["messages"][last]["content"][-1]["text"].split()
        done = sum(m["role"] == "assistant" for m in body["messages"][last:])
        step = plan[done] if done < len(plan) else "answer"
        rewound = any("[Rewound" in block.get("text", "") for block in body["messages"][last]["content"])
        call = {"type": "tool_use", "id": f"t{done}", "name": step, "input": {}}
        if step == "look":
            return [call]
        if step == "checkpoint":
            return [{**call, "input": {"label": "m"}}]
        if step == "rewind" and not rewound:
            return [{**call, "input": {"label": "m", "digest": "seen"}}]
        return [{"type": "text", "text": "an answer " * 3}]

    def _thought(self, body: dict[str, Any]) -> dict[str, Any]:
        self.thoughts += 1
        return {
            "type": "thinking",
            "thinking": f"thought {self.thoughts}",
            "signature": self._sign(body, len(body["messages"])),
        }

    def _unbound(self, body: dict[str, Any]) -> list[str]:
        return [
            f"messages.{n}.content.0: Invalid `signature` in `thinking` block."
            for n, message in enumerate(body["messages"])
            for block in message["content"]
            if block["type"] == "thinking" and block["signature"] != self._sign(body, n)
        ]

    def _sign(self, body: dict[str, Any], before: int) -> str:
        def clean(blocks: Any) -> Any:
            return [
                {key: value for key, value in block.items() if key != "cache_control"}
                for block in blocks
                if block.get("type") not in THINKING
            ]

        prefix = [
            body["model"],
            clean(body.get("system", ())),
            clean(body.get("tools", ())),
            [[message["role"], clean(message["content"])] for message in body["messages"][:before]],
        ]
        return hashlib.sha256(json.dumps(prefix).encode()).hexdigest()


PROMPTS = st.sampled_from(["plain", "look", "look look", "checkpoint look rewind", "checkpoint look"])
STEP = st.one_of(
    st.tuples(st.just("send"), PROMPTS, st.integers(0, 9)),
    st.tuples(st.just("edit"), PROMPTS, st.integers(0, 9)),
    st.tuples(st.just("branch"), st.just(""), st.integers(0, 9)),
    st.tuples(st.just("restart"), st.sampled_from(["whole", "window", "tools"]), st.integers(1, 8)),
    st.tuples(st.just("system"), PROMPTS, st.integers(0, 1)),
    st.tuples(st.just("elide"), st.just(""), st.just(0)),
)


def look() -> str:
    return "much to read " * 40


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=3, max_size=14))
def test_rules_12_and_18_whatever_happens_no_signature_is_refused(steps: list[tuple[str, str, int]]) -> None:
    server = Signing()
    with Store.open(":memory:") as store:
        conversation = store.create()

        def opened(**options: Any) -> Session:
            session = Session(
                store,
                store.conversation(conversation.id),
                client=Client(transport=server),
                model="claude-sonnet-5-5",
                **options,
            )
            session.tools.add(look)
            return session

        session = opened()
        for kind, words, number in steps:
            turns = list(session.tree.heads)
            if kind == "send":
                session.send(words)
            elif kind == "system":
                session.send(words, system=f"Be brief {number}.")
            elif kind == "edit" and turns:
                session.send(words, edit=turns[number % len(turns)])
            elif kind == "branch" and turns:
                session.branch(turns[number % len(turns)])
            elif kind == "elide" and session.tip:
                session.compact("elision")
            elif kind == "restart":
                session = opened(window=Window(messages=number)) if words == "window" else opened()
                if words == "tools":
                    session.tools.add(lambda: 1, name="other")
        assert server.refused == []
        assert not store.problems()


def test_rules_12_and_18_the_offline_reader_takes_its_thoughts_back_after_whatever_happened(tmp_path: Path) -> None:
    def opened(window: Window | None = None) -> Session:
        return Session.open("notes", tmp_path / "history.db", "offline-thinking", client=Client(), window=window)

    def thoughts(session: Session) -> int:
        sent = session.request("next")["messages"]
        return sum(block["type"] == "thinking" for message in sent for block in message["content"])

    session = opened()
    first = session.send("The code is plover.")
    session.send("Which code is it?")
    assert thoughts(session) == 2
    later = opened()
    assert later.send("And again, which code?").thinking
    assert thoughts(later) == 3, "an uncut resume sends them all, and the reader took them"
    later.send("The code is heron.", edit=first.id)
    assert thoughts(later) == 1
    later.branch(session.tip)
    later.tools.add(look)
    later.send("Which code is it with a tool?")
    assert thoughts(later) == 1, "other tools are another prefix"
    cut = opened(Window(messages=2))
    cut.send("What is the last code?")
    assert not cut.store.problems()


def test_the_server_does_refuse_what_was_changed() -> None:
    server = Signing()
    client = Client(transport=server)
    body: dict[str, Any] = {"model": "claude-sonnet-5-5", "max_tokens": 50}
    first = [{"role": "user", "content": [{"type": "text", "text": "plain"}]}]
    with client.stream({**body, "messages": first}) as stream:
        list(stream)
    answered = {"role": "assistant", "content": stream.content}
    for prompt, refused in (("plain", False), ("changed", True)):
        again = [{"role": "user", "content": [{"type": "text", "text": prompt}]}, answered, first[0]]
        server.refused.clear()
        try:
            with client.stream({**body, "messages": again}) as stream:
                list(stream)
        except Exception:
            assert refused
        assert bool(server.refused) == refused
