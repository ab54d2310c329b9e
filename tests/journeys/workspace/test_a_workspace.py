"""Stories of chats with a workspace: a real server, real commands, and the scripted model."""

from pathlib import Path

from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import is_idle, until
from tests.journeys.workspace.working import both_ways, environment, results, working
from tests.traceability import proves


@both_ways
async def test_an_agent_runs_a_command_in_the_workspace_of_the_server(
    tmp_path: Path, mode: SandboxMode
) -> None:
    async with working(tmp_path, environment(mode)) as (_, client, root):
        chat = await client.create_chat('call @made execute {"command": "echo hello > made; pwd"}\nsay Done.')
        await until(client, chat.id, is_idle)

        made = (await results(client, chat.id))["made"]
        assert (made["success"], made["output"]) == (True, f"{root}\n")
        assert (root / "made").read_text() == "hello\n"


async def test_a_chat_whose_workspace_the_server_no_longer_has_tells_its_model_why(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, _):
        chat = await client.create_chat("say Hello.")
        await until(client, chat.id, is_idle)
        await server.stop()
        server.flags = ()
        await server.start()

        await client.send(chat.id, 'call @lost execute {"command": "touch made"}\nnext\nsay Done.')
        await until(client, chat.id, is_idle)

        lost = (await results(client, chat.id))["lost"]
        assert "started without a workspace" in lost["error"]
        assert not (tmp_path / "project" / "made").exists()


@proves("workspaces", 11)
async def test_a_chat_whose_directory_was_removed_goes_on_and_tells_its_model_so(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        (root / "inner").mkdir()
        chat = await client.create_chat("say Hello.", workspace="inner")
        await until(client, chat.id, is_idle)
        (root / "inner").rmdir()

        await client.send(
            chat.id,
            'call @read read_file {"path": "a"}\ncall @run execute {"command": "pwd"}\nnext\nsay Gone.',
        )
        await until(client, chat.id, is_idle)

        told = await results(client, chat.id)
        assert "does not exist any more" in told["read"]["error"]
        assert "does not exist any more" in told["run"]["error"]


async def test_an_agent_finds_reads_and_changes_files_and_is_shown_a_picture(tmp_path: Path) -> None:
    script = """\
call @found find_files {"pattern": "*.py"}
call @searched search_files {"pattern": "planet"}
next
call @read read_file {"path": "src/a.py", "limit": 1}
call @seen read_file {"path": "a.png"}
next
call @edited edit_files {"files": [{"path": "src/a.py", "edits": [{"old_text": "Mars", "new_text": "Io"}]}]}
next
call @written write_file {"path": "docs/b.md", "content": "Io is a moon."}
next
say Done.
"""
    picture = b"\x89PNG\r\n\x1a\n"
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, root):
        (root / "src").mkdir()
        (root / "src" / "a.py").write_text("planet = 'Mars'\nprint(planet)\n")
        (root / "a.png").write_bytes(picture)
        chat = await client.create_chat(script)
        await until(client, chat.id, is_idle)

        told = await results(client, chat.id)
        assert told["found"] == {"paths": ["src/a.py"]}
        assert told["searched"]["files"] == [
            {"path": "src/a.py", "lines": "1:planet = 'Mars'\n2:print(planet)"}
        ]
        assert (told["read"]["content"], told["read"]["next_offset"]) == ("1\tplanet = 'Mars'", 2)
        assert told["seen"] == {"mime_type": "image/png", "text": "a.png: image/png, 8 bytes"}
        parts = [part async for message in client.history(chat.id) for part in message.content]
        (media,) = [part.media for part in parts if part.media is not None]
        assert media.file_id is not None
        assert await client.file(media.file_id) == picture
        assert "+planet = 'Io'" in told["edited"]["files"][0]["diff"]
        assert told["written"] == {"ok": True, "created": True, "size": 13}
        assert (root / "src" / "a.py").read_text() == "planet = 'Io'\nprint(planet)\n"
        assert (root / "docs" / "b.md").read_text() == "Io is a moon."
