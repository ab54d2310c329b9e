"""The language tests are written in."""

from msgspec.structs import replace

from chatd.domain.approvals.asked import Asked, AskedQuestion, QuestionOption, Questions
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import ApprovalRequest, ApprovalScope, Rule, Verdict
from chatd.domain.call import CallResult, CallState, Effect, Plan
from chatd.domain.chat import Failure, Lease, RetryState
from chatd.domain.ids import CallId, ChatId, FileId, RunnerId, UserId, WorkerId
from chatd.domain.message import Draft, Role, Usage, Visibility
from chatd.domain.part import Content, File, Json, Part, RunBy, Text, ToolCall, ToolResult
from chatd.domain.setup import ClientTool, SetupChange
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.workspace.context import Context, Resource, ResourceKind

OWNER = UserId("owner")
CLIENT_TOOL = "open_tab"


def said(words: str) -> Content:
    return (Text(text=words),)


def user(words: str, *, file: str | None = None, visibility: Visibility = Visibility.BOTH) -> Draft:
    parts: Content = said(words)
    if file is not None:
        parts = (*parts, File(file_id=FileId(file), media_type="text/plain"))
    return Draft(role=Role.USER, content=parts, visibility=visibility)


def system(words: str) -> Draft:
    return Draft(role=Role.SYSTEM, content=said(words))


def says(words: str, *more: Part, usage: Usage | None = None) -> Draft:
    """The agent speaks; `more` may hold its calls."""
    return Draft(role=Role.ASSISTANT, content=(*said(words), *more), usage=usage)


def call(call_id: str, tool: str = "read_file", args: Json = None, *, provider: bool = False) -> ToolCall:
    return ToolCall(tool_call_id=CallId(call_id), tool_name=tool, args=args, provider_executed=provider)


def client_call(call_id: str) -> ToolCall:
    return replace(call(call_id, CLIENT_TOOL), kind=RunBy.CLIENT)


def outcome(
    call_id: str, result: Json = "done", tool: str = "read_file", *, is_error: bool = False
) -> ToolResult:
    return ToolResult(tool_call_id=CallId(call_id), tool_name=tool, result=result, is_error=is_error)


def answers(call_id: str, result: Json = "done", *, ends_turn: bool = False) -> Draft:
    """A tool message."""
    return Draft(role=Role.TOOL, content=(outcome(call_id, result),), ends_turn=ends_turn)


def answers_after(call_id: str, result: Json, duration_ms: int, at: str) -> Draft:
    """A tool message that tells when its result was known, and how long the call took."""
    part = replace(outcome(call_id, result), created_at=at, duration_ms=duration_ms)
    return Draft(role=Role.TOOL, content=(part,))


def summary(words: str) -> tuple[Draft, Draft, Draft]:
    """What a compaction commits."""
    shown = call("summary", "chat_summarized")
    return (
        Draft(role=Role.USER, content=said(words), visibility=Visibility.MODEL, compressed=True),
        Draft(role=Role.ASSISTANT, content=(shown,), visibility=Visibility.USER, compressed=True),
        Draft(role=Role.TOOL, content=(outcome("summary", tool="chat_summarized"),), compressed=True),
    )


def create(
    *messages: Draft, chat_id: str = "chat", parent: str | None = None, temporary: bool = False
) -> CreateChat:
    return CreateChat(
        id=ChatId(chat_id),
        owner_id=OWNER,
        messages=messages or (user("hello"),),
        setup=SetupChange(client_tools=(ClientTool(name=CLIENT_TOOL),)),
        parent_id=ChatId(parent) if parent else None,
        root_id=ChatId(parent) if parent else None,
        temporary=temporary,
    )


def send(words: str, when: When = When.QUEUE, *, key: str | None = None) -> SendMessage:
    return SendMessage(message=replace(user(words), key=key), when=when)


def step(*messages: Draft, plans: tuple[Plan, ...] = ()) -> CommitStep:
    return CommitStep(messages=messages, plans=plans)


def asks_first(
    call_id: str, *rules: Rule, scopes: tuple[ApprovalScope, ...] = (ApprovalScope.CHAT, ApprovalScope.ALWAYS)
) -> Plan:
    """A person is asked; an answer may make these rules."""
    request = ApprovalRequest(rules=rules, scopes=scopes if rules else ())
    return Plan(call_id=CallId(call_id), state=CallState.NEEDS_APPROVAL, request=request)


def approve(call_id: str) -> SubmitActions:
    """The owner allows this call, once."""
    approval = Approval(call_id=CallId(call_id), decision=Decision.ALLOW)
    return SubmitActions(actions=(approval,), decided_by=OWNER)


def allows(tool: str = "execute", words: str = "", *, paths: tuple[str, ...] = ()) -> Rule:
    return Rule(verdict=Verdict.ALLOW, tool=tool, words=tuple(words.split()), paths=paths)


def denies(tool: str = "execute", words: str = "", *, paths: tuple[str, ...] = ()) -> Rule:
    return replace(allows(tool, words, paths=paths), verdict=Verdict.DENY)


def asks(tool: str = "execute", words: str = "", *, paths: tuple[str, ...] = ()) -> Rule:
    return replace(allows(tool, words, paths=paths), verdict=Verdict.ASK)


def question(call_id: str, asked: Asked | None = None) -> Plan:
    request = ApprovalRequest(asked=asked) if asked is not None else None
    return Plan(call_id=CallId(call_id), asks_person=True, request=request)


def questions(*headers: str) -> Questions:
    """Each can be answered with Red or Blue, or in other words."""
    options = tuple(QuestionOption(label=label, description=f"It is {label}.") for label in ("Red", "Blue"))
    return Questions(
        questions=tuple(
            AskedQuestion(header=header, question=f"Which {header}?", options=options) for header in headers
        )
    )


def plan(call_id: str, effect: Effect) -> Plan:
    return Plan(call_id=CallId(call_id), effect=effect)


def result(value: Json = "done") -> CallResult:
    return CallResult(result=value)


def lease(worker: str = "worker", runner: str = "runner") -> Lease:
    return Lease(WorkerId(worker), RunnerId(runner))


def failure(words: str = "The model is gone.") -> Failure:
    return Failure(message=words)


def retry(attempt: int = 1) -> RetryState:
    return RetryState(attempt=attempt, delay_ms=1000, error="busy", retrying_at="2027-01-15T08:00:00Z")


def words_of(message: Draft) -> str:
    """A message as one line, for comparing whole histories."""
    pieces = []
    for part in message.content:
        match part:
            case Text(text=text):
                pieces.append(text)
            case ToolCall(tool_call_id=call_id):
                pieces.append(f"calls {call_id}")
            case ToolResult(tool_call_id=call_id, is_error=is_error):
                pieces.append(f"{call_id} {'failed' if is_error else 'answered'}")
            case _:
                pieces.append(type(part).__name__)
    return f"{message.role}: {', '.join(pieces)}"


def told(text: str = "Use make.", *, workspace: str = "/w", skills: tuple[str, ...] = ()) -> Context:
    """What a workspace tells: an instruction file, and skills of these names."""
    instructions = Resource(
        kind=ResourceKind.INSTRUCTION_FILE, source="AGENTS.md", size_bytes=len(text.encode()), text=text
    )
    return Context(workspace=workspace, resources=(instructions, *map(a_skill, skills)))


def a_skill(name: str) -> Resource:
    return Resource(
        kind=ResourceKind.SKILL,
        source=f"skills/{name}/SKILL.md",
        size_bytes=50,
        skill_name=name,
        skill_description=f"About {name}.",
        text=f"Do {name}.",
    )
