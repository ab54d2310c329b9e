"""A model behind a provider's protocol works in the workspace as the scripted one does."""

from pathlib import Path

from chatd.agent.prompts.base import BASE
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.fake_provider.places import KEY
from tests.fake_provider.script import Call, answer, say
from tests.fake_provider.server import FakeProvider
from tests.journeys.server import is_idle, transcript, until
from tests.journeys.workspace.working import environment, results, working

SETTINGS = """\
[[providers]]
name = "fake"
type = "anthropic"
base_url = "{address}"
api_key = "{key}"

[[models]]
provider = "fake"
model = "claude-opus-4-8"
default = true
"""

RUNS = answer(Call("one", "execute", {"command": "echo hello"}))


async def test_it_is_offered_the_tools_told_where_it_works_and_given_the_results(tmp_path: Path) -> None:
    async with FakeProvider(RUNS, answer(say("It says hello."))) as fake:
        (tmp_path / "chatd.toml").write_text(SETTINGS.format(address=fake.address, key=KEY))
        env = {**environment(SandboxMode.OFF), "CHATD_CONFIG": str(tmp_path / "chatd.toml")}
        async with working(tmp_path, env) as (_, client, root):
            chat = await client.create_chat("Say hello.", instructions="Be brief.")
            await until(client, chat.id, is_idle)

            (told,) = (await results(client, chat.id)).values()
            assert told["output"] == "hello\n"
            assert (await transcript(client, chat.id))[-1] == "assistant: It says hello."
        # What is written about the chat is asked for after the turn.
        first, second, *_ = (asked.body for asked in fake.asked)
    offered = [tool["name"] for tool in first["tools"]]
    assert {"execute", "process_output", "read_file", "edit_files"} <= set(offered)
    assert not {"echo", "launch"} & set(offered)
    words = [block["text"] for block in first["system"]]
    assert words[0] == BASE
    assert str(root) in words[1]
    assert "Commands run without a sandbox" in words[1]
    assert words[-1] == "Be brief."
    # What a provider has cached is used again.
    assert (first["tools"], words) == (second["tools"], [block["text"] for block in second["system"]])


async def test_without_a_workspace_it_has_neither_tools_nor_words_about_one(tmp_path: Path) -> None:
    async with FakeProvider() as fake:
        (tmp_path / "chatd.toml").write_text(SETTINGS.format(address=fake.address, key=KEY))
        env = {**environment(SandboxMode.OFF), "CHATD_CONFIG": str(tmp_path / "chatd.toml")}
        async with working(tmp_path, env) as (_, client, _root):
            chat = await client.create_chat("Say hello.", workspace=None)
            await until(client, chat.id, is_idle)
        asked, *_ = fake.asked
    offered = {tool["name"] for tool in asked.body["tools"]}
    assert not {"execute", "process_output", "read_file", "edit_files"} & offered
    base, *rest = (block["text"] for block in asked.body["system"])
    assert base == BASE
    assert not any("workspace" in words for words in rest)
