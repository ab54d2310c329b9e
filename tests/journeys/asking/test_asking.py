"""Stories of an agent that asks a person and waits: a real server, killed and started again."""

import json
from pathlib import Path

from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.asking.test_approvals import waits
from tests.journeys.server import is_idle, transcript, until
from tests.journeys.workspace.working import environment, results, working

OPTIONS = [{"label": "Red", "description": "Warm."}, {"label": "Blue", "description": "Cold."}]
WALL = {"header": "Wall", "question": "Which colour?", "options": OPTIONS}


def ask(*questions: object) -> str:
    return f"call @asked ask_user_question {json.dumps({'questions': questions})}"


async def test_questions_wait_over_a_kill_beside_calls_that_run_and_the_turn_goes_on_with_the_answers(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (server, client, root):
        (root / "a.txt").write_text("a")
        script = f'call @read read_file {{"path": "a.txt"}}\n{ask(WALL, WALL)}\nnext\nsay Done.'
        chat = await client.create_chat(script)
        (awaited,) = (await until(client, chat.id, waits)).waiting_for

        assert [each.header for each in awaited.questions] == ["Wall", "Wall"]
        assert list(await results(client, chat.id)) == ["read"]
        await server.kill()
        await server.start()
        assert (await client.chat(chat.id)).waiting_for == (awaited,)

        answer = {"tool_call_id": "asked", "message_id": awaited.message_id, "answer": ["Blue", "none"]}
        await client.submit(chat.id, answers=[answer])
        await until(client, chat.id, is_idle)

        told = (await results(client, chat.id))["asked"]["answers"]
        assert [each["answer"] for each in told] == ["Blue", "none"]
        assert (await transcript(client, chat.id))[-1] == "assistant: Done."


async def test_a_question_that_cannot_be_asked_is_told_to_the_model_and_the_turn_goes_on(
    tmp_path: Path,
) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, _):
        chat = await client.create_chat(f"{ask(WALL, WALL | {'options': OPTIONS[:1]})}\nnext\nsay Done.")
        await until(client, chat.id, is_idle)

        assert "questions[1].options" in (await results(client, chat.id))["asked"]["error"]


async def test_a_message_may_be_sent_instead_of_an_answer(tmp_path: Path) -> None:
    async with working(tmp_path, environment(SandboxMode.OFF)) as (_, client, _):
        chat = await client.create_chat(f"{ask(WALL)}\nnext\nsay Done.")
        await until(client, chat.id, waits)

        await client.send(chat.id, "say Something else.", when="interrupt")
        await until(client, chat.id, is_idle)

        assert (await transcript(client, chat.id))[-3:] == [
            "tool: asked failed",
            "user: say Something else.",
            "assistant: Something else.",
        ]
