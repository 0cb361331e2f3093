"""Turns as tests write them: short, and valid unless asked otherwise."""

from __future__ import annotations

from typing import Any

from jupyter_history.store import Basis, Committed, Store
from jupyter_history.transcript import Block, Maker, Message, TurnRecord, Usage

PLACE = "notebook-1"


def user(content: str | list[Block]) -> Message:
    return Message("user", _blocks(content))


def assistant(content: str | list[Block]) -> Message:
    return Message("assistant", _blocks(content))


def call(id: str = "call_1", name: str = "look", **input: Any) -> Block:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def result(id: str = "call_1", content: str = "found") -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def exchange(prompt: str, answer: str = "An answer.") -> tuple[Message, ...]:
    return user(prompt), assistant(answer)


def tool_exchange(prompt: str, answer: str = "An answer.") -> tuple[Message, ...]:
    """Four messages: a question, a call, its result, the answer."""
    return user(prompt), assistant([call()]), user([result()]), assistant(answer)


def turn(
    conversation: str,
    id: str,
    parent: str | None = None,
    prompt: str = "A question?",
    messages: tuple[Message, ...] | None = None,
    **fields: Any,
) -> TurnRecord:
    """A turn whose messages carry its id and their places, as the store gives them back."""
    told = exchange(prompt) if messages is None else messages
    placed = tuple(Message(message.role, message.content, id, index) for index, message in enumerate(told))
    defaults: dict[str, Any] = {"model": "offline", "maker": Maker(PLACE, "cell-1"), "usage": Usage(10, 5)}
    return TurnRecord(id, conversation, parent, prompt, placed, **(defaults | fields))


class Writer:
    """One place that commits and moves, and knows what it wrote last: what a session does, without a model."""

    def __init__(self, store: Store, conversation: str, place: str = PLACE) -> None:
        self.store, self.conversation, self.place = store, conversation, place
        self.refresh()

    def refresh(self) -> None:
        topology = self.store.topology(self.conversation)
        was_here, tip = self.store.place(self.place, self.conversation)
        last = topology.heads[-1].n if topology.heads else 0
        self.basis = Basis(topology.conversation.revision, last, tip if was_here else topology.conversation.tip)

    @property
    def tip(self) -> str | None:
        return self.basis.tip

    def ask(self, prompt: str = "A question?", *, id: str | None = None, at: str | None = "tip", **fields: Any) -> str:
        """Commit a turn after `at`; its id."""
        record = turn(
            self.conversation,
            id or self.store.new_id(),
            self.basis.tip if at == "tip" else at,
            prompt,
            **fields,
        )
        self.commit(record)
        return record.id

    def commit(self, record: TurnRecord) -> Committed:
        done = self.store.commit(record, place=self.place, basis=self.basis)
        self.basis = Basis(done.revision, max(done.n, self.basis.last), record.id)
        return done

    def move(self, to: str | None) -> Committed:
        done = self.store.move(self.conversation, to, place=self.place, basis=self.basis)
        self.basis = Basis(done.revision, self.basis.last, to)
        return done


def _blocks(content: str | list[Block]) -> tuple[Block, ...]:
    return ({"type": "text", "text": content},) if isinstance(content, str) else tuple(content)
