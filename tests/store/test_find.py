"""Finding a text: on all branches of all conversations, in every script, in the transaction that stored it."""

from __future__ import annotations

import pytest
from builders import Writer, assistant, call, result, turn, user
from hypothesis import given
from hypothesis import strategies as st

from jupyter_history.errors import BadInput
from jupyter_history.store import Store, words


def found(store: Store, text: str) -> list[str]:
    return [each.turn for each in store.find(text)]


def test_a_text_is_found_in_prompts_answers_and_tools_newest_first(writer: Writer) -> None:
    one = writer.ask("Why does the likelihood ratio test fail?")
    two = writer.ask("Other", messages=(user("Other"), assistant("Because the RATIO is not regular.")))
    tools = (user("Look"), assistant([call(path="ratio.csv")]), user([result(content="a ratio of 3")]), assistant("3"))
    three = writer.ask("Look", messages=tools)
    assert found(writer.store, "ratio") == [three, two, one]
    assert found(writer.store, "Likeli ratio") == [one]
    assert found(writer.store, "ratio nowhere") == []
    what = {each.turn: (each.what, each.snippet) for each in writer.store.find("ratio")}
    assert what[one] == ("prompt", "Why does the likelihood ratio test fail?")
    assert what[two] == ("answer", "Because the RATIO is not regular.")
    assert what[three][0] == "tool"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("尤度比検定はなぜ失敗するのか", "検定"),
        ("尤度比検定はなぜ失敗するのか", "定"),
        ("尤度比検定はなぜ失敗するのか", "のか"),
        ("尤度比検定はなぜ失敗するのか", "か"),
        ("似然比检验为什么会失败？", "检验"),
        ("우도비 검정은 왜 실패합니까", "검정"),
        ("ทำไมการทดสอบ", "ทดสอบ"),
        ("Почему не работает", "ПОЧЕМУ"),
        ("Une naïve façon", "naive facon"),
        ("ﬁnally ２００", "finally 200"),
        ("pvalue=0.05, n_obs", "obs 05"),
        ("STRASSE Straße", "straße"),
        ("mixed 日本語text here", "日本語 text"),
    ],
)
def test_every_script_is_found_without_case_and_accents(writer: Writer, text: str, query: str) -> None:
    id = writer.ask(text)
    writer.ask("另一个问题 something else 다른 질문")
    assert found(writer.store, query) == [id]


@pytest.mark.parametrize(
    ("query", "there", "not_there"),
    [
        ("🙂", "fine 🙂 then", "fine 🙃 then"),
        ("👍🏽", "👍🏽 done", "👍 done"),
        ("❤️", "I ❤ owls", "I love owls"),
        ("👩‍💻", "the 👩‍💻 says", "the 👩 and the 💻 say"),
        ("🇯🇵", "in 🇯🇵", "in 🇵🇯"),
        ("日本🙂", "日本🙂です", "日本です🙂"),
        ("€", "costs 5 €", "costs 5 $"),
        ("→", "a → b", "a -> b"),
        ("é", "une école", "the elephant"),
        ("e\u0301cole", "une \u00e9cole", "une ecole"),
        ("\u00e9cole", "une e\u0301cole", "une ecole"),
        ("RÉSUMÉ", "my résumé", "I resume"),
        ("мой", "Это МОЙ дом", "мои дома"),
        ("が", "雨が降る", "雨か雪"),
        ("雨", "大雨", "大雪"),
        ("c++", "in C++ today", "in C today"),
        ("x_1", "let X_1 be", "x 1, x11"),
        ("foo()", "foo (bar)", "a bar"),
        ("0.05", "p < 0.05.", "0 of 05"),
        ("a && b", "a && b", "a and b"),
        ("(really)", "really?", "real"),
        ("हिन्दी", "हिन्दी में", "हन द"),
    ],
)
def test_accents_signs_and_what_is_inside_a_word_count_where_the_query_has_them(
    writer: Writer, query: str, there: str, not_there: str
) -> None:
    id = writer.ask(there)
    writer.ask(not_there)
    assert found(writer.store, query) == [id]
    (only,) = writer.store.find(query)
    assert only.snippet == there


