"""What a front end asks a view and does through it: over the widget's messages, without a kernel."""

from __future__ import annotations

import base64
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm

from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.explorers.desk import Desk
from jupyter_history.notebook.explorers.widget import Explorer
from jupyter_history.session.session import Session


class Recorder(BaseComm):
    """A comm whose other end is a list."""

    def __init__(self, **more: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        super().__init__(**more)

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any) -> None:
        self.sent.append(data or {})


@pytest.fixture
def front(monkeypatch: pytest.MonkeyPatch) -> list[Recorder]:
    """The comms that were opened."""
    opened: list[Recorder] = []

    def create(**more: Any) -> Recorder:
        opened.append(Recorder(**more))
        return opened[-1]

    monkeypatch.setattr(comm, "create_comm", create)
    return opened


@pytest.fixture
def told(session: Session, server: Scripted) -> Session:
    server.reply("Because $5 <b>bold</b>.").reply("Why not?")
    session.send("Why?", label="start")
    session.send("And?")
    return session


def ask(session: Session, call: str, **args: Any) -> Any:
    reply = Desk.of(session).reply({"call": call, "args": args})
    assert "error" not in reply, reply
    return reply["result"]


def test_a_widget_answers_requests_by_their_id(told: Session, front: list[Recorder]) -> None:
    view = told.explore()
    shown = Explorer(view, view.state())
    line = next(each for each in front if each.comm_id == shown.model_id)
    request = {"id": "7", "call": "body", "args": {"turn": told.tip}}
    line.handle_msg({"content": {"data": {"method": "custom", "content": request}}, "buffers": []})
    reply = line.sent[-1]["content"]
    assert reply["id"] == "7"
    assert reply["result"]["text"] == "Why not?"
    assert "Why not?" not in str(shown.get_state(["state"]))


def test_a_widget_is_named_in_the_display(told: Session, front: list[Recorder]) -> None:
    view = told.explore()
    (name,) = Explorer(view, view.state()).named()
    assert name == "application/vnd.jupyter.widget-view+json"


def test_bodies_are_harmless_markdown_and_prompts_as_typed(told: Session) -> None:
    body = ask(told, "body", turn=told.tree.labels["start"])
    assert body["prompt"] == "Why?"
    assert "<b>" not in body["text"]


def test_moving_through_the_desk_is_a_branch_and_nothing_else(told: Session, server: Scripted) -> None:
    first, second = told.tree.heads
    asked = len(server.requests)
    moved = ask(told, "continue", turn=first)
    assert (moved["tip"], told.tip) == (first, first)
    assert second in moved["note"]
    assert len(server.requests) == asked


def test_the_desk_calls_no_model_it_says_what_asks_once_more_in_a_cell(told: Session, server: Scripted) -> None:
    first = told.tree.labels["start"]
    asked = len(server.requests)
    code = ask(told, "again", turn="start")["code"]
    assert len(server.requests) == asked
    shown = told.explore()  # while somebody looks at it, its session is found by the conversation
    exec(code, {})
    made = told.tree.siblings(first)[-1]
    assert (len(server.requests), told.tip) == (asked + 1, made)
    assert shown.session is told


def test_a_filter_finds_what_was_said_in_this_conversation_alone(told: Session, server: Scripted) -> None:
    first, second = told.tree.heads
    server.reply("Because of the owls.")
    Session.open("elsewhere", told.store, client=told.client, model=told.model).send("Why?")
    found = ask(told, "find", text="because")
    assert list(found["turns"]) == [first]
    assert found["turns"][first].startswith("answer: Because")
    assert not found["more"]
    assert list(ask(told, "find", text="why")["turns"]) == [second, first]
    assert list(ask(told, "find", text="start because")["turns"]) == [first]  # a label, and a word of the answer
    assert list(ask(told, "find", text="sonnet not")["turns"]) == [second]
    assert ask(told, "find", text="start not")["turns"] == {}
    assert ask(told, "find", text="  ")["turns"] == {}
    server.reply("It was said at great length, as it was always said, that the zebra sleeps standing.")
    last = told.send("Zoo?")
    assert ask(told, "find", text="Zebra")["turns"] == {last.id: "answer: …that the zebra sleeps standing."}


