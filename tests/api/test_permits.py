"""The table of deeds, tried out: every route and stream, by every kind of caller, answers as it says.

What a caller may do is worked out by `permit` from their role and what they are to the chat; then the request
is made. A route without an example for its body, or a field without a deed, fails here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pytest
from msgspec import Struct
from starlette.types import ASGIApp

from chatd.accounts.services.services import NewService, create_service
from chatd.accounts.services.speaking import spoken_for
from chatd.accounts.tokens.tokens import Wanted, add_token, create_token
from chatd.accounts.users import User, create_user, user_named
from chatd.api.app import build
from chatd.api.bodies import Nothing, PatchChat
from chatd.api.dispatch import check_deed
from chatd.api.router import AnyRoute
from chatd.api.routes import CHANGES, ROUTES, STREAMS
from chatd.api.serving.limits.admission import RequestLimits
from chatd.domain.ids import ChatId
from chatd.domain.people.acting import ActsFor
from chatd.domain.people.deeds import CHAT_DEEDS, Deed
from chatd.domain.people.grants import GrantRole
from chatd.domain.people.permit import (
    Allow,
    Answer,
    Hide,
    Refuse,
    Relation,
    Standing,
    permit,
    refused_at_door,
    scope_of,
)
from chatd.domain.people.roles import UserKind, UserRole
from chatd.domain.people.scopes import ALL_SCOPES, TokenScope
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.kit.ids import new_id
from chatd.storage.transactions.transact import Store, create_chat
from tests.api.client import Client
from tests.api.rates import NO_RATES
from tests.api.websockets import opened
from tests.support.catalog_stores import FakeProber, some_catalog_store
from tests.traceability import proves
from tests.words import user as user_says

SAID = [{"type": "text", "text": "hello"}]
# A body that passes all checks which come before the chat is looked up, one for each deed that it can be.
EXAMPLES: Mapping[str, Mapping[Deed, Any]] = {
    "POST /api/v1/auth/sign-out": {Deed.ACCOUNT_SEE: {}, Deed.ACCOUNT_OWN: {"everywhere": True}},
    "PATCH /api/v1/chats/{chat_id}": {
        Deed.CHAT_DESCRIBE: {"title": "Named"},
        Deed.CHAT_KEEP: {"pin_order": 0},
        Deed.CHAT_SET_UP: {"delegation": False},
        Deed.CHAT_ARCHIVE: {"archived": True},
    },
    "POST /api/v1/chats/{chat_id}/messages": {
        Deed.CHAT_SPEAK: {"content": SAID},
        Deed.CHAT_SET_UP: {"content": SAID, "delegation": False},
    },
    "PATCH /api/v1/chats/{chat_id}/messages/{message_id}": {Deed.CHAT_REWRITE: {"content": SAID}},
    "POST /api/v1/chats/{chat_id}/messages/{message_id}/restore": {Deed.CHAT_REWRITE: {}},
    "POST /api/v1/chats/{chat_id}/restore/undo": {Deed.CHAT_REWRITE: {}},
    "PUT /api/v1/chats/{chat_id}/queue": {Deed.CHAT_SPEAK: {"queued_ids": [1]}},
    "POST /api/v1/chats/{chat_id}/interrupt": {Deed.CHAT_STOP: {}},
    "POST /api/v1/chats/{chat_id}/actions": {
        Deed.CHAT_SPEAK: {"results": [{"tool_call_id": "call", "output": 1}]},
        Deed.CHAT_APPROVE: {"approvals": [{"tool_call_id": "call", "decision": "allow"}]},
        Deed.CHAT_SET_UP: {"results": [{"tool_call_id": "call", "output": 1}], "delegation": False},
    },
    "POST /api/v1/chats/{chat_id}/transfer": {Deed.CHAT_TRANSFER: {"to": "nobody"}},
    "PUT /api/v1/chats/{chat_id}/mark": {Deed.CHAT_KEEP: {"muted": True}},
    "PUT /api/v1/chats/{chat_id}/grants/{kind}/{subject}": {Deed.CHAT_SHARE: {"role": "reader"}},
    "POST /api/v1/chats/{chat_id}/links": {Deed.CHAT_SHARE: {}},
    "PATCH /api/v1/chats/{chat_id}/links/{link_id}": {Deed.CHAT_UNSHARE: {"days": 1}},
    "POST /api/v1/chats/{chat_id}/rules": {Deed.CHAT_APPROVE: {"tool": "read_file", "verdict": "allow"}},
    "PATCH /api/v1/chats/{chat_id}/rules/{rule_id}": {Deed.CHAT_APPROVE: {"position": 0}},
}
QUERIES: Mapping[str, Mapping[Deed, str]] = {
    "GET /api/v1/chats/{chat_id}/messages": {Deed.CHAT_READ: "", Deed.CHAT_PAST: "?branch=1"},
    "GET /api/v1/users": {Deed.PEOPLE_READ: "", Deed.PEOPLE_FIND: "?find=as"},
    "GET /api/v1/groups": {Deed.PEOPLE_READ: "", Deed.PEOPLE_FIND: "?find=as"},
}
PLENTY = RequestLimits(by_kind=NO_RATES)
# What callers are told that they may not do; any other refusal is of an example that was permitted.
NOT_PERMITTED = frozenset({"chat_not_found", "not_permitted", "scope_missing", "cross_site", "cannot_act_as"})


class Try(Struct, frozen=True):
    """One request."""

    method: str
    # Of the route, and of what the request names.
    deeds: tuple[Deed, ...]
    url: str
    body: Any = None

    def path(self, chat_id: str) -> str:
        everyone = self.url.replace("{kind}/{subject}", "everyone/all")
        return re.sub(r"\{\w+\}", "1", everyone.replace("{chat_id}", chat_id))


def tries() -> Iterator[Try]:
    for route in ROUTES:
        name = f"{route.method} {route.path}"
        # What guests do is tried in tests/api/guests/test_matrix.py.
        if route.deed is Deed.ENTER or route.for_guests:
            continue
        for deed, query in QUERIES.get(name, {route.deed: ""}).items():
            bodies = EXAMPLES.get(name) or {deed: None}
            for of_body, body in bodies.items():
                of_route = deed if deed in route.instead.values() else route.deed
                yield Try(route.method, (of_route, of_body), route.path + query, body)


# What ends the chat comes last, so that all others still find it.
TRIES = sorted(tries(), key=lambda each: (Deed.CHAT_DELETE in each.deeds, Deed.CHAT_ARCHIVE in each.deeds))
STREAM_TRIES = [Try("GET", (stream.deed,), stream.path) for stream in STREAMS if not stream.for_guests]


class Who(Struct, frozen=True):
    """A kind of caller. The chats are the owner's."""

    role: UserRole
    owns: bool = False
    # What somebody else has granted them.
    granted: GrantRole | None = None
    scopes: frozenset[TokenScope] = ALL_SCOPES
    kind: UserKind = UserKind.PERSON
    # A service, to the end user who owns the chat.
    stewards: bool = False
    # For which chat the token is, if it is for one only.
    only_for: Literal["this", "another"] | None = None

    @property
    def standing(self) -> Standing:
        family = ChatId(self.only_for) if self.only_for is not None else None
        return Standing(role=self.role, scopes=self.scopes, kind=self.kind, family=family)

    @property
    def relation(self) -> Relation:
        if self.stewards:
            return Relation.STEWARD
        if self.granted is not None:
            return Relation(self.granted.value)
        return Relation.OWNER if self.owns else Relation.STRANGER


