"""Agents that work for a chat, on a real screen: what each is doing, what one asks, and how to look at it."""

from pathlib import Path

from tests.cli.talk.screens.journey import calls, says, talking
from tests.cli.talk.screens.words import DONE, answers, leaves

COUNTS = calls("wait", seconds=600)
LOOKS = "\n".join([calls("execute", command="ls"), "next", "say Nothing to see."])
SCRIPT = (
    calls("spawn_agent", type="general", title="count", prompt=COUNTS),
    # In another step: agents are counted as they were started, and calls of one step begin together.
    "next",
    calls("spawn_agent", type="general", title="look", prompt=LOOKS),
    "next",
    calls("wait_agent"),
    "next",
    "say Both have reported.",
)


async def test_each_agent_has_a_line_and_what_one_asks_is_answered_by_a_key(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        says(person, *SCRIPT)
        await person.shows("The agent 'look', which works for this chat, asks:", "May the agent run execute?")
        await person.matches(
            r"● Wait for agents  \d+ s",
            r"2 agents, 1 at work. /agents NUMBER looks at one, /back returns.",
            r'  ▸ 1  count: wait \{"seconds":600\}, \d+ s',
            r"  \? 2  look: asks you about \$ ls",
            r"  y  allow it this time",
        )
        await answers(person, "y")
        await person.matches(r"  ▸ 1  count: .*", r"  ✓ 2  look: done", "…>")
        person.type("/agents 2\r")
        await person.matches(r"● \$ ls", DONE, r"Nothing to see\.", ">")
        await person.hides("agents, 1 at work")
        person.type("/back\r")
        await person.matches(r"  ▸ 1  count: .*", r"  ✓ 2  look: done", "…>")
        # Who stops the chat stops its agents.
        person.type("\x03")
        await person.matches(r"  ✗ .*interrupted.*")
        await person.hides("at work")
        await leaves(person)


async def test_what_is_typed_while_an_agent_asks_is_for_the_chat(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        says(person, *SCRIPT)
        await person.shows("  y  allow it this time")
        person.type("say Thanks to all.\r")
        await person.shows("Waits: say Thanks to all.  (arrow up takes it back)")
        await leaves(person)
