"""Connections of whom nobody knows yet: one who opens thousands stands in their own way."""

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from chatd.api.serving.connections.strangers import Strangers, is_known
from chatd.kit.networks import network_in
from tests.api.sockets import serving

MANY, FEW = "192.0.2.7", "198.51.100.1"


class Line:
    """A connection, as far as it is counted."""

    def __init__(self, strangers: Strangers, peer: str, *, is_waited_for: bool = False) -> None:
        self.is_waited_for = is_waited_for
        self.has_ended = False
        self._strangers = strangers
        strangers.come(self, peer)

    @property
    def transport(self) -> "Line":
        return self

    def abort(self) -> None:
        self.has_ended = True
        # As the event loop tells it.
        self._strangers.leave(self)


def ended(*lines: Line) -> list[bool]:
    return [each.has_ended for each in lines]


def test_those_make_room_that_are_of_the_address_with_most_and_idle_for_longest() -> None:
    strangers = Strangers(strangers_max=5, leave_at_once=2)
    other = Line(strangers, FEW)
    waits = Line(strangers, MANY, is_waited_for=True)
    idle = [Line(strangers, MANY) for _ in range(3)]

    newest = Line(strangers, MANY)

    assert [each.has_ended for each in (other, waits, *idle, newest)] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    assert len(strangers) == 4


def test_who_is_known_and_what_comes_from_a_trusted_proxy_is_not_counted() -> None:
    strangers = Strangers(trusted=(network_in("10.0.0.0/8"),), strangers_max=2, leave_at_once=1)
    known = Line(strangers, MANY)
    strangers.leave(known)
    lines = [
        known,
        *(Line(strangers, "10.1.2.3") for _ in range(5)),
        *(Line(strangers, MANY) for _ in range(2)),
    ]

    assert not any(each.has_ended for each in lines)
    assert len(strangers) == 2


def test_of_ipv6_addresses_the_network_counts() -> None:
    strangers = Strangers(strangers_max=3, leave_at_once=1)
    other = Line(strangers, FEW)
    same = [Line(strangers, f"2001:db8::{number}") for number in range(3)]

    assert ended(other, *same) == [False, True, False, False]


async def test_one_who_holds_idle_connections_ends_no_connection_of_a_caller_who_is_known() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        is_known(scope)
        await PlainTextResponse("hello")(scope, receive, send)

    asked = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    strangers = Strangers(strangers_max=2, leave_at_once=1)
    async with serving(app, strangers=strangers) as connect:
        known = await connect()
        await known.send(asked)
        assert (await known.answer())[1] == b"hello"
        first, second, third = [await connect() for _ in range(3)]

        assert await first.rest() == b""
        for caller in (known, second, third):
            await caller.send(asked)
            assert (await caller.answer())[1] == b"hello"
        assert not len(strangers)
