"""Can this model read our pages? Random tokens, which no language prior can repair, on dense pages, read back exactly.

A misreading is silent, so wrong is counted apart from abstained. What is offered is the densest profile whose lower
bound is high enough; taking it up concerns new snapshots only.
"""

from __future__ import annotations

import base64
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..model import catalog
from ..model.client import Client
from ..pages import PROFILES, Page, Profile, draw, image_tokens
from ..progress import Watch
from ..session import beside
from ..transcript import Block, Usage
from . import estimate
from .estimate import BUDGET, Estimate
from .intervals import wilson
from .questions import value
from .recall import Share, bar, halted
from .runs import Run, Runs, checked_lanes
from .sweep import frame
from .watching import Shows, watching

if TYPE_CHECKING:
    from ..session.session import Session

KINDS = ("hex", "number", "identifier", "kanji", "hangul")
LEAST = 100
"""Tokens on which an offer stands."""
MOST = 1_000
"""Tokens on one profile: a question each to the offline reader."""
ENOUGH = 0.95
"""What the lower bound has to reach."""
PER_PAGE = 25
"""Tokens on one page, and in one question to a model."""
FILLED = 0.94
"""Of a page's cells, what filler and tokens take: a dense page that does not run over."""
SETTING = "pages"
"""The conversation's setting: model -> the page profile of its new snapshots."""
_PROMPT = (
    "The image is a page of text. Between other words it has marks such as Q001, each followed by = and a value. "
    "Write the values of the marks {marks} exactly as they are drawn, character by character, one on a line, as "
    "Q001 = value. Where you cannot read a value with certainty, write Q001 = ?"
)
_ONE = "What is the value of {marks}?"
_WORDS = (  # noqa: SIM905
    "about after along among because before behind beside between both bring carry cause change clear close common "
    "during early enough every field follow ground happen large learn letter light matter measure moment morning never "
    "often order other paper perhaps place plain question quite rather ready reason rest river round second several "
    "simple since small sound still stone story table thing though together under until usual water weather whole "
    "without wonder work world write"
).split()


@dataclass(frozen=True, slots=True)
class Token:
    """A value to be read: its mark on the page, its kind."""

    mark: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Read:
    """How one token was read on pages of one profile. `read` is what the model wrote; "" where it wrote nothing."""

    profile: str
    token: Token
    read: str
    grade: str
    near: bool

    def row(self) -> dict[str, Any]:
        token = self.token
        return {
            "profile": self.profile, "mark": token.mark, "kind": token.kind, "value": token.value,
            "read": self.read, "grade": self.grade, "near": self.near,
        }  # fmt: skip


@dataclass
class Legibility:
    """The result of a page test of one model."""

    model: str
    profiles: tuple[Profile, ...]
    estimate: Estimate = field(default_factory=Estimate)
    tokens: list[Read] = field(default_factory=list)
    cost: float = 0.0
    failed: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [each.row() for each in self.tokens]

    @property
    def results(self) -> Any:
        """The rows, as a DataFrame where pandas is installed."""
        return frame(self.rows)

    def share(self, profile: str, kind: str | None = None) -> Share:
        """The counts on one profile, with a Wilson interval; none for a deterministic reader."""
        mine = [each for each in self.tokens if each.profile == profile and kind in (None, each.token.kind)]
        grades = Counter(each.grade for each in mine)
        found = Share(grades["right"], grades["wrong"], sum(each.near for each in mine), grades["abstained"])
        if catalog.is_offline(self.model):
            return found
        low, high = wilson(found.right, found.of)
        return Share(found.right, found.wrong, found.near, found.abstained, low, high)

    @property
    def offer(self) -> str | None:
        """The densest profile that is read well enough on at least 100 tokens; None if none is."""
        return next((each.name for each in self.by_density if self._enough(self.share(each.name))), None)

    @property
    def by_density(self) -> list[Profile]:
        """The profiles, those with the most characters for a token first."""
        return sorted(self.profiles, key=lambda each: each.capacity / page_tokens(each, self.model), reverse=True)

    def price(self, profile: Profile) -> float | None:
        """Dollars for 100,000 characters on pages of that profile, once, uncached; None where the price is unknown."""
        tokens = round(100_000 / profile.capacity * page_tokens(profile, self.model))
        return catalog.cost(self.model, Usage(input=tokens))

    def use(self, session: Session, profile: str | None = None) -> str:
        """Let new snapshots of this model in that conversation use the profile (the offer, by default); a line.

        Pages that are decided already stay as they are.
        """
        name = profile or self.offer
        if name is None:
            raise BadInput(
                f"{self.model} read no profile well enough to be offered; give one: use(session, 'legible')."
            )
        if name not in PROFILES:
            raise BadInput(f"No page profile is called {name!r}; there are {', '.join(PROFILES)}.")
        chosen = {**session.conversation.settings.get(SETTING, {}), self.model: name}
        beside.note(session, **{SETTING: chosen})
        return f"New snapshots for {self.model} use the page profile {name!r} in `{session.name}`."

    def markdown(self) -> str:
        from .report import page_report

        return page_report(self)

    def __str__(self) -> str:
        return self.markdown()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    @staticmethod
    def _enough(found: Share) -> bool:
        return found.of >= LEAST and (found.recall if found.low is None else found.low) >= ENOUGH


