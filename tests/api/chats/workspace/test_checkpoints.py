"""Bringing files back, undoing that, and what a turn has changed: over HTTP, with a real git."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.domain.call import Effect
from chatd.domain.ids import ChatId, MessageId
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store, transact
from chatd.workspaces.checkpoints import Announce, CheckpointError, Restored
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from chatd.workspaces.places import Places
from chatd.workspaces.workspace import WorkspaceUnusable
from tests.api.client import CHATS, Answer, Client
from tests.support.catalog_stores import some_catalog_store
from tests.words import answers, call, failure, plan, says, send, step, words_of
from tests.workspaces.local.checkpoints.project import files_of, make_project, points_of, users_repository


class Project:
    """A workspace with checkpoints. It may be gone, or have no git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.points: LocalCheckpoints | None = points_of(root)
        self.is_gone = False

    @property
    def checkpoints(self) -> LocalCheckpoints | None:
        return self.points

    async def opened(self, directory: str) -> Any:
        if self.is_gone:
            raise WorkspaceUnusable("It is gone.")
        assert directory == str(self.root)
        return self


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(make_project(tmp_path / "project"))


@pytest.fixture
def app(store: Store, project: Project) -> ASGIApp:
    return build(
        store,
        catalog_store=some_catalog_store(store),
        places=Places(project.root.parent, shared=True),
        open_workspace=project.opened,
    )


class Story:
    """A chat in the project, whose agent changes files without a worker."""

    def __init__(self, client: Client, store: Store, project: Project, chat_id: str) -> None:
        self.client = client
        self.store = store
        self.project = project
        self.id = ChatId(chat_id)

    @property
    def path(self) -> str:
        return f"{CHATS}/{self.id}"

    async def step(self, change: Callable[[], object], *, kept: bool = True) -> MessageId:
        """The agent calls a tool that changes files. Answers with the message of the call."""
        done = await transact(
            self.store, self.id, step(says("", call("c", "execute")), plans=(plan("c", Effect.ONCE),))
        )
        message_id = done.appended[-1].id
        await transact(
            self.store, self.id, StartCalls(message_id=message_id, call_ids=(call("c").tool_call_id,))
        )
        if kept:
            assert self.project.points is not None
            await self.project.points.take(self.id, message_id)
        change()
        await transact(self.store, self.id, step(answers("c")))
        return message_id

    async def end(self) -> None:
        await transact(self.store, self.id, step(says("Done.")), FinishTurn())

    async def say(self, words: str) -> MessageId:
        return (await transact(self.store, self.id, send(words))).appended[-1].id

    async def restore(self, message_id: int, **body: object) -> Answer:
        return await self.client.post(f"{self.path}/messages/{message_id}/restore", body)

    async def undo(self, **body: object) -> Answer:
        return await self.client.post(f"{self.path}/restore/undo", body)

    async def diff(self, message_id: int, of: str | None = None, **query: str) -> Answer:
        query |= {"path": of} if of is not None else {}
        return await self.client.get(f"{self.path}/messages/{message_id}/diff", **query)

    async def last_words(self) -> list[str]:
        stored = await read_everything(self.store.db, self.id)
        assert stored is not None
        return [words_of(message) for message in stored.messages[-2:]]


@pytest.fixture
async def story(client: Client, store: Store, project: Project) -> Story:
    """Two turns: the first changes `main.py`, the second adds a file."""
    chat = await client.start_chat("change something", workspace=str(project.root))
    story = Story(client, store, project, chat["id"])
    await story.step(lambda: (project.root / "main.py").write_text("print('two')\n"))
    await story.end()
    await story.say("and now more")
    await story.step(lambda: (project.root / "more.txt").write_text("more\n"))
    await story.end()
    return story


async def users_messages(story: Story) -> tuple[int, int]:
    page = (await story.client.get(f"{story.path}/prompts")).json
    second, first = (prompt["id"] for prompt in page["prompts"])
    return first, second


async def test_files_are_brought_back_as_they_were_before_a_message_and_a_restore_is_undone(
    story: Story, project: Project
) -> None:
    after, repository = files_of(project.root), users_repository(project.root)
    first, second = await users_messages(story)

    answer = await story.restore(second)
    assert answer.json == {
        "files": [{"path": "more.txt", "deed": "removed"}],
        "more_files": 0,
        "failed": [],
        "dry_run": False,
    }
    assert not (project.root / "more.txt").exists()
    await story.restore(first)
    assert (project.root / "main.py").read_text() == "print('one')\n"

    await story.undo()
    await story.restore(first)
    await story.undo()
    assert (project.root / "main.py").read_text() == "print('two')\n"
    assert users_repository(project.root) == repository
    assert files_of(project.root).keys() == after.keys() - {"more.txt"}


