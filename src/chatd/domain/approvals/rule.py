"""Rules for approvals: what they say, what a call tells about itself, and how a list of rules changes.

Which rule counts for which call is decided in `approvals/`.
"""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.approvals.asked import Asked
from chatd.domain.ids import CallId, ChatId, MessageId, Micros, UserId
from chatd.errors import BadInput, LimitReached, NotFound
from chatd.kit.codec import encode

# In one list: of a user, or of a chat.
RULES_MAX = 200
# Of one rule, as JSON. All rules of a user and a chat are read before each call.
RULE_BYTES_MAX = 2048


class Verdict(StrEnum):
    """What a rule says of a call: it may run, a person is asked, or it may not."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class ApprovalScope(StrEnum):
    """For which calls an answer counts: this one, such calls of the chat, or such calls of all chats."""

    ONCE = "once"
    CHAT = "chat"
    ALWAYS = "always"


# Patterns that could be taken for more or less than they are for.
_IN_WORDS = {"*": "any file of the top folder", "**": "any file"}


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that is given must fit. Names and words are patterns with `*`, `?` and `[…]`.

    `words` are those of one program of a command; a `*` at the end stands for any further words.
    `paths` are within the workspace, or absolute; `**` stands for any folders.
    `hosts` are those of addresses on the internet, with their port unless it is the usual one.
    """

    verdict: Verdict
    tool: str = "*"
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    # The root of the workspace; empty: any, or none.
    workspace: str = ""
    hosts: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same rule, so that adding it twice adds it once."""
        return hashlib.sha256(encode(self)).hexdigest()[:16]

    @property
    def is_too_long(self) -> bool:
        return len(encode(self)) > RULE_BYTES_MAX

    def __str__(self) -> str:
        """For people: which calls it is for."""
        about = [f"calls of `{self.tool}`" if self.tool != "*" else "all calls"]
        if self.words:
            about.append(f"for the program `{' '.join(self.words)}`")
        if self.paths:
            about.append("for " + ", ".join(_IN_WORDS.get(path, f"`{path}`") for path in self.paths))
        if self.hosts:
            about.append("for the host " + ", ".join(f"`{host}`" for host in self.hosts))
        if self.workspace:
            about.append(f"in the workspace {self.workspace}")
        return f"{self.verdict} {' '.join(about)}"


class Touches(Struct, frozen=True, kw_only=True):
    """What a call would run, read, write and ask, as its tool tells before it runs.

    Paths are as the model wrote them: within the workspace, or absolute.
    """

    commands: tuple[str, ...] = ()
    # Where the commands run; empty: at the root of the workspace.
    directory: str = ""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    # On the internet, in ASCII and lower case; with the port unless it is the usual one.
    hosts: tuple[str, ...] = ()


class ApprovalRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person is shown of a call that needs their approval, beside its arguments.

    It is stored with the call. Rules for change: add fields with a default; never change what a field means.
    """

    # The programs of its commands, each with its words.
    programs: tuple[tuple[str, ...], ...] = ()
    # Why it may run more than these.
    unsure: str | None = None
    # Which of the files that it changes has effects beyond itself, and which.
    danger: str | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    # What it would change, such as a diff.
    preview: str | None = None
    # The rules that an answer for the chat, or for always, makes. None can be made of a call that is unsure,
    # or dangerous.
    rules: tuple[Rule, ...] = ()
    # For which of both these rules would have an effect: a rule that asks may come before them.
    scopes: tuple[ApprovalScope, ...] = ()
    # What the call asks a person, if that is all it is for; then nothing else is here.
    asked: Asked | None = None
    # That it would ask on the internet.
    hosts: tuple[str, ...] = ()


class Origin(Struct, frozen=True, kw_only=True):
    """The call whose answer made a rule."""

    chat_id: ChatId
    message_id: MessageId
    call_id: CallId


class KeptRule(Struct, frozen=True, kw_only=True):
    """A rule in a list, and who has put it there. Without an origin it was not made of an answer."""

    rule: Rule
    created_at: Micros
    created_by: UserId | None = None
    origin: Origin | None = None

    @property
    def id(self) -> str:
        return self.rule.id


class AddRule(Struct, frozen=True, kw_only=True):
    kept: KeptRule
    # 0 is the first, which is tried before all others.
    position: int = 0


class MoveRule(Struct, frozen=True, kw_only=True):
    rule_id: str
    position: int


class RemoveRule(Struct, frozen=True, kw_only=True):
    rule_id: str


RuleChange: TypeAlias = AddRule | MoveRule | RemoveRule


def rules_after(rules: tuple[KeptRule, ...], changes: Iterable[RuleChange]) -> tuple[KeptRule, ...]:
    """Raises BadInput, NotFound and LimitReached."""
    for change in changes:
        rules = _changed(rules, change)
    return rules


def _changed(rules: tuple[KeptRule, ...], change: RuleChange) -> tuple[KeptRule, ...]:
    match change:
        case AddRule(kept=kept, position=position):
            if any(each.rule == kept.rule for each in rules):
                return rules
            _check(rules, kept.rule)
            return _inserted(rules, kept, position)
        case MoveRule(rule_id=rule_id, position=position):
            found = _find(rules, rule_id)
            return _inserted(_without(rules, found), found, position)
        case RemoveRule(rule_id=rule_id):
            return _without(rules, _find(rules, rule_id))


def _check(rules: tuple[KeptRule, ...], new: Rule) -> None:
    if new.is_too_long:
        raise BadInput("rule_too_long", f"A rule may have {RULE_BYTES_MAX} bytes as JSON; this one has more.")
    if len(rules) >= RULES_MAX:
        raise LimitReached(
            "too_many_rules",
            f"There are {RULES_MAX} rules already.",
            limit=RULES_MAX,
            hint="Remove rules that are not needed any more.",
        )


def _inserted(rules: tuple[KeptRule, ...], kept: KeptRule, position: int) -> tuple[KeptRule, ...]:
    return (*rules[:position], kept, *rules[position:])


def _without(rules: tuple[KeptRule, ...], kept: KeptRule) -> tuple[KeptRule, ...]:
    return tuple(each for each in rules if each != kept)


def _find(rules: tuple[KeptRule, ...], rule_id: str) -> KeptRule:
    for kept in rules:
        if kept.id == rule_id:
            return kept
    raise NotFound("rule_not_found", f"There is no rule {rule_id}.")
