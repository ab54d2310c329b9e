"""Who is concerned by which chats of others."""

from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.grants import GrantKind
from chatd.live.lists.others.index import Index
from chatd.storage.reads.shared_lists import Subject

ANNA, BOB = UserId("anna"), UserId("bob")
TO_ANNA, TO_BOB = Subject(GrantKind.USER, ANNA), Subject(GrantKind.USER, BOB)
TO_TEAM, TO_STRANGER = Subject(GrantKind.GROUP, "team"), Subject(GrantKind.USER, "stranger")
ONE, TWO = ChatId("one"), ChatId("two")


def two_members(**limits: int) -> Index:
    index = Index(**limits)
    assert index.place(ANNA, frozenset({TO_ANNA, TO_TEAM})) == {TO_ANNA, TO_TEAM}
    # What the team has is known already.
    assert index.place(BOB, frozenset({TO_BOB, TO_TEAM})) == {TO_BOB}
    return index


def test_a_chat_concerns_all_who_are_meant_by_its_grants_and_watch() -> None:
    index = two_members()

    assert index.learn(ONE, {TO_TEAM, TO_STRANGER}, 1) == set()
    assert index.concerned(ONE) == {ANNA, BOB}
    assert index.learn(ONE, {TO_BOB}, 2) == {ANNA}
    assert index.learn(ONE, {TO_STRANGER}, 3) == {BOB}
    assert not index.knows(ONE)


def test_one_grant_of_two_that_is_taken_back_leaves_the_other() -> None:
    index = two_members()
    index.learn(ONE, {TO_TEAM, TO_ANNA}, 1)

    assert index.learn(ONE, {TO_ANNA}, 2) == {BOB}
    assert index.concerned(ONE) == {ANNA}


def test_who_leaves_is_forgotten_with_what_only_they_had() -> None:
    index = two_members()
    index.learn(ONE, {TO_TEAM}, 1)
    index.learn(TWO, {TO_ANNA}, 1)

    index.leave(ANNA)

    assert (index.concerned(ONE), index.knows(TWO)) == ({BOB}, False)
    assert index.subjects == {TO_BOB, TO_TEAM}


def test_who_is_meant_by_other_subjects_keeps_what_they_still_have() -> None:
    index = two_members()
    index.learn(ONE, {TO_ANNA, TO_TEAM}, 1)

    assert index.place(ANNA, frozenset({TO_ANNA})) == set()
    index.leave(BOB)

    assert (index.concerned(ONE), index.subjects) == ({ANNA}, {TO_ANNA})


def test_what_differs_from_what_is_known_is_looked_at() -> None:
    index = two_members()
    index.load(TO_TEAM, {ONE: 1, TWO: 1})

    assert index.compare(TO_TEAM, {ONE: 1, TWO: 1}) == set()
    assert index.compare(TO_TEAM, {ONE: 2, ChatId("new"): 1}) == {ONE, TWO, "new"}
    # Nobody here is meant by it any more.
    assert index.compare(TO_STRANGER, {ONE: 2}) == set()


def test_of_too_many_chats_those_are_known_that_were_changed_last() -> None:
    index = two_members(chats_max=2)
    for chat_id in ("a", "b", "a", "c"):
        index.learn(ChatId(chat_id), {TO_TEAM}, 1)

    assert [index.knows(ChatId(chat_id)) for chat_id in "abc"] == [True, False, True]
