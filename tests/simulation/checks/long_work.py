"""Long work is done once: each answer counts once, each report arrives once, all advice is counted."""

from collections.abc import Mapping

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId, FileId
from chatd.domain.message import Role, text
from chatd.domain.part import Json, ToolResult
from chatd.domain.profile.texts import TitleBy
from chatd.domain.usage.advice import ADVICE, LIMIT_REACHED
from chatd.kit.codec import encode_text
from chatd.storage.reads.read import Everything
from tests.simulation.chaos import Violation
from tests.simulation.long_work import ACCEPT, FAMILY, PLANNED, Person
from tests.support.invariants import assert_coherent


def check_long_work(chats: Mapping[ChatId, Everything], person: Person) -> None:
    for chat_id, stored in chats.items():
        assert_coherent(
            chat=stored.chat,
            messages=stored.messages,
            queue=stored.queue,
            calls=stored.calls,
            links=[FileId(file) for file in stored.files],
            branches=stored.branches,
            charges=stored.charges,
        )
        if stored.chat.status is not Status.WAITING:
            raise Violation(f"the chat {chat_id} is {stored.chat.status}: {stored.chat.last_error}")
    _check_answers(chats[PLANNED], person)
    _check_advice(chats[PLANNED])
    _check_family(chats)
    _check_titles(chats, person)


def _check_answers(stored: Everything, person: Person) -> None:
    """A question and a plan are answered once, with what was acknowledged, if that was."""
    said = results(stored)
    for call_id, acknowledged in person.acknowledged.items():
        if len(acknowledged) > 1:
            raise Violation(f"{call_id} was answered {len(acknowledged)} times: {acknowledged}")
        if len(said[call_id]) != 1:
            raise Violation(f"{call_id} has {len(said[call_id])} results")
    if ["Blue"] in person.acknowledged["asked"] and "Blue" not in encode_text(said["asked"][0]):
        raise Violation(f"another answer counts than the one that was acknowledged: {said['asked']}")
    if ACCEPT in person.acknowledged["plan"] and not _is_accepted(said["plan"][0]):
        raise Violation(f"another answer counts than the one that was acknowledged: {said['plan']}")


def _is_accepted(result: Json) -> bool:
    return bool(result["decision"] == "accept")


def _check_advice(stored: Everything) -> None:
    """There is none while a chat plans, as it goes on to do if the other answer was the one that arrived."""
    said, uses = results(stored), stored.chat.projection.advisor_uses
    types = [each.get("type") for call_id in ("first", "second") for each in said[call_id]]
    expected = ([ADVICE, LIMIT_REACHED], 1) if _is_accepted(said["plan"][0]) else ([None, None], 0)
    if (types, uses) != expected:
        raise Violation(f"advice is counted wrong: {uses} uses of {types}")


def _check_family(chats: Mapping[ChatId, Everything]) -> None:
    """Each agent was started once, has worked once, and its report has arrived once."""
    children = {chat_id: each for chat_id, each in chats.items() if each.chat.parent_id == FAMILY}
    if len(children) != 2:
        raise Violation(f"two agents were asked for, and {len(children)} started")
    for child in children.values():
        replies = [text(message) for message in child.messages if message.role is Role.ASSISTANT]
        if replies != [f"Report {child.chat.title}."]:
            raise Violation(f"an agent has reported {replies}")
    said = results(chats[FAMILY])
    for name in ("one", "two"):
        if len(said[name]) != 1 or said[name][0]["chat_id"] not in children:
            raise Violation(f"the agent {name} was started as {said[name]}")
        arrived = sum(encode_text(each).count(f"Report {name}.") for each in said["wait"])
        if arrived != 1:
            raise Violation(f"the report of agent {name} arrived {arrived} times")


def _check_titles(chats: Mapping[ChatId, Everything], person: Person) -> None:
    planned = chats[PLANNED].chat
    if person.renamed and (planned.title, planned.title_by) != ("Mine", TitleBy.PERSON):
        raise Violation(f"a person's title was overwritten with {planned.title!r}")


def results(stored: Everything) -> dict[str, list[Json]]:
    """By the id of their call."""
    found: dict[str, list[Json]] = {}
    for message in stored.messages:
        for part in message.content:
            if isinstance(part, ToolResult):
                found.setdefault(part.tool_call_id, []).append(part.result)
    return found
