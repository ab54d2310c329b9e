"""One summarizer is asked for a summary, with as much of the history as fits.

What is sent is the history as it is, for as long as that fits: its provider has read most of it before, and
remembers it. Otherwise it is shortened to what fits by our estimate, and refused all the same, shortened
further, a bounded number of times. A summary that was cut off is asked for once more, shorter. A model that
calls a tool instead is asked again without any, and is told the history in words.
"""

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.compaction.fit import fit
from chatd.agent.compaction.live_parts import LiveCompaction
from chatd.agent.compaction.refusals import TOO_LONG
from chatd.agent.compaction.render_calls import all_as_text, calls_as_text
from chatd.agent.compaction.room import PromptSize, learn_refusal, prompt_size
from chatd.agent.generation.generate import call_model, charge, refusal_of, request_of
from chatd.agent.generation.reply import Reply
from chatd.agent.hold.hold import Hold
from chatd.domain.message import Effort, Message, Role, text
from chatd.domain.part import Text, ToolCall
from chatd.domain.usage.charge import Fate
from chatd.domain.usage.size import BYTES_PER_TOKEN, tokens_of
from chatd.errors import ProviderError
from chatd.live.episodes.board import Episode
from chatd.providers.model import Model, Request
from chatd.records.run import Operation

PREFIX = (
    "The conversation so far was summarized to save room, in the middle of the work. "
    "Go on from here, without asking whether you should.\n\n"
)
INSTRUCTIONS = (
    "Summarize the conversation so far, so that the work can be continued from your summary alone. "
    "Call no tool, and say nothing but the summary.\n"
    "- Every constraint, wish, correction and prohibition of the user, as close to their words as possible. "
    "Each stands until the user revokes it, also one that was said long ago or is in an earlier summary. "
    "Do not generalize or widen any. Say that the user said it only where the user did.\n"
    "- The goal, and what is being done right now.\n"
    "- Decisions and their reasons.\n"
    "- Paths, names, commands, numbers and other details that the work needs.\n"
    "- Errors, and how exactly each was solved. That something failed once is no reason to avoid a tool.\n"
    "- What is done, what is under way, what is left to do, and what was about to happen next.\n"
    "Refer to what can be looked up again instead of repeating it. The user's newest messages are kept word "
    "for word beside your summary. Write densely, without filler."
)
SHORTER = (
    "\n\nYour summary must have at most {words} words: a longer one was cut off. "
    "Leave out details before you leave out what the user said."
)
CUT_OFF = "[The summary ends here: the model could not finish it.]"
NO_SUMMARY = (
    "The conversation had to be summed up, and the model said nothing. Try again, or choose another model."
)

# Of the context: up to here the history is sent as it is; if it is longer, it is shortened to this; and the
# summary may have this. What is left is for our wrong guesses.
AS_IT_IS_PERCENT = 85
SHORTENED_PERCENT = 70
SUMMARY_PERCENT = 20
# Below this share for the history, the tools and the server's words are left out instead.
HISTORY_PERCENT_MIN = 30
# Calls of one summarizer for one summary. One that was cut off is asked for once more, with this share.
CALLS_MAX = 6
FURTHER_PERCENT = 60
WORDS_MIN = 100
# In percent.
ALL = 100


class Summary(Struct, frozen=True, kw_only=True):
    words: str
    # Who made it; None: no model.
    model: str | None = None
    runtime_ms: int = 0
    # It ends in the middle.
    cut_off: bool = False
    # Why it was made, or finished, without a model; None: it was not.
    without_model: str | None = None


class Asked(Struct, frozen=True, kw_only=True):
    """A request for a summary, and how large it is."""

    request: Request
    size: PromptSize


async def summarize(
    hold: Hold, model: Model, episode: Episode, live: LiveCompaction, *, attempt: int, effort: Effort | None
) -> Summary:
    """Raises ProviderError when the model failed, refused or had nothing to say; then nothing was saved."""
    shorter, share, refusal, in_words = "", ALL, None, False
    for _ in range(CALLS_MAX):
        asked = await _ask_for(hold, model, attempt, shorter=shorter, share_percent=share, in_words=in_words)
        live.ask_again()
        try:
            request = replace(asked.request, effort=effort)
            reply = await call_model(hold, model, request, episode, Operation.SUMMARY, show=live.show)
        except ProviderError as error:
            if error.fault != TOO_LONG:
                raise
            refusal = error
            # From now on less is taken to fit.
            await learn_refusal(hold, model, error, asked.size)
            continue
        if not in_words and _calls_a_tool(reply, model):
            charge(hold, Fate.EMPTY, model, reply, Operation.SUMMARY)
            in_words = True
            continue
        summary = _summary_in(hold, model, reply)
        if shorter or not (summary.cut_off or _is_too_long(summary, asked.size.limit)):
            return summary
        share = share * FURTHER_PERCENT // 100
        shorter = SHORTER.format(words=_words_for(summary.words, asked.size.limit))
    raise refusal or ProviderError("generic", NO_SUMMARY, provider=model.provider)


