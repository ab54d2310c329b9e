"""A chat in which everything was said that can be, each with a mark, and who may see which."""

from collections.abc import Mapping

from msgspec.structs import replace

from chatd.domain.approvals.rule import AddRule, KeptRule, Rule, Verdict
from chatd.domain.ids import CallId, ChatId, FileId, Micros, UserId
from chatd.domain.message import Cost, Draft, Role, Usage, Visibility
from chatd.domain.part import (
    SUMMARY_TOOL,
    CallDecision,
    ContextFile,
    File,
    FileReference,
    HookNotice,
    Reasoning,
    RunBy,
    Skill,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.domain.people.links import Included
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.kit.ids import new_id
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.client import Client
from tests.words import call, outcome, said, says, step

REASONING, TOOLS, FILES = Included
WORDS: frozenset[Included] = frozenset()
# What a link has to include for a guest to find it; None: whatever it includes, they do not.
MARKS: Mapping[str, frozenset[Included] | None] = {
    "MARK-question": WORDS,
    "MARK-beside-a-call": WORDS,
    "MARK-answer": WORDS,
    "MARK-thought": frozenset({REASONING}),
    "MARK-argument": frozenset({TOOLS}),
    "MARK-result": frozenset({TOOLS}),
    "MARK-source": frozenset({TOOLS}),
    "MARK-tool-name": frozenset({TOOLS}),
    "MARK-attachment": frozenset({FILES}),
    "MARK-picture": frozenset({TOOLS, FILES}),
    "MARK-of-picture": frozenset({TOOLS, FILES}),
    "MARK-old-picture": frozenset({TOOLS, FILES}),
    "MARK-summary": None,
    "MARK-shown-summary": None,
    "MARK-for-an-agent": None,
    "MARK-of-an-agent": None,
    "MARK-notice": None,
    "MARK-for-the-model": None,
    "MARK-file-reference": None,
    "MARK-skill": None,
    "MARK-context": None,
    "MARK-hook": None,
    "MARK-label": None,
    "MARK-decider": None,
    "MARK-server": None,
    "MARK-internal": None,
    "MARK-model": None,
    "MARK-sender": None,
    "MARK-command": None,
    "MARK-rule": None,
    "7654321": None,
    "7654322": None,
    "7654323": None,
    "7654324": None,
}


class Scene:
    def __init__(self, chat_id: str, attachment: str, picture: str) -> None:
        self.chat_id = chat_id
        self.attachment = attachment
        self.picture = picture


async def upload(client: Client, name: str, data: bytes = b"some words") -> str:
    headers = {
        "content-type": "text/plain",
        "content-disposition": f'attachment; filename="{name}"',
    }
    answer = await client.ask("POST", "/api/v1/files", data, headers=headers)
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


async def everything(client: Client, store: Store, owner: UserId) -> Scene:
    """The agent is in the middle of its turn when this returns."""
    attachment = await upload(client, "MARK-attachment.txt")
    picture = await upload(client, "MARK-picture.txt")
    chat_id = ChatId(new_id())
    new = CreateChat(
        id=chat_id,
        owner_id=owner,
        messages=(_asked(attachment),),
        title="A title",
        labels={"MARK-label": "MARK-label"},
    )
    await create_chat(store, new)
    await transact(store, chat_id, BeginAttempt())
    await transact(store, chat_id, step(_called()), ChangeRules(changes=(AddRule(kept=RULE),)))
    await transact(store, chat_id, step(_answered(picture)))
    await transact(store, chat_id, step(_delegated()))
    await transact(store, chat_id, step(Draft(role=Role.TOOL, content=(_report(),))))
    await transact(store, chat_id, step(*_notes()))
    await transact(store, chat_id, step(*_compacted()))
    await transact(store, chat_id, step(says("MARK-answer")))
    return Scene(chat_id, attachment, picture)


RULE = KeptRule(rule=Rule(verdict=Verdict.ALLOW, tool="MARK-rule"), created_at=Micros(1))


def _asked(attachment: str) -> Draft:
    return Draft(
        role=Role.USER,
        content=(
            Text(text="MARK-question"),
            File(file_id=FileId(attachment), media_type="text/plain", name="MARK-attachment.txt"),
            FileReference(file_name="MARK-file-reference", content="MARK-file-reference"),
            ContextFile(context_file_path="MARK-context"),
            Skill(skill_name="MARK-skill"),
            HookNotice(text="MARK-hook"),
        ),
        created_by=UserId("MARK-sender"),
    )


def _called() -> Draft:
    called = ToolCall(
        tool_call_id=CallId("one"),
        tool_name="MARK-tool-name",
        args={"path": "MARK-argument"},
        kind=RunBy.SERVER,
        mcp_server_config_id="MARK-server",
        parsed_commands=(("MARK-command",),),
    )
    return Draft(
        role=Role.ASSISTANT,
        content=(
            Reasoning(text="MARK-thought"),
            Text(text="MARK-beside-a-call"),
            called,
            call("two", "MARK-tool-name"),
            call("three", "MARK-tool-name"),
            Source(source_id="1", url="https://MARK-source.example", title="MARK-source"),
        ),
        model="MARK-model",
        usage=Usage(input_tokens=7654321, output_tokens=1),
        cost=Cost(micros=7654322, source="reported"),
        runtime_ms=7654323,
        first_ms=7654324,
        internal={"secret": "MARK-internal"},
    )


def _answered(picture: str) -> Draft:
    shown = File(file_id=FileId(picture), media_type="text/plain", name="MARK-picture.txt")
    return Draft(
        role=Role.TOOL,
        content=(
            replace(
                outcome("one", {"text": "MARK-result"}, "MARK-tool-name"),
                decision=CallDecision(allowed=True, by="MARK-decider"),
                mcp_server_config_id="MARK-server",
                duration_ms=7654323,
            ),
            replace(
                outcome("two", {"text": "MARK-of-picture"}, "MARK-tool-name"), is_media=True, media=shown
            ),
            replace(outcome("three", {"data": "MARK-old-picture"}, "MARK-tool-name"), is_media=True),
        ),
    )


def _delegated() -> Draft:
    """Without a word: nobody sees that there was a message."""
    return Draft(role=Role.ASSISTANT, content=(call("four", "spawn_agent", {"prompt": "MARK-for-an-agent"}),))


def _report() -> ToolResult:
    return outcome("four", {"report": "MARK-of-an-agent"}, "spawn_agent")


def _notes() -> tuple[Draft, ...]:
    return (
        Draft(role=Role.SYSTEM, content=said("MARK-notice"), visibility=Visibility.USER),
        Draft(role=Role.ASSISTANT, content=said("MARK-for-the-model"), visibility=Visibility.MODEL),
    )


def _compacted() -> tuple[Draft, ...]:
    """What a compaction commits."""
    return (
        Draft(role=Role.USER, content=said("MARK-summary"), visibility=Visibility.MODEL, compressed=True),
        Draft(
            role=Role.ASSISTANT,
            content=(call("summary", SUMMARY_TOOL),),
            visibility=Visibility.USER,
            compressed=True,
        ),
        Draft(
            role=Role.TOOL,
            content=(outcome("summary", {"summary": "MARK-shown-summary"}, SUMMARY_TOOL),),
            compressed=True,
        ),
    )
