"""Who drives a chat, what it is called, and rows that fit no state."""

import pytest
from msgspec.structs import replace

from chatd.domain import machine
from chatd.domain.chat import Situation, Status
from chatd.domain.decision import fence
from chatd.domain.decision.change import Details
from chatd.domain.decision.fence import HeldBy, NeedsWorker
from chatd.domain.ids import MessageId
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.ownership.repair import INCONSISTENT, Repair
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import InvalidState, NotAllowed, Stale
from tests.domain.chats import archived, idle, running
from tests.domain.test_matrix import EVERY_SITUATION, a_chat
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import create, lease, says, send, step


@proves("state-machine", 47)
def test_a_worker_takes_a_chat_from_any_other() -> None:
    chat = running()
    chat.tell(Acquire(lease=lease("old")))
    before = chat.chat.situation

    chat.tell(Acquire(lease=lease("new")))

    assert chat.chat.lease == lease("new")
    assert chat.chat.situation == before


@proves("state-machine", 48)
def test_a_chat_without_a_worker_cannot_be_given_back() -> None:
    with pytest.raises(NotAllowed, match="No worker holds this chat"):
        running().tell(Release())


def test_a_chat_is_given_back() -> None:
    chat = running()
    chat.tell(Acquire(lease=lease()))

    chat.tell(Release())

    assert chat.chat.lease is None


@proves("state-machine", 39)
def test_putting_away_what_is_away_is_refused() -> None:
    with pytest.raises(NotAllowed, match="Cannot archive now: the chat is waiting, archived"):
        archived().tell(Archive())
    with pytest.raises(NotAllowed):
        idle().tell(Unarchive())


@proves("state-machine", 40)
def test_a_pinned_chat_that_is_put_away_is_pinned_no_more() -> None:
    chat = idle()
    chat.tell(DescribeChat(details=Details(pin_order=3)))

    chat.tell(Archive())

    assert chat.chat.pin_order == 0


def test_putting_a_chat_away_has_whoever_watches_be_asked_for_anew() -> None:
    """Those with a public link may not read it any more."""
    chat = idle()
    before = chat.chat.versions.access

    chat.tell(Archive())

    assert chat.chat.versions.access > before


def test_an_archived_chat_cannot_be_pinned_but_can_be_renamed() -> None:
    chat = archived()

    with pytest.raises(NotAllowed, match="cannot be pinned"):
        chat.tell(DescribeChat(details=Details(pin_order=1)))
    chat.tell(DescribeChat(details=Details(title="old things")))

    assert chat.chat.title == "old things"


def test_a_child_cannot_be_pinned() -> None:
    with pytest.raises(NotAllowed, match="cannot be pinned"):
        ModelChat(create(parent="root")).tell(DescribeChat(details=Details(pin_order=1)))


def read(number: int) -> DescribeChat:
    return DescribeChat(details=Details(read_id=MessageId(number)))


def test_what_the_agent_says_is_unread_until_its_owner_has_read_it() -> None:
    chat = running()
    unread = [chat.chat.has_unread]
    chat.tell(step(says("done")), FinishTurn())
    unread.append(chat.chat.has_unread)
    chat.tell(read(chat.chat.projection.last_id))
    unread.append(chat.chat.has_unread)
    # Their own words are not news to them.
    chat.tell(send("and now?"))
    unread.append(chat.chat.has_unread)

    assert unread == [False, True, False, False]


def test_what_is_read_moves_on_and_not_back_unless_the_chat_is_to_be_unread() -> None:
    chat = running()
    chat.tell(step(says("one")), FinishTurn())
    newest = chat.chat.projection.last_id
    before = chat.chat.updated_at

    chat.tell(read(10**6))
    assert chat.chat.read_id == newest
    chat.tell(read(newest - 1))
    assert chat.chat.read_id == newest
    chat.tell(read(0))
    assert chat.chat.has_unread
    assert chat.chat.updated_at == before


def test_nothing_is_unread_of_what_a_child_tells_its_parent() -> None:
    child = ModelChat(create(parent="root"))

    child.tell(step(says("done")), FinishTurn())

    assert not child.chat.has_unread


def test_an_archived_chat_tells_what_to_do_first() -> None:
    with pytest.raises(NotAllowed) as refusal:
        archived().tell(send("hello?"))

    assert refusal.value.hint == "Take the chat out of the archive first."


@proves("state-machine", 45)
def test_a_damaged_row_is_repaired_and_keeps_its_queue() -> None:
    locked = a_chat(Situation(Status.RUNNING, queued=True, archived=True))

    chat = machine.decide(machine.begin(locked), Repair()).after.chat

    assert chat.situation == Situation(Status.ERROR, queued=True)
    assert chat.last_error == INCONSISTENT


@proves("state-machine", 46)
@pytest.mark.parametrize("situation", sorted(machine.LEGAL, key=str), ids=str)
def test_a_sound_row_needs_no_repair(situation: Situation) -> None:
    with pytest.raises(NotAllowed):
        machine.decide(machine.begin(a_chat(situation)), Repair())


@proves("state-machine", 4, 5)
@pytest.mark.parametrize("situation", [s for s in EVERY_SITUATION if s not in machine.LEGAL], ids=str)
def test_a_damaged_row_accepts_nothing_else(situation: Situation) -> None:
    with pytest.raises(InvalidState, match="inconsistent"):
        machine.decide(machine.begin(a_chat(situation)), Acquire(lease=lease()))


def test_a_fence_holds_while_nothing_moved() -> None:
    chat = running()
    chat.tell(Acquire(lease=lease()))
    held = HeldBy(lease=lease(), status=Status.RUNNING, history=1, attempt=0)

    chat.tell(step(says("hi")), fence=held)

    with pytest.raises(Stale, match="has moved on"):
        chat.tell(step(says("hi again")), fence=held)


@proves("worker", 34)
@pytest.mark.parametrize(
    "changed",
    [
        HeldBy(lease=lease("other")),
        HeldBy(lease=lease(), status=Status.INTERRUPTING),
        HeldBy(lease=lease(), history=0),
        HeldBy(lease=lease(), attempt=1),
    ],
    ids=["lease", "status", "history", "attempt"],
)
def test_a_worker_whose_chat_moved_on_cannot_write(changed: HeldBy) -> None:
    chat = running()
    chat.tell(Acquire(lease=lease()))
    before = chat.locked

    with pytest.raises(Stale):
        chat.tell(step(says("late")), fence=changed)

    assert chat.locked == before


def test_an_archived_chat_is_driven_by_no_worker() -> None:
    chat = archived()
    chat.tell(Acquire(lease=lease()))

    with pytest.raises(Stale):
        fence.check(HeldBy(lease=lease()), chat.locked)


def test_a_chat_needs_a_worker_when_it_has_work_and_no_living_worker() -> None:
    chat = running()
    assert fence.needs_worker(chat.locked)

    chat.tell(Acquire(lease=lease()), fence=NeedsWorker())
    assert not fence.needs_worker(chat.locked)
    with pytest.raises(Stale):
        chat.tell(Acquire(lease=lease("other")), fence=NeedsWorker())

    assert fence.needs_worker(replace(chat.locked, lease_is_fresh=False))
    assert not fence.needs_worker(idle().locked)