def page_test(
    model: str | None = None,
    profiles: Sequence[str] | str | None = None,
    *,
    tokens: int = LEAST,
    kinds: Sequence[str] | str = KINDS,
    seed: int = 1,
    budget: float = BUDGET,
    lanes: int = 4,
    client: Client | None = None,
    tell: Callable[[str], None] = print,
    show: Shows = True,
) -> Legibility:
    """Have `model` read `tokens` random tokens of these kinds on dense pages of each profile.

    `tell` gets the estimate before the first call; BadInput, with nothing sent, where it is over `budget` dollars, or
    where the model sees no images. How far it is shows by itself; `show=False` is silent, a function is called with
    the `Runs` instead. Stopped after an interrupt, with what had been read as its `result`.
    """
    budget, lanes = estimate.checked_budget(budget), checked_lanes(lanes)
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 1 <= tokens <= MOST:
        raise BadInput(f"tokens is how many are read on each profile, from 1 to {MOST:,}; {tokens!r} is not.")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    model = model or catalog.default_model()
    about = catalog.profile(model)
    if not about.vision:
        raise BadInput(f"{model} sees no images, so it can read no pages.")
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong or not kinds:
        raise BadInput(f"No tokens are of the kind {', '.join(wrong) or '(none)'}; there are {', '.join(KINDS)}.")
    names = [profiles] if isinstance(profiles, str) else list(dict.fromkeys(profiles or usable(about.tier)))
    unknown = [name for name in names if name not in PROFILES]
    if unknown:
        raise BadInput(f"No page profile is called {unknown[0]!r}; there are {', '.join(PROFILES)}.")
    made = Legibility(model, tuple(PROFILES[name] for name in names))
    transport = client or Client()
    values = drawn_tokens(tokens, kinds, seed)
    runs, estimates = [], []
    for profile in made.profiles:
        for n in range(0, len(values), PER_PAGE):
            chunk = values[n : n + PER_PAGE]
            sheets = draw(page_text(chunk, profile, seed + n), profile)
            # the offline reader answers one question at a time
            asked = [[token] for token in chunk] if catalog.is_offline(model) else [chunk]
            for part in asked:
                body = request(model, sheets, part, one=catalog.is_offline(model))
                size = sum(sheet.tokens(about) for sheet in sheets) + 40 * len(part)
                estimates.append(estimate.of_request(model, size, 20 * len(part), int(body["max_tokens"])))
                name = f"{profile.name}, {part[0].mark}"
                runs.append(Run(name, partial(_ask, transport, body, profile, part), (profile.name, n)))
    made.estimate = estimate.total(estimates)
    tell(f"Page test of {model}, {len(values)} tokens on {len(made.profiles)} profiles: {made.estimate}.")
    made.estimate.check(budget, f"`budget={max(0.01, made.estimate.about * 1.1):.2f}`")
    try:
        with watching(show, lambda: bar(runs)) as look:
            Runs(runs, lambda result: result[1], lanes, budget).all(look)
    except KeyboardInterrupt:
        raise halted(runs, made) from None
    finally:
        made.tokens = [read for run in runs if run.result is not None for read in run.result[0]]
        made.cost = sum(run.cost or 0.0 for run in runs)
        made.failed = [f"{run.name}: {run.error}" for run in runs if run.state in ("failed", "left out")]
    return made


def usable(tier: str) -> list[str]:
    """The profiles whose pages a tier does not shrink on arrival."""
    return [
        name
        for name, each in PROFILES.items()
        if image_tokens(each.width, each.height, tier) == image_tokens(each.width, each.height, "high")
    ]


