"""An old history becomes a summary, and the turn goes on from there."""

from contextlib import closing

from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.compaction.render_calls import calls_as_text
from chatd.agent.compaction.shrink import shrunk
from chatd.agent.follow_up import follow_up
from chatd.agent.generation.generate import begin_attempt, call_model, charge, request_of
from chatd.agent.hold import Hold
from chatd.domain.charge import Fate
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Effort, Message, Role, Visibility, text
from chatd.domain.next_step import Limits, context_limit
from chatd.domain.part import SUMMARY_TOOL, Json, Text, ToolCall, ToolResult
from chatd.domain.transitions.commit_step import CommitStep
from chatd.errors import ProviderError
from chatd.providers.model import Model
from chatd.records.run import Operation

PREFIX = (
    "The conversation so far was summarized to save room, in the middle of the work. Go on from here.\n\n"
)
INSTRUCTIONS = (
    "Summarize the conversation so far, so that it can be continued from your summary alone. "
    "Keep every wish, correction and prohibition of the user as close to their words as you can, and say "
    "that it was the user who said it. Keep the goal, decisions and their reasons, names, paths, commands, "
    "errors and how exactly each was solved, what is done, what is under way and what comes next. "
    "Refer to what can be looked up again instead of repeating it. Write densely."
)
NO_SUMMARY = (
    "The conversation had to be summed up, and the model said nothing. Try again, or choose another model."
)


async def summarize(
    hold: Hold,
    model: Model,
    limits: Limits,
    *,
    requested: bool,
    effort: Effort | None,
    room: int | None = None,
) -> None:
    """Raises ProviderError when the model failed or had nothing to say; then nothing was saved.

    A history that has just been too long for the model is shortened before it is summed up: to what there is
    `room` for, in tokens; 0 if that is unknown.
    """
    attempt, episode = await begin_attempt(hold)
    call = ToolCall(tool_call_id=CallId(f"summary-{hold.chat.versions.history}"), tool_name=SUMMARY_TOOL)
    with metrics.compacting(model), closing(episode):
        episode.add(Role.ASSISTANT, call)
        request = await request_of(hold, model, attempt, then=(_instructions(hold),))
        messages = calls_as_text(request.messages, model.provider_id)
        request = replace(request, messages=messages, effort=effort)
        if room is not None:
            request = replace(request, messages=shrunk(request.messages, room))
        reply = await call_model(hold, model, request, episode, Operation.SUMMARY)
        draft = reply.draft(model)
        words = text(draft).strip() if draft is not None else ""
        if not words:
            charge(hold, Fate.EMPTY, model, reply, Operation.SUMMARY)
            raise ProviderError("generic", NO_SUMMARY, provider=model.provider)
        about: dict[str, Json] = {
            "source": "manual" if requested else "automatic",
            "threshold_percent": limits.compact_at_percent,
        }
        triplet = (
            Draft(
                role=Role.USER,
                content=(Text(text=PREFIX + words),),
                visibility=Visibility.MODEL,
                compressed=True,
                model=model.name,
            ),
            Draft(
                role=Role.ASSISTANT,
                content=(replace(call, args=about),),
                visibility=Visibility.USER,
                compressed=True,
                model=model.name,
                runtime_ms=reply.runtime_ms or None,
            ),
            Draft(
                role=Role.TOOL,
                content=(
                    ToolResult(
                        tool_call_id=call.tool_call_id,
                        tool_name=SUMMARY_TOOL,
                        result={"summary": words, **about, **_fullness(hold, limits)},
                    ),
                ),
                compressed=True,
                model=model.name,
            ),
        )
        # What it took is the charge's, with its usage: the messages have the size of the next prompt to tell.
        charge(hold, Fate.USED, model, reply, Operation.SUMMARY)
        step = CommitStep(messages=triplet, consumes_request=requested)
        await hold.commit(step, attempt=attempt, then=follow_up(hold, limits))


def _fullness(hold: Hold, limits: Limits) -> dict[str, Json]:
    """How full the context was, for people who wonder why."""
    known = hold.chat.projection
    tokens, limit = known.prompt_tokens or known.estimated_tokens, context_limit(known.context_limit, limits)
    return {
        "context_tokens": tokens,
        "context_limit_tokens": limit,
        "usage_percent": tokens * 100 // limit if limit else 0,
    }


def _instructions(hold: Hold) -> Message:
    """The last message of the request. It is no message of the chat, and is not saved."""
    chat = hold.chat
    newest = hold.memory.prompt()[-1]
    return Message(
        role=Role.USER,
        content=(Text(text=INSTRUCTIONS),),
        id=newest.id,
        revision=newest.revision,
        branch=chat.branch,
        created_at=newest.created_at,
        tokens=0,
    )
