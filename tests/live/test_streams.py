"""Connections that are open: whom a change of somebody's ways in concerns, and whom it does not wake."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack

import pytest

from chatd.domain.ids import UserId
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.concurrency.bell import Bell
from chatd.live.streams import CHANGED_MAX, StreamKind, Streams
from tests.clock import MovedClock

ANNA, BOB, EVA, SHOP = UserId("anna"), UserId("bob"), UserId("eva"), UserId("shop")
CHAT = StreamKind("chat", "sse")


class Watched:
    """Streams of Anna and Bob, of Eva, for whom the shop speaks, and one whose viewer is not known yet."""

    def __init__(self, streams: Streams, bells: Mapping[str, Bell]) -> None:
        self.streams, self._bells = streams, bells
        self._since = streams.changes

    async def woken(self) -> list[str]:
        return [name for name, bell in self._bells.items() if await _is_rung(bell)]

    def concerned(self) -> list[str]:
        """By what has changed from the beginning."""
        return [name for name, bell in self._bells.items() if self.streams.is_concerned(bell, self._since)]


async def _is_rung(bell: Bell) -> bool:
    try:
        async with asyncio.timeout(0):
            return await bell.wait()
    except TimeoutError:
        return False


@pytest.fixture
async def watched(clock: MovedClock) -> AsyncIterator[Watched]:
    streams = Streams(clock)
    with ExitStack() as opened:
        bells = {name: opened.enter_context(streams.open(CHAT)) for name in ("anna", "bob", "eva", "new")}
        for name, users in {"anna": {ANNA}, "bob": {BOB}, "eva": {EVA, SHOP}}.items():
            streams.concern(bells[name], frozenset(users))
        yield Watched(streams, bells)


async def test_a_change_of_one_user_wakes_and_concerns_no_stream_of_another(watched: Watched) -> None:
    """Anybody may sign out as often as they may ask for anything: nobody else pays for that."""
    for _ in range(CHANGED_MAX - 1):
        watched.streams.hear(CatalogChanged(kind=CatalogKind.USER_ACCESS, entity=ANNA))

    assert await watched.woken() == ["anna"]
    assert watched.concerned() == ["anna", "new"]


async def test_a_change_of_a_service_concerns_those_for_whom_it_speaks(watched: Watched) -> None:
    watched.streams.ask_again(SHOP)

    assert await watched.woken() == ["eva"]
    assert watched.concerned() == ["eva", "new"]


@pytest.mark.parametrize("kind", [CatalogKind.USER_ACCESS, CatalogKind.EVERYTHING])
async def test_what_may_concern_anybody_wakes_everybody(watched: Watched, kind: CatalogKind) -> None:
    watched.streams.hear(CatalogChanged(kind=kind))

    assert await watched.woken() == ["anna", "bob", "eva", "new"]
    assert watched.concerned() == ["anna", "bob", "eva", "new"]


async def test_of_more_changes_than_are_remembered_any_may_have_concerned_anybody(watched: Watched) -> None:
    watched.streams.ask_again(BOB)
    for _ in range(CHANGED_MAX):
        watched.streams.ask_again(ANNA)

    assert watched.concerned() == ["anna", "bob", "eva", "new"]
