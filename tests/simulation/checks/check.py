"""The promises, checked after each run by code that shares nothing with the server's."""

import re
from collections import Counter

from chatd.domain.call import Call, CallState, Effect
from chatd.domain.ids import ChatId, FileId
from chatd.domain.message import Role, text
from chatd.storage.reads.read import Everything
from tests.simulation.chaos import FORBIDDEN, RULE, Violation
from tests.simulation.checks.answers import answer_to
from tests.simulation.checks.approvals import check_approvals
from tests.simulation.checks.interrupts import check_interrupts
from tests.simulation.checks.long_stories import check_long_stories
from tests.simulation.checks.viewers import check_viewers
from tests.simulation.checks.work import check_work
from tests.simulation.guarded import runs_of
from tests.simulation.witnesses.overheard import flat
from tests.simulation.witnesses.said import Said
from tests.simulation.world import World
from tests.support.invariants import assert_coherent

# After a tool has come back, its result is written at once; a fault in this time may lose it.
WRITING_SECONDS = 2.0
# A worker whose sign of life was held up may lose its chats this much later.
LEASE_SECONDS = 60.0

# Two that were both stopped before they named what they answer are no answers to the same.
NAMED_ANSWER = re.compile(r"answer to \S")


def check_promises(world: World, chats: dict[ChatId, Everything]) -> None:
    for stored in chats.values():
        _coherent(stored)
        _no_call_is_answered_twice(stored)
        _kept_results_are_used(stored)
    _nothing_accepted_is_lost(world, chats)
    _once_means_once(world)
    _results_survive_interrupts(world, chats)
    said = Said(world.chronicle, world.witness.attempts, world.chaos.faults)
    _nothing_is_paid_twice(world, said)
    _the_rule_is_told(chats)
    check_interrupts(said, chats, world.viewers)
    check_viewers(said, world.viewers)
    check_approvals(runs_of(world.witness), world.decisions, chats, world.user_rules())
    check_work(world.disk, world.decisions, world.promises.restores, chats)
    check_long_stories(chats, world.long_promises, world.witness, world.chronicle)


def _coherent(stored: Everything) -> None:
    try:
        assert_coherent(
            chat=stored.chat,
            messages=stored.messages,
            queue=stored.queue,
            calls=stored.calls,
            links=[FileId(file) for file in stored.files],
            branches=stored.branches,
            charges=stored.charges,
        )
    except AssertionError as error:
        raise Violation(f"{stored.chat.id} is not coherent: {error}") from error


def _nothing_accepted_is_lost(world: World, chats: dict[ChatId, Everything]) -> None:
    for chat_id, words in world.promises.acknowledged:
        times = _mentions(chats[ChatId(chat_id)], words)
        if times != 1:
            raise Violation(f"{words!r} was accepted and is there {times} times")
    for words in world.promises.unknown:
        if sum(_mentions(stored, words) for stored in chats.values()) > 1:
            raise Violation(f"{words!r} is there more than once")


def _mentions(stored: Everything, words: str) -> int:
    said = [text(m) for m in stored.messages if m.role is Role.USER] + [text(q) for q in stored.queue]
    return said.count(words)


def _no_call_is_answered_twice(stored: Everything) -> None:
    """One driver: two workers that both think they own a chat would both answer."""
    answers = Counter(
        text(message)
        for message in stored.messages
        if message.role is Role.ASSISTANT and NAMED_ANSWER.search(text(message))
    )
    twice = [words for words, count in answers.items() if count > 1]
    if twice:
        raise Violation(f"{stored.chat.id} has more than one {twice}")


def _once_means_once(world: World) -> None:
    launched = Counter(line for _, line in world.witness.seen if line.startswith("launch "))
    twice = [line for line, count in launched.items() if count > 1]
    if twice:
        raise Violation(f"ran more than once: {twice}")


def _kept_results_are_used(stored: Everything) -> None:
    """A result that the ledger has is the one that history has."""
    for call in stored.calls:
        if call.state is CallState.ANSWERED and call.result is not None:
            answer = answer_to(call, stored.messages)
            if answer is None or answer.result != call.result.result:
                raise Violation(f"the result of {call.id} was kept and not used: {call.result} / {answer}")


def _nothing_is_paid_twice(world: World, said: Said) -> None:
    """Where nothing broke, or only the database was away, a reply that came to its end is saved.

    It is not asked for again.
    """
    if not world.chaos.gentle:
        return
    for chat_id, history, attempts in said.all_on():
        paid = [each for each in attempts if each.finished and FORBIDDEN not in flat(each.said())]
        if len(paid) > 1:
            raise Violation(
                f"{chat_id} was answered {len(paid)} times at history {history}, and paid each time"
            )


def _the_rule_is_told(chats: dict[ChatId, Everything]) -> None:
    """A turn that one of our rules has ended says which. Providers have words of their own."""
    for stored in chats.values():
        error = stored.chat.last_error
        if error is not None and error.provider is None and RULE not in error.message:
            raise Violation(f"{stored.chat.id} failed for another reason than a rule: {error}")


def _results_survive_interrupts(world: World, chats: dict[ChatId, Everything]) -> None:
    """Some tools come back at once. Unless something broke just then, no stop makes a result an excuse.

    A database that is away breaks nothing: the result is held until it is back.
    """
    for stored in chats.values():
        for call in stored.calls:
            ran = world.witness.times(f"{call.tool} {call.id} ")
            if not ran or not _comes_back_at_once(call):
                continue
            disturbed = any(
                ran[0] - LEASE_SECONDS <= fault.at <= ran[-1] + WRITING_SECONDS
                for fault in world.chaos.faults
                if fault.kind != "absence"
            )
            answer = answer_to(call, stored.messages)
            if not disturbed and answer is not None and answer.is_error:
                raise Violation(f"{call.id} came back, and history says {answer.result!r}")


def _comes_back_at_once(call: Call) -> bool:
    is_echo = call.tool == "echo" and call.effect is Effect.READ
    return is_echo or (call.tool == "launch" and isinstance(call.args, dict) and "seconds" not in call.args)
