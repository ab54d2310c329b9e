"""What lasts, between what was printed and the field (pure): calls that run, agents, a retry, the queue.

It is drawn anew whenever it changes, and each second while something counts. So nothing of it is printed.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from chatd.cli.talk.showing.agents import Agents
from chatd.cli.talk.showing.calls.calls import OpenCall
from chatd.cli.talk.showing.calls.words import glimpse
from chatd.cli.talk.showing.news import News, waits
from chatd.cli.talk.showing.pieces import Tone
from chatd.cli.talk.showing.spell import in_words

# Of what a call prints, while it runs alone and beside others.
OUTPUT_LINES, OUTPUT_LINES_BESIDE = 8, 3
CALLS_MAX = 6
QUEUED_MAX = 5
TAKE_BACK = "  (arrow up takes it back)"


class PanelLine(Struct, frozen=True):
    """One row, cut where the screen ends, with what stands behind it; or several, if it `wraps`."""

    tone: Tone
    text: str
    wraps: bool = False
    behind: str = ""


def call_lines(calls: Sequence[OpenCall], now: float) -> Iterator[PanelLine]:
    count = OUTPUT_LINES if len(calls) == 1 else OUTPUT_LINES_BESIDE
    for call in calls[:CALLS_MAX]:
        took = f"  {in_words(now - call.since)}" if call.since is not None else ""
        yield PanelLine(Tone.CALL, f"● {call.line}", behind=took)
        if not call.is_quiet and not call.output.is_empty:
            before, last = call.output.last_lines(count)
            if before:
                yield PanelLine(Tone.TOOL, f"  … {before:,} lines before")
            yield from (PanelLine(Tone.TOOL, f"  {line}") for line in last)
    if (more := len(calls) - CALLS_MAX) > 0:
        yield PanelLine(Tone.CALL, f"● and {more} more calls")


def agent_lines(agents: Agents) -> Iterator[PanelLine]:
    shown, known = agents.shown, agents.all
    if not shown:
        return
    at_work = sum(agent.is_at_work for agent in known)
    yield PanelLine(
        Tone.AGENT, f"{len(known)} agents, {at_work} at work. /agents NUMBER looks at one, /back returns."
    )
    for agent in shown:
        yield PanelLine(Tone.ASKED if agent.waiting_for else Tone.TOOL, f"  {agent.line()}")
    if (more := len(known) - len(shown)) > 0:
        yield PanelLine(Tone.TOOL, f"  and {more} more: /agents")


def news_lines(news: News) -> Iterator[PanelLine]:
    if (retry := news.retry) is not None:
        failed, seconds = retry
        why = f"Attempt {failed.attempt} failed: {glimpse(failed.error, 200)}"
        yield PanelLine(Tone.ERROR, why, wraps=True)
        when = f"again in {in_words(seconds)}" if seconds else "again now"
        yield PanelLine(Tone.NOTE, f"  {when}. /retry tries at once, Ctrl-C stops.")
    for row in news.queued[:QUEUED_MAX]:
        is_last = row is news.queued[-1]
        yield PanelLine(Tone.NOTE, waits(row, news.names), behind=TAKE_BACK if is_last else "")
    if (more := len(news.queued) - QUEUED_MAX) > 0:
        yield PanelLine(Tone.NOTE, f"and {more} more wait: /queue")


def unsent_lines(kept: Sequence[str]) -> Iterator[PanelLine]:
    """What was typed while the server is away."""
    for words in kept[:QUEUED_MAX]:
        yield PanelLine(Tone.NOTE, f"Not sent yet (Ctrl-C gives up): {glimpse(words, 200)}")
    if (more := len(kept) - QUEUED_MAX) > 0:
        yield PanelLine(Tone.NOTE, f"and {more} more are not sent yet")
