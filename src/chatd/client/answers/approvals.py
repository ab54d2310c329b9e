"""What a chat waits for, and the rules that decide without asking."""

from typing import Any

from msgspec import Struct


class ApprovalScope(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far an approval may reach: `once`, `chat` or `always`, and the rules that it would make."""

    scope: str
    rules: tuple[str, ...] = ()


class ApprovalRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person should know before they allow a call."""

    # Of its command, each with its words; and why there may be more.
    programs: tuple[tuple[str, ...], ...] = ()
    unsure: str | None = None
    # Which of the files that it changes has effects beyond itself, and which.
    danger: str | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    # On the internet.
    hosts: tuple[str, ...] = ()
    # What it would change, mostly a diff.
    preview: str | None = None
    scopes: tuple[ApprovalScope, ...] = ()


class QuestionOption(Struct, frozen=True, kw_only=True, omit_defaults=True):
    label: str
    description: str = ""


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Answered with the label of an option, or with words of one's own."""

    header: str
    question: str
    options: tuple[QuestionOption, ...] = ()


class Plan(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A plan that an agent proposes, in Markdown. `diff` is how it differs from the version before."""

    version: int
    text: str = ""
    diff: str = ""


class Awaited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that a client or a person must answer: `kind` is `result`, `approval` or `answer`."""

    tool_call_id: str
    tool_name: str
    kind: str
    message_id: int | None = None
    args: Any = None
    deadline: str | None = None
    approval: ApprovalRequest | None = None
    # Of an answer: what is asked, or the plan that was proposed.
    questions: tuple[Question, ...] = ()
    plan: Plan | None = None


class RuleOrigin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The call whose approval made a rule."""

    chat_id: str
    message_id: int
    tool_call_id: str


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule for approvals. `source` is `deployment`, `user` or `chat`, `verdict` allow, ask or deny."""

    id: str
    source: str
    verdict: str
    text: str
    tool: str = "*"
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    workspace: str = ""
    created_at: str | None = None
    created_by: str | None = None
    origin: RuleOrigin | None = None


class RuleList(Struct, frozen=True, kw_only=True):
    """In the order in which they are tried. `asks`: whether people are asked at all."""

    rules: tuple[Rule, ...]
    asks: bool = True
