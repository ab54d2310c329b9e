"""Providers and models over HTTP."""

import json
from typing import Any

import pytest

from chatd.catalog.documents import DEFAULT_MODEL, DefaultModel, Documents
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Answer, Client
from tests.support.catalog_stores import FakeProber
from tests.traceability import proves

PROVIDERS = "/api/v1/providers"
MODELS = "/api/v1/models"
KEY = "sk-0123456789abcdefWXYZ"
ACME = {"type": "anthropic", "name": "acme", "api_key": KEY, "settings": {"headers": {"x-team": "blue"}}}
DEEP: list[Any] = json.loads("[" * 500 + "]" * 500)
TEXT = {"type": "text", "text": "hello"}


async def added(admin: Client, **fields: object) -> Any:
    answer = await admin.post(PROVIDERS, ACME | fields)
    assert answer.status == 201, answer.body
    return answer.json


async def add_model(admin: Client, provider: Any, name: str = "one", **fields: Any) -> Answer:
    return await admin.post(
        MODELS, {"provider_id": provider["id"], "model": name, "context_limit": 1000} | fields
    )


async def test_a_provider_is_kept_and_its_key_never_shown(admin: Client) -> None:
    provider = await added(admin)

    assert provider == {
        "id": provider["id"],
        "type": "anthropic",
        "name": "acme",
        "display_name": "",
        "enabled": True,
        "user_keys_allowed": False,
        "declared": False,
        "has_api_key": True,
        "base_url": None,
        "settings": {"headers": {"x-team": "blue"}},
        "api_key": "…WXYZ",
    }
    listed = await admin.get(PROVIDERS)
    assert [each["name"] for each in listed.json["providers"]] == ["some", "other", "scripted", "acme"]
    assert KEY.encode() not in listed.body


async def test_members_see_that_a_provider_is_there_and_nothing_of_how_it_is_reached(
    client: Client, admin: Client
) -> None:
    await added(admin)
    await added(admin, name="off", enabled=False)

    seen = (await client.get(PROVIDERS)).json["providers"]

    assert [each["name"] for each in seen] == ["some", "other", "scripted", "acme"]
    assert not {"base_url", "settings", "api_key"} & set(seen[-1])


async def test_only_administrators_change_the_catalog(client: Client, anonymous: Client) -> None:
    for method, path in (
        ("POST", PROVIDERS),
        ("PATCH", f"{PROVIDERS}/x"),
        ("DELETE", f"{PROVIDERS}/x"),
        ("POST", MODELS),
        ("PATCH", f"{MODELS}/x"),
        ("DELETE", f"{MODELS}/x"),
        ("POST", f"{MODELS}/x/test"),
        ("PATCH", "/api/v1/settings"),
    ):
        answer = await client.ask(method, path, b"{}")
        assert (answer.status, answer.error["code"]) == (403, "not_permitted"), path
        assert (await anonymous.ask(method, path, b"{}")).status == 401


async def test_a_provider_is_changed_in_the_fields_that_are_named(admin: Client) -> None:
    path = f"{PROVIDERS}/{(await added(admin))['id']}"

    fields = {"display_name": "Acme", "base_url": "https://a.example", "api_key": KEY}
    changed = (await admin.patch(path, fields)).json
    assert (changed["display_name"], changed["base_url"], changed["api_key"]) == (
        "Acme",
        "https://a.example",
        "…WXYZ",
    )
    changed = (await admin.patch(path, {"api_key": None, "base_url": None})).json
    assert (changed["has_api_key"], changed["base_url"], changed["display_name"]) == (False, None, "Acme")
    assert (await admin.patch(path, {})).error["code"] == "nothing_to_change"


