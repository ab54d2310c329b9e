"""The models of chats that work for others, as administrators and users set them."""

from tests.api.client import Client
from tests.traceability import proves

OWN = "/api/v1/users/me/settings"
SETTINGS = "/api/v1/settings"


@proves("api", 68)
async def test_an_administrator_sets_the_models_of_children_for_all(admin: Client) -> None:
    before = (await admin.get(SETTINGS)).json["subagents"]

    wanted = {"explore": {"model": "scripted", "reasoning_effort": "low"}}
    changed = await admin.patch(SETTINGS, {"subagents": wanted})
    refused = await admin.patch(SETTINGS, {"subagents": {"general": {"model": "gpt-99"}}})
    effort_alone = await admin.patch(SETTINGS, {"subagents": {"general": {"reasoning_effort": "low"}}})
    cleared = await admin.patch(SETTINGS, {"subagents": {"explore": None}})

    assert before == {}
    assert changed.json["subagents"] == {"explore": {"model": "scripted/scripted", "reasoning_effort": "low"}}
    assert (refused.status, refused.error["field"]) == (400, "subagents.general.model")
    assert effort_alone.status == 400
    assert cleared.json["subagents"] == {}


@proves("api", 70)
async def test_users_choose_for_themselves_where_they_may(client: Client, admin: Client) -> None:
    refused = await client.patch(OWN, {"subagents": {"general": "chat"}})
    await admin.patch(SETTINGS, {"subagents": {"own_allowed": True}})
    chosen = await client.patch(OWN, {"subagents": {"general": "chat", "explore": {"model": "scripted"}}})
    again = await client.patch(OWN, {"subagents": {"general": "deployment"}})
    wrong = await client.patch(OWN, {"subagents": {"general": "another"}})

    assert (refused.status, refused.error["code"]) == (403, "own_subagents_not_allowed")
    assert chosen.json["subagents"] == {"general": "chat", "explore": {"model": "scripted/scripted"}}
    assert chosen.json["subagents_allowed"]
    assert again.json["subagents"] == {"explore": {"model": "scripted/scripted"}}
    assert wrong.status == 400
