"""Every call of the client against a real server."""

import json
from typing import NoReturn, cast

import aiohttp.web
import pytest

from chatd.api.routes import ROUTES
from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.providers.discovery.probe import TOTAL_SECONDS
from chatd.storage.transactions.transact import Store
from tests.api.chats.inspection.test_debug import recorded
from tests.support.served import Served, served
from tests.words import asks_first, call, client_call, failure, question, says, step, told


def client_of(server: Served) -> AsyncClient:
    return AsyncClient(server.address, server.token)


async def test_models_are_added_tried_out_and_removed(store: Store) -> None:
    async with served(store) as server, client_of(await server.as_admin()) as client:
        provider = await client.add_provider("anthropic", "acme", api_key="sk-0123456789abcdef")
        assert (provider.has_api_key, provider.api_key) == (True, "…cdef")
        model = await client.add_model(
            provider.id, "one", context_limit=1000, prices={"input": 1, "output": 2}
        )
        assert (model.name, model.available, model.prices) == ("acme/one", True, {"input": 1, "output": 2})
        assert (await client.change_model(model.id, is_default=True)).is_default
        assert [each.name for each in await client.models() if each.is_default] == ["acme/one"]
        assert (await client.test_model(model.id)).says == "It said: hello"

        await client.change_provider(provider.id, user_keys_allowed=True)
        await client.set_own_key("acme", "sk-of-my-own")
        assert [each.has_user_api_key for each in await client.own_keys() if each.provider == "acme"] == [
            True
        ]
        await client.delete_own_key("acme")
        await client.delete_model(model.id)
        await client.delete_provider(provider.id)
        assert "acme" not in [each.name for each in await client.providers()]


async def test_skills_are_added_changed_and_removed(store: Store) -> None:
    content = "---\nname: deploy\ndescription: How I ship.\n---\nCarefully."
    async with served(store) as server, client_of(server) as client:
        added = await client.add_skill(content)
        assert (added.name, await client.skill("deploy")) == ("deploy", added)
        changed = await client.change_skill("deploy", content.replace("How", "Where"))
        assert [each.description for each in await client.skills()] == [changed.description]
        await client.delete_skill("deploy")
        assert await client.skills() == ()


