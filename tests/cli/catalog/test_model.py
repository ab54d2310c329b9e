"""chatd model and chatd doctor --providers, as processes against a real server."""

import asyncio
import base64
import json
import sqlite3
from pathlib import Path

import pytest

from chatd.client import AsyncClient
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran, typing
from tests.cli.program import chatd, complaint, serving
from tests.support.served import Served, served


async def names(server: Served) -> list[str]:
    async with AsyncClient(server.address, server.token) as client:
        return [each.name for each in await client.models()]


async def test_the_models_are_listed_for_people_and_for_scripts(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        shown = await ran(tmp_path, server, "model", "ls")
        told = await ran(tmp_path, server, "model", "ls", "--json")

    assert [line.split()[0] for line in shown.output.splitlines()] == [
        "MODEL",
        "some/model",
        "other/model",
        "scripted/scripted",
    ]
    assert "1,000" in shown.output
    assert "default, declared" in shown.output
    (first, *_) = json.loads(told.output)["models"]
    assert (first["name"], first["context_limit"], first["is_default"], first["declared"]) == (
        "some/model",
        1000,
        True,
        True,
    )


async def test_a_model_is_added_with_its_provider_and_a_key_from_a_file(store: Store, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-0123456789abcdef\n")
    async with served(store) as anyone:
        server = await anyone.as_admin()
        command = ("model", "add", "acme", "one", "--type", "anthropic", "--key-file", "key", "--default")
        first = await ran(tmp_path, server, *command)
        # The provider is there by now: nobody asks for its key.
        second = await ran(tmp_path, server, "model", "add", "acme", "two")

        assert (first.code, second.code) == (0, 0), first.errors + second.errors
        assert "chatd model test acme/one" in first.output
        assert (await names(server))[-2:] == ["acme/one", "acme/two"]


async def test_a_user_says_when_their_chats_are_summarized(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        command = ("model", "threshold", "scripted/scripted")
        before = await ran(tmp_path, server, *command)
        own = await ran(tmp_path, server, *command, "40", "--json")
        never = await ran(tmp_path, server, *command, "100")
        cleared = await ran(tmp_path, server, *command, "--clear")
        wrong = await ran(tmp_path, server, *command, "101")

    assert "from 70 % of its context on, as it is set up" in before.output
    assert json.loads(own.output) == {"model": "scripted/scripted", "threshold_percent": 40, "own": True}
    assert "never by themselves, as you want it" in never.output
    assert "from 70 %" in cleared.output
    assert wrong.code == 2


async def test_a_key_is_asked_for_and_not_shown(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        async with typing(tmp_path, server, "model", "add", "openai", "gpt-x") as person:
            await person.sees("it is not shown")
            person.type("sk-typed-0123456789\r")
            await person.sees("openai/gpt-x is there")
            assert await person.leaves() == 0
            assert b"sk-typed" not in person._seen

        async with AsyncClient(server.address, server.token) as client:
            assert [each.api_key for each in await client.providers() if each.name == "openai"] == ["…6789"]


async def test_without_a_terminal_no_key_is_asked_for(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        run = await ran(tmp_path, await anyone.as_admin(), "model", "add", "openai", "gpt-x")

    assert (run.code, "--key-env VARIABLE" in run.errors) == (2, True)


async def test_a_model_that_is_refused_leaves_no_provider_behind(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        run = await ran(tmp_path, server, "model", "add", "ollama", " ")

        assert (run.code, "name" in run.errors) == (1, True)
        async with AsyncClient(server.address, server.token) as client:
            assert "ollama" not in [each.name for each in await client.providers()]


@pytest.mark.parametrize("arguments", [("some/model",), ()])
async def test_a_model_is_tried_out(store: Store, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    async with served(store) as anyone:
        run = await ran(tmp_path, await anyone.as_admin(), "model", "test", *arguments)

    assert (run.code, run.output) == (0, "ok     some/model  It said: hello (12 ms)\n")


async def test_who_is_no_administrator_is_told_so(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        run = await ran(tmp_path, server, "model", "test")
        unknown = await ran(tmp_path, server, "model", "test", "some/none")

    assert (run.code, "An administrator can." in run.errors) == (1, True)
    assert "There are some/model" in unknown.errors


async def test_the_doctor_tries_every_provider_when_asked(store: Store, tmp_path: Path) -> None:
    async with serving(tmp_path), served(store) as anyone:
        server = await anyone.as_admin()
        async with AsyncClient(server.address, server.token) as client:
            await client.add_provider("anthropic", "keyless", user_keys_allowed=False)
            keyless = next(each for each in await client.providers() if each.name == "keyless")
            await client.add_model(keyless.id, "one", context_limit=1)
            await client.add_provider("ollama", "empty")
        run = await ran(tmp_path, server, "doctor", "--data-dir", "data", "--providers", "--json")

    found = {each["what"]: each for each in json.loads(run.output)["findings"]}
    assert found["some"]["says"] == "some/model: It said: hello"
    assert [each for each in found if not found[each]["is_well"]] == ["keyless", "empty"]
    assert "no key" in found["keyless"]["says"]
    assert "chatd model add empty MODEL" in found["empty"]["says"]
    assert run.code == 1


async def test_a_lost_secret_key_is_told_at_the_start_and_can_be_given_up(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        provider = {"type": "anthropic", "name": "acme", "api_key": "sk-0123456789abcdef"}
        assert (await server.ask("POST", "/api/v1/providers", json=provider))[0] == 201
    key = tmp_path / "data" / "secret-key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.write_text(base64.b64encode(bytes(32)).decode())

    refused = await asyncio.to_thread(chatd, tmp_path, "serve", "--port", "0", "--data-dir", "data")
    assert refused.returncode == 2
    assert "`chatd model forget-keys`" in complaint(refused)

    forgotten = await asyncio.to_thread(chatd, tmp_path, "model", "forget-keys", "--data-dir", "data")
    assert forgotten.returncode == 0, forgotten.stderr
    async with serving(tmp_path) as server:
        _, listed = await server.ask("GET", "/api/v1/providers")
    assert [each["has_api_key"] for each in listed["providers"] if each["name"] == "acme"] == [False]


async def test_what_chatd_toml_declares_is_there_and_its_key_is_nowhere(tmp_path: Path) -> None:
    (tmp_path / "chatd.toml").write_text(
        """
        [[providers]]
        name = "local"
        type = "openai-compatible"
        base_url = "http://127.0.0.1:9/v1"
        api_key = "sk-declared-0123456789"

        [[models]]
        provider = "local"
        model = "some-model"
        context_limit = 128000
        default = true
        """
    )
    async with serving(tmp_path, "--config", "chatd.toml") as server:
        _, listed = await server.ask("GET", "/api/v1/models")
        _, providers = await server.ask("GET", "/api/v1/providers")

    assert [(each["name"], each["is_default"]) for each in listed["models"]] == [
        ("local/some-model", True),
        ("scripted/scripted", False),
    ]
    assert providers["providers"][0]["api_key"] == "…6789"
    with sqlite3.connect(tmp_path / "data" / "chatd.db") as db:
        assert "sk-declared" not in "\n".join(db.iterdump())


async def test_who_names_no_kind_of_provider_is_told_all_before_a_key_is_asked_for(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as anyone:
        run = await ran(tmp_path, await anyone.as_admin(), "model", "add", "acme", "one")

    assert run.code == 2
    assert "--type: anthropic, openai, openai-compatible" in run.errors


async def test_options_for_a_provider_that_is_there_are_refused_and_not_ignored(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        await ran(tmp_path, server, "model", "add", "ollama", "one")
        run = await ran(tmp_path, server, "model", "add", "ollama", "two", "--base-url", "http://127.0.0.1:9")

        assert (run.code, "`chatd model rm ollama`" in run.errors) == (2, True)
        assert "ollama/two" not in await names(server)


async def test_a_provider_is_given_another_key(store: Store, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-second-0123456789\n")
    async with served(store) as anyone:
        server = await anyone.as_admin()
        await ran(tmp_path, server, "model", "add", "openai", "gpt-x", "--no-key")
        given = await ran(tmp_path, server, "model", "key", "openai", "--key-file", "key")
        unknown = await ran(tmp_path, server, "model", "key", "acme", "--key-file", "key")

        async with AsyncClient(server.address, server.token) as client:
            assert [each.api_key for each in await client.providers() if each.name == "openai"] == ["…6789"]
    assert (given.code, given.output) == (0, "openai uses the new key from now on.\n")
    assert (unknown.code, "There are some, other, scripted, openai." in unknown.errors) == (1, True)


async def test_models_and_providers_are_removed_by_their_names(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        for model in ("one", "two", "three"):
            await ran(tmp_path, server, "model", "add", "ollama", model)
        one = await ran(tmp_path, server, "model", "rm", "ollama/one")
        assert (await names(server))[-2:] == ["ollama/two", "ollama/three"]
        all_ = await ran(tmp_path, server, "model", "rm", "ollama")
        again = await ran(tmp_path, server, "model", "rm", "ollama")

        assert [each for each in await names(server) if each.startswith("ollama")] == []
    assert [one.code, all_.code, again.code] == [0, 0, 1]
    assert "`chatd model ls`" in again.errors


async def test_how_hard_a_new_model_thinks_is_said_when_it_is_added(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        await ran(tmp_path, server, "model", "add", "ollama", "one", "--effort", "low")

        async with AsyncClient(server.address, server.token) as client:
            (added,) = [each for each in await client.models() if each.name == "ollama/one"]
    assert added.options["reasoning_effort"]["default"] == "low"
    assert "high" in added.reasoning_efforts


async def test_a_model_is_found_by_its_own_name_where_only_one_has_it(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        await ran(tmp_path, server, "model", "add", "ollama", "llama")
        alone = await ran(tmp_path, server, "model", "test", "llama")
        ambiguous = await ran(tmp_path, server, "model", "test", "model")

    assert (alone.code, "ollama/llama" in alone.output) == (0, True)
    assert (ambiguous.code, "There is no model 'model'" in ambiguous.errors) == (1, True)


async def test_a_model_that_cannot_be_used_yet_is_added_with_the_reason(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        keyless = await ran(
            tmp_path, server, "model", "add", "openai", "gpt-4o", "--no-key", "--effort", "low"
        )
        unknown = await ran(tmp_path, server, "model", "test", "nothing")

    assert keyless.output == "openai/gpt-4o is there, and cannot be used yet: no key.\n"
    assert "openai/gpt-4o cannot be told how hard to think" in keyless.errors
    # It is no choice for anybody.
    assert unknown.errors.endswith("There are some/model, other/model, scripted/scripted.\n")


async def test_a_server_of_ones_own_is_added_without_a_scheme_and_without_a_key(
    store: Store, tmp_path: Path
) -> None:
    near = ("model", "add", "near", "one", "--type", "anthropic", "--base-url", "localhost:8000", "--no-key")
    far = ("model", "add", "far", "one", "--type", "google", "--base-url", "llm.example.com", "--no-key")
    async with served(store) as anyone:
        server = await anyone.as_admin()
        runs = [await ran(tmp_path, server, *command) for command in (near, far)]

    assert [run.code for run in runs] == [0, 0]
    assert [run.output for run in runs] == [
        "near/one is there. Try it: chatd model test near/one\n",
        "far/one is there. Try it: chatd model test far/one\n",
    ]
    assert [run.errors for run in runs] == [
        "It is called at http://localhost:8000\n",
        "It is called at https://llm.example.com\n",
    ]


async def test_an_address_without_tls_needs_to_be_asked_for(store: Store, tmp_path: Path) -> None:
    command = ("model", "add", "den", "one", "--type", "ollama", "--base-url", "http://acme.example/v1")
    async with served(store) as anyone:
        server = await anyone.as_admin()
        refused = await ran(tmp_path, server, *command)
        allowed = await ran(tmp_path, server, *command, "--allow-plain-http")

    assert (refused.code, "has no TLS" in refused.errors) == (1, True)
    assert (allowed.code, "den/one is there" in allowed.output) == (0, True)


async def test_what_the_server_cannot_read_is_listed_and_removed(store: Store, tmp_path: Path) -> None:
    async with served(store) as anyone:
        server = await anyone.as_admin()
        for name in ("one", "two"):
            await ran(tmp_path, server, "model", "add", "ollama", name)
        newer = """UPDATE models SET options = '{"mood": "good"}' WHERE model = 'one';"""
        await store.db.write(lambda tx: tx.script(newer))
        listed = await ran(tmp_path, server, "model", "ls")
        tested = await ran(tmp_path, server, "model", "test", "ollama/one")
        removed = await ran(tmp_path, server, "model", "rm", "ollama/one")

        assert "ollama/one cannot be used. A newer version of chatd" in listed.errors
        assert (tested.code, "ollama/one cannot be used" in tested.errors) == (1, True)
        assert "ollama/two" in listed.output
        assert (removed.code, "ollama/one is gone" in removed.output) == (0, True)
        assert (await ran(tmp_path, server, "model", "ls")).errors == ""