async def test_the_history_tells_people_and_the_model_of_a_restore_and_of_its_undoing(story: Story) -> None:
    first, _ = await users_messages(story)

    await story.restore(first)
    told, notice = await story.last_words()
    assert notice == (
        f"system: Files were brought back as they were before message {first}: 1 changed, 1 removed."
    )
    assert 'as they were before the user\'s message that begins "change something"' in told
    assert '- changed: "main.py"\n- removed: "more.txt"' in told

    await story.undo()
    told, notice = await story.last_words()
    assert notice == "system: The last restore of files was undone: 1 added, 1 changed."
    assert "The user has undone the last restore" in told


async def test_one_file_is_brought_back_and_the_others_stay(story: Story, project: Project) -> None:
    first, _ = await users_messages(story)
    one = {"path": "main.py", "deed": "changed"}
    planned = await story.restore(first, path="main.py", dry_run=True)
    assert planned.json["files"] == [one]
    assert (project.root / "main.py").read_text() == "print('two')\n"

    assert (await story.restore(first, path="main.py")).json["files"] == [one]

    assert (project.root / "main.py").read_text() == "print('one')\n"
    assert (project.root / "more.txt").read_text() == "more\n"
    told, notice = await story.last_words()
    assert notice == f"system: Files were brought back as they were before message {first}: 1 changed."
    assert told.endswith('- changed: "main.py"')

    await story.undo()
    assert (project.root / "main.py").read_text() == "print('two')\n"


@pytest.mark.parametrize(
    "path", ["unheard.of", "../main.py", "/etc/passwd", ":(glob)*", "more", ".git/config"]
)
async def test_a_path_of_no_changed_file_changes_nothing(story: Story, project: Project, path: str) -> None:
    before, words = files_of(project.root), await story.last_words()

    answer = await story.restore(1, path=path)

    assert (answer.status, answer.json["files"]) == (200, [])
    assert (files_of(project.root), await story.last_words()) == (before, words)


async def test_people_see_the_notice_and_not_what_the_model_is_told(story: Story) -> None:
    first, _ = await users_messages(story)
    await story.restore(first)

    newest, before, *_ = (await story.client.get(f"{story.path}/messages")).json["messages"]

    assert newest["role"] == "system"
    assert before["role"] == "assistant"


async def test_a_dry_run_tells_what_would_be_done_and_leaves_no_trace(story: Story, project: Project) -> None:
    before, words = files_of(project.root), await story.last_words()
    first, _ = await users_messages(story)

    planned = await story.restore(first, dry_run=True)

    assert [file["path"] for file in planned.json["files"]] == ["main.py", "more.txt"]
    assert planned.json["dry_run"]
    assert (files_of(project.root), await story.last_words()) == (before, words)
    assert (await story.undo(dry_run=True)).error["code"] == "nothing_to_undo"


async def test_a_restore_that_has_nothing_to_do_is_not_told(story: Story) -> None:
    first, _ = await users_messages(story)
    await story.restore(first)
    words = await story.last_words()

    again = await story.restore(first)

    assert (again.status, again.json["files"]) == (200, [])
    assert await story.last_words() == words


async def test_what_is_kept_is_listed(story: Story) -> None:
    listed = (await story.client.get(f"{story.path}/checkpoints")).json
    assert len(listed["checkpoints"]) == 2
    assert (listed["can_undo"], listed["interrupted"]) == (False, False)

    await story.restore(1)

    assert (await story.client.get(f"{story.path}/checkpoints")).json["can_undo"]


async def test_the_diff_of_a_turn_ends_before_the_next_message_of_a_user(story: Story) -> None:
    first, second = await users_messages(story)

    of_first, of_second = await story.diff(first), await story.diff(second)

    assert of_first.json["files"] == [{"path": "main.py", "deed": "changed"}]
    assert "-print('one')\n+print('two')\n" in of_first.json["diff"]
    assert of_second.json["files"] == [{"path": "more.txt", "deed": "added"}]
    assert not of_second.json["incomplete"]


