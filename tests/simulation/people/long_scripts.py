"""What users have an agent do that takes long: ask, plan, have others work, take advice.

Agents that work for others have names as messages have, so that what became of each can be followed.
"""

import json
import random

from tests.simulation.people.scripts import FULL

OPTIONS = [{"label": "Blue", "description": "B."}, {"label": "Red", "description": "R."}]
QUESTION = {"questions": [{"header": "Wall", "question": "Which?", "options": OPTIONS}]}
CHILDREN_MAX = 3
MESSAGES = 3
# Some never ask for one of the first, and some wait only for a moment.
WAITS_SECONDS = (2, 30, 300)
# Of chats that are delegated to, one of these. They may not all be used by one that explores or plans.
TASKS = (
    "say answer to {name}",
    "think about {name}\nstream 20 words at 5 per second\nsay answer to {name}",
    "wait 4\nsay answer to {name}",
    "stream 150 words at 5 per second\nsay answer to {name}",
    'call @{name}-l launch {{"text": "{name}-l"}}\nnext\nsay answer to {name}',
    'call @{name}-f fire {{"command": "run {name}"}}\nnext\nsay answer to {name}',
    'call @{name}-s spawn_agent {{"type": "general", "prompt": "say never"}}\nnext\nsay answer to {name}',
    "fail overloaded once\nsay answer to {name}",
    "fail auth",
)


def call(call_id: str, tool: str, args: object) -> str:
    return f"call @{call_id} {tool} {json.dumps(args)}"


def asking(name: str) -> str:
    return _steps(call(f"{name}-q", "ask_user_question", QUESTION), f"say answer to {name}")


def planning(name: str) -> str:
    """What has effects may run only if the plan was accepted."""
    return _steps(
        call(f"{name}-p", "propose_plan", {"plan": f"# Plan {name}"}),
        call(f"{name}-l", "launch", {"text": f"{name}-l"}),
        f"say answer to {name}",
    )


def delegating(name: str, chance: random.Random) -> str:
    """Start some agents at once, and wait for any or all of them, for a while."""
    spawns = []
    for child in (f"{name}-{n}" for n in range(chance.randint(1, CHILDREN_MAX))):
        args = {
            "type": chance.choice(("general", "explore")),
            "title": child,
            "prompt": chance.choice(TASKS).format(name=child),
        }
        spawns.append(call(child, "spawn_agent", args))
    waiting = {"until": chance.choice(("all", "any")), "timeout_seconds": chance.choice(WAITS_SECONDS)}
    return _steps("\n".join(spawns), call(f"{name}-w", "wait_agent", waiting), f"say answer to {name}")


def advised(name: str) -> str:
    """The second question is one too many."""
    asked = [call(f"{name}-{n}", "advisor", {"question": f"say Advice {n}."}) for n in range(2)]
    return _steps(*asked, f"say answer to {name}")


def messaging(name: str, child_id: str, *, interrupt: bool) -> str:
    """Tell an agent several things more, and wait for what it says."""
    told = []
    for each in (f"{name}-m{n}" for n in range(MESSAGES)):
        args = {"chat_id": child_id, "message": f"say answer to {each}", "interrupt": interrupt}
        told.append(call(each, "message_agent", args))
    waiting = call(f"{name}-w", "wait_agent", {"chat_id": child_id, "timeout_seconds": 30})
    return _steps("\n".join(told), waiting, f"say answer to {name}")


def stopping(name: str, child_id: str) -> str:
    return _steps(call(f"{name}-i", "interrupt_agent", {"chat_id": child_id}), f"say answer to {name}")


def any_long_script(name: str, chance: random.Random, *, plans: bool) -> str:
    """Mostly what a chat in this mode can do."""
    of_mode = ("plan", "plan", "plan", "ask") if plans else ("delegate", "delegate", "advise", "full")
    match chance.choice((*of_mode, "ask", "plan", "delegate")):
        case "ask":
            return asking(name)
        case "plan":
            return planning(name)
        case "delegate":
            return delegating(name, chance)
        case "advise":
            return advised(name)
        case _:
            return FULL.format(name=name)


def titled(name: str, script: str) -> str:
    """A model takes its time for the title: meanwhile a person may think of one."""
    return f"for title wait 5\nfor title say Title of {name}\n{script}"


def _steps(*steps: str) -> str:
    return "\nnext\n".join(steps)
