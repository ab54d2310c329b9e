"""Everything that can be asked of a server, and who may do it: the whole policy on two screens.

Rule 1: every deed has a row in one of the two tables, and every cell is written down.
Rule 2: a route, a stream or a field of a request names its deed; no handler decides by a role.
"""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto

from msgspec import Struct

from chatd.domain.people.scopes import TokenScope


class Deed(StrEnum):
    # Before it is known who asks: signing in, and whether the server lives.
    ENTER = "enter"

    # Of a chat: show, messages, stream, files, export.
    CHAT_READ = "chat.read"
    # Branches that were left.
    CHAT_PAST = "chat.past"
    # Debug records, the exact prompt, the rules that count, what is kept of files.
    CHAT_INSPECT = "chat.inspect"
    # Within these: the prompt of the deployment, the provider's address, and what went over the wire.
    CHAT_WIRE = "chat.wire"
    CHAT_COST = "chat.cost"
    # Send, steer, retry, compact, order what waits, client results, answers.
    CHAT_SPEAK = "chat.speak"
    # Edit, switch the branch, restore files.
    CHAT_REWRITE = "chat.rewrite"
    # Approvals, plans, rules of the chat.
    CHAT_APPROVE = "chat.approve"
    # Interrupt, take back a message that waits.
    CHAT_STOP = "chat.stop"
    # Title, labels, what the agent is told of its workspace.
    CHAT_DESCRIBE = "chat.describe"
    # With which mode, tools and delegation its agent works.
    CHAT_SET_UP = "chat.set_up"
    # One's own pin, mute and read mark.
    CHAT_KEEP = "chat.keep"
    CHAT_ARCHIVE = "chat.archive"
    CHAT_DELETE = "chat.delete"
    # Add somebody, or let them do more.
    CHAT_SHARE = "chat.share"
    # See with whom it is shared, and take that back.
    CHAT_UNSHARE = "chat.unshare"
    CHAT_TRANSFER = "chat.transfer"
    # Look at files where its agent works: by one's own right there, never by a grant.
    CHAT_WORKSPACE = "chat.workspace"

    CHAT_CREATE = "chat.create"
    # Lists and searches: they hold what the caller may read.
    CHAT_LIST = "chat.list"
    FILE_ADD = "file.add"
    # One's own files, and those of chats that one may read.
    FILE_READ = "file.read"
    MODEL_LIST = "model.list"
    # What counts for all chats, and where agents work.
    SERVER_READ = "server.read"
    # Who one is and what one may do; to sign out.
    ACCOUNT_SEE = "account.see"
    # Settings, keys, tokens, sign-ins, rules, skills, MCP servers of one's own.
    ACCOUNT_OWN = "account.own"
    # Speak for somebody else, or make a token with which they speak for themselves: services.
    ACT_AS = "act_as"
    PEOPLE_FIND = "people.find"
    PEOPLE_READ = "people.read"
    AUDIT_READ = "audit.read"
    METRICS_READ = "metrics.read"
    PEOPLE_CHANGE = "people.change"
    GROUP_CHANGE = "group.change"
    SERVICE_CHANGE = "service.change"
    POLICY_CHANGE = "policy.change"
    MODEL_CHANGE = "model.change"


class Cell(Enum):
    """Whether a deed may be done, and what is shown of it."""

    NO = auto()
    YES = auto()
    # With the restricted view.
    LESS = auto()
    # With the view of a public link.
    GUEST = auto()
    # If the policy lets administrators read chats, and then it is written down.
    AUDIT = auto()
    # To what is the caller's own in it.
    OWN = auto()


class ChatRow(Struct, frozen=True):
    """One deed, by what the caller is to the chat. `admin` is for administrators who are none of these."""

    scope: TokenScope
    owner: Cell
    writer: Cell
    reader: Cell
    steward: Cell
    admin: Cell
    guest: Cell


class Row(Struct, frozen=True):
    """One deed, by what the caller is to the deployment. `scope` is None for what any token is good for."""

    scope: TokenScope | None
    admin: Cell
    auditor: Cell
    member: Cell
    viewer: Cell
    end_user: Cell


_NO, _YES, _LESS, _GUEST, _AUDIT, _OWN = Cell
_READ, _WRITE, _SHARE, _OF_ADMIN = (
    TokenScope.CHATS_READ,
    TokenScope.CHATS_WRITE,
    TokenScope.CHATS_SHARE,
    TokenScope.ADMIN,
)

