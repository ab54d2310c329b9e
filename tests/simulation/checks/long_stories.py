"""In stories of long work: agents are started once, answers count once, and nobody does what they may not."""

from collections import Counter
from collections.abc import Iterator, Mapping

from chatd.domain.call import Call
from chatd.domain.ids import ChatId
from chatd.domain.message import Message, Role, Visibility, text
from chatd.domain.part import Json, ToolResult
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import TitleBy
from chatd.domain.usage.advice import ADVICE
from chatd.kit.codec import encode_text
from chatd.storage.reads.read import Everything
from tests.simulation.chaos import Violation
from tests.simulation.checks.answers import answer_to
from tests.simulation.people.long_user import LongPromises, PersonAnswer, Stopped
from tests.simulation.servers.equipment import ADVICE_MAX
from tests.simulation.witnesses.chronicle import Chronicle
from tests.simulation.witnesses.witness import Witness

Chats = Mapping[ChatId, Everything]
# What may run only where something may change; and of these, those whose calls have ids of their own.
WITH_EFFECTS = ("launch", "remember", "fire", "note")
UNIQUE = ("launch", "remember")


def check_long_stories(chats: Chats, promises: LongPromises, witness: Witness, chronicle: Chronicle) -> None:
    for stored in chats.values():
        if stored.chat.agent_type is AgentType.EXPLORE:
            _changed_nothing(stored, witness)
        _check_children(stored, chats)
        _check_waits(stored, chats)
        _check_advice(stored)
        _check_summaries(stored)
    _check_answers(promises, chats)
    _check_plans(promises, witness, chats)
    _check_titles(promises, chats)
    for stopped in promises.stopped:
        _check_stop(stopped, chats, chronicle)


def _check_children(stored: Everything, chats: Chats) -> None:
    """A call starts one agent, and tells which; an agent has none, and is told each thing once."""
    children = [each.chat for each in chats.values() if each.chat.parent_id == stored.chat.id]
    twice = [title for title, count in Counter(child.title for child in children).items() if count > 1]
    if twice:
        raise Violation(f"started more than once: {twice}")
    if children and stored.chat.parent_id is not None:
        raise Violation(f"the agent {stored.chat.id} has agents of its own")
    ids = {child.id for child in children}
    told = {result["chat_id"] for _, result in _results(stored, "spawn_agent") if "chat_id" in result}
    if not told <= ids:
        raise Violation(f"{stored.chat.id} was told of agents that there are not: {told - ids}")
    if stored.chat.parent_id is not None:
        said = Counter(text(message) for message in _users(stored))
        if more := [words for words, count in said.items() if count > 1]:
            raise Violation(f"the agent {stored.chat.id} was told more than once: {more}")


def _check_waits(stored: Everything, chats: Chats) -> None:
    """Whom a wait tells to be done is done, and has said what is reported; and enough of them are."""
    for call, result in _results(stored, "wait_agent"):
        entries = result.get("agents", [result] if "chat_id" in result else [])
        for entry in entries:
            child, is_done = chats[ChatId(entry["chat_id"])], not entry.get("timed_out", False)
            if is_done and entry["status"] not in ("waiting", "error"):
                raise Violation(f"{call.id} was told that an agent is done that is {entry['status']}")
            if is_done and entry["report"] not in {"", *_words(child)}:
                raise Violation(f"{call.id} was told a report that no agent has made: {entry}")
        if "agents" in result and not result["timed_out"]:
            done = [not entry.get("timed_out", False) for entry in entries]
            is_any = isinstance(call.args, dict) and call.args.get("until") == "any"
            if not (any(done) if is_any else all(done)):
                raise Violation(f"{call.id} did not wait: {result}")


def _check_advice(stored: Everything) -> None:
    """Of one turn, on whichever branch it was."""
    uses: Counter[int] = Counter()
    turn = 0
    for message in stored.messages:
        if _is_of_user(message):
            turn = message.id
        for part in message.content:
            if isinstance(part, ToolResult) and part.tool_name == "advisor" and isinstance(part.result, dict):
                uses[turn] += part.result.get("type") == ADVICE
    if any(count > ADVICE_MAX for count in uses.values()):
        raise Violation(f"{stored.chat.id} took more advice in a turn than there is: {uses}")


def _check_summaries(stored: Everything) -> None:
    """Each has the words that began its turn, and is shown to people with a call and its result."""
    for summary in stored.messages:
        if not summary.compressed or summary.visibility is not Visibility.MODEL:
            continue
        said = [m for m in _users(stored) if m.id < summary.id and m.branch == summary.branch]
        if said and text(said[-1]) not in text(summary):
            raise Violation(f"a summary of {stored.chat.id} is without {text(said[-1])!r}")
        shown = [m.role for m in stored.messages if m.compressed and summary.id < m.id <= summary.id + 2]
        if shown != [Role.ASSISTANT, Role.TOOL]:
            raise Violation(f"a summary of {stored.chat.id} is shown to people as {shown}")


