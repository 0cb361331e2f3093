"""How many tokens a text, an image, a message costs: estimated offline, then corrected by what the server measured.

Text is counted with a class-linear model: so many tokens a word, a letter beyond the fourth, a digit, a Han
character ... The weights were fitted to counts of hosted Claude, one set for each of its two tokenizers; on held-out
texts the mean error is about 11 %, where characters / 4 is wrong by 41 % (`benchmarks/tokens.py` prints ours). Image
tokens are exact (`pages.image_tokens`). `Calibration` learns the rest.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..pages.profiles import TIERS, image_tokens
from ..transcript import THINKING, Block, Message
from .picture import Picture, picture

Tokenizer = Literal["old", "new"]
Tier = Literal["standard", "high"]

MESSAGE = 4
"""What the frame of one message costs besides its content."""
TOOLS = 300
"""What the provider's own prompt for tools costs, once, where any tool is declared."""


class Weights(NamedTuple):
    """Tokens for each occurrence of a feature."""

    word: float
    long: float  # a letter beyond the fourth of a word
    case: float  # a lower case letter before an upper case one
    digit: float
    punctuation: float  # ASCII
    newline: float
    spaces: float  # a run of two or more
    han: float
    kana: float
    hangul: float
    accented: float  # Latin letters outside ASCII
    other: float
    astral: float  # beyond the Basic Multilingual Plane: emoji and rare scripts


WEIGHTS: dict[str, Weights] = {
    "new": Weights(1.127, 0.471, 1.222, 0.637, 0.607, 0.787, 0.841, 1.10, 0.85, 1.46, 1.60, 0.48, 2.63),
    "old": Weights(0.959, 0.227, 1.006, 0.664, 0.390, 1.016, 1.030, 1.07, 0.84, 1.46, 1.54, 0.47, 2.57),
}

# one translation makes every ASCII character its class: a letter, A capital, 0 digit, . punctuation, blanks as they are
_CLASSES = bytearray(b"_" * 256)
for _characters, _class in (
    (string.ascii_lowercase, b"a"),
    (string.ascii_uppercase, b"A"),
    (string.digits, b"0"),
    (string.punctuation, b"."),
    (" \t", b" "),
    ("\n", b"\n"),
):
    for _character in _characters:
        _CLASSES[ord(_character)] = _class[0]
_RUN = re.compile(rb"  +")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_SCRIPTS = (
    re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"),
    re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]+"),
    re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff]+"),
    re.compile("[\u00c0-\u024f\u1e00-\u1eff]+"),
    re.compile("[\U00010000-\U0010ffff]+"),
)
_AS_LETTER = bytes.maketrans(b"A0.\n_", b"a    ")


def text_tokens(text: str, tokenizer: Tokenizer = "new") -> float:
    """The estimate for `text`, linear in its length, some 30 ms a million characters of English."""
    w = WEIGHTS[tokenizer]
    total = 0.0
    if not text.isascii():
        foreign = "".join(_NOT_ASCII.findall(text))
        rest = len(foreign)
        for pattern, weight in zip(_SCRIPTS, (w.han, w.kana, w.hangul, w.accented, w.astral), strict=True):
            found = sum(map(len, pattern.findall(foreign)))
            rest -= found
            total += weight * found
        total += w.other * rest
        text = _NOT_ASCII.sub("\x00", text)
    classes = text.encode("ascii").translate(bytes(_CLASSES))
    letters = b" " + classes.translate(_AS_LETTER)
    words = letters.count(b" a")
    short = words + letters.count(b" aa") + letters.count(b" aaa") + letters.count(b" aaaa")
    return (
        total
        + w.word * words
        + w.long * (letters.count(b"a") - short)
        + w.case * classes.count(b"aA")
        + w.digit * classes.count(b"0")
        + w.punctuation * classes.count(b".")
        + w.newline * classes.count(b"\n")
        + w.spaces * len(_RUN.findall(classes))
    )


@dataclass(frozen=True, slots=True)
class Weight:
    """What a message costs. `text` is an estimate before calibration, the others are exact."""

    text: float
    images: int = 0
    """Image tokens."""
    count: int = 0
    """How many images."""
    side: int = 0
    """The longest edge of any image, in pixels."""
    bytes: int = 0
    """Of its JSON."""
    thinking: bool = False
    """Whether it holds thinking blocks."""

    @property
    def tokens(self) -> int:
        return round(self.text) + self.images


