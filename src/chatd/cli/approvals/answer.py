"""chatd answer: answer the questions of an agent, without a dialog."""

from collections.abc import Sequence
from typing import Any

from chatd.cli.approvals.awaited import lines_of
from chatd.cli.approvals.decide import how_it_goes_on
from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.cli.talk.answers.questions import chosen
from chatd.client import AsyncClient
from chatd.client.answers import Awaited, Chat, Submitted
from chatd.errors import Unusable


def run(
    *, chat_id: str, words: Sequence[str], skip: bool, call_id: str | None, as_json: bool, **flags: object
) -> None:
    if skip and words:
        raise Unusable("Give answers, or --skip to give none.")
    chat = run_loop(_submit(client_from(flags), chat_id, words, call_id, skip=skip))
    if as_json:
        say_json(chat)
    else:
        say(how_it_goes_on(chat))


async def _submit(
    client: AsyncClient, given: str, words: Sequence[str], call_id: str | None, *, skip: bool
) -> Submitted:
    async with client:
        chat = await client.chat(await find_chat(client, given))
        asked = meant(chat, call_id)
        answer = {
            "tool_call_id": asked.tool_call_id,
            "message_id": asked.message_id,
            "answer": None if skip else _answers(asked, words),
        }
        return await client.submit(chat.id, answers=[answer])


def meant(chat: Chat, call_id: str | None, *, is_plan: bool = False) -> Awaited:
    """The call that is answered. Raises Unusable when that is not clear."""
    what = "a word on a plan" if is_plan else "an answer"
    waiting = [
        each for each in chat.waiting_for if each.kind == "answer" and (each.plan is not None) is is_plan
    ]
    named = [each for each in waiting if call_id in (None, each.tool_call_id)]
    if len(named) == 1:
        return named[0]
    if not waiting:
        plans = any(each.plan is not None for each in chat.waiting_for)
        instead = " It waits for a decision on a plan: see `chatd plan`." if plans and not is_plan else ""
        raise Unusable(f"This chat does not wait for {what}.{instead}")
    why = (
        "Several calls wait for an answer. Name one with --call:"
        if call_id is None
        else f"No call {call_id!r}:"
    )
    raise Unusable("\n".join([why, *(line for each in waiting for line in lines_of(each))]))


def _answers(asked: Awaited, words: Sequence[str]) -> Any:
    if not asked.questions:
        return " ".join(words)
    if len(words) != len(asked.questions):
        why = f"There are {len(asked.questions)} questions, and {len(words)} answers. Put each in quotes:"
        raise Unusable("\n".join([why, *lines_of(asked)]))
    return [chosen(*pair) for pair in zip(asked.questions, words, strict=True)]
