"""Personal skills over HTTP."""

from tests.api.client import Client
from tests.traceability import proves

SKILLS = "/api/v1/users/me/skills"
DEPLOY = "---\nname: deploy\ndescription: How I ship.\n---\nCarefully.<!-- aside -->"


async def test_a_skill_is_added_shown_changed_and_deleted(client: Client) -> None:
    added = await client.post(SKILLS, {"content": DEPLOY})
    assert (added.status, added.json["name"], added.json["description"]) == (201, "deploy", "How I ship.")
    assert added.json["content"] == DEPLOY
    assert (await client.get(f"{SKILLS}/deploy")).json == added.json

    changed = await client.patch(f"{SKILLS}/deploy", {"content": DEPLOY.replace("How", "Where")})
    assert (changed.status, changed.json["description"]) == (200, "Where I ship.")
    (listed,) = (await client.get(SKILLS)).json["skills"]
    assert set(listed) == {"name", "description", "created_at", "updated_at"}

    assert (await client.delete(f"{SKILLS}/deploy")).status == 204
    assert (await client.get(SKILLS)).json == {"skills": []}


@proves("mcp-skills-hooks", 48)
async def test_what_is_no_skill_is_refused_with_the_reason(client: Client) -> None:
    for content, reason in (
        (DEPLOY + "x" * 66_000, "It has more than 64 KiB."),
        ("Carefully.", "It does not begin with a line `---`."),
        (DEPLOY.replace("deploy", "De Ploy"), "Its `name` must be small letters"),
        (DEPLOY.replace("How I ship.", "x" * 5000), "Its `description` has more than 4096 bytes."),
    ):
        refused = await client.post(SKILLS, {"content": content})
        assert (refused.status, refused.json["error"]["code"]) == (400, "bad_skill")
        assert reason in refused.json["error"]["message"]


async def test_a_second_one_of_a_name_is_refused_and_says_how_to_replace_it(client: Client) -> None:
    await client.post(SKILLS, {"content": DEPLOY})

    refused = await client.post(SKILLS, {"content": DEPLOY})

    assert (refused.status, refused.json["error"]["code"]) == (409, "duplicate_skill")
    assert "PATCH /api/v1/users/me/skills/deploy" in refused.json["error"]["hint"]


async def test_another_name_inside_is_refused(client: Client) -> None:
    await client.post(SKILLS, {"content": DEPLOY})

    refused = await client.patch(f"{SKILLS}/deploy", {"content": DEPLOY.replace("deploy", "ship")})

    assert (refused.status, refused.json["error"]["code"]) == (400, "name_differs")


@proves("mcp-skills-hooks", 53)
async def test_skills_of_another_user_are_not_found(client: Client, stranger: Client, admin: Client) -> None:
    await client.post(SKILLS, {"content": DEPLOY})

    for other in (stranger, admin):
        assert (await other.get(SKILLS)).json == {"skills": []}
        assert (await other.get(f"{SKILLS}/deploy")).status == 404
        assert (await other.patch(f"{SKILLS}/deploy", {"content": DEPLOY})).status == 404
        assert (await other.delete(f"{SKILLS}/deploy")).status == 404
    assert (await client.get(f"{SKILLS}/deploy")).status == 200


async def test_a_caller_without_a_token_is_refused(anonymous: Client) -> None:
    assert (await anonymous.get(SKILLS)).status == 401
    assert (await anonymous.post(SKILLS, {"content": DEPLOY})).status == 401
