"""chatd approve and chatd deny: answer a call that needs approval, without a dialog."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from chatd.cli.approvals.awaited import lines_of
from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Awaited, Chat, Submitted
from chatd.errors import Unusable


class _Answer(Struct, frozen=True, kw_only=True):
    """The same for all calls that are meant."""

    decision: str
    scope: str
    reason: str | None


def approve(**given: Any) -> None:
    _decide("allow", **given)


def deny(**given: Any) -> None:
    _decide("deny", **given)


def _decide(
    decision: str,
    *,
    chat_id: str,
    call_ids: Sequence[str],
    all_: bool,
    scope: str,
    reason: str | None,
    as_json: bool,
    **flags: object,
) -> None:
    answer = _Answer(decision=decision, scope=scope, reason=reason)
    decided, chat = run_loop(_submit(client_from(flags), chat_id, call_ids, answer, all_=all_))
    if as_json:
        say_json(chat)
        return
    for each in decided:
        say(f"{_DONE[decision]}: {each.tool_name} ({each.tool_call_id}).")
    say(how_it_goes_on(chat))


_DONE = {"allow": "Allowed", "deny": "Denied"}


async def _submit(
    client: AsyncClient, given: str, call_ids: Sequence[str], answer: _Answer, *, all_: bool
) -> tuple[list[Awaited], Submitted]:
    async with client:
        chat = await client.chat(await find_chat(client, given))
        decided = _meant(chat, call_ids, all_=all_)
        # With the message, so that no other call of this id is meant, should the chat have moved on.
        approvals = [
            {"tool_call_id": each.tool_call_id, "message_id": each.message_id, **asdict(answer)}
            for each in decided
        ]
        return decided, await client.submit(chat.id, approvals=approvals)


def _meant(chat: Chat, call_ids: Sequence[str], *, all_: bool) -> list[Awaited]:
    """The calls to decide on. Raises Unusable when that is not clear."""
    waiting = [each for each in chat.waiting_for if each.kind == "approval"]
    if not waiting:
        raise Unusable("This chat does not wait for an approval.")
    if all_:
        return waiting
    if not call_ids:
        if len(waiting) == 1:
            return waiting
        raise Unusable(
            _listed("Several calls need approval. Name one with --call, or decide on --all:", waiting)
        )
    by_id = {each.tool_call_id: each for each in waiting}
    unknown = next((call_id for call_id in call_ids if call_id not in by_id), None)
    if unknown is not None:
        raise Unusable(_listed(f"No call {unknown!r} needs approval. These do:", waiting))
    return [by_id[call_id] for call_id in dict.fromkeys(call_ids)]


def _listed(why: str, waiting: Sequence[Awaited]) -> str:
    return "\n".join([why, *(line for each in waiting for line in lines_of(each))])


def how_it_goes_on(chat: Chat) -> str:
    if chat.waiting_for:
        return "\n".join(
            ["The chat still waits for:", *(line for each in chat.waiting_for for line in lines_of(each))]
        )
    return f"The chat is {chat.status.replace('_', ' ')}."