@dataclass(slots=True)
class Estimator:
    """Weighs messages for one tokenizer and image tier, and remembers what it weighed by message id.

    Give the same estimator to every plan of a session: a message is weighed once. A remembered weight is used only for
    the very same content, so an id that returns with other content is weighed anew.
    """

    tokenizer: Tokenizer = "new"
    tier: Tier = "standard"
    sections: dict[Hashable, object] = field(default_factory=dict, repr=False)
    """What `snapshot.build` made, kept here because it lives as long as the weights."""
    _seen: dict[str, tuple[tuple[Block, ...], Weight]] = field(default_factory=dict, repr=False)
    _variants: dict[tuple[str, Hashable], tuple[tuple[Block, ...], tuple[Block, ...], Weight]] = field(
        default_factory=dict, repr=False
    )
    _notes: dict[str, float] = field(default_factory=dict, repr=False)

    def message(self, message: Message) -> Weight:
        """The weight of a message as it is stored."""
        seen = self._seen.get(message.id)
        if seen is not None and (seen[0] is message.content or seen[0] == message.content):
            return seen[1]
        weight = self.content(message.content)
        self._seen[message.id] = (message.content, weight)
        return weight

    def variant(
        self, message: Message, key: Hashable, make: Callable[[], tuple[Block, ...]]
    ) -> tuple[tuple[Block, ...], Weight]:
        """The content that `make` gives for `message`, and its weight, remembered under `key`."""
        known = self._variants.get((message.id, key))
        if known is not None and (known[0] is message.content or known[0] == message.content):
            return known[1], known[2]
        content = make()
        weight = self.content(content)
        if len(self._variants) > 100_000:
            self._variants.clear()
        self._variants[message.id, key] = (message.content, content, weight)
        return content, weight

    def content(self, content: Sequence[Block]) -> Weight:
        """The weight of a message with these blocks."""
        tally = _Tally(self.text, self.tier)
        for block in content:
            tally.add(block)
        return tally.weight(len(json.dumps(content, ensure_ascii=False, default=str).encode("utf-8", "replace")) + 32)

    def text(self, text: str) -> float:
        """Like `text_tokens`, remembered for short texts: stubs return in every plan."""
        if len(text) > 400:
            return text_tokens(text, self.tokenizer)
        found = self._notes.get(text)
        if found is None:
            if len(self._notes) > 50_000:
                self._notes.clear()
            found = self._notes[text] = text_tokens(text, self.tokenizer)
        return found

    def tools(self, tools: Sequence[Mapping[str, Any]]) -> float:
        """What declaring these tools costs in every request."""
        return TOOLS + sum(self.text(json.dumps(tool, ensure_ascii=False)) for tool in tools) if tools else 0.0


class _Tally:
    """The running sum over the blocks of one message."""

    def __init__(self, text: Callable[[str], float], tier: Tier) -> None:
        self.count_text, self.tier = text, tier
        self.text, self.images, self.count, self.side, self.thinking = float(MESSAGE), 0, 0, 0, False

    def add(self, block: Block) -> None:
        match block["type"]:
            case "text":
                self.text += self.count_text(block["text"])
            case "tool_use":
                call = json.dumps(block.get("input", {}), ensure_ascii=False)
                self.text += self.count_text(block["name"]) + self.count_text(call) + 12
            case "tool_result":
                self.text += 12
                content = block.get("content", "")
                for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                    self.add(part)
            case "image":
                self.add_image(picture(block))
            case kind if kind in THINKING:
                self.thinking = True
                self.text += self.count_text(block.get("thinking") or "") + len(block.get("data") or "") / 6
            case _:
                # documents and kinds not known here: their text, and base64 at what a PDF page of it usually costs
                source = block.get("source") or {}
                data = str(source.get("data", ""))
                binary = source.get("type") == "base64"
                self.text += len(data) / 25 if binary else self.count_text(data or json.dumps(block, default=str))

    def add_image(self, seen: Picture) -> None:
        self.count += 1
        if seen.width:
            self.side = max(self.side, seen.width, seen.height)
            self.images += image_tokens(seen.width, seen.height, self.tier)
        else:
            self.images += TIERS[self.tier][1]  # its size is not told: the most that it can cost

    def weight(self, size: int) -> Weight:
        return Weight(self.text, self.images, self.count, self.side, size, self.thinking)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far the estimate of text is off for this conversation: measured tokens / estimated tokens, smoothed.

    Learns from the usage of each response and from a refusal that names its figure. Clamped, because one strange
    figure (a server that does not count cached tokens, say) must not blind the ladder.
    """

    ratio: float = 1.0
    seen: int = 0
    least: float = 0.5
    most: float = 4.0

    def learn(self, measured: int, text: float, images: int = 0) -> Calibration:
        """After a request estimated at `text` and, for images, `images` tokens, which the server `measured`."""
        if measured <= images or text <= 0:
            return self
        ratio = (measured - images) / text
        # the first figure counts in full, later ones by half: the texts of a conversation change, slowly
        smoothed = ratio if not self.seen else (self.ratio + ratio) / 2
        return Calibration(min(self.most, max(self.least, smoothed)), self.seen + 1, self.least, self.most)

    def exactly(self, measured: int, text: float, images: int = 0) -> Calibration:
        """Like `learn`, but the new figure replaces the old ones: the provider just measured this very request."""
        fresh = Calibration(least=self.least, most=self.most).learn(measured, text, images)
        return Calibration(fresh.ratio, self.seen + 1, self.least, self.most) if fresh.seen else self

    def tokens(self, text: float, images: int = 0) -> int:
        """The calibrated estimate."""
        return round(text * self.ratio) + images
