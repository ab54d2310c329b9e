"""What users and administrators set: own keys and prompts; and the numbers about the server."""

import json

import pytest

from tests.api.client import Client
from tests.traceability import proves

PROVIDERS = "/api/v1/providers"
KEYS = "/api/v1/users/me/provider-keys"
OWN = "/api/v1/users/me/settings"
SETTINGS = "/api/v1/settings"
KEY = b'{"api_key": "sk-of-my-own-0123456789"}'


async def provider(admin: Client, **fields: object) -> str:
    answer = await admin.post(
        PROVIDERS, {"type": "anthropic", "name": "acme", "user_keys_allowed": True} | fields
    )
    assert answer.status == 201
    return str(answer.json["id"])


async def test_a_key_of_ones_own_is_kept_used_and_forgotten(client: Client, admin: Client) -> None:
    id_ = await provider(admin)

    async def mine() -> list[bool]:
        keys = (await client.get(KEYS)).json["keys"]
        return [key["has_user_api_key"] for key in keys if key["provider"] == "acme"]

    assert await mine() == [False]
    assert (await client.ask("PUT", f"{KEYS}/acme", KEY)).status == 204
    listed = await client.get(KEYS)
    assert await mine() == [True]
    assert b"sk-of-my-own" not in listed.body
    assert listed.json["keys"][-1] == {
        "provider_id": id_,
        "provider": "acme",
        "user_keys_allowed": True,
        "has_user_api_key": True,
        "has_provider_api_key": False,
    }
    assert (await client.delete(f"{KEYS}/{id_}")).status == 204
    assert await mine() == [False]


@proves("api", 77)
@pytest.mark.parametrize("key", ["", " sk", "sk ", "k" * 10_241, "a\nb"])
async def test_what_cannot_be_a_key_is_refused(client: Client, admin: Client, key: str) -> None:
    await provider(admin)
    answer = await client.ask("PUT", f"{KEYS}/acme", json.dumps({"api_key": key}).encode())

    assert (answer.status, answer.error["field"]) == (400, "api_key")


async def test_a_service_account_is_taken_as_the_file_it_comes_as(client: Client, admin: Client) -> None:
    await provider(admin, type="google")
    account = json.dumps({"type": "service_account", "private_key": "-----BEGIN\n"}, indent=2)

    answer = await client.ask("PUT", f"{KEYS}/acme", json.dumps({"api_key": account}).encode())

    assert answer.status == 204


async def test_keys_are_taken_only_where_they_are_of_use(client: Client, admin: Client) -> None:
    await provider(admin, name="strict", user_keys_allowed=False)
    await provider(admin, name="off", enabled=False)

    for name, status in (("strict", 403), ("off", 412), ("unknown", 404)):
        assert (await client.ask("PUT", f"{KEYS}/{name}", KEY)).status == status, name


async def test_every_user_has_a_prompt_of_their_own(client: Client, stranger: Client) -> None:
    assert (await client.get(OWN)).json["prompt"] == ""

    assert (await client.patch(OWN, {"prompt": "Be brief.\u200b"})).json["prompt"] == "Be brief."

    assert (await client.get(OWN)).json["prompt"] == "Be brief."
    assert (await stranger.get(OWN)).json["prompt"] == ""
    assert (await client.patch(OWN, {})).status == 400


async def test_every_user_has_thresholds_of_their_own(client: Client, stranger: Client) -> None:
    assert (await client.get(OWN)).json["compaction_thresholds"] == {}

    first = await client.patch(OWN, {"compaction_thresholds": {"scripted": 40, "some/model": 100}})
    second = await client.patch(OWN, {"compaction_thresholds": {"some/model": None, "other/model": 0}})

    assert first.json["compaction_thresholds"] == {"scripted/scripted": 40, "some/model": 100}
    assert second.json["compaction_thresholds"] == {"scripted/scripted": 40, "other/model": 0}
    assert (await stranger.get(OWN)).json["compaction_thresholds"] == {}


@pytest.mark.parametrize("wrong", [{"scripted": 101}, {"scripted": -1}, {"scripted": "70"}, {"gpt-99": 50}])
async def test_a_threshold_is_a_share_of_the_context_of_a_model_that_is_there(
    client: Client, wrong: dict[str, object]
) -> None:
    refused = await client.patch(OWN, {"compaction_thresholds": wrong, "prompt": "Not kept."})

    assert refused.status == 400
    assert refused.error["field"].startswith("compaction_thresholds")
    kept = (await client.get(OWN)).json
    assert (kept["compaction_thresholds"], kept["prompt"]) == ({}, "")


async def second_model(admin: Client) -> str:
    id_ = await provider(admin, api_key="sk-0123456789")
    answer = await admin.post("/api/v1/models", {"provider_id": id_, "model": "large", "context_limit": 1000})
    assert answer.status == 201
    return str(answer.json["id"])