async def test_the_diff_until_now_has_what_later_turns_and_people_have_changed(
    story: Story, project: Project
) -> None:
    first, _ = await users_messages(story)
    (project.root / "by-hand.txt").write_text("mine\n")

    whole = (await story.diff(first, until="now")).json

    assert [(file["path"], file["deed"]) for file in whole["files"]] == [
        ("by-hand.txt", "added"),
        ("main.py", "changed"),
        ("more.txt", "added"),
    ]
    assert "-print('one')\n+print('two')\n" in whole["diff"]
    assert (await story.diff(first, until="then")).status == 400


async def test_a_turn_that_changed_nothing_has_an_empty_diff(story: Story) -> None:
    third = await story.say("just talk")
    await story.end()

    answer = await story.diff(third)

    assert (answer.json["files"], answer.json["diff"]) == ([], "")


async def test_a_long_diff_is_left_out_and_can_be_had_file_by_file(story: Story, project: Project) -> None:
    third = await story.say("write a lot")
    await story.step(lambda: (project.root / "long.txt").write_text("line\n" * 700_000))
    await story.step(lambda: (project.root / "short.txt").write_text("line\n"))
    await story.end()

    whole, one = await story.diff(third), await story.diff(third, "short.txt")

    assert (whole.json["too_long"], whole.json["diff"]) == (True, "")
    assert [file["path"] for file in whole.json["files"]] == ["long.txt", "short.txt"]
    assert [file["path"] for file in one.json["files"]] == ["short.txt"]
    assert "+line\n" in one.json["diff"]


@pytest.mark.parametrize("path", ["../project/main.py", "/etc/passwd", "no such file", ":(top)x", "-p"])
async def test_a_diff_of_a_file_that_is_none_is_empty(story: Story, path: str) -> None:
    assert (await story.diff(1, path)).json["files"] == []


async def test_a_name_that_no_file_can_have_is_refused(story: Story) -> None:
    assert (await story.diff(1, "a\0b")).error["field"] == "path"


async def test_restoring_is_refused_while_the_agent_works(story: Story, project: Project) -> None:
    before = files_of(project.root)
    await story.say("go on")

    answer = await story.restore(1)

    assert (answer.status, answer.error["code"]) == (409, "chat_busy")
    assert "interrupt" in answer.error["hint"].lower()
    assert files_of(project.root) == before


async def test_a_message_that_is_sent_in_the_last_moment_wins(story: Story, project: Project) -> None:
    """The chat was at rest when it was looked at, and runs when the restore is to be noted."""
    before, points = files_of(project.root), points_of(project.root)

    class SentMeanwhile:
        kept = staticmethod(points.kept)

        async def restore(
            self, chat_id: ChatId, message_id: MessageId | None, tell: Announce, path: str | None
        ) -> Restored:
            await story.say("wait, go on")
            return await points.restore(chat_id, message_id, tell)

    project.points = SentMeanwhile()  # type: ignore[assignment]
    answer = await story.restore(1)

    assert (answer.status, answer.error["code"]) == (409, "chat_busy")
    assert files_of(project.root) == before


async def test_restoring_is_refused_while_another_chat_works_in_the_directory(
    story: Story, project: Project
) -> None:
    other = await story.client.start_chat("work", workspace=str(project.root))

    answer = await story.restore(1)

    assert (answer.status, answer.error["code"]) == (409, "workspace_busy")
    assert other["id"] in answer.error["message"]


async def test_a_failed_turn_can_be_brought_back(story: Story, project: Project) -> None:
    await story.say("break it")
    await story.step(lambda: (project.root / "main.py").write_text("broken"))
    await transact(story.store, story.id, FailTurn(failure=failure()))
    first, _ = await users_messages_of_three(story)

    assert (await story.restore(first)).status == 200
    assert (project.root / "main.py").read_text() == "print('one')\n"
    assert (await story.client.get(story.path)).json["status"] == "error"


async def users_messages_of_three(story: Story) -> tuple[int, int]:
    page = (await story.client.get(f"{story.path}/prompts")).json
    return page["prompts"][-1]["id"], page["prompts"][-2]["id"]


async def test_a_state_before_a_step_that_was_not_kept_is_not_made_up(story: Story, project: Project) -> None:
    """There is a later checkpoint, but it has what the unkept step has changed."""
    third = await story.say("twice more")
    await story.step(lambda: (project.root / "main.py").write_text("not kept"), kept=False)
    fine = await story.step(lambda: (project.root / "main.py").write_text("kept"))
    await story.end()

    refused = await story.restore(third)
    assert (refused.status, refused.error["code"]) == (409, "not_kept")
    assert str(fine) in refused.error["hint"]
    assert (await story.diff(third)).json["incomplete"]

    assert (await story.restore(fine)).status == 200
    assert (project.root / "main.py").read_text() == "not kept"


