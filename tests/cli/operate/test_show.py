import json
import re
import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.domain.approvals.rule import AddRule, ApprovalRequest, ApprovalScope, KeptRule, Origin
from chatd.domain.call import CallState, Plan
from chatd.domain.decision.change import Details
from chatd.domain.ids import CallId, ChatId, MessageId, Micros
from chatd.domain.message import Cost, Draft, Role, Visibility
from chatd.domain.part import Reasoning, Text
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.live.episodes.episode import EpisodeKey, LivePart, ToolCallPiece
from chatd.live.live import Live
from chatd.storage.migrate import migrate
from chatd.storage.open import open_database
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.cli.program import chatd, complaint, serving
from tests.words import (
    OWNER,
    allows,
    answers_after,
    call,
    create,
    denies,
    said,
    says,
    send,
    step,
    told,
    user,
)

SHOWN = """\
Chat chat
  title      Planets (by person)
  owner      owner
  situation  running, with messages queued
  created    TIME
  updated    TIME
  versions   snapshot 4, history 4, queue 4, retry 0, attempt 0
  branch     2 of 2
  driven by  no worker
  label      team: blue
  cost       unpriced

Queue (2)
      6  queue  And a moon?
      7  steer  Quickly!

Calls (1)
      2  call-1  read_file  (local, once, answered)

History (5)
      1  user       (left, in branch 1)  Name a planet. It may be small.
      2  assistant  (left, in branch 1)  [thinks] hm · Let me see. · [calls read_file call-1] {"path":"sky"}
      3  tool       (left, in branch 1)  [result call-1 at TIME after 1500 ms] "full of stars"
      4  user       Name a planet.
      5  system     (model only)  Be brief.

Branches (1)
  2 leaves 1 at 1

Client tools (1)
  open_tab

Files (0)
"""


async def a_chat_with_everything(data_dir: Path) -> None:
    data_dir.mkdir()
    chat_id = ChatId("chat")
    first = user("Name a planet.\nIt may\x1b be small.")
    reply = Draft(
        role=Role.ASSISTANT,
        content=(Reasoning(text="hm"), *said("Let me see."), call("call-1", args={"path": "sky"})),
    )
    hidden = Draft(role=Role.SYSTEM, content=said("Be brief."), visibility=Visibility.MODEL)
    known = answers_after("call-1", "full of stars", 1500, "2027-01-15T08:00:00Z")
    named = Details(title="Planets", labels={"team": "blue"})
    async with open_database(f"sqlite:///{data_dir}/chatd.db", SystemClock()) as db:
        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", "owner", "owner", "member"))
        store = Store(db, MemoryBus())
        await create_chat(store, create(first))
        await transact(store, chat_id, step(reply), step(known))
        await transact(store, chat_id, EditMessage(message_id=MessageId(1), content=said("Name a planet.")))
        await transact(
            store,
            chat_id,
            step(hidden),
            send("And a moon?"),
            send("Quickly!", When.STEER),
            DescribeChat(details=named),
        )


async def test_one_chat_is_shown_to_a_person(tmp_path: Path) -> None:
    await a_chat_with_everything(tmp_path / "data")

    run = chatd(tmp_path, "show", "chat", "--data-dir", "data")

    assert run.returncode == 0
    assert re.sub(r"\d{4}-\S+Z", "TIME", run.stdout) == SHOWN


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        ([Cost(micros=1_500_000, source="settings"), Cost(micros=3, source="settings")], "1.500003"),
        ([Cost(micros=0, source="settings"), None], "0.000000 and 1 unpriced reply"),
        ([None], "unpriced"),
    ],
)
async def test_what_a_chat_has_cost_is_shown_and_unpriced_is_not_zero(
    tmp_path: Path, costs: list[Cost | None], shown: str
) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    async with open_database(f"sqlite:///{data_dir}/chatd.db", SystemClock()) as db:
        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", "owner", "owner", "member"))
        store = Store(db, MemoryBus())
        await create_chat(store, create(user("hello")))
        for cost in costs:
            # Without usage, as a reply that was interrupted: it was not free either.
            reply = replace(says("yes"), cost=cost)
            await transact(store, ChatId("chat"), step(reply))

    run = chatd(tmp_path, "show", "chat", "--data-dir", "data")

    assert f"\n  cost       {shown}\n" in run.stdout