async def test_what_is_declared_cannot_be_changed_here(admin: Client) -> None:
    declared = (await admin.get(PROVIDERS)).json["providers"][0]

    for answer in (
        await admin.patch(f"{PROVIDERS}/{declared['id']}", {"enabled": False}),
        await admin.delete(f"{PROVIDERS}/{declared['id']}"),
    ):
        assert (answer.status, answer.error["code"]) == (409, "declared")
        assert "chatd.toml" in answer.error["hint"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "Not Kebab"}, "name"),
        ({"type": "copilot"}, "type"),
        ({"api_key": " sk "}, "api_key"),
        ({"api_key": ""}, "api_key"),
        ({"api_key": "k" * 10_241}, "api_key"),
        ({"base_url": "no where"}, "base_url"),
        ({"base_url": "http://acme.example"}, "base_url"),
        ({"weather": 1}, "weather"),
        ({"settings": {"headers": {"Authorization": "x"}}}, "settings.headers"),
        ({"settings": {"rgion": "eu"}}, "settings"),
    ],
)
async def test_a_wrong_field_is_named(admin: Client, fields: dict[str, object], field: str) -> None:
    answer = await admin.post(PROVIDERS, ACME | fields)

    assert answer.status == 400
    assert answer.error["field"].startswith(field)


async def test_a_deleted_provider_is_gone_with_its_models(admin: Client) -> None:
    provider = await added(admin)
    await add_model(admin, provider)

    assert (await admin.delete(f"{PROVIDERS}/{provider['id']}")).status == 204
    assert (await admin.delete(f"{PROVIDERS}/{provider['id']}")).status == 404
    assert "acme/one" not in [each["name"] for each in (await admin.get(MODELS)).json["models"]]


async def test_a_model_is_added_listed_changed_and_removed(admin: Client, client: Client) -> None:
    provider = await added(admin, type="openai")
    options = {"reasoning_effort": {"default": "low", "max": "medium"}, "openai": {"store": True}}
    prices = {"input": 3, "output": 15}
    answer = await add_model(admin, provider, "gpt-5.2", options=options, prices=prices)
    model = answer.json

    assert answer.status == 201
    assert model == {
        "id": model["id"],
        "name": "acme/gpt-5.2",
        "provider_id": provider["id"],
        "provider": "acme",
        "provider_type": "openai",
        "model": "gpt-5.2",
        "display_name": "",
        "enabled": True,
        "is_default": False,
        "context_limit": 1000,
        "compression_threshold": 70,
        "reasoning_efforts": ["none", "low", "medium"],
        "prices": {"input": 3, "output": 15},
        "web_search": False,
        "prices_are_set": True,
        "declared": False,
        "available": True,
        "unavailable_reason": None,
        "options": options,
    }
    path = f"{MODELS}/{model['id']}"
    assert (await admin.patch(path, {"is_default": True})).json["is_default"] is True
    defaults = [each["name"] for each in (await client.get(MODELS)).json["models"] if each["is_default"]]
    assert defaults == ["acme/gpt-5.2"]

    assert (await admin.patch(path, {"enabled": False})).json["unavailable_reason"] == "model_disabled"
    assert "acme/gpt-5.2" not in [each["name"] for each in (await client.get(MODELS)).json["models"]]
    assert "acme/gpt-5.2" in [each["name"] for each in (await admin.get(MODELS)).json["models"]]
    assert (await admin.delete(path)).status == 204
    assert (await admin.delete(path)).status == 404


async def test_users_are_told_which_models_search_the_web(admin: Client, client: Client) -> None:
    provider = await added(admin, type="openai")
    search = {"web_search_enabled": True, "user_location": {"country": "DE"}}
    await add_model(admin, provider, "gpt-5.2", options={"openai": search})
    await add_model(admin, provider, "gpt-5.1")

    models = {each["model"]: each["web_search"] for each in (await client.get(MODELS)).json["models"]}

    assert (models["gpt-5.2"], models["gpt-5.1"]) == (True, False)