CALLERS = {
    "owner": Who(UserRole.MEMBER, owns=True),
    "administrator who owns it": Who(UserRole.ADMIN, owns=True),
    "viewer who owns it": Who(UserRole.VIEWER, owns=True),
    "writer": Who(UserRole.MEMBER, granted=GrantRole.WRITER),
    "reader": Who(UserRole.MEMBER, granted=GrantRole.READER),
    "viewer who was let write": Who(UserRole.VIEWER, granted=GrantRole.WRITER),
    "administrator who was let read": Who(UserRole.ADMIN, granted=GrantRole.READER),
    "administrator": Who(UserRole.ADMIN),
    "auditor": Who(UserRole.AUDITOR),
    "stranger": Who(UserRole.MEMBER),
    "viewer": Who(UserRole.VIEWER),
    "service to its end user": Who(UserRole.MEMBER, kind=UserKind.SERVICE, stewards=True),
    "service that runs the server": Who(UserRole.ADMIN, kind=UserKind.SERVICE, stewards=True),
    "end user who owns it": Who(UserRole.MEMBER, kind=UserKind.END_USER, owns=True),
    "end user": Who(UserRole.MEMBER, kind=UserKind.END_USER),
    "owner with a token for it": Who(UserRole.MEMBER, owns=True, only_for="this"),
    "owner with a token for another": Who(UserRole.MEMBER, owns=True, only_for="another"),
    "administrator with a token for it": Who(UserRole.ADMIN, only_for="this"),
    "administrator with a token for another": Who(UserRole.ADMIN, only_for="another"),
    "steward with a token for another": Who(
        UserRole.MEMBER, kind=UserKind.SERVICE, stewards=True, only_for="another"
    ),
}


