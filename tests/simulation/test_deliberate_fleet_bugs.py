"""Bugs in what servers of a fleet tell each other and leave behind, put in on purpose, and found."""

from collections.abc import Mapping, Sequence

import pytest

from chatd.domain.ids import ChatId
from chatd.hints.hint import CatalogChanged, News
from chatd.live import watch
from chatd.live.episodes import log
from chatd.live.episodes.board import Board
from chatd.storage.database import Database
from chatd.storage.tables.parts import Attempt, LoggedBatch, log_parts
from tests.simulation.chaos import Chaos
from tests.simulation.servers.fleet_bus import FleetBus
from tests.simulation.test_deliberate_bugs import SEEDS_MAX, violations_in

FLEETS = [seed for seed in range(5 * SEEDS_MAX) if Chaos(seed).has_fleet]


def found() -> str:
    return str(next(violations_in(FLEETS[:SEEDS_MAX]), ""))


@pytest.mark.timeout(240)
def test_a_row_of_the_part_log_that_is_not_removed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def keeping(
        db: Database, batches: Sequence[LoggedBatch], newest: Mapping[ChatId, Attempt]
    ) -> tuple[LoggedBatch, ...]:
        return await log_parts(db, batches, {})

    async def not_sweeping(db: Database) -> dict[ChatId, Attempt]:
        return {}

    monkeypatch.setattr(log, "log_parts", keeping)
    monkeypatch.setattr(log, "forget_stale_parts", not_sweeping)

    assert "rows of the part log are not removed" in found()


@pytest.mark.timeout(240)
def test_a_dead_server_whose_parts_no_other_one_removes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def not_sweeping(db: Database) -> dict[ChatId, Attempt]:
        return {}

    monkeypatch.setattr(log, "forget_stale_parts", not_sweeping)

    assert "rows of the part log are not removed" in found()


@pytest.mark.timeout(240)
def test_a_change_of_settings_that_others_are_not_told_of_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(self: FleetBus, news: News) -> None:
        if not isinstance(news, CatalogChanged):
            super(FleetBus, self).announce(news)

    monkeypatch.setattr(FleetBus, "announce", silent)

    assert "was not told of" in found()


@pytest.mark.timeout(240)
def test_words_of_another_server_that_are_not_shown_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(db: Database, board: Board, chat_id: ChatId, history: int) -> None:
        return None

    monkeypatch.setattr(watch, "recall", nothing)

    assert "does not show what was said before" in found()