def test_a_word_without_accents_finds_those_with_them(writer: Writer) -> None:
    ids = [writer.ask(text) for text in ("une école", "une ecole", "une e\u0301cole")]
    assert found(writer.store, "ecole") == ids[::-1]


@pytest.mark.parametrize("query", ["", " ", "?!", "++", "&&", "...", "_", '"', "\u0301", "\ufe0f", "\u200d"])
def test_a_query_without_word_number_or_sign_is_known_to_be_one(query: str) -> None:
    assert words.terms(query) == []


def test_the_snippet_is_where_the_word_is_though_it_is_written_otherwise() -> None:
    text = f"{'before ' * 50}une façon naïve {'after ' * 50}"
    assert "façon" in words.snippet(text, ["facon"])


def test_pairs_that_are_no_run_are_not_found(writer: Writer) -> None:
    writer.ask("検定と定理")  # has the pairs of 検定理, and not that
    assert found(writer.store, "検定理") == []


@pytest.mark.parametrize("query", ["", "  ", '"', "' OR 1=1 --", "* AND", "NOT", "(", "a:b", "\ud800", "%_", "\x00"])
def test_no_query_is_an_error(writer: Writer, query: str) -> None:
    writer.ask("Hello")
    assert found(writer.store, query) == []


def test_it_says_whether_it_is_on_the_path_and_where_its_branch_ends(writer: Writer) -> None:
    root = writer.ask("Root apple")
    left = writer.ask("Left apple")
    end = writer.ask("End of the left")
    right = writer.ask("Right apple", at=root)
    where = {each.turn: (each.on_path, each.end) for each in writer.store.find("apple")}
    assert where == {root: (True, right), left: (False, end), right: (True, right)}


def test_all_conversations_are_searched_archived_ones_too(store: Store) -> None:
    for name in ("one", "two"):
        Writer(store, store.create(name).id).ask("needle")
    store.archive(store.conversation("one").id)
    assert [each.conversation.name for each in store.find("needle")] == ["two", "one"]
    assert len(store.find("needle", limit=1)) == 1


def test_a_turn_is_found_where_it_was_asked_not_in_its_copies(writer: Writer) -> None:
    id = writer.ask("needle")
    fork, new = writer.store.fork(writer.conversation, id)
    below = Writer(writer.store, fork.id).ask("needle again", at=new[id])
    assert found(writer.store, "needle") == [below, id]


def test_what_is_refused_is_not_found(writer: Writer) -> None:
    writer.ask("kept", id="aaaaaa")
    with pytest.raises(BadInput):
        writer.commit(turn(writer.conversation, "aaaaaa", None, "needle"))
    assert found(writer.store, "needle") == []


def test_many_candidates_are_read_in_parts(writer: Writer) -> None:
    ids = [writer.ask(f"needle {n}", at=None) for n in range(120)]
    assert [each.turn for each in writer.store.find("needle", limit=120)] == ids[::-1]


def test_a_snippet_is_one_line_around_what_was_found() -> None:
    text = f"{'before ' * 50}\nthe needle\n\n{'after ' * 50}"
    line = words.snippet(text, ["needle"])
    assert "\n" not in line
    assert "the needle after" in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) < 250


@given(st.text(max_size=60), st.data())
def test_any_part_of_a_text_that_begins_a_word_is_found(text: str, data: st.DataObject) -> None:
    """The index holds what a query made of any of the text's words asks for."""
    held = words.of(turn("c", "aaaaaa", prompt=text, messages=(user("q"), assistant("a"))))
    terms = words.terms(text)
    if terms:
        term = data.draw(st.sampled_from(terms))
        for prefix in words.prefixes(term):
            assert any(word.startswith(prefix) for word in held), (prefix, held)
