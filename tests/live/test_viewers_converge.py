"""Whatever is dropped, doubled, late or reconnected, a viewer ends up with what the database says."""

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from chatd.domain.chat import Status
from chatd.domain.ids import BranchId, MessageId
from chatd.domain.message import Role, Visibility
from chatd.domain.part import Text
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.errors import Refused
from chatd.kit.codec import encode
from chatd.live.episodes.board import Board, Episode
from chatd.live.episodes.episode import EpisodeKey, Said
from chatd.live.events import Batch
from chatd.live.kinds import details_of
from chatd.live.shapes import message_view, queued_view
from chatd.live.viewer import SPEAKING, Viewer
from chatd.storage.reads.read import Snapshot
from tests.clock import MovedClock
from tests.domain.any_command import ANY_COMMAND, FILES, aimed
from tests.live.listening import CHAT, Picture, told
from tests.live.seeing import snapshot_of
from tests.support.model import ModelChat
from tests.words import client_call, failure, retry, said, says, send

USUAL: list[Command] = [
    BeginAttempt(),
    BeginAttempt(),
    RecordRetry(retry=retry()),
    CommitStep(messages=(says("words"),)),
    CommitStep(messages=(says("words", client_call("tab")),)),
    FinishTurn(),
    RequireAction(),
    FailTurn(failure=failure()),
    FailTurn(failure=failure("Something else.")),
    RetryTurn(),
    Interrupt(),
    FinishInterruption(),
    send("more"),
    EditMessage(message_id=MessageId(1), content=said("rather")),
    SwitchBranch(branch=BranchId(1)),
]


# So few that a chat soon has more.
CHUNK = 3


class Watching:
    """One viewer with their connection. The picture survives it; so do copies of it at earlier cursors."""

    def __init__(self) -> None:
        self.viewer = Viewer(CHAT)
        self.events: list[dict[str, Any]] = []

    @property
    def picture(self) -> Picture:
        picture = Picture()
        picture.apply(self.events)
        return picture

    def told(self, batch: Batch) -> None:
        self.events += told(batch)

    def come_back(self, forgotten: int) -> None:
        """The connection broke, and the last events never arrived."""
        self.events = self.events[: max(0, len(self.events) - forgotten)]
        self.viewer = Viewer.at(CHAT, self.events[-1]["cursor"]) if self.events else Viewer(CHAT)