async def test_what_a_chat_is_told_of_its_workspace_is_shown(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    async with open_database(f"sqlite:///{data_dir}/chatd.db", SystemClock()) as db:
        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", "owner", "owner", "member"))
        store = Store(db, MemoryBus())
        await create_chat(store, create(user("hello")))
        await transact(store, ChatId("chat"), PinContext(context=told(skills=("deploy",))))

    shown = re.sub(r"\d{4}-\S+Z", "TIME", chatd(tmp_path, "show", "chat", "--data-dir", "data").stdout)

    assert "\n  context    as of TIME, of /w\n" in shown
    assert shown.endswith(
        "Told of its workspace (2)\n"
        "  instruction_file  AGENTS.md  (ok)\n"
        "  skill             skills/deploy/SKILL.md  (ok)\n"
    )


async def test_what_needs_approval_is_shown_with_what_it_would_do_and_the_rules_of_the_chat(
    tmp_path: Path,
) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    request = ApprovalRequest(
        programs=(("npm", "test"),),
        unsure="it uses \x1b a variable",
        writes=("a.py",),
        preview="- one\n+ two",
        rules=(allows(words="npm test"),),
        scopes=(ApprovalScope.CHAT, ApprovalScope.ALWAYS),
    )
    waits = Plan(call_id=CallId("run"), state=CallState.NEEDS_APPROVAL, request=request)
    origin = Origin(chat_id=ChatId("chat"), message_id=MessageId(2), call_id=CallId("c"))
    kept = KeptRule(rule=denies(words="rm *"), created_at=Micros(0), created_by=OWNER, origin=origin)
    async with open_database(f"sqlite:///{data_dir}/chatd.db", SystemClock()) as db:
        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", "owner", "owner", "member"))
        store = Store(db, MemoryBus())
        await create_chat(store, create(user("hello")))
        reply = says("", call("run", "execute", {"command": "npm test"}))
        await transact(
            store, ChatId("chat"), step(reply, plans=(waits,)), ChangeRules(changes=(AddRule(kept=kept),))
        )

    run = chatd(tmp_path, "show", "chat", "--data-dir", "data")

    assert (
        """
Needs approval (1)
  run  execute  {"command":"npm test"}
    runs    npm test
    unsure  it uses a variable
    writes  a.py
    chat or always would allow calls of `execute` for the program `npm test`
    | - one
    | + two

Rules of this chat (1)
"""
        in run.stdout
    )
    assert "deny calls of `execute` for the program `rm *`" in run.stdout
    assert "for call c of message 2" in run.stdout


async def test_one_chat_is_shown_to_a_script(tmp_path: Path) -> None:
    await a_chat_with_everything(tmp_path / "data")

    run = chatd(tmp_path, "show", "chat", "--data-dir", "data", "--json")

    shown = json.loads(run.stdout)
    assert set(shown) == {
        "chat", "setup", "queue", "calls", "messages", "branches", "files", "charges", "rules",
        "resources", "children", "authors", "being_said",
    }  # fmt: skip
    assert [message["id"] for message in shown["messages"]] == [1, 2, 3, 4, 5]
    assert shown["messages"][0]["content"] == [
        {"type": "text", "text": "Name a planet.\nIt may\x1b be small."}
    ]


BEING_SAID = """
Being said, and not saved yet (4)
  [thinks] hm, hm
  Let me look.
  [calls read_file call-1] {"path":"sky"}
  [begins to call read_file call-2] {"pa
"""


async def test_what_is_being_said_is_shown_as_such_until_it_is_saved(tmp_path: Path) -> None:
    await a_chat_with_everything(tmp_path / "data")
    first, second = CallId("call-1"), CallId("call-2")
    parts: list[LivePart] = [
        Reasoning(text="hm, "),
        Reasoning(text="hm"),
        Text(text="Let me"),
        Text(text=" look."),
        ToolCallPiece(tool_call_id=first, tool_name="read_file", args_delta='{"path":'),
        ToolCallPiece(tool_call_id=first, tool_name="read_file", args_delta='"sky"}'),
        call(first, args={"path": "sky"}),
        ToolCallPiece(tool_call_id=second, tool_name="read_file", args_delta='{"p'),
        ToolCallPiece(tool_call_id=second, tool_name="read_file", args_delta="a"),
    ]
    async with open_database(f"sqlite:///{tmp_path}/data/chatd.db", SystemClock()) as db:
        store = Store(db, MemoryBus())
        versions = (await transact(store, ChatId("chat"), BeginAttempt())).chat.versions
        live = Live(store, SystemClock())
        episode = live.board.open(EpisodeKey(ChatId("chat"), versions.history, versions.attempt))
        for part in parts:
            episode.add(Role.ASSISTANT, part)
        await live.log.flush()

        shown = chatd(tmp_path, "show", "chat", "--data-dir", "data")
        for_scripts = chatd(tmp_path, "show", "chat", "--data-dir", "data", "--json")
        await transact(store, ChatId("chat"), step(says("Let me look.")))
        afterwards = chatd(tmp_path, "show", "chat", "--data-dir", "data")

    assert BEING_SAID in shown.stdout
    assert [part["type"] for part in json.loads(for_scripts.stdout)["being_said"]] == [
        "reasoning", "text", "tool-call", "tool-call",
    ]  # fmt: skip
    assert "Being said" not in afterwards.stdout


async def test_a_chat_is_shown_beside_a_running_server(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        chat_id = await server.start_chat("Look at me.")

        run = chatd(tmp_path, "show", chat_id, "--data-dir", "data")

        assert run.returncode == 0
        assert "Look at me." in run.stdout
        assert await server.start_chat("And go on.")


async def test_a_chat_is_shown_after_its_server_was_killed(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        chat_id = await server.start_chat("Look at me.")
        await server.end(signal.SIGKILL)

    assert "Look at me." in chatd(tmp_path, "show", chat_id, "--data-dir", "data").stdout


async def test_the_beginning_of_an_id_will_do_if_no_other_begins_so(tmp_path: Path) -> None:
    await a_chat_with_everything(tmp_path / "data")
    async with open_database(f"sqlite:///{tmp_path}/data/chatd.db", SystemClock()) as db:
        await create_chat(Store(db, MemoryBus()), create(user("x"), chat_id="chat-2"))
        await create_chat(Store(db, MemoryBus()), create(user("y"), chat_id="other"))

    assert chatd(tmp_path, "show", "oth", "--data-dir", "data").stdout.startswith("Chat other\n")
    assert chatd(tmp_path, "show", "chat", "--data-dir", "data").stdout.startswith("Chat chat\n")
    several = chatd(tmp_path, "show", "cha", "--data-dir", "data")
    assert several.returncode == 1
    assert complaint(several) == "Several chats begin with 'cha': chat, chat-2."


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_unknown_chat_is_told(tmp_path: Path, more: list[str]) -> None:
    chatd(tmp_path, "migrate", "--data-dir", "data")

    run = chatd(tmp_path, "show", "nothing", "--data-dir", "data", *more)

    assert run.returncode == 1
    assert complaint(run) == "There is no chat 'nothing' in this database."


def test_looking_makes_no_data_directory(tmp_path: Path) -> None:
    run = chatd(tmp_path, "show", "nothing", "--data-dir", "data")

    assert run.returncode == 1
    assert complaint(run).startswith(f"There is no database at {tmp_path}/data/chatd.db.")
    assert not (tmp_path / "data").exists()


def test_a_chat_is_looked_for_on_postgres_too(tmp_path: Path, postgres_url: str) -> None:
    for chat_id in ("nothing", "\udcff"):
        run = chatd(tmp_path, "show", chat_id, "--database-url", postgres_url)

        assert run.returncode == 1
        assert complaint(run).startswith("There is no chat")