@proves("api", 7)
async def test_a_chat_that_names_no_model_has_the_one_that_its_user_has_chosen(
    client: Client, admin: Client
) -> None:
    await second_model(admin)

    assert (await client.patch(OWN, {"model": "large"})).json["model"] == "acme/large"

    assert (await client.start_chat("Hello."))["last_model"] == "acme/large"
    assert (await client.start_chat("Hello.", model="scripted"))["last_model"] == "scripted/scripted"
    assert (await admin.start_chat("Hello."))["last_model"] is None
    assert (await client.patch(OWN, {"model": None})).json["model"] is None
    assert (await client.start_chat("Hello."))["last_model"] is None


async def test_a_model_that_was_chosen_and_is_gone_keeps_no_chat_from_beginning(
    client: Client, admin: Client
) -> None:
    id_ = await second_model(admin)
    await client.patch(OWN, {"model": "large"})

    assert (await admin.delete(f"/api/v1/models/{id_}")).status == 204

    assert (await client.start_chat("Hello."))["last_model"] is None
    assert (await client.get(OWN)).json["model"] == "acme/large"


async def test_a_model_that_cannot_be_used_cannot_be_chosen(client: Client) -> None:
    refused = await client.patch(OWN, {"model": "gpt-99", "prompt": "Not kept."})

    assert (refused.status, refused.error["field"]) == (400, "model")
    kept = (await client.get(OWN)).json
    assert (kept["model"], kept["prompt"]) == (None, "")


@proves("api", 66)
async def test_the_prompt_of_the_server_is_for_administrators(client: Client, admin: Client) -> None:
    assert (await admin.patch(SETTINGS, {"system_prompt": "You work for Acme."})).status == 200

    assert (await admin.get(SETTINGS)).json["system_prompt"] == "You work for Acme."
    assert (await client.get(SETTINGS)).status == 404


async def test_an_administrator_replaces_what_stands_first_or_switches_it_off(admin: Client) -> None:
    first = (await admin.get(SETTINGS)).json
    replaced = (await admin.patch(SETTINGS, {"base_prompt": "You are Al."})).json
    off = (await admin.patch(SETTINGS, {"base_prompt": ""})).json
    back = (await admin.patch(SETTINGS, {"base_prompt": None})).json

    assert [each["base_prompt"] for each in (first, replaced, off, back)] == [None, "You are Al.", "", None]
    assert "You are the agent" in first["default_base_prompt"]
    long = await admin.patch(SETTINGS, {"base_prompt": "a" * (129 * 1024)})
    assert (long.status, long.error["field"]) == (400, "base_prompt")


async def test_an_administrator_chooses_who_sums_up(admin: Client) -> None:
    assert (await admin.get(SETTINGS)).json["compaction_model"] is None

    chosen = await admin.patch(SETTINGS, {"compaction_model": "scripted"})
    refused = await admin.patch(SETTINGS, {"compaction_model": "gpt-99", "system_prompt": "Not kept."})

    assert chosen.json["compaction_model"] == "scripted/scripted"
    assert (refused.status, refused.error["field"]) == (400, "compaction_model")
    assert "scripted/scripted" in refused.error["hint"]
    kept = (await admin.get(SETTINGS)).json
    assert (kept["compaction_model"], kept["system_prompt"]) == ("scripted/scripted", "")
    assert (await admin.patch(SETTINGS, {"compaction_model": None})).json["compaction_model"] is None


async def test_of_several_settings_all_are_kept_or_none(admin: Client) -> None:
    refused = await admin.patch(
        SETTINGS, {"compaction_model": "scripted", "system_prompt": "a" * (129 * 1024)}
    )

    assert (refused.status, refused.error["field"]) == (400, "system_prompt")
    kept = (await admin.get(SETTINGS)).json
    assert (kept["compaction_model"], kept["system_prompt"]) == (None, "")


@proves("api", 67)
async def test_a_prompt_has_an_end(client: Client, admin: Client) -> None:
    for who, path, field in ((client, OWN, "prompt"), (admin, SETTINGS, "system_prompt")):
        answer = await who.patch(path, {field: "a" * (129 * 1024)})
        assert (answer.status, answer.error["field"]) == (400, field)


async def test_the_numbers_are_in_the_text_format_of_prometheus(
    admin: Client, client: Client, anonymous: Client
) -> None:
    answer = await admin.get("/metrics")

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert b"# TYPE process_cpu_seconds_total counter" in answer.body
    assert (await client.get("/metrics")).status == 403
    assert (await anonymous.get("/metrics")).status == 401


async def test_what_chats_that_plan_are_told_and_whether_there_are_agents_is_set_by_administrators(
    admin: Client, client: Client
) -> None:
    first = (await admin.get(SETTINGS)).json
    change = {"plan_prompt": " Name the owner. ", "subagents": {"enabled": False}}
    after = (await admin.patch(SETTINGS, change)).json
    long = await admin.patch(SETTINGS, {"plan_prompt": "a" * (129 * 1024)})

    assert (first["plan_prompt"], first["subagents"]) == ("", {})
    assert (after["plan_prompt"], after["subagents"]) == ("Name the owner.", {"enabled": False})
    assert (long.status, long.error["field"]) == (400, "plan_prompt")
    assert (await client.patch(SETTINGS, change)).status in (403, 404)
