"""Stories of an agent that asks first: a real server, killed and started again, and files that change."""

import json
from pathlib import Path

from chatd.client.answers import Awaited, Chat
from chatd.client.asynchronous import AsyncClient
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import is_idle, until
from tests.journeys.workspace.working import environment, results, working

ASKING = {**environment(SandboxMode.OFF), "CHATD_APPROVALS": "ask"}

EDIT = """\
call @read read_file {"path": "src/a.py"}
call @edited edit_files {"files": [{"path": "src/a.py", "edits": [{"old_text": "Mars", "new_text": "Io"}]}]}
next
say Done.
"""


def waits(chat: Chat) -> bool:
    return chat.status == "requires_action"


async def allow(client: AsyncClient, chat_id: str, awaited: Awaited, scope: str = "once") -> None:
    approval = {
        "tool_call_id": awaited.tool_call_id,
        "message_id": awaited.message_id,
        "decision": "allow",
        "scope": scope,
    }
    await client.submit(chat_id, approvals=[approval])


def execute(command: str) -> str:
    return f"call @run execute {json.dumps({'command': command})}\nnext\nsay Done."


def runs_in(root: Path) -> int:
    """The first one may have been killed before it did anything; then it does not run again."""
    log = root / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


async def test_a_diff_is_shown_before_a_file_changes_and_the_question_survives_a_kill(tmp_path: Path) -> None:
    async with working(tmp_path, ASKING) as (server, client, root):
        (root / "src").mkdir()
        file = root / "src" / "a.py"
        file.write_text("planet = 'Mars'\n")
        chat = await client.create_chat(EDIT)
        (awaited,) = (await until(client, chat.id, waits)).waiting_for

        assert awaited.tool_call_id == "edited"
        assert awaited.approval is not None
        assert awaited.approval.preview is not None
        assert "-planet = 'Mars'\n+planet = 'Io'" in awaited.approval.preview
        assert awaited.approval.writes == ("src/a.py",)
        # What needs no approval has run.
        assert list(await results(client, chat.id)) == ["read"]

        await server.kill()
        assert file.read_text() == "planet = 'Mars'\n"
        await server.start()
        assert (await client.chat(chat.id)).waiting_for == (awaited,)

        await allow(client, chat.id, awaited)
        await until(client, chat.id, is_idle)
        assert file.read_text() == "planet = 'Io'\n"


async def test_an_answer_for_always_counts_after_a_kill_for_this_very_command_and_no_other(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, ASKING) as (server, client, root):
        chat = await client.create_chat(execute("echo one >> log"))
        (awaited,) = (await until(client, chat.id, waits)).waiting_for
        await allow(client, chat.id, awaited, "always")
        await server.kill()
        await server.start()
        await until(client, chat.id, is_idle)
        runs = runs_in(root)

        again = await client.create_chat(execute("echo one >> log"))
        await until(client, again.id, is_idle)
        assert runs_in(root) == runs + 1

        hidden = await client.create_chat(execute("echo one >> log; touch made"))
        (awaited,) = (await until(client, hidden.id, waits)).waiting_for
        assert awaited.approval is not None
        assert awaited.approval.programs == (("echo", "one"), ("touch", "made"))
        assert not (root / "made").exists()


async def test_a_rule_of_the_settings_denies_whatever_people_answer(tmp_path: Path) -> None:
    settings = tmp_path / "chatd.toml"
    settings.write_text('[[rules]]\nverdict = "deny"\ntool = "execute"\nwords = ["touch", "*"]\n')
    async with working(tmp_path, ASKING) as (server, client, root):
        chat = await client.create_chat(execute("touch made"))
        (awaited,) = (await until(client, chat.id, waits)).waiting_for

        # The administrator forbids it meanwhile.
        await server.stop()
        server.flags = (*server.flags, "--config", str(settings))
        await server.start()
        await allow(client, chat.id, awaited, "always")
        await until(client, chat.id, is_idle)

        told = (await results(client, chat.id))["run"]
        assert told == {"error": "The rules of this server do not allow `touch made`."}
        assert not (root / "made").exists()