# fmt: off
CHAT_DEEDS: Mapping[Deed, ChatRow] = {
    #                            scope    owner  writer  reader  steward  admin    guest
    Deed.CHAT_READ:      ChatRow(_READ,   _YES,  _LESS,  _LESS,  _YES,    _AUDIT,  _GUEST),
    Deed.CHAT_PAST:      ChatRow(_READ,   _YES,  _NO,    _NO,    _YES,    _AUDIT,  _NO),
    Deed.CHAT_INSPECT:   ChatRow(_READ,   _YES,  _NO,    _NO,    _NO,     _AUDIT,  _NO),
    Deed.CHAT_WIRE:      ChatRow(_READ,   _NO,   _NO,    _NO,    _NO,     _AUDIT,  _NO),
    Deed.CHAT_COST:      ChatRow(_READ,   _YES,  _NO,    _NO,    _YES,    _YES,    _NO),
    Deed.CHAT_SPEAK:     ChatRow(_WRITE,  _YES,  _YES,   _NO,    _NO,     _NO,     _NO),
    Deed.CHAT_REWRITE:   ChatRow(_WRITE,  _YES,  _NO,    _NO,    _NO,     _NO,     _NO),
    Deed.CHAT_APPROVE:   ChatRow(_WRITE,  _YES,  _NO,    _NO,    _NO,     _NO,     _NO),
    Deed.CHAT_STOP:      ChatRow(_WRITE,  _YES,  _YES,   _NO,    _YES,    _YES,    _NO),
    Deed.CHAT_DESCRIBE:  ChatRow(_WRITE,  _YES,  _NO,    _NO,    _YES,    _NO,     _NO),
    Deed.CHAT_SET_UP:    ChatRow(_WRITE,  _YES,  _NO,    _NO,    _NO,     _NO,     _NO),
    Deed.CHAT_KEEP:      ChatRow(_READ,   _YES,  _YES,   _YES,   _NO,     _NO,     _NO),
    Deed.CHAT_ARCHIVE:   ChatRow(_WRITE,  _YES,  _NO,    _NO,    _YES,    _YES,    _NO),
    Deed.CHAT_DELETE:    ChatRow(_WRITE,  _YES,  _NO,    _NO,    _YES,    _YES,    _NO),
    Deed.CHAT_SHARE:     ChatRow(_SHARE,  _YES,  _NO,    _NO,    _NO,     _NO,     _NO),
    Deed.CHAT_UNSHARE:   ChatRow(_SHARE,  _YES,  _OWN,   _OWN,   _YES,    _YES,    _NO),
    Deed.CHAT_TRANSFER:  ChatRow(_SHARE,  _YES,  _NO,    _NO,    _NO,     _YES,    _NO),
    Deed.CHAT_WORKSPACE: ChatRow(_READ,   _YES,  _NO,    _NO,    _NO,     _NO,     _NO),
}

OTHER_DEEDS: Mapping[Deed, Row] = {
    #                        scope                      admin  auditor  member  viewer  end user
    Deed.ENTER:          Row(None,                      _YES,  _YES,    _YES,   _YES,   _YES),
    Deed.CHAT_CREATE:    Row(_WRITE,                    _YES,  _YES,    _YES,   _NO,    _YES),
    Deed.CHAT_LIST:      Row(_READ,                     _YES,  _YES,    _YES,   _YES,   _YES),
    Deed.FILE_ADD:       Row(TokenScope.FILES_WRITE,    _YES,  _YES,    _YES,   _NO,    _YES),
    Deed.FILE_READ:      Row(_READ,                     _YES,  _YES,    _YES,   _YES,   _YES),
    Deed.MODEL_LIST:     Row(TokenScope.MODELS_READ,    _YES,  _YES,    _YES,   _YES,   _YES),
    Deed.SERVER_READ:    Row(TokenScope.MODELS_READ,    _YES,  _YES,    _YES,   _YES,   _NO),
    Deed.ACCOUNT_SEE:    Row(None,                      _YES,  _YES,    _YES,   _YES,   _YES),
    Deed.ACCOUNT_OWN:    Row(TokenScope.ACCOUNT,        _YES,  _YES,    _YES,   _YES,   _NO),
    Deed.ACT_AS:         Row(TokenScope.ACT_AS,         _YES,  _YES,    _YES,   _YES,   _NO),
    Deed.PEOPLE_FIND:    Row(_SHARE,                    _YES,  _YES,    _YES,   _NO,    _NO),
    Deed.PEOPLE_READ:    Row(TokenScope.USAGE_READ,     _YES,  _YES,    _NO,    _NO,    _NO),
    Deed.AUDIT_READ:     Row(TokenScope.AUDIT_READ,     _YES,  _YES,    _NO,    _NO,    _NO),
    Deed.METRICS_READ:   Row(TokenScope.METRICS_READ,   _YES,  _YES,    _NO,    _NO,    _NO),
    Deed.PEOPLE_CHANGE:  Row(_OF_ADMIN,                 _YES,  _NO,     _NO,    _NO,    _NO),
    Deed.GROUP_CHANGE:   Row(_OF_ADMIN,                 _YES,  _NO,     _NO,    _NO,    _NO),
    Deed.SERVICE_CHANGE: Row(_OF_ADMIN,                 _YES,  _NO,     _NO,    _NO,    _NO),
    Deed.POLICY_CHANGE:  Row(_OF_ADMIN,                 _YES,  _NO,     _NO,    _NO,    _NO),
    Deed.MODEL_CHANGE:   Row(_OF_ADMIN,                 _YES,  _NO,     _NO,    _NO,    _NO),
}
# fmt: on

# A viewer who owns chats was a member once. They read, stop and remove them, and do nothing that costs.
OF_OWNERS_WHO_ONLY_VIEW = frozenset(
    {
        Deed.CHAT_READ,
        Deed.CHAT_PAST,
        Deed.CHAT_INSPECT,
        Deed.CHAT_COST,
        Deed.CHAT_STOP,
        Deed.CHAT_KEEP,
        Deed.CHAT_ARCHIVE,
        Deed.CHAT_DELETE,
        Deed.CHAT_UNSHARE,
    }
)
# What else a token is good for that is made for one family of chats.
BESIDE_ONE_FAMILY = frozenset(
    {
        Deed.CHAT_LIST,
        Deed.FILE_ADD,
        Deed.FILE_READ,
        Deed.MODEL_LIST,
        Deed.SERVER_READ,
        Deed.ACCOUNT_SEE,
    }
)
# Whom a service speaks for decides the service; and they know of no other people.
NOT_OF_END_USERS = frozenset({Deed.CHAT_SHARE, Deed.CHAT_UNSHARE, Deed.CHAT_TRANSFER, Deed.CHAT_WORKSPACE})
