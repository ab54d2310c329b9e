"""Calls that are run again, because the process died before their results were kept."""

from typing import Any

from chatd.domain.call import Effect, Plan
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.part import Json
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.clock import SystemClock
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.families import read_children
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.tools.agents import agent_tools
from chatd.tools.agents.agents import Agents
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from tests.words import call, create, says, step, words_of

ROOT = ChatId("root")


async def calling(store: Store, name: str) -> MessageId:
    """The chat is in the middle of a call."""
    plan = Plan(call_id=CallId("c"), effect=Effect.REPEATABLE)
    done = await transact(store, ROOT, step(says("", call("c", name)), plans=(plan,)))
    return done.appended[-1].id


async def run(store: Store, message_id: MessageId, name: str, **args: Json) -> Any:
    toolbox = Toolbox(agent_tools(Agents(store=store, clock=SystemClock())))
    setting = Setting(chat_id=ROOT, call_id=CallId("c"), message_id=message_id, show=lambda _: None)
    ran = await run_call(toolbox, name, args, setting)
    assert not ran.result.is_error, ran.result
    return ran.result.result


async def test_a_call_that_is_run_again_starts_no_second_agent(store: Store) -> None:
    await create_chat(store, create(chat_id=ROOT))
    message_id = await calling(store, "spawn_agent")

    first = await run(store, message_id, "spawn_agent", type="general", prompt="Work.")
    await transact(store, ChatId(first["chat_id"]), FinishTurn())
    again = await run(store, message_id, "spawn_agent", type="general", prompt="Work.")

    assert (again["chat_id"], again["status"]) == (first["chat_id"], "waiting")
    assert len(await read_children(store.db, ROOT)) == 1


async def test_a_call_that_is_run_again_says_nothing_twice(store: Store) -> None:
    await create_chat(store, create(chat_id=ROOT))
    await create_chat(store, create(chat_id="child", parent=ROOT))
    message_id = await calling(store, "message_agent")

    for _ in range(2):
        await run(store, message_id, "message_agent", chat_id="child", message="And now?")
    await transact(store, ChatId("child"), FinishTurn())

    child = await read_everything(store.db, ChatId("child"))
    assert child is not None
    assert [words_of(message) for message in child.messages] == ["user: hello", "user: And now?"]