def _check_answers(promises: LongPromises, chats: Chats) -> None:
    """A question and a plan are answered once, with what was acknowledged."""
    answered = Counter((each.chat_id, each.message_id, each.call_id) for each in promises.answers)
    if twice := [call for call, count in answered.items() if count > 1]:
        raise Violation(f"more than one answer was acknowledged for {twice}")
    for answer in promises.answers:
        told = _told(answer, chats[ChatId(answer.chat_id)])
        expected = answer.answer["decision"] if isinstance(answer.answer, dict) else answer.answer[0]
        if f'"{expected}"' not in encode_text(told):
            raise Violation(f"{answer} was acknowledged, and the model was told {told}")


def _told(answer: PersonAnswer, stored: Everything) -> Json:
    """The result of this very call."""
    for call in stored.calls:
        if (call.message_id, call.id) == (answer.message_id, answer.call_id):
            result = answer_to(call, stored.messages)
            return result.result if result is not None else None
    return None


def _check_plans(promises: LongPromises, witness: Witness, chats: Chats) -> None:
    """A chat that only ever planned has changed nothing, nor have those that help it; and it still plans.

    One whose plan was accepted plans no more.
    """
    accepted = {each.chat_id for each in promises.answers if each.answer == {"decision": "accept"}}
    for chat_id in promises.planned - promises.changed_mode:
        stored = chats[ChatId(chat_id)]
        mode = stored.setup.mode
        if chat_id in accepted and mode is not None:
            raise Violation(f"the plan of {chat_id} was accepted, and it still plans")
        if _was_accepted(stored):
            continue
        if mode != "plan":
            raise Violation(f"{chat_id} plans no more, and no plan was accepted")
        family = [stored, *(each for each in chats.values() if each.chat.parent_id == chat_id)]
        for member in family:
            _changed_nothing(member, witness)


def _changed_nothing(stored: Everything, witness: Witness) -> None:
    """The ids of some calls are used in several chats; then what ran tells its chat as well."""
    for call in stored.calls:
        ran = f"{call.tool} {call.id} "
        own = ran if call.tool in UNIQUE else f"{ran}{stored.chat.id} "
        if call.tool in WITH_EFFECTS and witness.times(own):
            raise Violation(f"{stored.chat.id} may change nothing, and {call.id} ran")


def _was_accepted(stored: Everything) -> bool:
    return any(result.get("decision") == "accept" for _, result in _results(stored, "propose_plan"))


def _check_titles(promises: LongPromises, chats: Chats) -> None:
    """The title that a person has chosen last stays, unless they asked a model for another one."""
    for chat_id, titles in promises.titles.items():
        chat = chats[ChatId(chat_id)].chat
        last = max((n for n, (_, acknowledged) in enumerate(titles) if acknowledged), default=None)
        if last is None or chat_id in promises.named_anew:
            continue
        if chat.title not in [title for title, _ in titles[last:]] or chat.title_by is not TitleBy.PERSON:
            raise Violation(f"a person named {chat_id} {titles[last][0]!r}, and it is {chat.title!r}")


def _check_stop(stopped: Stopped, chats: Chats, chronicle: Chronicle) -> None:
    """All that worked for the chat when it was asked for were stopped, or had come to rest by themselves."""
    for stored in chats.values():
        chat_id = stored.chat.id
        if stored.chat.parent_id != stopped.chat_id or chronicle.of_chat[chat_id][0].at >= stopped.asked:
            continue
        # Not at that very moment: the stop itself may have been committed then, and a queued message begun.
        before = [state for state in chronicle.of_chat[chat_id] if state.at < stopped.asked][-1]
        meanwhile = [s for s in chronicle.of_chat[chat_id] if stopped.asked <= s.at <= stopped.told]
        if before.status == "running" and all(state.status == "running" for state in meanwhile):
            raise Violation(f"{stopped.chat_id} was stopped with its family, and {chat_id} works on")


def _results(stored: Everything, tool: str) -> Iterator[tuple[Call, dict[str, Json]]]:
    """What came of the calls of a tool, where it is more than an excuse."""
    for call in stored.calls:
        if call.tool != tool:
            continue
        result = answer_to(call, stored.messages)
        if result is not None and isinstance(result.result, dict):
            yield call, result.result


def _users(stored: Everything) -> list[Message]:
    return [message for message in stored.messages if _is_of_user(message)]


def _is_of_user(message: Message) -> bool:
    return message.role is Role.USER and not message.compressed and message.visibility is not Visibility.MODEL


def _words(child: Everything) -> set[str]:
    return {text(message).strip() for message in child.messages if message.role is Role.ASSISTANT}