@pytest.fixture
def app(store: Store, prober: FakeProber) -> ASGIApp:
    return build(store, catalog_store=some_catalog_store(store), prober=prober, limits=PLENTY)


@proves("people", 18)
def test_every_route_and_stream_has_a_deed_that_fits_its_path() -> None:
    for route in ROUTES:
        fields = {**route.by_field, **route.instead}
        check_deed(route.path, route.deed, fields, for_guests=route.for_guests)
    for stream in STREAMS:
        check_deed(stream.path, stream.deed, for_guests=stream.for_guests)
    with pytest.raises(AssertionError, match="not a deed"):
        check_deed("/api/v1/chats/{chat_id}/new", Deed.MODEL_LIST)
    with pytest.raises(AssertionError, match="not a deed of guests"):
        check_deed("/api/v1/public/new", Deed.CHAT_SPEAK, for_guests=True)
    with pytest.raises(AssertionError, match="not a deed"):
        check_deed("/api/v1/public/new", Deed.CHAT_LIST, for_guests=True)


def test_every_field_of_a_change_has_its_deed() -> None:
    assert set(CHANGES) == set(PatchChat.__struct_fields__)


def test_every_route_of_a_chat_that_takes_a_body_is_tried_with_each_of_its_deeds() -> None:
    for route in ROUTES:
        if "{chat_id}" in route.path:
            fields = {*route.body.__struct_fields__, *route.query.__struct_fields__}
            of_route = [each for each in TRIES if (each.method, each.url.partition("?")[0]) == _place(route)]
            tried = {deed for each in of_route for deed in each.deeds}
            assert tried >= {deed for name, deed in route.by_field.items() if name in fields}, route.path
            assert route.body is Nothing or f"{route.method} {route.path}" in EXAMPLES, route.path


@proves("people", 19)
@pytest.mark.parametrize("caller", CALLERS)
async def test_every_route_answers_as_the_table_says(app: ASGIApp, store: Store, caller: str) -> None:
    who = CALLERS[caller]
    asking, chat_id = await _scene(app, store, who)

    for each in TRIES:
        assert await _asked(app, asking, each, chat_id, "http") == _answer(_expected(who, *each.deeds)), each


@proves("people", 21)
async def test_for_a_stranger_a_chat_is_like_one_that_does_not_exist(app: ASGIApp, store: Store) -> None:
    stranger, chat_id = await _scene(app, store, CALLERS["stranger"])
    unknown = "0" * len(chat_id)

    for each in TRIES:
        if each.deeds[0] in CHAT_DEEDS:
            chunks = [] if each.body is None else [_json(each.body)]
            foreign = await stranger.ask(each.method, each.path(chat_id), *chunks)
            missing = await stranger.ask(each.method, each.path(unknown), *chunks)
            assert foreign.status == 404, each.url
            assert foreign.body.replace(chat_id.encode(), unknown.encode()) == missing.body, each.url


@pytest.mark.parametrize("caller", CALLERS)
async def test_every_stream_answers_as_the_table_says(app: ASGIApp, store: Store, caller: str) -> None:
    who = CALLERS[caller]
    asking, chat_id = await _scene(app, store, who)

    for each in STREAM_TRIES:
        expected = _answer(_expected(who, *each.deeds))
        assert await _asked(app, asking, each, chat_id, "sse") == expected, each
        assert await _asked(app, asking, each, chat_id, "websocket") == expected, each