class Converging(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.model = ModelChat(files=FILES)
        self.board = Board(MovedClock())
        self.viewers = [Watching(), Watching()]
        self.snapshots: list[Snapshot] = []
        self.words = 0

    @rule(commands=st.lists(ANY_COMMAND, min_size=1, max_size=8))
    def something_happens(self, commands: list[Command]) -> None:
        for command in commands:
            self.ask(command)

    @rule(commands=st.lists(st.sampled_from(USUAL), min_size=1, max_size=4), count=st.integers(0, 3))
    def something_usual_happens(self, commands: list[Command], count: int) -> None:
        """Any order of any commands seldom leads anywhere; this is what mostly goes on."""
        for command in commands:
            self.ask(command)
            if isinstance(command, BeginAttempt):
                self.an_attempt_speaks(count, behind=0)

    def ask(self, command: Command) -> None:
        try:
            self.model.tell(aimed(command, self.model.locked))
        except Refused:
            pass

    @rule(count=st.integers(1, 4), behind=st.integers(0, 1))
    def an_attempt_speaks(self, count: int, behind: int) -> None:
        """In the running attempt, or in one that does not know yet that it is over."""
        versions = self.model.chat.versions
        if self.model.chat.status not in SPEAKING or versions.attempt <= behind:
            return
        episode = self.board.open(EpisodeKey(CHAT, versions.history, versions.attempt - behind))
        for _ in range(count):
            self.words += 1
            episode.add(Role.ASSISTANT, Text(text=f"word {self.words}"))

    @rule(who=st.integers(0, 1))
    def a_viewer_looks(self, who: int) -> None:
        watching = self.viewers[who]
        snapshot = snapshot_of(self.model, watching.viewer.known, chunk=CHUNK)
        if not snapshot.more:
            self.snapshots.append(snapshot)
        watching.told(Batch(tuple(watching.viewer.see(snapshot))))

    @rule(who=st.integers(0, 1), data=st.data())
    def an_old_snapshot_arrives_late(self, who: int, data: st.DataObject) -> None:
        """Read earlier with what this viewer knew then, or with less."""
        watching = self.viewers[who]
        old = [each for each in self.snapshots if each.chat.versions.snapshot <= watching.viewer.snapshot]
        if old:
            assert watching.viewer.see(data.draw(st.sampled_from(old))) == []

    @rule(who=st.integers(0, 1), first=st.integers(0, 5), count=st.integers(1, 6), data=st.data())
    def parts_arrive(self, who: int, first: int, count: int, data: st.DataObject) -> None:
        """Any stretch of any episode: doubled, out of order, with holes, or of a time long gone."""
        episodes = list(self.board._episodes.values())
        if episodes:
            episode = data.draw(st.sampled_from(episodes))
            watching = self.viewers[who]
            watching.told(watching.viewer.hear(episode.since(first)[:count]))

    @rule(who=st.integers(0, 1), forgotten=st.integers(0, 12))
    def the_connection_breaks(self, who: int, forgotten: int) -> None:
        self.viewers[who].come_back(forgotten)

    @rule()
    def everything_comes_to_rest(self) -> None:
        for number, watching in enumerate(self.viewers):
            self.a_viewer_looks(number)
            while watching.viewer.behind:
                self.a_viewer_looks(number)
            watching.told(watching.viewer.hear(self.newest(watching)))
            self.assert_true(watching)

    def newest(self, watching: Watching) -> list[Said]:
        known = watching.viewer.known
        episode = self.board.newest_spoken(CHAT, known.history)
        if episode is None:
            return []
        return episode.since(known.seq if episode.key.attempt == known.preview_attempt else 0)

    def assert_true(self, watching: Watching) -> None:
        picture, chat = watching.picture, self.model.chat
        shown: dict[int, Any] = {
            m.id: plain(message_view(CHAT, m))
            for m in self.model.history
            if m.visibility is not Visibility.MODEL
        }
        # What is older than the first one that was told is asked for; with it, everything is there.
        older = {id_: message for id_, message in shown.items() if id_ < picture.older_than}
        assert {**older, **picture.messages} == shown
        assert picture.queue == [plain(queued_view(CHAT, row)) for row in self.model.locked.queue]
        assert picture.status == chat.status
        assert picture.details == plain(details_of(chat))
        assert picture.error == (chat.last_error.message if chat.last_error else None)
        assert picture.retry == (chat.retry_state.attempt if chat.retry_state else None)
        waiting = snapshot_of(self.model).waiting_for if chat.status is Status.REQUIRES_ACTION else ()
        assert picture.waiting == [call.id for call in waiting]
        if chat.status in SPEAKING:
            episode = self.board.newest_spoken(CHAT, chat.versions.history)
            assert picture.said == (words_in(episode) if episode else "")

    @invariant()
    def a_preview_is_the_beginning_of_what_was_said(self) -> None:
        spoken = [words_in(episode) for episode in self.board._episodes.values()]
        for watching in self.viewers:
            preview = watching.picture.said
            assert not preview or any(words.startswith(preview) for words in spoken)

    def teardown(self) -> None:
        self.everything_comes_to_rest()


def words_in(episode: Episode) -> str:
    return "".join(each.part.text for each in episode.spoken if isinstance(each.part, Text))


def plain(view: object) -> Any:
    return json.loads(encode(view))


TestConverging = Converging.TestCase
TestConverging.settings = settings(max_examples=300, stateful_step_count=40)