def page_tokens(profile: Profile, model: str) -> int:
    """Tokens of a full page."""
    return image_tokens(profile.width, profile.height, catalog.profile(model).tier)


def drawn_tokens(count: int, kinds: Sequence[str], seed: int) -> list[Token]:
    """`count` random tokens, the kinds in turn; the same for the same seed."""
    rng = random.Random(f"tokens {seed}")
    return [Token(f"Q{n + 1:03d}", kinds[n % len(kinds)], _MAKE[kinds[n % len(kinds)]](rng)) for n in range(count)]


def page_text(tokens: Sequence[Token], profile: Profile, seed: int) -> str:
    """Filler words with the tokens among them, each on a line of its own, as much as one page holds."""
    rng = random.Random(f"filler {seed}")
    share = max(0, int(FILLED * profile.capacity) // max(1, len(tokens)) - 20)
    lines = []
    for token in tokens:
        words: list[str] = []
        while sum(map(len, words)) + len(words) < share:
            words.append(rng.choice(_WORDS))
        lines += [*([" ".join(words)] if words else []), f"{token.mark} = {token.value}"]
    return "\n".join(lines)


def request(model: str, sheets: Sequence[Page], tokens: Sequence[Token], *, one: bool = False) -> dict[str, Any]:
    """The request that asks for some tokens of these pages."""
    marks = ", ".join(token.mark for token in tokens)
    images: list[Block] = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(sheet.png).decode()},
        }
        for sheet in sheets
    ]
    images[-1]["cache_control"] = {"type": "ephemeral"}
    text = (_ONE if one else _PROMPT).format(marks=marks)
    room = min(catalog.profile(model).max_output, 800 if one else 4_000)
    content = [*images, {"type": "text", "text": text}]
    return {"model": model, "max_tokens": room, "messages": [{"role": "user", "content": content}]}


def grade(profile: Profile, token: Token, reply: str) -> Read:
    """Exact or not: no form but what was drawn is right. A mark without a value, or with `?`, is an abstention."""
    found = re.search(rf"{token.mark}[ \t*`]*[=:][ \t*`]*([^\s*`]+)", reply)
    said = found[1] if found else ""
    if said == token.value:
        return Read(profile.name, token, said, "right", False)
    if not said or set(said) <= set("?？"):
        return Read(profile.name, token, "", "abstained", False)
    pairs = zip(said, token.value, strict=False)
    alike = len(said) == len(token.value) and 3 * sum(a != b for a, b in pairs) <= len(said)
    return Read(profile.name, token, said, "wrong", alike)


def _ask(
    client: Client, body: dict[str, Any], profile: Profile, tokens: Sequence[Token], watch: Watch
) -> tuple[list[Read], float | None]:
    stream = client.stream(body)
    with stream:
        for event in stream:
            watch(event)
    reply = value("".join(block.get("text", "") for block in stream.content))
    return [grade(profile, token, reply) for token in tokens], catalog.cost(body["model"], stream.usage)


# -- random values ----------------------------------------------------------------------------------------------------


def _letters(rng: random.Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def _identifier(rng: random.Random) -> str:
    """Nonsense syllables in camelCase, with a digit."""
    syllables = ("".join((rng.choice("bdfgklmnprstvz"), rng.choice("aeiou"), rng.choice("klmnrst"))) for _ in range(3))
    first, *rest = syllables
    return first + "".join(part.capitalize() for part in rest) + str(rng.randint(0, 9))


def _rows(rng: random.Random, first: int, last: int, encoding: str, count: int) -> str:
    """Characters from rows of a national standard: those in use."""
    pairs = bytes(value for _ in range(count) for value in (rng.randint(first, last), rng.randint(0xA1, 0xFE)))
    return pairs.decode(encoding)


_MAKE: dict[str, Callable[[random.Random], str]] = {
    "hex": lambda rng: _letters(rng, "0123456789abcdef", 12),
    "number": lambda rng: _letters(rng, "0123456789", 9),
    "identifier": _identifier,
    "kanji": lambda rng: _rows(rng, 0xB0, 0xCE, "euc_jp", 4),  # JIS X 0208 level 1
    "hangul": lambda rng: _rows(rng, 0xB0, 0xC8, "euc_kr", 4),  # KS X 1001
}
