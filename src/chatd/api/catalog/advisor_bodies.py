"""The shapes of the advisor's settings on the wire."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.api.bodies.fields import OUTPUT_TOKENS_MAX
from chatd.domain.message import Effort
from chatd.tools.advisor import OUTPUT_TOKENS

# More than a turn has steps.
USES_MAX = 10_000

Uses = Annotated[
    int,
    Meta(ge=0, le=USES_MAX, description="How often an agent may ask in one turn; 0: as often as it likes."),
]
OutputTokens = Annotated[
    int,
    Meta(
        ge=0,
        le=OUTPUT_TOKENS_MAX,
        description=f"How long one advice may be, with the thoughts behind it; 0: {OUTPUT_TOKENS:,}.",
    ),
]
AdvisorModel = Annotated[str | None, Meta(description="provider/model. null: the model of the chat.")]
AdvisorEffort = Annotated[Effort | None, Meta(description="Only with a model, and one that takes it.")]
ForChildren = Annotated[bool, Meta(description="Also for agents that work for other agents.")]


class AdvisorView(Struct, frozen=True, kw_only=True):
    enabled: Annotated[bool, Meta(description="Whether agents have an advisor.")]
    max_uses_per_turn: int
    max_output_tokens: int
    model: AdvisorModel
    reasoning_effort: AdvisorEffort
    for_children: ForChildren


class PutAdvisor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enabled: Annotated[bool, Meta(description="Whether agents have an advisor.")]
    max_uses_per_turn: Uses = 0
    max_output_tokens: OutputTokens = 0
    model: AdvisorModel = None
    reasoning_effort: AdvisorEffort = None
    for_children: ForChildren = False
