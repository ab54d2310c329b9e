"""What a browser did with its main thread, from a trace of Chromium."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

# From here on a task is called long: a person notices that the page does not answer.
LONG_MS = 50.0
CATEGORIES = (
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "toplevel",
)

Event = Mapping[str, Any]


class Work(Struct, frozen=True, kw_only=True):
    """Tasks have two lengths: by the clock, and what their thread got of a processor. What others do on the
    machine counts only for the first.
    """

    seconds: float
    tasks: int
    longest_ms: float
    longest_cpu_ms: float
    long: int
    long_by_cpu: int
    cpu_percent: float
    frames: int
    dropped: int


def work_in(trace: bytes) -> Work:
    events: list[Event] = json.loads(trace)["traceEvents"]
    tasks = _tasks_of_page(events)
    walls = [task["dur"] / 1000 for task in tasks]
    cpus = [task.get("tdur", 0) / 1000 for task in tasks]
    seconds = (max(task["ts"] for task in tasks) - min(task["ts"] for task in tasks)) / 1e6
    frames = _frames_of(events, pid=tasks[0]["pid"])
    return Work(
        seconds=seconds,
        tasks=len(tasks),
        longest_ms=max(walls),
        longest_cpu_ms=max(cpus),
        long=sum(wall > LONG_MS for wall in walls),
        long_by_cpu=sum(cpu > LONG_MS for cpu in cpus),
        cpu_percent=sum(cpus) / 10 / seconds,
        frames=sum(frames.values()),
        dropped=frames["STATE_DROPPED"],
    )


def _tasks_of_page(events: Iterable[Event]) -> Sequence[Event]:
    """Those of the main thread that has most of them: other renderers are idle."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks: dict[tuple[int, int], list[Event]] = {main: [] for main in mains}
    for event in events:
        thread = (event["pid"], event["tid"])
        if event["name"] == "RunTask" and event["ph"] == "X" and thread in tasks:
            tasks[thread].append(event)
    return max(tasks.values(), key=len)


def _frames_of(events: Iterable[Event], pid: int) -> Counter[str]:
    """How each frame of this renderer ended, by the state that Chromium gives it."""
    return Counter(
        event["args"]["frame_reporter"]["state"]
        for event in events
        if event["name"] == "PipelineReporter" and event["pid"] == pid and "frame_reporter" in event["args"]
    )
