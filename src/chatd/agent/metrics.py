"""What agents do, as numbers for Prometheus: by provider and model, and never by chat.

Counted once for a call, a step or a turn; nothing is counted for each word. Every label was named by
us or by an administrator: what a model or a caller made up is `unknown`, so that they cannot make the
number of series grow without end.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeAlias, TypeVar

from prometheus_client import Counter, Gauge, Histogram

from chatd.domain.call import CallResult
from chatd.domain.chat import Reason
from chatd.domain.message import Cost, Usage
from chatd.domain.transitions import Command
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import ProviderError
from chatd.kit.clock import Clock
from chatd.kit.codec import encode
from chatd.providers.model import Model

M = TypeVar("M", Counter, Gauge, Histogram)

# Series that are remembered: some models, each with all its tools.
LABELLED_MAX = 1024

# Provider and model, as an administrator has named them.
Who: TypeAlias = tuple[str, str]

UNKNOWN = "unknown"
NO_MODEL: Who = (UNKNOWN, UNKNOWN)
FAILED = "failed"

_WHO = ("provider", "model")
_TOOL = (*_WHO, "tool_name")


def _powers(first: int, base: int, count: int) -> list[int]:
    return [first * base**place for place in range(count)]


CHATS = Gauge(
    "chatd_chats",
    "Chats that this process drives: `streaming` while a model speaks or tools run, `waiting` while they "
    "wait for their turn to work, for the next try or for a client.",
    ["state"],
)
for _state in ("streaming", "waiting"):
    # None is a number too.
    CHATS.labels(_state)
LEFT_OUT = Gauge(
    "chatd_chats_left_out",
    "Chats that have work to do and that this process cannot take, because something that is stored of them "
    "cannot be read. `chatd doctor` names them.",
)
LOCKED = Counter(
    "chatd_chats_locked",
    "Times that this process did not take a chat, because another transaction kept its row locked for "
    "seconds: most likely one of a server that hangs. Each is tried again a second later.",
)
TAKEOVERS = Counter(
    "chatd_takeovers",
    "Chats that this process took over from another worker: `quiet` from one that gave no sign of life any "
    "more, `forgotten` from one that handed its chats over in order, or has been gone for long.",
    ["worker"],
)
for _worker in ("quiet", "forgotten"):
    TAKEOVERS.labels(_worker)
TAKEOVER_SECONDS = Histogram(
    "chatd_takeover_seconds",
    "From the last sign of life of a worker until this process took over a chat of it. Chats that were "
    "handed over in order are not in it: when their worker left is not stored.",
    # Nothing is taken over before a lease has ended.
    buckets=(10, 11, 12, 13, 14, 15, 20, 30, 60, 300),
)
TURNS = Counter(
    "chatd_turns",
    "Turns that this process drove to their end. The outcome is the `finish_reason` of the chat, or "
    "`failed`. One that is stopped while it waits for a client or a person is not counted: no process "
    "drives it then.",
    [*_WHO, "outcome"],
)
STEPS = Counter("chatd_steps", "Calls of a model whose reply was saved.", _WHO)
RETRIES = Counter("chatd_stream_retries", "Calls of a model that failed and are made again.", [*_WHO, "kind"])
FIRST_WORD = Histogram(
    "chatd_ttft_seconds",
    "From the call of a model to the first thing that viewers see of its reply.",
    _WHO,
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
MESSAGES = Histogram(
    "chatd_message_count", "Messages that a model was sent for a reply.", _WHO, buckets=_powers(1, 2, 11)
)
PROMPT_BYTES = Histogram(
    "chatd_prompt_size_bytes",
    "What is said in the messages that a model was sent for a reply, as it is stored. Files count as their "
    "names; what the server itself says, and how it explains its tools, is not in it.",
    _WHO,
    buckets=_powers(1024, 4, 10),
)
TOKENS = Counter(
    "chatd_tokens",
    "Tokens of calls that came to their end, as providers count them. `input` is without the two kinds of "
    "`cache`, `reasoning` is a part of `output`.",
    [*_WHO, "kind"],
)
COST_MICROS = Counter(
    "chatd_cost_micros",
    "What calls that came to their end have cost, in millionths of the currency. Calls without a known price "
    "are not in it.",
    _WHO,
)
COMPACTIONS = Counter(
    "chatd_compaction",
    "Attempts to sum up a history: `success`, `error` or `timeout`. One that was stopped is none of these.",
    [*_WHO, "result"],
)
ADVICE = Counter(
    "chatd_advice",
    "Questions to the advisor: `success` or `error`. One that was stopped is neither.",
    [*_WHO, "result"],
)
ADVICE_SECONDS = Histogram(
    "chatd_advice_seconds",
    "From a question to the advisor to its whole answer, with all tries.",
    _WHO,
    buckets=(1, 2.5, 5, 10, 30, 60, 120, 300, 900),
)
RESULT_BYTES = Histogram(
    "chatd_tool_result_size_bytes",
    "Results of tools that ran here, as the model gets them.",
    _TOOL,
    buckets=_powers(64, 4, 9),
)
TRUNCATED = Counter(
    "chatd_tool_result_truncated", "Results of which the model gets only the beginning and the end.", _TOOL
)
TOOL_ERRORS = Counter(
    "chatd_tool_errors",
    "Calls of tools that ended in an error, also of tools that do not exist or could not run together.",
    _TOOL,
)


TEXTS = Counter(
    "chatd_texts",
    "Calls of a model for a text about a chat: a `title`, a `label` for its last turn, a `chat_summary`. "
    "The outcome is `written`, `stale` (renamed or overtaken meanwhile), `unfit` (the answer was no such "
    "text) or `failed`.",
    [*_WHO, "text", "outcome"],
)


@lru_cache(maxsize=LABELLED_MAX)
def labelled(metric: M, *labels: str) -> M:
    """The series with these labels, for what every step counts: to find it takes longer than to count."""
    return metric.labels(*labels)


def who(model: Model) -> Who:
    return model.provider or UNKNOWN, model.name.partition("/")[2] or UNKNOWN


@contextmanager
def driven() -> Iterator[None]:
    """A chat is ours for the block, and waits as long as nothing else is said of it."""
    with CHATS.labels("waiting").track_inprogress():
        yield


def count_working() -> None:
    """From now on a chat of ours works, instead of waiting."""
    labelled(CHATS, "waiting").dec()
    labelled(CHATS, "streaming").inc()


def count_waiting() -> None:
    """From now on it waits again."""
    labelled(CHATS, "streaming").dec()
    labelled(CHATS, "waiting").inc()


@contextmanager
def compacting(model: Model) -> Iterator[None]:
    """A history is summed up in the block."""
    result = None
    try:
        yield
        result = "success"
    except ProviderError as error:
        result = "timeout" if error.kind.endswith("timeout") else "error"
        raise
    finally:
        if result is not None:
            COMPACTIONS.labels(*who(model), result).inc()


@contextmanager
def advising(model: Model, clock: Clock) -> Iterator[None]:
    """The advisor is asked in the block."""
    began, result = clock.monotonic(), None
    try:
        yield
        result = "success"
        ADVICE_SECONDS.labels(*who(model)).observe(clock.monotonic() - began)
    except Exception:
        result = "error"
        raise
    finally:
        if result is not None:
            ADVICE.labels(*who(model), result).inc()


def count_takeover(quiet_seconds: float | None) -> None:
    """None: the worker that had the chat is forgotten."""
    TAKEOVERS.labels("forgotten" if quiet_seconds is None else "quiet").inc()
    if quiet_seconds is not None:
        TAKEOVER_SECONDS.observe(quiet_seconds)


def count_prompt(model: Model, *, messages: int, size_bytes: int) -> None:
    labels = who(model)
    labelled(MESSAGES, *labels).observe(messages)
    labelled(PROMPT_BYTES, *labels).observe(size_bytes)


def count_usage(of: Who, usage: Usage | None, cost: Cost | None) -> None:
    """What a call has used, and what that costs, as far as it is known."""
    counted = usage or Usage()
    kinds = {
        "input": counted.input_tokens,
        "output": counted.output_tokens,
        "cache_read": counted.cache_read_tokens,
        "cache_creation": counted.cache_creation_tokens,
        "reasoning": counted.reasoning_tokens,
    }
    for kind, tokens in kinds.items():
        if tokens > 0:
            TOKENS.labels(*of, kind).inc(tokens)
    if cost is not None:
        COST_MICROS.labels(*of).inc(cost.micros)


def count_result(model: Model, tool: str | None, result: CallResult, *, truncated: bool = False) -> None:
    """What a call of a tool came back with; None is a tool that we do not have."""
    labels = (*who(model), tool or UNKNOWN)
    labelled(RESULT_BYTES, *labels).observe(_size(result))
    if truncated:
        TRUNCATED.labels(*labels).inc()
    if result.is_error:
        TOOL_ERRORS.labels(*labels).inc()


def count_endings(of: Who, commands: Iterable[Command]) -> None:
    """The turns that these commands have ended."""
    for command in commands:
        if (outcome := _outcome(command)) is not None:
            TURNS.labels(*of, outcome).inc()


def _outcome(command: Command) -> str | None:
    match command:
        case FinishTurn(reason=reason):
            return reason
        case FinishInterruption():
            return Reason.INTERRUPTED
        case FailTurn():
            return FAILED
        case _:
            return None


def _size(result: CallResult) -> int:
    shown = result.media.size_bytes or 0 if result.media is not None else 0
    return shown + len(encode(result.result))
