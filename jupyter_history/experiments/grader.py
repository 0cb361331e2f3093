"""A model that judges the replies which match an answer in no form."""

from __future__ import annotations

from dataclasses import replace

from ..model import catalog
from ..model.client import Client
from .estimate import Estimate, of_request
from .questions import Graded, Question

PROMPT = (
    "Question: {question}\nReference answer: {answer}\nReply: {reply}\n\n"
    "Does the reply give the reference answer? Write one word: RIGHT, WRONG (it gives another value), or ABSTAINED "
    "(it gives none)."
)
PROMPT_TOKENS = 400
"""About: the question, its answer and a reply as long as it may be."""
LONGEST = 200
"""`max_tokens` of its word."""


def estimate(model: str) -> Estimate:
    """One call, for a reply as long as it may be. Replies that match need none."""
    return of_request(model, PROMPT_TOKENS, 8, LONGEST)


def judged(client: Client, grader: str, question: Question, reply: str, graded: Graded) -> tuple[Graded, float | None]:
    """What `grader` says of a reply, and the dollars of that; `graded` as it was where it says none of the words."""
    prompt = PROMPT.format(question=question.question, answer=question.answer, reply=reply)
    body = {"model": grader, "max_tokens": LONGEST, "messages": [{"role": "user", "content": prompt}]}
    with client.stream(body) as stream:
        for _ in stream:
            pass
    said = "".join(block.get("text", "") for block in stream.content).strip().upper()
    cost = catalog.cost(grader, stream.usage)
    if said.startswith("RIGHT"):
        return Graded("right", "grader"), cost
    if said.startswith("ABSTAINED"):
        return Graded("abstained", "grader"), cost
    return replace(graded, grade="wrong", how="grader") if said.startswith("WRONG") else graded, cost
