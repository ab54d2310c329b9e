"""From a seed that fails to a short story that fails in the same way.

Fewer people and deeds first; then faults are left out, many at once and later one by one. Chance is asked for
them all the same, so that what comes before one that is left out stays as it was.
"""

from collections.abc import Iterator
from traceback import extract_tb
from typing import NamedTuple

from msgspec.structs import replace

from tests.simulation.chaos import WHOLE, Story, Violation
from tests.simulation.checks.check import check_promises
from tests.simulation.playing import played
from tests.simulation.world import World
from tests.support.virtual import Stuck

TRIES_MAX = 300


class Failure(NamedTuple):
    story: Story
    # The check that failed.
    check: str
    violation: Violation
    world: World


def failure_of(seed: int, story: Story = WHOLE) -> Failure | None:
    """None: no promise is broken in this story."""
    worlds: list[World] = []

    async def told() -> None:
        worlds.append(World(seed, story))
        check_promises(worlds[0], await worlds[0].run())

    try:
        played(told, seed=seed, note=f"seed {seed}")
    except BaseException as error:  # noqa: BLE001 - a broken server may break in any way
        for violation in violations_of(error):
            return Failure(story, check_of(violation), violation, worlds[0])
    return None


def check_of(violation: Violation) -> str:
    """That a story ends is checked by the loop, which raises nothing of its own."""
    raised = extract_tb(violation.__traceback__)
    return raised[-1].name if raised else "the_story_ends"


def violations_of(error: BaseException) -> Iterator[Violation]:
    if isinstance(error, Violation):
        yield error
    elif isinstance(error, Stuck):
        yield Violation(f"the story does not end: {error}")
    elif isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from violations_of(each)


def shrunk(seed: int, failure: Failure, tries_max: int = TRIES_MAX) -> Failure:
    """The shortest story that was found within so many tries."""
    candidates = _shorter(failure)
    for _ in range(tries_max):
        story = next(candidates, None)
        if story is None:
            break
        found = failure_of(seed, story)
        if found is not None and found.check == failure.check:
            failure = found
            candidates = _shorter(failure)
    return failure


def _shorter(failure: Failure) -> Iterator[Story]:
    """Stories with less in them, those with the least first."""
    story, struck = failure.story, failure.world.chaos.struck
    for users in range(1, story.users):
        yield replace(story, users=users)
    for deeds in range(1, story.deeds):
        yield replace(story, deeds=deeds)
    size = len(struck)
    while size:
        for first in range(0, len(struck), size):
            yield replace(story, spared=story.spared | frozenset(struck[first : first + size]))
        size //= 2


def told(failure: Failure) -> str:
    """What happened in it, in its order."""
    world, story = failure.world, failure.story
    lines = [(fault.at, f"{fault.process}: {fault.kind} ({fault.caller})") for fault in world.chaos.faults]
    lines += [(at, f"user: {words}") for at, words in world.promises.requests]
    lines += [(at, f"tool: {words}") for at, words in world.witness.seen]
    lines += [
        (each.started, f"{each.process}: attempt {each.number} for {each.chat_id}")
        for each in world.witness.attempts
    ]
    for chat_id, states in world.chronicle.of_chat.items():
        lines += [
            (state.at, f"{chat_id}: {state.status} at history {state.history}, driven by {state.worker}")
            for state in states
        ]
    return "\n".join(
        [
            f"{story.users} users with {story.deeds} deeds each, and {len(world.chaos.struck)} faults:",
            *(f"{at:9.3f} {words}" for at, words in sorted(lines)),
            f"broken: {failure.violation}",
        ]
    )
