"""A story of agents that cost too much: they stop, and the chat that they work for tells the user."""

from pathlib import Path

from tests.fake_provider.places import KEY
from tests.fake_provider.script import Answer, Call, answer, say
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.wires.wire import Asked
from tests.journeys.server import is_idle, served, transcript, until
from tests.journeys.workspace.working import results

# A call of the fake provider has 170 tokens in and 40 out: 1.05 cents.
SETTINGS = """\
[[providers]]
name = "desk"
type = "openai-compatible"
base_url = "{address}/v1"
api_key = "{key}"

[[models]]
provider = "desk"
model = "one"
context_limit = 100000
prices = {{ input = 50000000, output = 50000000 }}
default = true
"""
TASK = "Look for it without end."
CALL_MICROS = 10_500
ENV = {"CHATD_FAMILY_COST_CENTS_MAX": "3"}


def speaks(asked: Asked) -> Answer:
    """The agent works without end; the chat starts it, waits for it, and tells what came of it."""
    if asked.body["messages"][-1]["role"] == "user" and "tools" not in asked.body:
        return answer(say("Something about the chat."))
    user = next(m["content"] for m in asked.body["messages"] if m["role"] == "user")
    if TASK in str(user):
        return answer(Call(f"look{asked.number}", "look", {}))
    steps = sum(m["role"] == "assistant" for m in asked.body["messages"])
    return (
        answer(Call("spawn", "spawn_agent", {"type": "general", "title": "looks", "prompt": TASK})),
        answer(Call("wait", "wait_agent", {})),
        answer(say("It costs too much.")),
    )[min(steps, 2)]


async def test_an_agent_stops_when_its_family_has_cost_enough_and_the_user_is_told(tmp_path: Path) -> None:
    async with FakeProvider(otherwise=speaks) as fake:
        config = tmp_path / "chatd.toml"
        config.write_text(SETTINGS.format(address=fake.address, key=KEY))
        async with (
            served(tmp_path, env={**ENV, "CHATD_CONFIG": str(config)}) as server,
            server.client() as client,
        ):
            chat = await client.create_chat("Find it.", title="Finding")
            await until(client, chat.id, is_idle)

            (child,) = (await client.children(chat.id)).chats
            assert child.status == "error"
            assert child.last_error is not None
            assert child.last_error.kind == "usage_limit"
            assert "may cost 0.03" in child.last_error.message
            (told,) = (await results(client, chat.id))["call_wait"]["agents"]
            assert (told["last_error_kind"], told["status"]) == ("usage_limit", "error")
            assert (await transcript(client, chat.id))[-1] == "assistant: It costs too much."
            # What it did before is kept and paid for, and no more than one call passed the limit.
            assert 0 < child.cost_micros_total <= 3 * CALL_MICROS
