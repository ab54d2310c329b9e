"""The ledger of what clients were told against the database. Pure: every violation found is a sentence."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.chaos.database import Stored
from tests.chaos.ledger import Ledger, Line
from tests.chaos.people import is_answer, script
from tests.simulation.people.picture import Part

REPEATABLE = ("-read failed", "-rest failed", "-again failed")


class Evidence(NamedTuple):
    ledger: Ledger
    stored: Mapping[str, Stored]
    # What tools did, a line for each time, on all servers.
    rehearsals: Sequence[str]
    # Of each viewer's chat: the messages it ended with, and each preview it was shown.
    shown: Sequence[tuple[str, Sequence[int], Sequence[Sequence[Part]]]]

    def lines(self, chat_id: str) -> Sequence[Line]:
        return self.stored[chat_id].lines if chat_id in self.stored else ()


def violations(evidence: Evidence) -> list[str]:
    return [
        *_nothing_is_lost(evidence),
        *_nothing_is_stuck(evidence),
        *_nothing_is_doubled(evidence),
        *_viewers_were_told_the_truth(evidence),
        *_previews_are_whole(evidence),
    ]


def _nothing_is_lost(evidence: Evidence) -> Iterator[str]:
    for chat_id, names in evidence.ledger.accepted.items():
        lines = evidence.lines(chat_id)
        said = [line.words for line in lines if line.role == "user"]
        # Also their order, and that there is nothing else.
        if said != [script(name) for name in names]:
            yield f"{chat_id} acknowledged {names}, and has these messages of its user: {said}"
        for name in names:
            answers = [line for line in lines if line.role == "assistant" and is_answer(line.words, name)]
            if len(answers) != 1:
                yield f"{name} was accepted by {chat_id} and has {len(answers)} answers"


def _nothing_is_stuck(evidence: Evidence) -> Iterator[str]:
    for chat_id, chat in evidence.stored.items():
        if chat.status != "waiting" or chat.waiting:
            yield f"{chat_id} is {chat.status} with {chat.waiting} messages that wait, and nobody disturbs it"
        if chat.incoherence is not None:
            yield f"{chat_id} is not coherent: {chat.incoherence}"
        failed = [line for line in chat.lines if any(words in line.words for words in REPEATABLE)]
        if failed:
            yield f"{chat_id} has failed calls that could have been repeated: {failed}"


def _nothing_is_doubled(evidence: Evidence) -> Iterator[str]:
    unknown = set(evidence.stored) - set(evidence.ledger.accepted)
    if unknown:
        yield f"nobody was told of {sorted(unknown)}"
    ran = Counter(line for line in evidence.rehearsals if line.startswith("launch "))
    yield from (f"ran {count} times: {line}" for line, count in ran.items() if count > 1)
    for chat_id, chat in evidence.stored.items():
        results = Counter(
            result.rpartition(" ")[0]
            for line in chat.lines
            if line.role == "tool"
            for result in line.words.split(", ")
        )
        yield from (
            f"{chat_id} has {count} results of {call}" for call, count in results.items() if count > 1
        )


def _viewers_were_told_the_truth(evidence: Evidence) -> Iterator[str]:
    for chat_id, known, later in evidence.ledger.retold:
        yield f"a viewer of {chat_id} was told {known}, and later {later}"
    for chat_id, told in evidence.ledger.saved.items():
        stored = {line.id: line for line in evidence.lines(chat_id)}
        yield from (
            f"a viewer of {chat_id} was told that {line} is saved, and the database has {stored.get(line.id)}"
            for line in told.values()
            if stored.get(line.id) != line
        )
        if list(told) != sorted(told):
            yield f"a viewer of {chat_id} was told of messages in this order: {list(told)}"
    for chat_id, ids, _ in evidence.shown:
        if list(ids) != [line.id for line in evidence.lines(chat_id)]:
            yield f"a viewer of {chat_id} ended with the messages {ids}, which are not those of the database"


def _previews_are_whole(evidence: Evidence) -> Iterator[str]:
    for chat_id, _, previews in evidence.shown:
        for parts in previews:
            if len({(part.history, part.attempt) for part in parts}) > 1:
                yield f"a preview of {chat_id} mixes attempts without a reset: {parts}"
            numbers = [part.seq for part in parts]
            if numbers != sorted(set(numbers)):
                yield f"a preview of {chat_id} has something twice, or in another order: {parts}"
            shown = "".join(part.word.text for part in parts if part.word.kind == "text")
            saved = evidence.ledger.replies.get((chat_id, parts[0].history, parts[0].attempt))
            # An attempt that was given up is saved nowhere.
            if saved is not None and not saved.startswith(shown):
                yield f"a viewer of {chat_id} was shown {shown!r}, and this was saved: {saved!r}"
