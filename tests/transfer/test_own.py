"""Our own JSONL: what was exported comes back the same, under new ids."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from builders import Writer, assistant, call, result, tool_exchange, turn, user
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_history import transfer
from jupyter_history.errors import BadInput
from jupyter_history.store import Overlay, Store
from jupyter_history.store.records import Checkpoint, Marks
from jupyter_history.transcript import Maker, Message, Usage
from jupyter_history.transfer import own

TEXTS = st.text(min_size=1, max_size=30).filter(lambda text: text.strip())
JSON = st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8), lambda each: (
    st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3)
), max_leaves=5)  # fmt: skip


def subsets(items: list[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(items), unique=True, max_size=3) if items else st.just([])


@st.composite
def exchanges(draw: st.DrawFn, prompt: str) -> tuple[Message, ...]:
    """What follows a prompt: an answer, thinking before it, a call and its result, pictures."""
    answer = draw(TEXTS)
    thought = {"type": "thinking", "thinking": draw(TEXTS), "signature": "sig"}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    return draw(
        st.sampled_from(
            [
                (user(prompt), assistant(answer)),
                (
                    user([{"type": "text", "text": prompt}, picture]),
                    assistant([thought, {"type": "text", "text": answer}]),
                ),
                (
                    user(prompt),
                    assistant([thought, call(x=draw(JSON))]),
                    user([result(content=answer)]),
                    assistant("so"),
                ),
            ]
        )
    )


def normal(store: Store, conversation: str) -> list[Any]:
    """An export with each turn named by its place in it."""
    text = own.write(store.bundle(conversation))
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    names = {line["turn"]["id"]: f"turn-{n}" for n, line in enumerate(lines) if "turn" in line}
    names |= {line["failed"]["id"]: f"failed-{n}" for n, line in enumerate(lines) if "failed" in line}
    pattern = re.compile("|".join(rf'(?<="){name}(?=["\\.])' for name in names) or "(?!)")
    return [json.loads(pattern.sub(lambda found: names[found[0]], line)) for line in text.split("\n")[:-1]]


def there_and_back(store: Store, conversation: str, other: Store) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kept.jsonl"
        transfer.write(store.bundle(conversation), file)
        found = transfer.read(file)
    assert found.notes == ()
    assert found.kind == "jupyter_history"
    made, _ = other.bring(found.bundle, found.bundle.conversation.name)
    return made.id


def furnish(store: Store) -> str:
    """A conversation with everything that may be in one."""
    writer = Writer(store, store.create("notes", settings={"model": "x"}).id)
    one = writer.ask("One", messages=tool_exchange("One"), cost=0.25, usage=Usage(1, 2, 3, 4, 5), seconds=1.5)
    two = writer.ask(
        "Two", maker=Maker("nb", "cell", 2), settings={"system": "Be brief."}, inherited={"ladder": "auto"}
    )
    stub = f"shortened; recall r{'0' * 16}"
    beside = writer.ask(
        "Two!", at=one, maker=None, outcome="stopped", messages=(
            user("Two!"), assistant([call()]), user([result(content=stub)]), assistant("x" * 70_000)),
    )  # fmt: skip
    store.label(two, "good")
    store.label(beside, "別案")
    store.configure(
        writer.conversation, {"model": "x", "pinned": [one, beside], "favourites": [two], "hidden": [beside]}
    )
    store.add_overlays(
        writer.conversation,
        [
            Overlay("", "elision", f"{one}.0", f"{one}.2", "p", "f", {"stub": [1, None]}, 1.0),
            Overlay(f"{two}.1", "summary", f"{one}.1", f"{two}.1", "p", "f", {"text": "…"}, 2.0),
        ],
    )
    store.fail(turn(writer.conversation, "faaaaa", two, "Lost", error="529"))
    store.commit(
        turn(writer.conversation, "kaaaaa", two, "Explore"),
        place="nb-2",
        basis=writer.basis,
        marks=Marks(checkpoints=(Checkpoint("start", two, "kaaaaa", created=5.0), Checkpoint("root", None, "kaaaaa"))),
    )
    writer.refresh()
    writer.move(two)
    return writer.conversation


def test_everything_comes_back_under_new_ids() -> None:
    store, other = Store.open(":memory:"), Store.open(":memory:")
    source = furnish(store)
    made = there_and_back(store, source, other)
    assert normal(other, made) == normal(store, source)
    ids = {head.id for head in store.topology(source).heads}
    assert not ids & {head.id for head in other.topology(made).heads}
    assert other.problems() == []
    conversation = other.conversation(made)
    assert (conversation.name, conversation.turns, conversation.cost) == ("notes", 4, 0.25)
    here = [head.id for head in other.topology(made).heads]
    marked = {
        key: [here.index(turn) for turn in conversation.settings[key]] for key in ("pinned", "favourites", "hidden")
    }
    assert marked == {"pinned": [0, 2], "favourites": [1], "hidden": [2]}
    assert [mark.label for mark in other.checkpoints(made)] == ["start", "root"]
    assert other.find("別案") == []
    assert [found.turn for found in other.find("explore")] == [other.topology(made).heads[-1].id]


def test_a_conversation_may_be_imported_beside_itself() -> None:
    store = Store.open(":memory:")
    source = furnish(store)
    before = store.bundle(source)
    made = there_and_back(store, source, store)
    assert store.bundle(source) == before
    assert store.conversation(made).name == "notes-2"
    assert store.problems() == []


def test_whole_texts_of_shortened_results_go_along() -> None:
    store, other = Store.open(":memory:"), Store.open(":memory:")
    writer, whole = Writer(store, store.create().id), "line\n" * 5000

    name = f"r{hashlib.sha256(whole.encode()).hexdigest()[:16]}"
    told = (user("q"), assistant([call()]), user([result(content=f"... recall {name}")]), assistant("a"))
    store.commit(
        turn(writer.conversation, "kaaaaa", None, "q", told),
        place="",
        basis=writer.basis,
        marks=Marks(kept={name: whole}),
    )
    assert store.kept(name) == whole
    there_and_back(store, writer.conversation, other)
    assert other.kept(name) == whole


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_conversation_comes_back_as_it_was(data: st.DataObject) -> None:
    """Trees of any shape, with any texts, settings, labels, decisions, moves and failures."""
    store, other = Store.open(":memory:"), Store.open(":memory:")
    draw = data.draw
    name = draw(st.none() | st.sampled_from(["notes", "Notizen über 鯨", "two words"]))
    writer = Writer(store, store.create(name, title=draw(st.text(max_size=20))).id)
    ids: list[str] = []
    for n in range(draw(st.integers(0, 6))):
        parent = draw(st.sampled_from([None, *ids]))
        prompt, id = draw(TEXTS), store.new_id()
        record = turn(
            writer.conversation, id, parent, prompt, draw(exchanges(prompt)),
            settings=draw(st.just({}) | st.fixed_dictionaries({"system": TEXTS, "max_tokens": st.integers(1, 99)})),
            inherited=draw(st.sampled_from([{}, {"ladder": "auto", "took": {"elision": [2, 1]}}])),
            maker=draw(st.none() | st.builds(Maker, st.sampled_from(["nb", "nb-2"]), TEXTS, st.integers(0, 3))),
            usage=draw(st.builds(Usage, *[st.integers(0, 10**6)] * 5)), seconds=draw(st.floats(0, 900)),
            context=draw(st.integers(0, 10**6)), window=draw(st.none() | st.integers(1, 10**6)),
            outcome=draw(st.sampled_from(["complete", "stopped"])), created=draw(st.floats(0, 4e9)),
            cost=draw(st.none() | st.floats(0, 9)), stop_reason=draw(st.none() | st.just("end_turn")),
        )  # fmt: skip
        marks = Marks(
            checkpoints=tuple(Checkpoint(f"mark-{n}", mark, id) for mark in draw(subsets([None, *ids]))[:1]),
            kept={f"r{n:016x}": draw(TEXTS)} if draw(st.booleans()) else {},
        )
        store.commit(record, place=draw(st.sampled_from(["nb", "nb-2"])), basis=writer.basis, marks=marks)
        ids.append(id)
        if draw(st.booleans()):
            store.label(id, f"label-{n}")
        if draw(st.booleans()):
            payload = draw(st.dictionaries(st.text(max_size=5), JSON, max_size=3))
            store.add_overlays(
                writer.conversation, [Overlay(f"{id}.1", "elision", f"{ids[0]}.0", f"{id}.1", "p", "f", payload, 1.0)]
            )
        if draw(st.booleans()):
            store.fail(turn(writer.conversation, store.new_id(), id, draw(TEXTS), error="no"))
        writer.refresh()
        if draw(st.booleans()):
            writer.move(draw(st.sampled_from([None, *ids])))
    named = {key: draw(subsets(ids)) for key in ("pinned", "favourites", "hidden")}
    store.configure(writer.conversation, {"window": 5} | {key: turns for key, turns in named.items() if turns})
    made = there_and_back(store, writer.conversation, other)
    assert normal(other, made) == normal(store, writer.conversation)
    assert other.problems() == []
    assert there_and_back(other, made, store)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no conversation that is known"),
        ("Dear diary", "no conversation that is known"),
        ("[1, 2]", "no conversation that is known"),
        ('{"jupyter_history": 99}', "pip install -U"),
        ('{"jupyter_history": 1}', "not whole"),
        (
            '{"jupyter_history":1,"name":null,"title":"","created":0,"tip":null,"settings":{}}\n{"turn":{"id":"a"}}',
            "whole",
        ),
    ],
)
def test_what_is_no_export_is_one_line(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(BadInput, match=part) as told:
        transfer.read(tmp_path / "x.jsonl")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('{"label": "x", "at": "nowhere"}', "nowhere"),
        ('{"visit": "nowhere", "place": ""}', "nowhere"),
        ('{"turn":{"id":"a","parent":"nowhere","prompt":"q","model":"m","messages":['
         '{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}}',
         "nowhere"),
        ('{"turn":{"id":"a","prompt":"q","model":"m","messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}}',
         "turn boundary"),
    ],
)  # fmt: skip
def test_an_export_that_was_tampered_with_leaves_nothing(tmp_path: Path, line: str, part: str) -> None:
    header = '{"jupyter_history":1,"name":null,"title":"","created":0,"tip":null,"settings":{}}'
    (tmp_path / "x.jsonl").write_text(f"{header}\n{line}\n")
    store = Store.open(":memory:")
    found = transfer.read(tmp_path / "x.jsonl")
    with pytest.raises(BadInput, match=part):
        store.bring(found.bundle)
    assert store.conversations() == []


def test_lines_of_a_later_version_are_named(tmp_path: Path) -> None:
    store = Store.open(":memory:")
    file = tmp_path / "x.jsonl"
    transfer.write(store.bundle(furnish(store)), file)
    file.write_text(file.read_text() + '{"hologram": 1}\nhalf a li')
    assert transfer.read(file).notes == (
        "Left out: 1 x a line that is no JSON object (torn?).",
        "Left out: 1 x a line of an unknown kind (hologram).",
    )


def test_a_file_that_cannot_be_written_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    store = Store.open(":memory:")
    bundle = store.bundle(furnish(store))
    for path in (tmp_path / "no" / "x.jsonl", tmp_path / "x.docx"):
        with pytest.raises(BadInput) as told:
            transfer.write(bundle, path)
        assert "\n" not in str(told.value)
    assert list(tmp_path.iterdir()) == []
    transfer.write(bundle, tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").stat().st_mode & 0o777 == 0o600
