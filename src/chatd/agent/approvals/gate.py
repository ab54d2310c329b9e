"""What a chat that changes nothing may do all the same: its calls are judged more strictly (pure)."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.approvals.judge import Judgement, Proposal, Rules
from chatd.domain.approvals.rule import Verdict
from chatd.domain.ids import ChatId
from chatd.domain.workspace.plan_file import is_plan_path, plan_path


class Gate(Struct, frozen=True, kw_only=True):
    chat_id: ChatId
    # Whether its plan may be written down.
    writes_plan: bool
    # Whether a sandbox keeps commands from changing the workspace.
    is_confined: bool


def refusal(gate: Gate, proposal: Proposal) -> str | None:
    """Why the call may not run, whatever the rules say. Only the plan is written, by file tools.

    What a command writes is for the sandbox to prevent, or for the person who is asked.
    """
    touches = proposal.touches
    if touches is None or touches.commands or not touches.writes or _is_plan(gate, proposal):
        return None
    if not gate.writes_plan:
        return "Nothing was written: this chat changes nothing."
    return f"Nothing was written: in plan mode only the plan can be, which is {plan_path(gate.chat_id)}."


def rules_behind(gate: Gate, rules: Rules, proposal: Proposal) -> Rules:
    """Where no sandbox does, a person keeps a command from changing something: they are always asked."""
    has_commands = proposal.touches is not None and bool(proposal.touches.commands)
    if not has_commands or gate.is_confined:
        return rules
    return Rules(
        **{
            source: tuple(rule for rule in getattr(rules, source) if rule.verdict is not Verdict.ALLOW)
            for source in ("deployment", "user", "chat")
        },
        asks=True,
    )


def judged_behind(gate: Gate, judgement: Judgement, proposal: Proposal) -> Judgement:
    """The plan is written without asking. No answer to a command makes a rule that would not count here."""
    if judgement.verdict is not Verdict.ASK or judgement.request is None:
        return judgement
    if _is_plan(gate, proposal):
        return Judgement(verdict=Verdict.ALLOW)
    if gate.is_confined:
        return judgement
    return replace(judgement, request=replace(judgement.request, rules=(), scopes=()))


def _is_plan(gate: Gate, proposal: Proposal) -> bool:
    touches, root = proposal.touches, proposal.workspace
    if not gate.writes_plan or touches is None or root is None or not touches.writes or touches.commands:
        return False
    return all(is_plan_path(path, gate.chat_id, root) for path in touches.writes)