@proves("api", 75, 76)
@pytest.mark.parametrize(
    ("fields", "status", "field"),
    [
        ({"context_limit": 0}, 400, "context_limit"),
        ({"compression_threshold": 101}, 400, "compression_threshold"),
        ({"model": ""}, 400, "model"),
        ({"provider_id": "nobody"}, 412, "provider_id"),
        ({"provider_id": "\ud800", "context_limit": None}, 412, "provider_id"),
        ({"provider_id": "\0", "context_limit": None}, 412, "provider_id"),
        ({"options": {"reasoning_effort": {"default": "low"}}}, 400, "options"),
        ({"options": {"reasoning_effort": {"default": "high", "max": "low"}}}, 400, "options"),
        ({"options": {"openai": {}}}, 400, "options.openai"),
        ({"options": {"weather": 1}}, 400, "options"),
        ({"options": {"anthropic": {"allowed_domains": ["a"], "blocked_domains": ["b"]}}}, 400, "options"),
    ],
)
async def test_a_model_that_cannot_be_is_refused(
    admin: Client, fields: dict[str, Any], status: int, field: str
) -> None:
    answer = await add_model(admin, await added(admin), **fields)

    assert answer.status == status
    assert answer.error["field"].startswith(field)


@proves("api", 76)
async def test_a_budget_and_a_level_of_thinking_exclude_each_other(admin: Client) -> None:
    both = {"google": {"thinking_config": {"thinking_budget": 1, "thinking_level": "low"}}}

    answer = await add_model(admin, await added(admin), options=both)

    assert answer.status == 400
    assert "either thinking_budget or thinking_level" in answer.error["message"]


@proves("api", 74)
async def test_a_duplicate_is_refused_and_so_is_a_model_of_a_provider_that_is_off(admin: Client) -> None:
    provider = await added(admin)
    await add_model(admin, provider)
    assert (await add_model(admin, provider)).status == 409

    await admin.patch(f"{PROVIDERS}/{provider['id']}", {"enabled": False})
    assert (await add_model(admin, provider, "two")).status == 412


async def test_why_a_model_cannot_be_used_is_told(admin: Client, client: Client) -> None:
    provider = await added(admin, api_key=None)
    await add_model(admin, provider)

    async def reason() -> str | None:
        models = (await client.get(MODELS)).json["models"]
        return str(next(each["unavailable_reason"] for each in models if each["name"] == "acme/one"))

    assert await reason() == "missing_api_key"
    await admin.patch(f"{PROVIDERS}/{provider['id']}", {"user_keys_allowed": True})
    assert await reason() == "user_api_key_required"


@proves("api", 5)
async def test_a_chat_begins_only_with_a_model_that_can_be_used(admin: Client, client: Client) -> None:
    provider = await added(admin)
    model = (await add_model(admin, provider)).json
    chat = await client.start_chat(model="acme/one")
    assert chat["last_model"] == "acme/one"
    assert (await client.start_chat(model="one"))["last_model"] == "acme/one"

    await admin.patch(f"{MODELS}/{model['id']}", {"enabled": False})
    for name in ("acme/one", "acme/none"):
        for method, path in (("POST", CHATS), ("POST", f"{CHATS}/{chat['id']}/messages")):
            answer = await client.ask(method, path, json.dumps({"content": [TEXT], "model": name}).encode())
            assert (answer.status, answer.error["field"]) == (400, "model")
            assert answer.error["hint"] == "There are some/model, other/model, scripted/scripted."


async def test_a_model_is_tried_out(admin: Client, prober: FakeProber) -> None:
    model = (await admin.get(MODELS)).json["models"][0]

    answer = await admin.post(f"{MODELS}/{model['id']}/test", {})
    assert (answer.status, answer.json["is_well"], answer.json["says"]) == (200, True, "It said: hello")
    prober.fails = True
    assert (await admin.post(f"{MODELS}/{model['id']}/test", {})).json["kind"] == "auth"
    assert prober.probed == ["some/model"] * 2
    assert (await admin.post(f"{MODELS}/nothing/test", {})).status == 404


