"""The advisor's settings: read by all users, changed by administrators."""

import pytest

from chatd.catalog.documents import ADVISOR
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.traceability import proves

PATH = "/api/v1/settings/advisor"
OFF = {
    "enabled": False,
    "max_uses_per_turn": 0,
    "max_output_tokens": 0,
    "model": None,
    "reasoning_effort": None,
    "for_children": False,
}
WHOLE = {
    "enabled": True,
    "max_uses_per_turn": 3,
    "max_output_tokens": 2000,
    "model": "some/model",
    "reasoning_effort": "high",
    "for_children": True,
}


async def test_it_is_off_at_first_and_every_user_can_see_what_is_set(client: Client, admin: Client) -> None:
    assert (await client.get(PATH)).json == OFF

    assert (await admin.put(PATH, WHOLE)).json == WHOLE

    assert (await client.get(PATH)).json == WHOLE
    assert (await admin.put(PATH, {"enabled": False})).json == OFF


@proves("advisor", 36)
async def test_only_administrators_change_it(client: Client, anonymous: Client) -> None:
    assert (await client.put(PATH, WHOLE)).status == 403
    assert (await anonymous.get(PATH)).status == 401
    assert (await client.get(PATH)).json == OFF


@proves("advisor", 35)
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"max_uses_per_turn": -1}, "max_uses_per_turn"),
        ({"max_output_tokens": -1}, "max_output_tokens"),
        ({"max_uses_per_turn": 10_001}, "max_uses_per_turn"),
        ({"model": "no/such"}, "model"),
        ({"model": "other/model", "reasoning_effort": "high"}, "reasoning_effort"),
        ({"model": None}, "reasoning_effort"),
        ({"reasoning_effort": "frantic"}, "reasoning_effort"),
    ],
)
async def test_what_cannot_work_is_refused(admin: Client, fields: dict[str, object], field: str) -> None:
    refused = await admin.put(PATH, {**WHOLE, **fields})

    assert (refused.status, refused.error["field"]) == (400, field)
    assert (await admin.get(PATH)).json == OFF


@proves("advisor", 35)
async def test_a_model_that_is_switched_off_is_refused(admin: Client) -> None:
    provider = {"name": "desk", "type": "openai-compatible", "base_url": "http://127.0.0.1:9/v1"}
    added = (await admin.post("/api/v1/providers", provider)).json
    model = {"provider_id": added["id"], "model": "one", "context_limit": 1000, "enabled": False}
    assert (await admin.post("/api/v1/models", model)).status == 201

    refused = await admin.put(PATH, {"enabled": True, "model": "desk/one"})

    assert (refused.status, refused.error["code"]) == (400, "model_disabled")


@proves("advisor", 37)
async def test_what_is_stored_and_cannot_be_read_is_a_failure_of_the_server(
    client: Client, admin: Client, store: Store
) -> None:
    await store.db.write(lambda tx: tx.run("save_setting", ADVISOR, '{"max_uses_per_turn": "many"}'))

    assert (await client.get(PATH)).status == 500
    # It can be set right.
    assert (await admin.put(PATH, WHOLE)).status == 200
    assert (await client.get(PATH)).json == WHOLE


async def test_a_stored_limit_that_is_negative_is_shown_as_none(client: Client, store: Store) -> None:
    await store.db.write(lambda tx: tx.run("save_setting", ADVISOR, '{"max_uses_per_turn": -5}'))

    assert (await client.get(PATH)).json == OFF
