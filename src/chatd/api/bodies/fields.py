"""Fields that bodies and parameters share, with their bounds."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from chatd.catalog.mcp.store import SERVERS_MAX, SERVERS_PER_USER_MAX
from chatd.catalog.rules.prompts import PROMPT_BYTES_MAX

CLIENT_TOOLS_MAX = 250
PIN_ORDER_MAX = 2**31 - 1
NAME_LENGTH_MAX = 200
KEY_LENGTH_MAX = 200
FILE_NAME_LENGTH_MAX = 255
PAGE_MAX = 200
CURSOR_LENGTH_MAX = 500
ID_MAX = 2**63 - 1
PROMPTS_MAX = 2000
QUERY_LENGTH_MAX = 200
# More than any model can say.
OUTPUT_TOKENS_MAX = 10_000_000
# Of one chat, and in one search.
LABELS_MAX = 50
# Of each kind in one request; no chat waits for as many.
ACTIONS_MAX = 1000
# Of one import. They are written piece by piece; the bound is for what comes afterwards. A turn goes through
# all of them in the event loop, and with SQLite all other writers wait while the chat is deleted. With 10,000
# messages that is some 30 ms and 190 ms; with 50,000 it would be 250 ms and more than a second.
CARRIED_MESSAGES_MAX = 10_000
# That the messages of one import mention, and that it brings along. More than a chat can refer to: most of
# those of a chat with many branches are only named in the new one.
CARRIED_FILES_MAX = 1500
# Of a new chat, before its first message. All of them are written in one transaction, and with SQLite all
# other writers wait for it: some 120 ms.
HISTORY_MESSAGES_MAX = 1999
CALL_ID_LENGTH_MAX = 1000
# Without the blanks around it.
TITLE_LENGTH_MAX = 200
LABEL_KEY = "[a-zA-Z0-9][a-zA-Z0-9._/-]{0,63}"
LABEL_VALUE_BYTES_MAX = 256
REASON_LENGTH_MAX = 10_000
# MCP servers of one chat: all that a user can have.
CHOSEN_SERVERS_MAX = SERVERS_MAX + SERVERS_PER_USER_MAX

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH_MAX)]
Line: TypeAlias = Annotated[int, Meta(ge=0, le=ID_MAX)]
Id: TypeAlias = Annotated[int, Meta(ge=0, le=ID_MAX)]
Key: TypeAlias = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=KEY_LENGTH_MAX,
        description="Your own name for it, visible text on one line. The same request with the same key "
        "again is answered with what the first one did, and done once.",
    ),
]
Limit: TypeAlias = Annotated[int, Meta(ge=1, le=PAGE_MAX, description="How many to return at most.")]
# Bounds that `checks.py` sees to, with errors of their own, are only told here. Those in bytes are told as
# characters, which are no more.
Labels: TypeAlias = Annotated[
    dict[str, str],
    Meta(
        description="Up to 50. A key has 1 to 64 letters, digits and ._/-, a value 1 to 256 bytes.",
        extra_json_schema={
            "maxProperties": LABELS_MAX,
            "propertyNames": {"pattern": f"^{LABEL_KEY}$"},
            "additionalProperties": {"type": "string", "minLength": 1, "maxLength": LABEL_VALUE_BYTES_MAX},
        },
    ),
]
Title: TypeAlias = Annotated[
    str,
    Meta(
        description="On one line. Blanks around it are removed, and do not count.",
        extra_json_schema={"minLength": 1, "maxLength": TITLE_LENGTH_MAX},
    ),
]
WantedLabel: TypeAlias = Annotated[str, Meta(extra_json_schema={"pattern": f"^{LABEL_KEY}:."})]
Prompt: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": PROMPT_BYTES_MAX})]
PinOrder: TypeAlias = Annotated[
    int, Meta(ge=0, le=PIN_ORDER_MAX, description="Pinned chats come first, the lowest on top; 0 unpins.")
]
ChosenServers: TypeAlias = Annotated[tuple[Name, ...], Meta(max_length=CHOSEN_SERVERS_MAX)]
CallName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=CALL_ID_LENGTH_MAX)]
OfMessage: TypeAlias = Annotated[
    Id | None,
    Meta(description="The message of the call, as in `waiting_for`: so that no older one is meant."),
]
