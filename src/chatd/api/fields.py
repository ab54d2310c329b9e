"""Fields that bodies and parameters share, with their bounds."""

from typing import Annotated, TypeAlias

from msgspec import Meta

CLIENT_TOOLS_MAX = 250
PIN_ORDER_MAX = 2**31 - 1
NAME_LENGTH_MAX = 200
KEY_LENGTH_MAX = 200
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
# Of one import. All of them are written in one transaction, and with SQLite all others wait for it.
CARRIED_MESSAGES_MAX = 2000
# Of a new chat, before its first message: together as many as an import has.
HISTORY_MESSAGES_MAX = CARRIED_MESSAGES_MAX - 1
CALL_ID_LENGTH_MAX = 1000
REASON_LENGTH_MAX = 10_000

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
Labels: TypeAlias = Annotated[
    dict[str, str],
    Meta(description="Up to 50. A key has 1 to 64 letters, digits and ._/-, a value 1 to 256 bytes."),
]
Title: TypeAlias = Annotated[
    str, Meta(description="1 to 200 characters on one line; blanks around it are removed.")
]
PinOrder: TypeAlias = Annotated[
    int, Meta(ge=0, le=PIN_ORDER_MAX, description="Pinned chats come first, the lowest on top; 0 unpins.")
]
CallName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=CALL_ID_LENGTH_MAX)]
OfMessage: TypeAlias = Annotated[
    int | None,
    Meta(description="The message of the call, as in `waiting_for`: so that no older one is meant."),
]