async def test_a_message_from_which_on_nothing_was_changed_has_nothing_to_restore(story: Story) -> None:
    third = await story.say("just talk")
    await story.end()

    answer = await story.restore(third)

    assert (answer.status, answer.error["code"]) == (409, "nothing_kept")


async def test_messages_of_a_branch_that_was_left_can_be_restored(story: Story, project: Project) -> None:
    first, second = await users_messages(story)
    edited = await story.client.patch(
        f"{story.path}/messages/{second}", {"content": [{"type": "text", "text": "something else"}]}
    )
    assert edited.status == 200
    await story.step(lambda: (project.root / "other.txt").write_text("other\n"))
    await story.end()

    assert (await story.restore(second)).status == 200
    assert not (project.root / "more.txt").exists()
    assert (project.root / "main.py").read_text() == "print('two')\n"
    assert (await story.restore(first)).status == 200
    assert (project.root / "main.py").read_text() == "print('one')\n"


async def test_what_could_not_be_brought_back_is_told_to_the_caller_and_to_the_model(
    story: Story, project: Project
) -> None:
    (project.root / "main.py").unlink()
    (project.root / "main.py").mkdir()
    (project.root / "main.py" / "x.log").write_text("ignored by git")

    answer = await story.restore(1)

    assert [file["path"] for file in answer.json["failed"]] == ["main.py"]
    told, notice = await story.last_words()
    assert notice == "system: 1 files could not be brought back."
    assert '"main.py": Something that is not kept' in told


async def test_a_restore_that_is_cut_off_is_told(story: Story, project: Project) -> None:
    points = points_of(project.root)

    class Broken:
        kept = staticmethod(points.kept)

        async def restore(
            self, chat_id: ChatId, message_id: MessageId | None, tell: Announce, path: str | None
        ) -> Restored:
            await tell(Restored())
            raise CheckpointError("The disk is gone.")

    project.points = Broken()  # type: ignore[assignment]
    answer = await story.restore(1)

    assert (answer.status, answer.error["code"]) == (409, "checkpoint_failed")
    assert (await story.last_words())[1].startswith("system: The restore was cut off: The disk is gone.")


async def test_what_cannot_be_is_refused(story: Story) -> None:
    refused = {
        "message_not_found": await story.restore(999),
        "bad_value": await story.restore(10**19),
        "unknown_field": await story.restore(1, dryrun=True),
        "nothing_to_undo": await story.undo(),
    }
    assert (await story.undo(path="main.py")).error["code"] == "unknown_field"
    assert (await story.restore(1, path="a\0b")).error["code"] == "bad_value"

    assert [answer.error["code"] for answer in refused.values()] == list(refused)
    assert (await story.diff(999)).error["code"] == "message_not_found"


async def test_a_chat_without_a_workspace_has_no_checkpoints(client: Client, story: Story) -> None:
    chat = await client.start_chat("hello", workspace=None)
    for path in ("checkpoints", "messages/1/diff"):
        answer = await client.get(f"{CHATS}/{chat['id']}/{path}")
        assert (answer.status, answer.error["code"]) == (409, "no_workspace")
    refused = await client.post(f"{CHATS}/{chat['id']}/messages/1/restore", {})
    assert (refused.status, refused.error["code"]) == (409, "no_workspace")


async def test_a_workspace_that_is_gone_and_one_without_git_are_told_apart(
    story: Story, project: Project
) -> None:
    project.points = None
    assert (await story.restore(1)).error["code"] == "no_checkpoints"
    project.is_gone = True
    assert (await story.restore(1)).error["code"] == "workspace_unusable"


async def test_only_the_owner_brings_files_back(story: Story, stranger: Client, admin: Client) -> None:
    for path in (f"{story.path}/messages/1/restore", f"{story.path}/restore/undo"):
        assert (await stranger.post(path, {})).status == 404
        assert (await admin.post(path, {})).error["code"] == "not_permitted"
    assert (await stranger.get(f"{story.path}/checkpoints")).status == 404
    assert (await stranger.get(f"{story.path}/messages/1/diff")).status == 404


async def test_a_chat_in_the_archive_is_taken_out_first(story: Story) -> None:
    await story.client.patch(story.path, {"archived": True})

    assert (await story.restore(1)).error["code"] == "archived"