@pytest.mark.parametrize("over", ["http", "websocket"])
async def test_a_token_is_good_for_what_its_scopes_say_and_for_nothing_else(
    app: ASGIApp, store: Store, over: str
) -> None:
    """With the scopes of its deeds alone a request is answered, and without one of them it is refused."""
    who = CALLERS["administrator who owns it"]
    _, chat_id = await _scene(app, store, who)
    user = await user_named(store.db, "asking")
    assert user is not None
    made: dict[frozenset[TokenScope], Client] = {}

    async def with_token(scopes: frozenset[TokenScope]) -> Client:
        if scopes not in made:
            made[scopes] = Client(app, await create_token(store.db, user.id, "test", scopes=scopes))
        return made[scopes]

    for each in TRIES if over == "http" else STREAM_TRIES:
        needed = frozenset(filter(None, map(scope_of, each.deeds)))
        expected = _answer(_expected(who, *each.deeds))
        assert await _asked(app, await with_token(needed), each, chat_id, over) == expected, each
        for scope in needed:
            told = await _asked(app, await with_token(ALL_SCOPES - {scope}), each, chat_id, over)
            assert told == (403, "scope_missing"), each


async def _asked(app: ASGIApp, asking: Client, each: Try, chat_id: str, over: str) -> tuple[int, str] | str:
    path = each.path(chat_id)
    if over == "websocket":
        return await _over_websocket(app, path, asking)
    chunks = [] if each.body is None else [_json(each.body)]
    headers = {"accept": "text/event-stream"} if over == "sse" else {}
    answer = await asking.ask(each.method, path, *chunks, headers=headers)
    return _told(answer.status, answer.body)


async def _scene(app: ASGIApp, store: Store, who: Who) -> tuple[Client, str]:
    """The caller, and a chat that is or is not theirs."""
    user = await _user(store, who)
    owner = user if who.owns else await _somebody(store, user, who)
    chat_id, another = ChatId(new_id()), ChatId(new_id())
    for each in (chat_id, another):
        command = CreateChat(id=each, owner_id=owner.id, messages=(user_says("hello"),), title="A chat")
        await create_chat(store, command)
    if who.only_for is None:
        token = await create_token(store.db, user.id, "test", scopes=who.scopes)
    else:
        family = chat_id if who.only_for == "this" else another
        wanted = Wanted(name="test", scopes=who.scopes, family=family)
        token, _ = await add_token(store.db, user.id, wanted)
    if who.granted is not None:
        row = (chat_id, "user", user.id, who.granted, owner.id, None)
        await store.db.write(lambda tx: tx.run("save_grant", *row))
    return Client(app, token), chat_id


async def _user(store: Store, who: Who) -> User:
    if who.kind is UserKind.PERSON:
        return await create_user(store.db, "asking", who.role)
    role = who.role if who.kind is UserKind.SERVICE else UserRole.MEMBER
    new = NewService(name="service", role=role, acts_for=ActsFor.END_USERS)
    service = (await create_service(store.db, new)).profile.user
    return service if who.kind is UserKind.SERVICE else await _end_user(store, service)


async def _somebody(store: Store, user: User, who: Who) -> User:
    return (
        await _end_user(store, user)
        if who.stewards
        else await create_user(store.db, "somebody", UserRole.MEMBER)
    )


async def _end_user(store: Store, service: User) -> User:
    user = await spoken_for(store.db, service, "customer")
    assert user is not None
    return user


def _expected(who: Who, *deeds: Deed) -> Answer:
    """Of several deeds, whichever is not allowed; what is refused at the door comes first."""
    for deed in deeds:
        refused = refused_at_door(who.standing, deed)
        if refused is not None:
            return refused
    answers = [permit(who.standing, deed, who.relation, family=ChatId("this")) for deed in deeds]
    return next((each for each in answers if not isinstance(each, Allow)), answers[0])


def _answer(expected: Answer) -> tuple[int, str] | str:
    match expected:
        case Allow():
            return "served"
        case Refuse(code=code):
            return 403, code
        case Hide():
            return 404, "chat_not_found"


def _told(status: int, body: bytes) -> tuple[int, str] | str:
    """What a caller is told of what they may do; an example that is refused otherwise was permitted."""
    code = re.search(rb'"code":"(\w+)"', body) if status >= 400 else None
    told = (status, code[1].decode() if code is not None else "")
    refused = status in (401, 500) or told[1] in NOT_PERMITTED
    return told if refused else "served"


def _place(route: AnyRoute) -> tuple[str, str]:
    return route.method, route.path


def _json(body: object) -> bytes:
    return json.dumps(body).encode()


async def _over_websocket(app: ASGIApp, path: str, asking: Client) -> tuple[int, str] | str:
    began = await opened(app, path, asking.token)
    return "served" if began["type"] == "websocket.accept" else _told(began["status"], began["body"])
