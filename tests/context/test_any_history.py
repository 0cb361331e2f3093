"""Over random histories, every policy and window: each request is valid, each prefix stable, each rung smaller."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from transcripts import histories, prompts, turn

from jupyter_history.context import Budget, Overlay, Plan, Policy, plan
from jupyter_history.model.catalog import Profile
from jupyter_history.transcript import Message, problems

Make = Callable[..., Profile]
LADDERS = [
    "auto",
    "off",
    "elision",
    "images",
    "snapshot",
    "summary",
    "elision,images",
    "images,snapshot",
    "elision,summary",
]


@dataclass
class Talk:
    """A conversation that plans each of its turns as a session would: overlays are stored, summaries written."""

    profile: Profile
    budget: Budget
    policy: Policy
    wall: bool = False
    path: list[Message] = field(default_factory=list)
    overlays: list[Overlay] = field(default_factory=list)

    def plan(self, prompt: Message) -> Plan:
        made = plan(self.path, prompt, self.profile, self.budget, self.policy, self.overlays, wall=self.wall)
        if made.need is not None:
            self.overlays.append(made.need.overlay("Goal: to be short.", model=self.profile.id))
            made = plan(self.path, prompt, self.profile, self.budget, self.policy, self.overlays, wall=self.wall)
            assert made.need is None, "one summary a turn"
        return made

    def store(self, made: Plan, turn: list[Message]) -> None:
        self.overlays.extend(made.overlays)
        self.path.extend(turn)


@settings(max_examples=40, deadline=None)
@given(
    histories(9),
    prompts,
    st.sampled_from(LADDERS),
    st.sampled_from([600, 1_500, 4_000, 8_000, 200_000]),
    st.booleans(),
    st.sampled_from([3, 25, 100]),
    st.sampled_from([40_000, 3_000_000]),
    st.booleans(),
)
def test_rule_11_every_request_of_every_conversation_is_valid_and_its_prefix_stable(
    turns: list[list[Message]],
    prompt: list[dict[str, object]],
    ladder: str,
    window: int,
    vision: bool,
    most: int,
    page_bytes: int,
    wall: bool,
) -> None:
    profile = Profile("small", window, 500, None, vision, "standard", "new", 512, most)
    talk = Talk(profile, Budget(page_bytes=page_bytes), Policy.named(ladder), wall)
    before = deepcopy(turns)
    sent: list[dict[str, object]] = []
    for messages in [*turns, turn(99, prompt)]:
        made = talk.plan(messages[0])
        wire = made.messages
        assert list(problems(wire)) == []
        if not made.overlays and (not talk.overlays or talk.overlays[-1].anchor != talk.path[-1].id):
            assert wire[: len(sent)] == sent, "nothing was decided, so what was sent is a prefix of what is sent"
        said = {block["text"] for message in wire for block in message["content"] if block["type"] == "text"}
        for row, message in zip(made.rows, talk.path, strict=True):
            text = [block["text"] for block in message.content if block["type"] == "text"]
            if row.disposition == "kept" and "excess" not in row.reason:
                assert said.issuperset(text)
            elif row.disposition == "on no page":
                assert not text, "every message is shown, drawn or told"
        for rung in made.rungs:
            # rule 15; a limit on images or bytes may force a rung at equal cost, never at a higher one
            assert not rung.applied or rung.after <= rung.before
        if made.problem is None:
            assert made.draft.overflows == () or made.need is not None
        talk.store(made, messages)
        sent = wire
    assert turns == before


@settings(max_examples=40, deadline=None)
@given(histories(7), st.sampled_from(LADDERS), st.sampled_from([600, 4_000, 8_000]), st.data())
def test_rule_18_no_request_ever_has_signed_thinking_before_its_last_rewrite(
    turns: list[list[Message]], ladder: str, window: int, data: st.DataObject
) -> None:
    profile = Profile("small", window, 500, None, True, "standard", "new", 512, 100)
    talk = Talk(profile, Budget(), Policy.named(ladder))
    for messages in turns:
        made = talk.plan(messages[0])
        anchors = [n for n, m in enumerate(talk.path) if any(each.anchor == m.id for each in talk.overlays)]
        if made.overlays:
            anchors.append(len(talk.path) - 1)
        closed = talk.path[: max(anchors, default=-1) + 1]
        signatures = sum(len(m.content) and any(b["type"] == "thinking" for b in m.content) for m in talk.path)
        signed_before = sum(any(b["type"] == "thinking" for b in m.content) for m in closed)
        kept = sum(b["type"] == "thinking" for m in made.messages for b in m["content"])
        assert kept <= signatures - signed_before
        talk.store(made, messages)


@settings(max_examples=40, deadline=None)
@given(histories(6), st.sampled_from([1_500, 8_000, 200_000]))
def test_the_tokens_of_the_rows_are_those_of_the_request(turns: list[list[Message]], window: int) -> None:
    profile = Profile("small", window, 500, None, True, "standard", "new", 512, 100)
    path = [message for each in turns for message in each]
    made = plan(path, "next", profile)
    around = made.draft.scene.prompt_measure.text
    assert abs(sum(row.after for row in made.rows) + around - made.tokens) <= len(path) + 2
