"""What users have the agent do. Every script names its message, so that its fate can be followed."""

import random

from tests.words import CLIENT_TOOL

# Some say nothing for a while first: that is when a half-said reply of an earlier attempt is all there is.
SCRIPTS = (
    "say answer to {name}",
    "think about {name}\nsay answer to {name}",
    "stream 30 words at 5 per second\nsay answer to {name}",
    "think about {name}\nwait 3\nthink again\nstream 30 words at 5 per second\nsay answer to {name}",
    "wait 2\nstream 25 words at 5 per second\nsay answer to {name}",
    "fail timeout after 12 words twice\nwait 2\nstream 15 words at 5 per second\nsay answer to {name}",
    """\
call @{name}-a remember {{"text": "{name}-a", "seconds": 0.2}}
call @{name}-b launch {{"text": "{name}-b", "seconds": 2}}
call @{name}-c echo {{"text": "{name}-c"}}
call @{name}-d picture {{"text": "{name}-d", "width": 8}}
next
say answer to {name}""",
    """\
say first {name}
call @{name}-a echo {{"text": "{name}-a"}}
call @{name}-b wait {{"seconds": 30}}
next
say answer to {name}""",
    "call @{name}-a {client_tool} {{}}\nnext\nsay answer to {name}",
    'call @{name}-a show {{"text": "{name}-a", "pieces": 5, "seconds": 0.5}}\nnext\nsay answer to {name}',
    "fail overloaded twice\nsay answer to {name}",
    "fail auth",
    "say half of {name}\nfail timeout after 2 words once\nsay answer to {name}",
    "say forbidden {name}",
    """\
call @{name}-a launch {{"text": "{name}-a"}}
call @{name}-b rest {{"seconds": 3}}
next
say answer to {name}""",
    'call @{name}-a explode {{"text": "{name}-a"}}\nnext\nsay answer to {name}',
)

# With tools that are asked for. The ids of some calls are used again in each reply, as some models do.
GUARDED_SHARE = 0.35
LONG_SHARE = 0.5
GUARDED = (
    """\
call @again fire {{"command": "run {name}"}}
call @{name}-b remember {{"text": "{name}-b"}}
next
call @again fire {{"command": "run more {name}"}}
next
say answer to {name}""",
    """\
call @{name}-a look {{"command": "test all"}}
call @{name}-b note {{"command": "test all"}}
call @{name}-c fire {{"command": "deploy {name}", "seconds": 2}}
next
call @{name}-d note {{"command": "test all"}}
next
say answer to {name}""",
    """\
call @again note {{"command": "run {name}", "seconds": 1}}
call @{name}-b {client_tool} {{}}
next
say answer to {name}""",
    """\
call @{name}-a fire {{"command": "never {name}"}}
call @{name}-b fire {{"command": "banned {name}"}}
call @again fire {{"command": "run {name}"}}
next
say answer to {name}""",
)


# The context is full: a summary follows, in the middle of the turn.
FULL = """\
call @{name}-a echo {{"text": "{name}-a"}}
usage 180000
next
stream 10 words at 5 per second
say answer to {name}"""


def any_script(chance: random.Random, *, long: bool = False) -> str:
    """In worlds with long chats every other one fills the context."""
    if long and chance.random() < LONG_SHARE:
        return FULL
    return chance.choice(GUARDED if chance.random() < GUARDED_SHARE else SCRIPTS)


def script_of(name: str, template: str) -> str:
    return f"# {name}\n" + template.format(name=name, client_tool=CLIENT_TOOL)
