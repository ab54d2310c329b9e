"""chatd plan: show what an agent proposes, and decide on it."""

from typing import Any

import click

from chatd.cli.approvals.answer import meant
from chatd.cli.approvals.decide import how_it_goes_on
from chatd.cli.chats.chat_id import find_chat
from chatd.cli.chats.local_time import local_time
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Submitted
from chatd.client.plans import ListedPlan, WholePlan
from chatd.errors import Unusable
from chatd.kit.text import visible


def run(
    *,
    chat_id: str,
    version: int | None,
    all_: bool,
    diff: bool,
    accept: bool,
    revise: str | None,
    decline: bool,
    as_json: bool,
    **flags: object,
) -> None:
    decision = _decision(accept=accept, revise=revise, decline=decline)
    client = client_from(flags)
    if decision is not None:
        if version is not None or all_ or diff:
            raise click.UsageError("Show plans, or decide on the one that waits, and not both.")
        chat = run_loop(_decide(client, chat_id, decision))
        say_json(chat) if as_json else say(how_it_goes_on(chat))
    elif all_:
        plans = run_loop(_listed(client, chat_id))
        say_json({"plans": plans}) if as_json else _say_list(plans)
    else:
        plan = run_loop(_shown(client, chat_id, version))
        say_json(plan) if as_json else _say_plan(plan, diff=diff)


def _decision(*, accept: bool, revise: str | None, decline: bool) -> dict[str, Any] | None:
    chosen = [
        *([{"decision": "accept"}] if accept else []),
        *([{"decision": "revise", "feedback": revise}] if revise is not None else []),
        *([{"decision": "decline"}] if decline else []),
    ]
    if len(chosen) > 1:
        raise click.UsageError("Choose one of --accept, --revise and --decline.")
    return chosen[0] if chosen else None


async def _decide(client: AsyncClient, given: str, decision: dict[str, Any]) -> Submitted:
    async with client:
        chat = await client.chat(await find_chat(client, given))
        asked = meant(chat, None, is_plan=True)
        # With the message, so that no other plan is meant, should the chat have moved on.
        answer = {"tool_call_id": asked.tool_call_id, "message_id": asked.message_id, "answer": decision}
        return await client.submit(chat.id, answers=[answer])


async def _listed(client: AsyncClient, given: str) -> tuple[ListedPlan, ...]:
    async with client:
        return await client.plans(await find_chat(client, given))


async def _shown(client: AsyncClient, given: str, version: int | None) -> WholePlan:
    async with client:
        chat_id = await find_chat(client, given)
        if version is None:
            plans = await client.plans(chat_id)
            if not plans:
                raise Unusable("No plan was proposed in this chat. `chatd send ID --plan TEXT` asks for one.")
            version = plans[0].version
        return await client.plan(chat_id, version)


def _say_list(plans: tuple[ListedPlan, ...]) -> None:
    for plan in plans:
        say(f"{plan.version:>3}  {local_time(plan.proposed_at)}  {_STATES[plan.decision]}")


def _say_plan(plan: WholePlan, *, diff: bool) -> None:
    if diff and not plan.diff:
        say_aside("There is no version before this one, or it is the same.")
    say(visible(plan.diff if diff else plan.text).rstrip("\n"))
    say_aside(f"Version {plan.version}: {_STATES[plan.decision]}.")


_STATES = {
    None: "not decided",
    "accept": "accepted",
    "revise": "to be changed",
    "decline": "declined",
}
