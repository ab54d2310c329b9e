"""What requests leave in the audit: who asked, what was changed, and nothing that is secret."""

import hashlib
import json
from typing import Any

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.reads.audit import AuditRow, read_audit
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import says, step

SECRET = "sk-very-secret"
PROMPT = "Say nothing of the penguins."


async def told(store: Store, since: int = 0) -> list[AuditRow]:
    return (await read_audit(store.db, settled_micros=-1))[since:]


async def deeds(store: Store, since: int) -> list[tuple[str, str, Any]]:
    return [(row.deed, row.target_id, json.loads(row.changes)) for row in await told(store, since)]


async def test_a_chat_is_recorded_when_it_is_made_archived_taken_back_and_deleted(
    store: Store, client: Client, owner: str
) -> None:
    since = len(await told(store))
    body = json.dumps({"content": [{"type": "text", "text": "hello"}]}).encode()
    made = await client.ask("POST", CHATS, body, headers={"x-request-id": "r1"})
    chat_id = made.json["id"]
    path = f"{CHATS}/{chat_id}"
    await transact(store, ChatId(chat_id), step(says("hi")), FinishTurn())
    for archived in (True, False):
        assert (await client.patch(path, {"archived": archived})).status == 200
    assert (await client.delete(path)).status == 204

    assert sorted(await deeds(store, since)) == [
        ("chat.archive", chat_id, {}),
        ("chat.create", chat_id, {}),
        ("chat.delete", chat_id, {"owner_id": owner, "chats": 1}),
        ("chat.unarchive", chat_id, {}),
    ]
    (first,) = [row for row in await told(store) if row.deed == "chat.create"]
    assert (first.actor_id, first.via, first.request_id) == (owner, "token", "r1")
    assert first.token_id
    assert first.address


@proves("people", 62)
async def test_no_secret_and_no_prompt_is_in_what_was_changed(store: Store, admin: Client) -> None:
    since = len(await told(store))
    provider = await admin.post(
        "/api/v1/providers",
        {
            "type": "openai-compatible",
            "name": "elsewhere",
            "base_url": "https://example.org/v1",
            "api_key": SECRET,
            "user_keys_allowed": True,
            "settings": {"headers": {"X-Custom": SECRET}},
        },
    )
    assert provider.status == 201, provider.json
    provider_id = provider.json["id"]
    one = f"/api/v1/providers/{provider_id}"
    assert (await admin.patch(one, {"api_key": f"{SECRET}-2", "display_name": "Else"})).status == 200
    model = await admin.post(
        "/api/v1/models",
        {
            "provider_id": provider_id,
            "model": "m",
            "options": {"openaicompat": {"extra_body": {"key": SECRET}}, "temperature": 0.5},
        },
    )
    assert model.status == 201, model.json
    assert (await admin.put("/api/v1/users/me/provider-keys/elsewhere", {"api_key": SECRET})).status == 204
    assert (await admin.patch("/api/v1/settings", {"system_prompt": PROMPT, "titles": False})).status == 200
    server = await admin.post(
        "/api/v1/mcp-servers",
        {
            "slug": "tools",
            "scope": "deployment",
            "transport": "stdio",
            "command": ["run", f"--key={SECRET}"],
            "env": {"KEY": SECRET},
        },
    )
    assert server.status == 201, server.json
    token = await admin.post("/api/v1/users/me/tokens", {"name": "program"})
    rotated = await admin.post(f"/api/v1/users/me/tokens/{token.json['id']}/rotate", {})

    rows = await told(store, since)
    whole = repr(rows)
    for secret in (SECRET, PROMPT, "penguins", token.json["token"], rotated.json["token"]):
        assert secret not in whole
    by_deed = {(row.deed, row.target_id): json.loads(row.changes) for row in rows}
    assert by_deed["provider.change", provider_id] == {
        "display_name": {"before": "", "after": "Else"},
        "api_key": "changed",
    }
    assert by_deed["settings.change", "prompt"] == {
        "text": {
            "before": {"length": 0, "sha256": hashlib.sha256(b"").hexdigest()},
            "after": {"length": len(PROMPT), "sha256": hashlib.sha256(PROMPT.encode()).hexdigest()},
        }
    }
    assert by_deed["settings.change", "texts"] == {"titles": {"before": True, "after": False}}
    assert by_deed["model.create", model.json["id"]]["options.openaicompat"] == "changed"
    assert by_deed["mcp_server.create", server.json["id"]]["secrets"] == "changed"
    assert by_deed["token.rotate", token.json["id"]]["secret"] == "changed"