async def _ask_for(
    hold: Hold, model: Model, attempt: int, *, shorter: str, share_percent: int, in_words: bool
) -> Asked:
    """A request that fits by our estimate."""
    instructions = _instructions(hold, shorter)
    request = await request_of(hold, model, attempt, then=(instructions,))
    before = await prompt_size(hold, model)
    size = replace(before, raw=before.raw + instructions.tokens, tokens=before.tokens + instructions.tokens)
    messages = calls_as_text(request.messages, model.provider_id)
    fits = not size.limit or (share_percent == ALL and fits_as_it_is(size))
    if fits and not in_words:
        return _asked(replace(request, messages=messages), size)
    total = size.limit * SHORTENED_PERCENT * share_percent // 100 // size.percent
    fixed = await hold.fixed_tokens(model) + instructions.tokens
    if in_words or (total - fixed) * 100 < total * HISTORY_PERCENT_MIN:
        # No tool is to be called, so a history in words needs none of them.
        request = replace(request, system=(), tools=(), tool_choice=None, provider_tools=False)
        messages, fixed = all_as_text(messages), instructions.tokens
    if fits:
        return _asked(replace(request, messages=messages), size)
    fitting = fit(messages, max(1, total - fixed))
    raw = fixed + sum(message.tokens for message in fitting)
    sent = PromptSize(raw=raw, tokens=raw * size.percent // 100, limit=size.limit)
    return _asked(replace(request, messages=fitting), sent)


def fits_as_it_is(size: PromptSize) -> bool:
    return not size.limit or size.tokens * 100 <= size.limit * AS_IT_IS_PERCENT


def _asked(request: Request, size: PromptSize) -> Asked:
    return Asked(request=replace(request, output_room=size.output_room), size=size)


def _summary_in(hold: Hold, model: Model, reply: Reply) -> Summary:
    draft = reply.draft(model)
    words = text(draft).strip() if draft is not None else ""
    if reply.refused:
        unusable = refusal_of(reply, draft, model)
        assert unusable is not None, "a refusal is refused"
        charge(hold, unusable[0], model, reply, Operation.SUMMARY)
        raise unusable[1]
    is_cut_off = draft is not None and draft.cut_off
    if not words and not is_cut_off:
        charge(hold, Fate.EMPTY, model, reply, Operation.SUMMARY)
        raise ProviderError("generic", NO_SUMMARY, provider=model.provider)
    # What it took is the charge's, with its usage: the messages have the size of the next prompt to tell.
    charge(hold, Fate.CUT_OFF if is_cut_off else Fate.USED, model, reply, Operation.SUMMARY)
    return Summary(words=words, model=model.name, runtime_ms=reply.runtime_ms, cut_off=is_cut_off)


def _calls_a_tool(reply: Reply, model: Model) -> bool:
    draft = reply.draft(model)
    calls = (part for part in (draft.content if draft is not None else ()) if isinstance(part, ToolCall))
    return any(not call.provider_executed for call in calls)


def _is_too_long(summary: Summary, limit: int) -> bool:
    """It would fill the context that it is to make room in."""
    return bool(limit) and tokens_of((Text(text=summary.words),)) * 100 > limit * SUMMARY_PERCENT


def _words_for(cut_off: str, limit: int) -> int:
    """How many words are asked for: fewer than came, and than there is room for."""
    came = len(cut_off.split()) // 2
    room = limit * SUMMARY_PERCENT // 100 * BYTES_PER_TOKEN // 8 if limit else came
    return max(WORDS_MIN, min(came, room))


def _instructions(hold: Hold, shorter: str) -> Message:
    """The last message of the request. It is no message of the chat, and is not saved."""
    newest = hold.memory.prompt()[-1]
    content = (Text(text=INSTRUCTIONS + shorter),)
    return Message(
        role=Role.USER,
        content=content,
        id=newest.id,
        revision=newest.revision,
        branch=hold.chat.branch,
        created_at=newest.created_at,
        tokens=tokens_of(content),
    )
