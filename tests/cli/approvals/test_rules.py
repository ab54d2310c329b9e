"""chatd approve, chatd deny and chatd rules, as processes against a real server."""

import json
from pathlib import Path

from chatd.client import AsyncClient
from chatd.client.answers import Chat
from chatd.domain.approvals.rule import ApprovalRequest, ApprovalScope
from chatd.domain.call import CallState, Plan
from chatd.domain.ids import CallId, ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.storage.transactions.transact import Store, transact
from tests.cli.caller import ran
from tests.support.served import Served, served
from tests.words import allows, call, says, step


def asked(call_id: str) -> Plan:
    request = ApprovalRequest(
        programs=(("npm", "test", call_id),),
        preview="+ one\n- two",
        rules=(allows(words=f"npm test {call_id}"),),
        scopes=(ApprovalScope.CHAT, ApprovalScope.ALWAYS),
    )
    return Plan(call_id=CallId(call_id), state=CallState.NEEDS_APPROVAL, request=request)


async def a_waiting_chat(server: Served, store: Store, *call_ids: str) -> str:
    async with AsyncClient(server.address, server.token) as client:
        chat = await client.create_chat("hello")
    parts = [call(each, "execute", {"command": f"npm test {each}"}) for each in call_ids]
    reply = step(says("", *parts), plans=tuple(asked(each) for each in call_ids))
    await transact(store, ChatId(chat.id), reply, RequireAction())
    return chat.id


async def now(server: Served, chat_id: str) -> Chat:
    async with AsyncClient(server.address, server.token) as client:
        return await client.chat(chat_id)


async def test_the_only_call_that_waits_is_allowed(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_waiting_chat(server, store, "a")
        done = await ran(tmp_path, server, "approve", chat_id)
        chat = await now(server, chat_id)

    assert (done.code, done.output) == (0, "Allowed: execute (a).\nThe chat is running.\n"), done.errors
    assert chat.waiting_for == ()


async def test_a_denial_has_a_reason_and_may_count_for_the_chat(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_waiting_chat(server, store, "a")
        given = ("--reason", "Not now.", "--scope", "chat", "--json")
        done = await ran(tmp_path, server, "deny", chat_id, *given)
        listed = await ran(tmp_path, server, "rules", "ls", "--chat", chat_id)
        async with AsyncClient(server.address, server.token) as client:
            told = [m async for m in client.history(chat_id)][-1]

    assert json.loads(done.output)["status"] == "running", done.errors
    assert told.content[0].result == "The user did not allow this call: Not now."
    assert "the chat  deny calls of `execute` for the program `npm test a`" in listed.output


async def test_of_several_calls_one_must_be_named_or_all(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_waiting_chat(server, store, "a", "b", "c")
        unclear = await ran(tmp_path, server, "approve", chat_id)
        unknown = await ran(tmp_path, server, "approve", chat_id, "--call", "x")
        one = await ran(tmp_path, server, "approve", chat_id, "--call", "b")
        rest = await ran(tmp_path, server, "deny", chat_id, "--all")
        nothing = await ran(tmp_path, server, "approve", chat_id)

    assert (unclear.code, unknown.code) == (1, 1)
    assert "Several calls need approval" in unclear.errors
    assert "runs    npm test a" in unclear.errors
    assert "| - two" in unclear.errors
    assert "No call 'x' needs approval" in unknown.errors
    assert one.output.startswith("Allowed: execute (b).\nThe chat still waits for:\n"), one.errors
    assert rest.output == "Denied: execute (a).\nDenied: execute (c).\nThe chat is running.\n", rest.errors
    assert "does not wait for an approval" in nothing.errors


async def test_rules_are_added_listed_moved_and_removed(store: Store, tmp_path: Path) -> None:
    docs = ("--tool", "write_file", "--path", "docs/**")
    async with served(store) as server:
        empty = await ran(tmp_path, server, "rules", "ls")
        await ran(tmp_path, server, "rules", "add", "allow", "--", "git", "status", "*")
        added = await ran(tmp_path, server, "rules", "add", "deny", *docs)
        listed = json.loads((await ran(tmp_path, server, "rules", "ls", "--json")).output)["rules"]
        moved = await ran(tmp_path, server, "rules", "move", listed[0]["id"], "1")
        removed = await ran(tmp_path, server, "rules", "rm", listed[0]["id"])
        left = json.loads((await ran(tmp_path, server, "rules", "ls", "--json")).output)["rules"]

    assert empty.output.startswith("There are no rules: reading is allowed"), empty.errors
    assert [line.split("  ", 1)[1].strip() for line in added.output.splitlines()[1:3]] == [
        "you  deny calls of `write_file` for `docs/**`",
        "you  allow calls of `execute` for the program `git status *`",
    ]
    assert moved.output.index("git status") < moved.output.index("docs/**"), moved.errors
    assert removed.output == f"The rule {listed[0]['id']} is gone.\n"
    assert [rule["words"] for rule in left] == [["git", "status", "*"]]


async def test_a_wrong_rule_is_told(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        verdict = await ran(tmp_path, server, "rules", "add", "maybe")
        gone = await ran(tmp_path, server, "rules", "rm", "0123456789abcdef")

    assert verdict.code == 2
    assert (gone.code, gone.errors) == (1, "chatd: There is no rule 0123456789abcdef.\n")
