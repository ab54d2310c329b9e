"""Who is told next of chats of others: nobody's chats hold up those of another."""

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.others.outgoing import Outgoing
from chatd.live.lists.others.watcher import Watcher
from chatd.storage.reads.shared_lists import OtherChat

MALLORY, BOB, EVA = UserId("mallory"), UserId("bob"), UserId("eva")


def watchers(count: int) -> list[Watcher]:
    return [Watcher(UserId(f"watcher {number}"), Bell()) for number in range(count)]


def shared(chat_id: str, owner_id: UserId) -> OtherChat:
    chat = Chat(id=ChatId(chat_id), owner_id=owner_id, created_at=Micros(0), updated_at=Micros(0))
    return OtherChat(chat=chat, owner_name="", owner_display_name="", at_work=0, grants={})


def told(outgoing: Outgoing, count: int) -> dict[str, int]:
    """Have so many told: how many of each chat."""
    telling = outgoing.next(count)
    for each in telling:
        outgoing.told(each)
    return {each.other.chat.id: len(each.watchers) for each in telling}


def test_who_changes_many_chats_that_all_may_see_holds_up_nobody_else() -> None:
    outgoing, everyone = Outgoing(), watchers(100)
    for number in range(50):
        outgoing.add(shared(f"noise {number}", MALLORY), everyone)
    outgoing.add(shared("news", BOB), everyone[:3])
    outgoing.add(shared("more", EVA), everyone)

    assert told(outgoing, 20) == {"news": 3, "more": 9, "noise 0": 8}
    assert told(outgoing, 20) == {"more": 10, "noise 0": 10}


def test_of_one_owner_what_was_first_is_told_first_and_as_it_is_now() -> None:
    outgoing, (anna, tom, *_) = Outgoing(), watchers(2)
    outgoing.add(shared("first", BOB), [anna])
    outgoing.add(shared("second", BOB), [anna, tom])
    now = shared("first", BOB)
    outgoing.add(now, [tom])

    assert outgoing.next(2)[0].other is now
    assert told(outgoing, 3) == {"first": 2, "second": 1}
    assert told(outgoing, 3) == {"second": 1}
    assert not outgoing


def test_so_many_wait_for_one_owner_and_all_that_is_over_is_forgotten() -> None:
    outgoing, everyone = Outgoing(waiting_max=4), watchers(4)
    outgoing.add(shared("one", MALLORY), everyone)
    assert outgoing.is_full(MALLORY)
    assert not outgoing.is_full(BOB)

    # Handed over: it is Bob's now, with all who wait.
    outgoing.add(shared("one", BOB), ())
    assert (outgoing.is_full(MALLORY), outgoing.is_full(BOB)) == (False, True)
    told(outgoing, 1)
    assert not outgoing.is_full(BOB)
    outgoing.forget(ChatId("one"))
    assert not outgoing
    assert told(outgoing, 10) == {}