def test_labels_favourites_hiding_pins_and_forks(told: Session) -> None:
    first, second = told.tree.heads
    ask(told, "label", turn=second, label="end")
    assert told.tree.labels["end"] == second
    ask(told, "label", turn=second)
    assert "end" not in told.tree.labels
    for call, key in (("favourite", "favourites"), ("hide", "hidden"), ("pin", "pinned")):
        ask(told, call, turn=first)
        assert told.conversation.settings[key] == [first]
        ask(told, call, turn=first, on=False)
        assert key not in told.conversation.settings
    tip = told.tip
    assert "aside" in ask(told, "fork", turn=first, name="aside")["note"]
    assert (told.tip, told.store.conversation("aside").turns) == (tip, 1)


def test_a_what_if_comes_with_the_beginning_of_each_message(long: Session, server: Scripted) -> None:
    asked = len(server.requests)
    state = ask(long, "view", view="ladder", args={"turn": "next", "window": 8000, "rungs": ["snapshot"]})
    assert state["data"]["what_if"]
    assert state["data"]["glances"][1].startswith("Finding 0")
    assert len(server.requests) == asked


def test_compactions_are_undone_by_moving_before_them(long: Session) -> None:
    tip = str(long.tip)
    long.configure(window=8000)
    long.compact("snapshot")
    ask(long, "undo", turn=tip)
    assert long.tip == long.tree.parent(tip)
    assert long.ladder().data()["undo"] is None


def test_the_exact_request_names_images_instead_of_showing_bytes(long: Session) -> None:
    long.configure(window=8000)
    long.compact("snapshot")
    text = ask(long, "request", args={"turn": "next"})["text"]
    assert '"image/png"' in text
    assert len(text) < 200_000


def test_a_page_comes_with_the_source_of_its_spans(long: Session) -> None:
    state = ask(long, "view", view="pages", args={"turn": "next"})
    page = ask(long, "page", args=state["args"], number=1)
    assert base64.b64decode(page["png"]).startswith(b"\x89PNG")
    assert len(page["texts"]) == len(state["data"]["pages"][0]["spans"])
    assert page["texts"][0] == "What did run 0 show?"


def test_profiles_are_compared_on_the_same_text(long: Session) -> None:
    rows = ask(long, "profiles", args={"turn": "next"})["profiles"]
    assert {row["profile"] for row in rows} >= {"default", "dense", "legible"}
    assert len({row["as_text"] for row in rows}) == 1


def test_what_cannot_be_answered_is_one_line(told: Session) -> None:
    for call, args in (
        ("nonsense", {}),
        ("body", {}),
        ("body", {"turn": "nobody"}),
        ("view", {"view": "script", "args": {}}),
        ("page", {"args": {"turn": "next"}, "number": 99}),
        ("label", {"turn": told.tip, "label": "two words"}),
    ):
        reply = Desk.of(told).reply({"call": call, "args": args})
        assert set(reply) == {"error"}
        assert "\n" not in reply["error"]


def test_nothing_moves_while_an_answer_is_written(told: Session) -> None:
    import threading

    lock = threading.RLock()
    desk = Desk(told, lock)
    replies: list[Any] = []
    first, second = told.tree.heads
    with lock:
        thread = threading.Thread(target=lambda: replies.extend(
            desk.reply({"call": call, "args": {"turn": first}}) for call in ("continue", "body")
        ))  # fmt: skip
        thread.start()
        thread.join()
    assert "being written" in replies[0]["error"]
    assert replies[1]["result"]["prompt"] == "Why?"
    assert told.tip == second
