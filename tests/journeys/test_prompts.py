"""Stories of what models are told first: a real server, and what its model was really sent."""

from pathlib import Path

from chatd.agent.prompts.base import BASE
from chatd.client.asynchronous import AsyncClient
from tests.cli.caller import ran
from tests.journeys.server import is_idle, until
from tests.journeys.workspace.test_context import RECORDED, request_of
from tests.journeys.workspace.working import results, working

ORDER = ["base", "administrator", "user", "place", "workspace", "advisor", "instructions"]


async def test_the_model_is_told_in_one_order_and_the_prompt_shows_exactly_that(tmp_path: Path) -> None:
    async with working(tmp_path, RECORDED) as (_, client, root):
        (root / "AGENTS.md").write_text("Use make.")
        (root / "skills" / "deploy").mkdir(parents=True)
        (root / "skills" / "deploy" / "SKILL.md").write_text(
            "---\nname: deploy\ndescription: Ship it.\n---\nx"
        )
        await client.change_settings(system_prompt="You work for Acme.")
        await client.change_own_settings(prompt="I am Ann.")
        await client.set_advisor(enabled=True)
        chat = await client.create_chat("say Hello.", instructions="Be brief.")
        await until(client, chat.id, is_idle)

        told = await client.prompt(chat.id)
        request = await request_of(client, chat.id)

    assert [part.text for part in told.parts] == request["system"]
    assert [tool.name for tool in told.tools] == [tool["name"] for tool in request["tools"]]
    words = {part.name: part.text for part in told.parts}
    assert [name for name in words if name in ORDER] == ORDER
    assert (next(iter(words)), next(reversed(words))) == ("base", "instructions")
    assert words["base"] == BASE
    assert str(root) in words["place"]
    assert words["workspace"].index("Use make.") < words["workspace"].index("Ship it.")
    assert [words[name] for name in ("administrator", "user", "instructions")] == [
        "You work for Acme.", "I am Ann.", "Be brief.",
    ]  # fmt: skip


async def test_what_an_administrator_changes_counts_from_the_next_turn_of_every_chat(tmp_path: Path) -> None:
    async with working(tmp_path, RECORDED) as (_, client, _root):
        await client.change_settings(base_prompt="", system_prompt="Old.")
        chat = await client.create_chat("say Hello.", workspace=None)
        await until(client, chat.id, is_idle)
        before = await request_of(client, chat.id)

        await client.change_settings(base_prompt="You are Al.", system_prompt="New.")
        await client.send(chat.id, "say Hello.")
        await until(client, chat.id, is_idle)

        assert before["system"][0] == "Old."
        assert (await request_of(client, chat.id))["system"][:2] == ["You are Al.", "New."]


async def test_chats_that_plan_are_told_more_and_agents_are_switched_off_for_one_chat_or_all(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, RECORDED) as (_, client, _root):
        await client.change_settings(plan_prompt="Name the owner of each step.")
        plans = await client.create_chat("say Hello.", mode="plan")
        alone = await client.create_chat("call spawn_agent {}", delegation=False)
        for chat in (plans, alone):
            await until(client, chat.id, is_idle)

        parts, tools = await told_of(client, plans.id)
        assert parts["plan_administrator"] == "Name the owner of each step."
        assert list(parts).index("plan_administrator") == list(parts).index("plan") + 1
        assert {"agents"} <= parts.keys()
        assert {"spawn_agent"} <= tools
        parts, tools = await told_of(client, alone.id)
        assert not {"agents", "plan", "plan_administrator"} & parts.keys()
        assert not {"spawn_agent", "wait_agent", "list_agents"} & tools
        refused = (await results(client, alone.id)).values()
        assert any("spawn_agent" in str(each) for each in refused)

        await client.change_chat(alone.id, delegation=True)
        assert {"spawn_agent"} <= (await told_of(client, alone.id))[1]
        await client.change_settings(subagents={"enabled": False})
        parts, tools = await told_of(client, plans.id)
        assert "agents" not in parts
        assert "spawn_agent" not in tools


async def told_of(client: AsyncClient, chat_id: str) -> tuple[dict[str, str], set[str]]:
    """The parts of the chat's prompt, and the tools that its model is told of."""
    told = await client.prompt(chat_id)
    return {part.name: part.text for part in told.parts}, {tool.name for tool in told.tools}


async def test_the_command_shows_the_parts_with_their_sizes_and_the_tools(tmp_path: Path) -> None:
    async with working(tmp_path, RECORDED) as (server, client, _root):
        chat = await client.create_chat("say Hello.", instructions="Be brief.")
        await until(client, chat.id, is_idle)

        shown = await ran(tmp_path, server, "prompt", chat.id)

    lines = shown.output.splitlines()
    assert lines[0].startswith("scripted/scripted is told about ")
    assert "===== instructions: 3 tokens =====" in lines
    assert lines[lines.index("===== instructions: 3 tokens =====") + 1] == "Be brief."
    assert any(line.startswith("execute ") for line in lines)