async def test_what_a_chat_is_told_of_its_workspace_is_seen_and_refreshed(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello", workspace=None)
        await server.happens(chat.id, PinContext(context=told()))
        assert [each.source for each in (await client.context(chat.id)).resources] == ["AGENTS.md"]
        # It has no workspace, so there is nothing to be told of.
        assert (await client.refresh_context(chat.id)).resources == ()


async def test_mcp_servers_are_added_changed_and_removed(store: Store) -> None:
    async with served(store) as server, client_of(await server.as_admin()) as client:
        added = await client.add_mcp_server(
            "desk",
            scope="deployment",
            url="https://desk.example/mcp",
            auth_type="api_key",
            api_key_value="key-1",
        )
        assert (added.slug, added.url, added.has_api_key) == ("desk", "https://desk.example/mcp", True)
        changed = await client.change_mcp_server(added.id, tool_deny_list=["delete"])
        assert changed.tool_deny_list == ("delete",)
        assert await client.mcp_servers() == (changed,)
        assert await client.mcp_server(added.id) == changed
        assert await client.unreadable_mcp_servers() == ()
        await client.delete_mcp_server(added.id)
        assert await client.mcp_servers() == ()


async def test_a_chat_is_created_with_what_was_said_elsewhere(store: Store) -> None:
    before = [
        {"role": "user", "content": [{"type": "text", "text": "Name a planet."}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Mars."}]},
    ]

    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("And a moon?", history=before)
        said = [message.text async for message in client.history(chat.id)]
        later = [message.text async for message in client.history(chat.id, after_id=2)]
        with pytest.raises(ApiError, match="comes before") as refused:
            await client.create_chat("?", history=[UNANSWERED])

    assert said == ["Name a planet.", "Mars.", "And a moon?"]
    assert later == ["And a moon?"]
    assert (refused.value.status, refused.value.code) == (400, "unanswered_calls")


UNANSWERED = {
    "role": "assistant",
    "content": [{"type": "tool-call", "tool_call_id": "a", "tool_name": "look", "args": {}}],
}


async def test_a_call_that_is_repeated_with_its_key_has_one_effect(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        made = [await client.create_chat("hello", key="mine") for _ in range(2)]
        sent = [await client.send(made[0].id, "more", key="mine too") for _ in range(2)]

        assert (made[0].id, made[0].key) == (made[1].id, "mine")
        assert sent[0] == sent[1]
        assert [chat.id for chat in (await client.chats(key="mine")).chats] == [made[0].id]
        with pytest.raises(ApiError, match="was used for another request") as refused:
            await client.send(made[0].id, "something else", key="mine too")
        assert (refused.value.status, refused.value.code) == (409, "key_used")


async def test_a_stop_can_mean_one_turn_and_answers_tell_what_they_added(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello", client_tools=[{"name": "open_tab"}])
        assert chat.last_message_id == 1
        await server.happens(chat.id, step(says("", client_call("tab"))), RequireAction())
        done = await client.submit(chat.id, results=[{"tool_call_id": "tab", "output": "open"}])
        assert (done.status, done.message_ids, done.last_message_id) == ("running", (3,), 3)
        await server.happens(chat.id, step(says("hi")), FinishTurn())
        await client.send(chat.id, "more")

        with pytest.raises(ApiError) as refused:
            await client.interrupt(chat.id, message_id=3)
        assert refused.value.code == "newer_turn"
        assert (await client.interrupt(chat.id, message_id=5)).status == "interrupting"


async def test_messages_tell_how_their_turns_ended(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello")
        await server.happens(chat.id, BeginAttempt(), step(says("hi")), FinishTurn())
        await client.send(chat.id, "more")
        await server.happens(chat.id, FailTurn(failure=failure()))

        first, reply, second = [message async for message in client.history(chat.id)]

        assert (first.turn_end, first.history_version) == (None, None)
        assert reply.turn_end is not None
        assert (reply.turn_end.reason, reply.turn_end.error) == ("complete", None)
        assert (reply.history_version, reply.generation_attempt) == (1, 1)
        assert second.turn_end is not None
        assert second.turn_end.error is not None
        assert (second.turn_end.reason, second.turn_end.error.message) == (None, "The model is gone.")


async def test_prompts_files_and_numbers(store: Store) -> None:
    async with served(store) as server, client_of(await server.as_admin()) as client:
        assert (await client.change_settings(debug_records_allowed=True)).debug_records_allowed
        assert (await client.change_own_settings(debug_records=True)).debug_records
        assert (await client.change_settings(system_prompt="Be kind.")).system_prompt == "Be kind."
        assert (await client.settings()).system_prompt == "Be kind."
        assert (await client.change_own_settings(prompt="Be brief.")).prompt == "Be brief."
        assert (await client.own_settings()).prompt == "Be brief."

        file = await client.add_file(b"hello", name="über.txt", media_type="text/plain")
        assert (file.name, file.media_type, file.size_bytes) == ("über.txt", "text/plain", 5)
        assert await client.file(file.id) == b"hello"
        part = {"type": "file", "file_id": file.id}
        chat = await client.create_chat([part])
        assert [m.content[0].file_id async for m in client.history(chat.id)] == [file.id]
        assert "process_cpu_seconds_total" in await client.metrics()


async def test_a_chat_is_led_from_its_first_word_to_its_end(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("Name a planet.", title="Planets", labels={"team": "blue"})
        assert (chat.title, chat.status, chat.labels) == ("Planets", "running", {"team": "blue"})
        await server.happens(chat.id, step(says("Mars.")), FinishTurn())

        sent = await client.send(chat.id, "And a moon?", model="some/model", reasoning_effort="low")
        assert (sent.queued, sent.message is not None) == (False, True)
        queued = await client.send(chat.id, "Quickly!", when="steer")
        assert queued.queued_message is not None
        other = await client.send(chat.id, "Another one.")
        assert other.queued_message is not None
        swapped = (other.queued_message.id, queued.queued_message.id)
        reordered = await client.reorder_queue(chat.id, swapped)
        assert tuple(each.id for each in reordered.queue) == swapped
        await client.delete_queued(chat.id, other.queued_message.id)
        assert (await client.promote_queued(chat.id, queued.queued_message.id)).status == "interrupting"
        await client.delete_queued(chat.id, queued.queued_message.id)
        assert (await client.chat(chat.id)).queue == ()

        edited = await client.edit(chat.id, 3, "And another?")
        assert (edited.message.text, edited.deleted_message_ids, edited.branch) == ("And another?", (3,), 2)
        assert [b.active for b in await client.branches(chat.id)] == [False, True]
        assert [p.text for p in await client.prompts(chat.id)] == ["And another?", "Name a planet."]
        assert [m.text async for m in client.history(chat.id)] == ["Name a planet.", "Mars.", "And another?"]
        page = await client.messages(chat.id, limit=1)
        assert (page.messages[0].text, page.has_more) == ("And another?", True)

        assert (await client.interrupt(chat.id)).status == "interrupting"
        with pytest.raises(ApiError):
            await client.compact(chat.id)
        await client.delete_chat(chat.id)
        assert (await client.chats()).chats == ()


async def test_a_chat_is_set_up_with_instructions_and_client_tools(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello", instructions="Be brief.")
        assert (chat.instructions, chat.client_tools) == ("Be brief.", ())
        assert chat.client_deadline_seconds == 300
        await server.happens(chat.id, step(says("hi")), FinishTurn())

        await client.send(
            chat.id, "and now?", instructions="", client_tools=[{"name": "open_tab"}], options={"top_p": 0.5}
        )
        chat = await client.chat(chat.id)
        assert chat.options == {"top_p": 0.5}
        assert (chat.instructions, [tool["name"] for tool in chat.client_tools]) == ("", ["open_tab"])
        await server.happens(chat.id, step(says("", client_call("tab"))), RequireAction())

        results = [{"tool_call_id": "tab", "output": 1}]
        chat = await client.submit(
            chat.id, results=results, instructions="Be long.", client_deadline_seconds=None
        )
        assert (chat.instructions, chat.client_deadline_seconds) == ("Be long.", None)


async def test_what_a_chat_waits_for_is_answered(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello", client_tools=[{"name": "open_tab"}])
        reply = says("", client_call("tab"), call("run"), call("ask"))
        plans = (asks_first("run"), question("ask"))
        await server.happens(chat.id, step(reply, plans=plans), RequireAction())
        waiting = (await client.chat(chat.id)).waiting_for
        assert [(w.tool_call_id, w.kind) for w in waiting] == [
            ("tab", "result"),
            ("run", "approval"),
            ("ask", "answer"),
        ]

        chat = await client.submit(
            chat.id,
            results=[{"tool_call_id": "tab", "output": 1}],
            approvals=[{"tool_call_id": "run", "decision": "allow"}],
            answers=[{"tool_call_id": "ask", "answer": "blue"}],
        )

        assert (chat.status, chat.waiting_for) == ("running", ())


async def test_a_failed_turn_is_tried_again_and_a_history_compacted(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello")
        await server.happens(chat.id, FailTurn(failure=failure()))
        failed = await client.chat(chat.id)
        assert failed.last_error is not None
        assert failed.last_error.message == "The model is gone."

        assert (await client.retry(chat.id)).status == "running"
        await server.happens(chat.id, step(says("hi")), FinishTurn())
        assert (await client.compact(chat.id)).status == "running"


async def test_a_branch_is_entered_again(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("hello")
        await client.edit(chat.id, 1, "good day")
        await server.happens(chat.id, FinishTurn())

        assert (await client.switch_branch(chat.id, 1)).branch == 1


async def test_chats_are_listed_in_pages_and_changed(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        for title in ("a", "b", "c"):
            await client.create_chat("hello", title=title, labels={"is": title})
        first = await client.chats(limit=2)
        second = await client.chats(limit=2, cursor=first.next)
        assert sorted(chat.title for page in (first, second) for chat in page.chats) == ["a", "b", "c"]
        (found,) = (await client.chats(labels={"is": "b"}, title="B")).chats
        await server.happens(found.id, FinishTurn())

        changed = await client.change_chat(found.id, title="B!", labels={}, pin_order=2)
        assert (changed.title, changed.labels, changed.pin_order) == ("B!", {}, 2)
        assert (await client.change_chat(found.id, archived=True)).archived is True
        assert [chat.id for chat in (await client.chats(archived=True)).chats] == [found.id]


async def test_a_chat_is_carried_from_one_place_to_another(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("Grüße \ud800")
        exported = json.loads(await client.export(chat.id))
        assert (await client.export(chat.id, format="markdown")).startswith(b"# Gr")

        copy = await client.import_chat(exported)

        assert (copy.status, [m.text async for m in client.history(copy.id)]) == ("waiting", ["Grüße \ud800"])


async def test_the_records_of_a_chat_are_read(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        chat = await client.create_chat("Hello?")
        assert await client.debug_runs(chat.id) == ()
        await recorded(store, chat.id)

        (listed,) = await client.debug_runs(chat.id)
        run = await client.debug_run(chat.id, listed.id)

        assert (listed.kind, listed.status, listed.steps) == ("turn", "completed", ())
        (attempt,) = run.steps[0].attempts
        assert attempt.request.headers == {"content-type": "application/json"}
        assert attempt.response is not None
        assert attempt.response.status == 200


async def test_the_server_is_asked_about_itself(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        assert ((await client.alive()).status, (await client.ready()).status) == ("ok", "ready")
        assert len((await client.openapi())["paths"]) >= len({route.path for route in ROUTES})


async def test_a_refusal_has_all_that_the_server_said(store: Store) -> None:
    async with served(store) as server, client_of(server) as client:
        with pytest.raises(ApiError) as refused:
            await client.chats(limit=0)
        assert (refused.value.status, refused.value.code, refused.value.field) == (400, "bad_value", "limit")

        with pytest.raises(ApiError) as refused:
            await client.chat("no such chat?")
        assert (refused.value.status, refused.value.code) == (404, "chat_not_found")
        assert refused.value.hint == "GET /api/v1/chats lists yours."
        assert str(refused.value) == "There is no chat 'no such chat?'. GET /api/v1/chats lists yours."


async def test_a_wrong_token_is_told(store: Store) -> None:
    async with served(store) as server, AsyncClient(server.address, "wrong") as client:
        with pytest.raises(ApiError) as refused:
            await client.chats()
        assert refused.value.status == 401


async def test_a_server_that_is_not_there_is_told(store: Store) -> None:
    async with served(store) as server:
        address = server.address

    async with AsyncClient(address, "token") as client:
        with pytest.raises(Unreachable, match="Cannot reach chatd at"):
            await client.chats()


async def test_something_else_than_chatd_is_told() -> None:
    async def hello(_: aiohttp.web.BaseRequest) -> aiohttp.web.StreamResponse:
        return aiohttp.web.Response(text="<html>")

    async def moved(_: aiohttp.web.BaseRequest) -> aiohttp.web.StreamResponse:
        return aiohttp.web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"})

    for handler, error in ((hello, Unreachable), (moved, ApiError)):
        server = aiohttp.web.Server(handler)
        runner = aiohttp.web.ServerRunner(server)
        await runner.setup()
        site = aiohttp.web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        async with AsyncClient(f"http://127.0.0.1:{runner.addresses[0][1]}", "secret") as client:
            with pytest.raises(error):
                await client.chats()
        await runner.cleanup()


class Waited:
    """A session of which nothing ever comes; it keeps for how long somebody would have waited."""

    def __init__(self) -> None:
        self.seconds: list[float | None] = []

    def request(self, *_: object, timeout: aiohttp.ClientTimeout, **__: object) -> NoReturn:
        self.seconds.append(timeout.total)
        raise TimeoutError


async def test_a_model_that_is_tried_out_is_waited_for_as_long_as_the_server_does() -> None:
    client, session = AsyncClient("http://127.0.0.1:9", "token"), Waited()
    client._session = cast("aiohttp.ClientSession", session)

    with pytest.raises(Unreachable):
        await client.test_model("slow")
    with pytest.raises(Unreachable):
        await client.models()

    probing, usual = session.seconds
    assert probing is not None
    assert probing > TOTAL_SECONDS
    assert usual == 60