async def test_no_key_is_ever_in_the_log(
    admin: Client, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    await added(admin)
    await admin.post(PROVIDERS, ACME | {"name": "bad name"})

    assert KEY not in "".join(capsys.readouterr())


async def test_what_is_publicly_known_of_a_model_need_not_be_said(admin: Client) -> None:
    provider = await added(admin)

    known = (await add_model(admin, provider, "claude-haiku-4-5", context_limit=None)).json
    unknown = (await add_model(admin, provider, "acme-1", context_limit=None)).json

    assert (known["context_limit"], known["prices"]["output"]) == (200_000, 5_000_000)
    assert not known["prices_are_set"]
    assert (unknown["context_limit"], unknown["prices"]) == (128_000, None)


async def test_models_that_are_publicly_known_can_be_chosen_from(admin: Client, client: Client) -> None:
    acme, scripted = await added(admin), (await admin.get(PROVIDERS)).json["providers"][2]

    known = (await admin.get(f"{PROVIDERS}/{acme['id']}/known-models")).json["models"]

    names = [each["model"] for each in known]
    assert names == sorted(set(names))
    haiku = known[names.index("claude-haiku-4-5")]
    assert (haiku["context_limit"], haiku["prices"]["output"]) == (200_000, 5_000_000)
    assert (await admin.get(f"{PROVIDERS}/{scripted['id']}/known-models")).json == {"models": []}
    assert (await admin.get(f"{PROVIDERS}/none/known-models")).error["code"] == "provider_not_found"
    assert (await client.get(f"{PROVIDERS}/{acme['id']}/known-models")).status == 403


async def test_too_much_nesting_is_refused_before_it_is_stored(admin: Client) -> None:
    provider = await added(admin, name="cloud", type="bedrock")

    answer = await add_model(admin, provider, options={"bedrock": {"additional_fields": {"a": DEEP}}})

    assert (answer.status, answer.error["field"]) == (400, "options")
    assert "levels deep" in answer.error["message"]


async def test_no_file_of_the_server_is_opened_for_a_caller_that_changes_providers(admin: Client) -> None:
    refused = await admin.post(PROVIDERS, ACME | {"settings": {"ca_file": "/etc/shadow"}})

    assert (refused.status, refused.error["field"]) == (400, "settings.ca_file")
    assert "chatd.toml" in refused.error["message"]


async def test_making_the_default_the_default_is_remembered(admin: Client, store: Store) -> None:
    elected = next(each for each in (await admin.get(MODELS)).json["models"] if each["is_default"])

    answer = await admin.patch(f"{MODELS}/{elected['id']}", {"is_default": True})

    assert (answer.status, answer.json["is_default"]) == (200, True)
    chosen = await Documents(store).read(DEFAULT_MODEL, DefaultModel)
    assert chosen.model_id == elected["id"]


async def test_a_password_of_a_proxy_is_not_stored(admin: Client) -> None:
    refused = await admin.post(
        PROVIDERS, ACME | {"settings": {"proxy": "http://me:secret@proxy.example:3128"}}
    )

    assert (refused.status, refused.json["error"]["field"]) == (400, "settings.proxy")
    assert "chatd.toml" in refused.json["error"]["message"]


async def test_an_unreadable_key_is_not_sent_to_another_address(admin: Client) -> None:
    provider = await added(admin)
    place = f"{PROVIDERS}/{provider['id']}"
    elsewhere = {"base_url": "https://elsewhere.example"}

    refused = await admin.patch(place, elsewhere)
    kept = await admin.get(PROVIDERS)
    changed = await admin.patch(place, elsewhere | {"api_key": "sk-another-key-0000"})

    assert (refused.status, refused.json["error"]["field"]) == (400, "api_key")
    assert [each["base_url"] for each in kept.json["providers"] if each["name"] == "acme"] == [None]
    assert (changed.status, changed.json["base_url"]) == (200, "https://elsewhere.example")


async def test_a_key_is_not_sent_in_clear_over_the_internet(admin: Client) -> None:
    plain = {"base_url": "http://acme.example"}

    refused = await admin.post(PROVIDERS, ACME | plain)
    allowed = await admin.post(PROVIDERS, ACME | plain | {"settings": {"allow_plain_http": True}})

    assert (refused.status, refused.error["field"]) == (400, "base_url")
    assert "has no TLS" in refused.error["message"]
    assert "allow_plain_http" in refused.error["hint"]
    assert allowed.status == 201


async def test_what_cannot_be_read_is_listed_for_administrators_and_can_be_deleted(
    admin: Client, client: Client, store: Store
) -> None:
    acme, beta = await added(admin), await added(admin, name="beta")
    first, second = (await add_model(admin, acme)).json, (await add_model(admin, beta)).json
    newer = f"UPDATE providers SET type = 'telepathy' WHERE id = '{acme['id']}';"  # noqa: S608
    newer += f"""UPDATE models SET options = '{{"mood": 1}}' WHERE id = '{second["id"]}';"""  # noqa: S608
    await store.db.write(lambda tx: tx.script(newer))

    providers, models = (await admin.get(PROVIDERS)).json, (await admin.get(MODELS)).json

    assert [(each["id"], each["name"]) for each in providers["unreadable"]] == [(acme["id"], "acme")]
    assert {each["name"]: each["id"] for each in models["unreadable"]} == {
        "acme/one": first["id"],
        "beta/one": second["id"],
    }
    assert "telepathy" in providers["unreadable"][0]["reason"]
    assert "mood" in next(each["reason"] for each in models["unreadable"] if each["name"] == "beta/one")
    for seen, key in ((await client.get(PROVIDERS), "providers"), (await client.get(MODELS), "models")):
        assert (seen.status, set(seen.json)) == (200, {key})
    refused = await admin.patch(f"{MODELS}/{second['id']}", {"enabled": False})
    assert (refused.status, refused.error["code"]) == (409, "unreadable")
    for path in (f"{MODELS}/{first['id']}", f"{MODELS}/{second['id']}", f"{PROVIDERS}/{acme['id']}"):
        assert (await admin.delete(path)).status == 204
    assert set((await admin.get(MODELS)).json) == {"models"}


async def test_an_effort_without_effect_is_refused_with_what_to_do(admin: Client, client: Client) -> None:
    provider = await added(admin, type="openai")
    await add_model(admin, provider, "gpt-5.2")
    # By its name it is known not to think, whoever would like it to.
    opened = {"reasoning_effort": {"default": "low", "max": "high"}}
    await add_model(admin, provider, "gpt-4o", options=opened)

    for name, advice in (
        ("acme/gpt-5.2", "ask an administrator to set `options.reasoning_effort` of acme/gpt-5.2"),
        ("acme/gpt-4o", "use a model that has `reasoning_efforts`"),
        ("scripted/scripted", "use a model that has `reasoning_efforts`"),
    ):
        answer = await client.post(CHATS, {"content": [TEXT], "model": name, "reasoning_effort": "high"})
        assert (answer.status, answer.error["code"], answer.error["field"]) == (
            400,
            "effort_without_effect",
            "reasoning_effort",
        )
        assert answer.error["message"] == f"{name} cannot be told how hard to think."
        assert advice in answer.error["hint"]


async def test_whose_effort_it_is_depends_on_the_model_that_will_hear_it(client: Client) -> None:
    chat = await client.start_chat(model="some/model")
    path = f"{CHATS}/{chat['id']}/messages"
    asked = {"content": [TEXT], "reasoning_effort": "high"}
    elsewhere = asked | {"model": "other/model"}

    # The model that is named; else that of the chat; else the default.
    assert [(await client.post(each, elsewhere)).status for each in (CHATS, path)] == [400, 400]
    assert (await client.patch(f"{path}/1", elsewhere)).error["code"] == "effort_without_effect"
    assert (await client.post(path, asked)).status == 200
    assert (await client.patch(f"{path}/1", asked)).status == 200
    assert (await client.post(CHATS, asked)).status == 201


async def test_a_chat_keeps_its_effort_for_the_next_model_that_has_a_choice(client: Client) -> None:
    chat = await client.start_chat(model="some/model", reasoning_effort="high")

    sent = await client.post(
        f"{CHATS}/{chat['id']}/messages", {"content": [TEXT], "model": "other/model", "when": "interrupt"}
    )

    assert sent.status == 200
    assert (await client.get(f"{CHATS}/{chat['id']}")).json["last_reasoning_effort"] == "high"


AMBIENT = {
    "type": "bedrock",
    "name": "cloud",
    "settings": {"ambient_credentials": True, "region": "us-east-1"},
}


@pytest.mark.parametrize(
    "fields",
    [
        {"base_url": "https://evil.example"},
        {"base_url": "http://127.0.0.1:8000"},
        {"base_url": "https://bedrock-runtime.us-east-1.amazonaws.com.evil.example"},
        {"settings": {"ambient_credentials": True, "region": "s3"}},
        {"type": "azure", "base_url": "https://evil.example/openai/deployments/large"},
        {"type": "google", "base_url": "https://evil.example"},
    ],
)
async def test_credentials_of_the_machine_are_not_for_an_address_that_an_administrator_enters(
    admin: Client, fields: dict[str, object]
) -> None:
    refused = await admin.post(PROVIDERS, AMBIENT | fields)

    assert (refused.status, refused.error["field"]) == (400, "settings.ambient_credentials"), refused.body
    assert "chatd.toml" in refused.error["hint"]


async def test_a_provider_with_credentials_of_the_machine_stays_at_its_cloud(
    admin: Client,
) -> None:
    kept = await admin.post(PROVIDERS, AMBIENT)
    place = f"{PROVIDERS}/{kept.json['id']}"

    moved = await admin.patch(place, {"base_url": "https://evil.example"})
    plain = await admin.post(
        PROVIDERS, {"type": "bedrock", "name": "own", "base_url": "https://evil.example"}
    )
    turned = await admin.patch(f"{PROVIDERS}/{plain.json['id']}", {"settings": AMBIENT["settings"]})

    assert kept.status == 201, kept.body
    assert (moved.status, moved.error["field"]) == (400, "settings.ambient_credentials")
    assert (turned.status, turned.error["field"]) == (400, "settings.ambient_credentials")


@pytest.mark.parametrize(
    ("given", "became"),
    [
        ("localhost:11434", "http://localhost:11434"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("dev.localhost/v1", "http://dev.localhost/v1"),
        ("api.example.com", "https://api.example.com"),
        ("api.example.com:8443/v1", "https://api.example.com:8443/v1"),
        ("192.168.1.7:8000", "https://192.168.1.7:8000"),
        ("https://api.example.com/v1", "https://api.example.com/v1"),
    ],
)
async def test_an_address_without_a_scheme_is_completed_and_shown(
    admin: Client, given: str, became: str
) -> None:
    own = {"type": "openai-compatible", "name": "own", "base_url": given}

    kept = await admin.post(PROVIDERS, own)
    changed = await admin.patch(f"{PROVIDERS}/{kept.json['id']}", {"base_url": given})

    assert (kept.status, kept.json["base_url"]) == (201, became), kept.body
    assert (changed.status, changed.json["base_url"]) == (200, became)


@pytest.mark.parametrize(
    "given",
    ["http://api.example.com", "file:/etc/passwd", "mailto:me", "me:secret@host", "/v1", "//host", "a b", ""],
)
async def test_an_address_that_cannot_be_completed_is_refused(admin: Client, given: str) -> None:
    refused = await admin.post(PROVIDERS, {"type": "openai-compatible", "name": "own", "base_url": given})

    assert (refused.status, refused.error["field"]) == (400, "base_url"), refused.body


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"base_url": "http://127.0.0.1:9"}, None),
        ({"base_url": "https://10.0.0.9"}, None),
        ({"base_url": "https://10.0.0.9", "user_keys_allowed": True}, "user_api_key_required"),
        ({"base_url": "https://api.example.com"}, "missing_api_key"),
        ({"base_url": "https://api.example.com", "settings": {"no_key": True}}, None),
        ({}, "missing_api_key"),
        # Anthropic itself cannot be called without one, whatever is said.
        ({"settings": {"no_key": True}}, "missing_api_key"),
    ],
)
async def test_a_server_of_ones_own_needs_no_key(
    admin: Client, fields: dict[str, object], reason: str | None
) -> None:
    provider = (await admin.post(PROVIDERS, {"type": "anthropic", "name": "own"} | fields)).json

    model = (await add_model(admin, provider)).json

    assert model["unavailable_reason"] == reason
