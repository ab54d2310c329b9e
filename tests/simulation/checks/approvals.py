"""No call runs that rules deny, nor one that they ask for without an answer for it; and no answer is lost."""

from collections import Counter
from collections.abc import Iterator, Mapping

from chatd.domain.approvals.rule import Rule
from chatd.domain.call import CallState
from chatd.domain.ids import ChatId
from chatd.storage.reads.read import Everything
from tests.simulation.chaos import Violation
from tests.simulation.guarded import BANNED, NEVER, Run
from tests.simulation.people.answers import Answered, Decisions
from tests.simulation.work import JOT


def check_approvals(
    runs: list[Run], decisions: Decisions, chats: Mapping[ChatId, Everything], user_rules: list[Rule]
) -> None:
    for run in runs:
        if run.command.startswith((BANNED, NEVER)):
            raise Violation(f"a rule denies {run.command!r}, and it ran: {run}")
        if not list(_answers_for(run, decisions, _reached(run, chats))):
            raise Violation(f"{run.command!r} ran without an approval: {run}")
    _once_means_once(runs)
    _each_call_is_decided_once(decisions)
    for answer in decisions.acknowledged:
        _is_kept(answer, chats[ChatId(answer.chat_id)], user_rules)


def _reached(run: Run, chats: Mapping[ChatId, Everything]) -> tuple[str | None, ...]:
    """The chats whose rules count for this run: its own, and the one that it works for."""
    return run.chat_id, chats[ChatId(run.chat_id)].chat.parent_id


def _answers_for(run: Run, decisions: Decisions, reached: tuple[str | None, ...]) -> Iterator[Answered]:
    """The answers that allow this run: for this very call, or beyond it for this very command.

    One that was sent after the user had a rule against the command does not, unless it put another rule
    before that one.
    """
    forbidden = min((each.at for each in decisions.forbidden if each.command == run.command), default=None)
    for answer in decisions.sent:
        fits = (
            answer.allowed
            and answer.at <= run.at
            and (answer.command, answer.tool) == (run.command, run.tool)
        )
        is_this = (answer.chat_id, answer.call_id) == (run.chat_id, run.call_id)
        reaches = {"once": is_this, "chat": answer.chat_id in reached, "always": True}
        in_time = forbidden is None or answer.at < forbidden or answer.scope == "always"
        if fits and reaches[answer.scope] and in_time:
            yield answer


def _once_means_once(runs: list[Run]) -> None:
    fired = Counter((run.chat_id, run.call_id, run.command) for run in runs if run.tool in ("fire", JOT))
    twice = [each for each, count in fired.items() if count > 1]
    if twice:
        raise Violation(f"ran more than once: {twice}")


def _each_call_is_decided_once(decisions: Decisions) -> None:
    decided = Counter((each.chat_id, each.message_id, each.call_id) for each in decisions.acknowledged)
    if twice := [call for call, count in decided.items() if count > 1]:
        raise Violation(f"more than one approval was acknowledged for {twice}")


def _is_kept(answer: Answered, stored: Everything, user_rules: list[Rule]) -> None:
    """With who decided; and with its rules, if it was for more than once."""
    (call,) = (
        each for each in stored.calls if (each.message_id, each.id) == (answer.message_id, answer.call_id)
    )
    if call.decided_by is None or (not answer.allowed and call.state is not CallState.ANSWERED):
        raise Violation(f"the answer {answer} was acknowledged, and the call is {call}")
    rules = {"once": None, "chat": [kept.rule for kept in stored.rules], "always": user_rules}[answer.scope]
    if rules is not None and not any(rule.words == tuple(answer.command.split()) for rule in rules):
        raise Violation(f"the answer {answer} was acknowledged, and made no rule: {rules}")
