"""The shapes of rules for approvals, as they cross the wire."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from chatd.api.bodies.fields import NAME_LENGTH_MAX
from chatd.domain.approvals.rule import RULES_MAX, Verdict
from chatd.live.shapes import Moment

# Of a word or a path. A whole rule has a bound in bytes, too.
PATTERN_LENGTH_MAX = 1000
PATTERNS_MAX = 100

Pattern: TypeAlias = Annotated[str, Meta(max_length=PATTERN_LENGTH_MAX)]
Position: TypeAlias = Annotated[
    int, Meta(ge=0, le=RULES_MAX, description="Its place in the list; 0 is the first, which is tried first.")
]
Source: TypeAlias = Literal["deployment", "user", "chat"]


class AddRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that is given must fit a call. Patterns have `*`, `?` and `[…]`. Up to 2 KiB as JSON."""

    verdict: Verdict
    tool: Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH_MAX, description="A pattern.")] = "*"
    words: Annotated[
        tuple[Pattern, ...],
        Meta(
            max_length=PATTERNS_MAX,
            description="Of one program of a command, each a pattern. A `*` at the end stands for any "
            "further words.",
        ),
    ] = ()
    paths: Annotated[
        tuple[Pattern, ...],
        Meta(
            max_length=PATTERNS_MAX,
            description="Patterns; one of them must fit. Within the workspace, or absolute; `**` stands for "
            "any folders.",
        ),
    ] = ()
    hosts: Annotated[
        tuple[Pattern, ...],
        Meta(
            max_length=PATTERNS_MAX,
            description="Patterns for hosts on the internet; one of them must fit. With a port, unless it is "
            "the usual one.",
        ),
    ] = ()
    workspace: Annotated[
        str, Meta(max_length=PATTERN_LENGTH_MAX, description="A pattern for its root; empty: any, or none.")
    ] = ""
    position: Position = 0


class MoveRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    position: Position


class OriginView(Struct, frozen=True, kw_only=True):
    """The call whose approval made a rule."""

    chat_id: str
    message_id: int
    tool_call_id: str


class RuleView(Struct, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The same for the same rule.")]
    source: Annotated[
        Source,
        Meta(description="`deployment`: from the settings of the server. They can be changed only there."),
    ]
    verdict: Verdict
    tool: str
    words: tuple[str, ...]
    paths: tuple[str, ...]
    hosts: tuple[str, ...]
    workspace: str
    text: Annotated[str, Meta(description="The same in words.")]
    created_at: Moment | None
    created_by: str | None
    origin: OriginView | None


class RuleList(Struct, frozen=True, kw_only=True):
    """The first rule that fits decides. Without one, reading inside of the workspace is allowed, changes and
    commands are asked for, and so are hosts on the internet; everything else outside is denied.
    """

    rules: tuple[RuleView, ...]
    asks: Annotated[
        bool,
        Meta(description="Whether people are asked at all. If not, what would be asked for just runs."),
    ]
