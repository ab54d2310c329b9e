"""What a chat that changes nothing may do all the same."""

import pytest

from chatd.agent.approvals.gate import Gate, judged_behind, refusal, rules_behind
from chatd.approvals.judge import Proposal, Rules, judge
from chatd.domain.approvals.rule import Touches, Verdict
from chatd.domain.ids import ChatId
from chatd.domain.workspace.plan_file import plan_path
from tests.traceability import proves
from tests.words import allows, denies

CHAT = ChatId("chat")
ROOT = "/srv/project"
OWN = plan_path(CHAT)
EVERYTHING = (allows("*"), allows("execute", "*"))


def gate(*, writes_plan: bool = True, is_confined: bool = True) -> Gate:
    return Gate(chat_id=CHAT, writes_plan=writes_plan, is_confined=is_confined)


def writing(*paths: str) -> Proposal:
    return Proposal(tool="write_file", touches=Touches(writes=paths), workspace=ROOT)


def running(command: str) -> Proposal:
    return Proposal(tool="execute", touches=Touches(commands=(command,)), workspace=ROOT)


def verdict(at: Gate, rules: Rules, proposal: Proposal) -> Verdict:
    if refusal(at, proposal) is not None:
        return Verdict.DENY
    return judged_behind(at, judge(rules_behind(at, rules, proposal), proposal), proposal).verdict


@proves("tools", 48)
@pytest.mark.parametrize(
    "paths", [("plan.md",), ("src/a.py",), (OWN, "src/a.py"), (f"{ROOT}/a",), (f"/{OWN}",), (f"../{OWN}",)]
)
def test_in_plan_mode_no_other_file_than_the_plan_is_written_whatever_the_rules_say(
    paths: tuple[str, ...],
) -> None:
    rules = Rules(deployment=EVERYTHING, asks=False)

    assert verdict(gate(), rules, writing(*paths)) is Verdict.DENY
    assert OWN in str(refusal(gate(), writing(*paths)))


@pytest.mark.parametrize("path", [OWN, f"./{OWN}", f"{ROOT}/{OWN}"])
def test_the_plan_is_written_without_asking_unless_a_rule_denies_it(path: str) -> None:
    assert verdict(gate(), Rules(), writing(path)) is Verdict.ALLOW
    assert verdict(gate(), Rules(user=(denies("write_file"),)), writing(path)) is Verdict.DENY


def test_a_chat_that_explores_writes_no_plan_either() -> None:
    assert verdict(gate(writes_plan=False), Rules(deployment=EVERYTHING), writing(OWN)) is Verdict.DENY


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules(deployment=EVERYTHING), Rules(user=EVERYTHING, chat=EVERYTHING), Rules(asks=False)],
)
def test_without_a_sandbox_a_person_is_asked_for_every_command_and_an_answer_counts_once(
    rules: Rules,
) -> None:
    proposal = running("git log")
    at = gate(is_confined=False)

    judgement = judged_behind(at, judge(rules_behind(at, rules, proposal), proposal), proposal)

    assert judgement.verdict is Verdict.ASK
    assert judgement.request is not None
    assert (judgement.request.programs, judgement.request.scopes) == ((("git", "log"),), ())


def test_without_a_sandbox_a_rule_that_denies_still_denies() -> None:
    rules = Rules(user=(denies("execute", "git log"),))

    assert verdict(gate(is_confined=False), rules, running("git log")) is Verdict.DENY


def test_in_a_sandbox_the_rules_count_as_ever() -> None:
    assert verdict(gate(), Rules(user=(allows("execute", "git log"),)), running("git log")) is Verdict.ALLOW
    assert verdict(gate(), Rules(), running("git log")) is Verdict.ASK
