"""What the reader says: quotes with their places, or that it found none; always that it is no language model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from . import count, extract
from .calls import Call
from .passages import SIGNATURE, STUB, Passage, Request, asks
from .search import Match, best, wanted

_CLOSING = f"*I am the {SIGNATURE}, not a language model: I quote what I was sent, word for word.*"
_EXTRACT = f"*An extract by the {SIGNATURE}, not a language model: the most telling sentences, word for word.*"
_HINT = "Set `ANTHROPIC_API_KEY` (or name a model with `-m`) for real answers."


def answer(request: Request, *, tokens: int, window: int, room: int) -> tuple[str, Call | None]:
    """(the answer to `request` as Markdown, None); or (why, a call) where something has to be called first: what the
    prompt wrote, or `recall` for the match.
    """
    if request.calls:
        return f"The prompt writes a call; I make it: `{request.calls[0].text}`", request.calls[0]
    if request.summary and request.passages:
        told = extract.telling(request.passages, room - count.text(_EXTRACT) - 4)
        return f"{_EXTRACT}\n\n{''.join(map(extract.line, told)).rstrip()}", None
    quotes = best(request.question, request.passages)
    if request.results:
        # what was called for comes first, whether it matches in words or not
        quotes = best(request.question, request.results) or [Match(each, 0.0) for each in request.results[:3]]
    stub = STUB.match(quotes[0].passage.text) if quotes else None
    if stub and request.recalled is not None and stub[1] not in request.recalled:
        recall = Call("recall", {"turn": stub[1]}, "")
        return f"What matches best was taken out of the request; I recall {stub[1]}.", recall
    return _words(request, quotes, tokens, window), None


def thought(request: Request) -> str:
    """What the reader does before it answers, in words."""
    words = ", ".join(wanted(request.question)[:12])
    return f"I search {len(request.passages)} passages of {request.messages} messages for: {words or 'nothing'}."


def _words(request: Request, quotes: list[Match], tokens: int, window: int) -> str:
    blind = [_blind(request)] if request.blind else []
    if quotes:
        parts = ["The passage that matches best:" if len(quotes) == 1 else "The passages that match best:"]
        parts += [_quote(match.passage) for match in quotes]
        parts += _pixels(match.passage for match in quotes)
        return "\n\n".join([*parts, *blind, _CLOSING])
    if request.messages == 1 and not (request.passages and asks(request.question)):
        return "\n\n".join([*blind, _greeting(tokens, window)])
    parts = [_nothing(request), *_pixels(passage for passage in request.passages if passage.seen == "blurred")]
    return "\n\n".join([*parts, *blind, f"{_CLOSING} {_HINT}"])


def _quote(passage: Passage) -> str:
    lines = passage.text.splitlines()
    if passage.code:
        fence = "~~~" if "```" in passage.text else "```"
        lines = [fence, *lines, fence]
    return "\n".join([*(f"> {line}" if line else ">" for line in lines), ">", f"> — *{passage.source}*"])


def _greeting(tokens: int, window: int) -> str:
    return (
        f"I am the {SIGNATURE}, not a language model: I find and quote the passages of a conversation that match a "
        f"question. This one holds only your prompt so far ({tokens:,} tokens of my window of {window:,}), so there is "
        "nothing to quote yet.\n\nTell me something in one cell, and ask for it in the next. " + _HINT
    )


def _nothing(request: Request) -> str:
    words = ", ".join(wanted(request.question)[:12])
    earlier = request.messages - 1
    where = {0: "the request", 1: "the message before it"}.get(earlier, f"the {earlier} messages before it")
    if request.pages:
        where += f" ({request.pages} page{'s' * (request.pages > 1)} read)"
    return (
        f"I found nothing in {where} that matches your prompt (searched for: {words or 'nothing that is a word'}). "
        f"It is message {request.messages} of this conversation now, and a later prompt can ask for it."
    )


def _blind(request: Request) -> str:
    """What was not read, each reason once with the places that it holds for."""
    places: dict[str, list[str]] = defaultdict(list)
    for line in request.blind:
        place, _, why = line.partition(": ")
        places[why].append(place)
    told = [f"{why} ({_some(found)})" for why, found in places.items()]
    return f"Not read: {'; '.join(told)}."


def _some(places: list[str]) -> str:
    more = f"; and {len(places) - 5} more" if len(places) > 5 else ""
    return "; ".join(places[:5]) + more


def _pixels(passages: Iterable[Passage]) -> list[str]:
    """How pages were read, if any was; a simulation is called one."""
    ways = {passage.seen for passage in passages}
    if "blurred" in ways:
        return ["*Read from the pixels of a page with simulated misreadings: a simulation of no particular model.*"]
    if "decoded" in ways:
        return ["*Decoded exactly from the pixels of the page I received; real models misread silently.*"]
    return []
