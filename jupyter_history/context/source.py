"""The text of a message as pages, a summary and recall show it: images as stubs, calls with results, no thinking."""

from __future__ import annotations

from collections.abc import Iterator

from ..transcript import Block, Message
from .draft import Draft, beyond
from .stubs import RECALL, call_line, image_stub, plain, recalled, result_text

Part = tuple[str, str, str]
"""(turn tag, role, text): role is `user`, `assistant` or `tool`."""


def is_prompt(message: Message) -> bool:
    """Whether a user wrote it."""
    return message.role == "user" and not message.results


def parts(draft: Draft, n: int) -> Iterator[Part]:
    """What message `n` says after elision; nothing of the model's hidden work, nothing that recall had shown."""
    scene, message = draft.scene, draft.scene.path[n]
    tag = scene.tag(n)
    content = draft.content(n)
    if n == 0 and draft.head is not None:
        text = beyond(content, draft.head)
        if text.strip():
            yield tag, "user", text
        return
    said: list[str] = []
    for block in content:
        if block["type"] == "tool_result":
            continue
        text = _said(block, tag)
        if text.strip():
            said.append(text)
    for b, block in enumerate(scene.path[n].content):
        if block["type"] == "tool_result":
            call = scene.calls.get((n, b, -1))
            if call is not None and call["name"] == RECALL:
                text = recalled(call)
            else:
                text = _result(_same_result(content, block), tag)
            if text.strip():
                yield tag, "tool", text
    if said:
        yield tag, message.role, "\n\n".join(said)


def _same_result(content: tuple[Block, ...], block: Block) -> Block:
    """The result as the draft has it: elided, perhaps."""
    return next(
        (each for each in content if each["type"] == "tool_result" and each["tool_use_id"] == block["tool_use_id"]),
        block,
    )


def _said(block: Block, tag: str) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use":
            return f"-> {call_line(block)}"
        case "image":
            return image_stub(block, f"the prompt of {tag}")
        case "thinking" | "redacted_thinking":
            return ""
        case _:
            return plain(block)


def _result(block: Block, tag: str) -> str:
    text, images = result_text(block)
    failed = "error: " if block.get("is_error") else ""
    stubs = ""
    if images:
        pictures = [part for part in block["content"] if part["type"] == "image"]
        stubs = "\n".join(["", *(image_stub(picture, f"a result in {tag}") for picture in pictures)])
    return f"<- {failed}{text}{stubs}"


def written(draft: Draft, first: int, last: int) -> Iterator[tuple[int, str]]:
    """(position, text with its tag and role) of the messages from `first` to `last`, for a summary."""
    for n in range(first, last + 1):
        if n in draft.scene.pinned:
            continue
        for tag, role, text in parts(draft, n):
            yield n, f"[{tag} {role}]\n{text}"
