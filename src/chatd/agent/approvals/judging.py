"""Which calls of a reply may run: judged by the rules when they are made, and again when they are to begin.

What was decided first is kept in the ledger, so that a person sees what they are asked, also after a restart.
The second look is what counts: no call begins that the rules deny at that moment, and none that they ask for
without a person's approval of this very call.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.approvals.gate import Gate, judged_behind, refusal, rules_behind
from chatd.agent.approvals.redirections import LOOK_SECONDS, with_link_targets
from chatd.agent.hold.hold import Hold, LastJudged
from chatd.agent.toolboxes.availability import ACTING
from chatd.approvals.judge import Judgement, Proposal, Rules, judge
from chatd.approvals.shell.labels import labels
from chatd.domain.approvals.rule import ApprovalRequest, Touches, Verdict
from chatd.domain.call import Call, CallState, Effect, Kind, Plan
from chatd.domain.decision.answers import MAY_HAVE_RUN
from chatd.domain.ids import CallId
from chatd.domain.message import Draft
from chatd.domain.part import Json, Part, ToolCall
from chatd.domain.profile.chat_kind import ChatKind, kind_of
from chatd.kit.codec import encode
from chatd.kit.text import shortened, valid_text
from chatd.storage.reads.plans import last_plan
from chatd.storage.tables.rules import StoredRules, read_rules
from chatd.tools.arguments import UnfitError, fitting
from chatd.tools.tool import AnyTool, Asking, ToolError
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.files import Files
from chatd.workspaces.protection import Level
from chatd.workspaces.workspace import WorkspaceUnusable

# For all previews of one reply together: it is not saved until then.
PREVIEWS_SECONDS = 5.0
PREVIEW_CHARACTERS_MAX = 32_000
# For what a tool looks up before it asks a person.
ASK_SECONDS = 5.0
# More is judged in a thread, so that others do not wait for it.
INLINE_CHARACTERS_MAX = 2_000
INLINE_RULES_MAX = 100

log = structlog.get_logger()


class Judged(Struct, frozen=True):
    """A reply with what its commands are called, and how the ledger is to treat its calls."""

    draft: Draft
    plans: tuple[Plan, ...]


class _Candidate(Struct, frozen=True, kw_only=True):
    """A call of a tool of ours that would run: its arguments fit."""

    tool: AnyTool
    args: Json
    proposal: Proposal


async def judge_reply(hold: Hold, toolbox: Toolbox, draft: Draft, unfit: Mapping[CallId, str]) -> Judged:
    """Calls that cannot run are answered with the reason, and no person is asked for them."""
    calls = [part for part in draft.content if isinstance(part, ToolCall)]
    plans = {call.tool_call_id: toolbox.plan(call, unfit=unfit.get(call.tool_call_id)) for call in calls}
    candidates = {
        call.tool_call_id: found
        for call in calls
        if toolbox.kind(call) is Kind.LOCAL
        and plans[call.tool_call_id].state is CallState.OPEN
        and (found := _candidate(hold, toolbox, call.tool_name, call.args)) is not None
    }
    if candidates and not _is_void(toolbox, calls):
        previews = _Previews(hold)
        for (call_id, candidate), judgement in zip(
            candidates.items(), await _first_look(hold, draft, candidates.values()), strict=True
        ):
            if candidate.tool.ask is not None and judgement.verdict is not Verdict.DENY:
                plans[call_id] = await _asking(hold, candidate, plans[call_id])
                continue
            preview = await previews.of(candidate) if judgement.request is not None else None
            plans[call_id] = _plan(plans[call_id], judgement, preview)
    return Judged(await _labelled(draft, candidates), tuple(plans.values()))


async def _first_look(hold: Hold, draft: Draft, candidates: Collection[_Candidate]) -> Sequence[Judgement]:
    """What the rules allowed when they were last read they mostly still allow; the second look reads them."""
    proposals = [await with_link_targets(hold, each.proposal) for each in candidates]
    if hold.known_rules is not None:
        judgements = await _judged_in_turn(hold, hold.known_rules, proposals)
        if all(each.verdict is Verdict.ALLOW for each in judgements):
            return judgements
    # The reply was paid for: while the database is away, it is held.
    rules = await hold.save(partial(_rules_now, hold), size=lambda: len(encode(draft.content)))
    return await _judged_in_turn(hold, rules, proposals)


async def judge_again(hold: Hold, toolbox: Toolbox, calls: Sequence[Call]) -> tuple[Plan, ...]:
    """What has changed for calls that are about to begin. Nothing, most of the time."""
    candidates = [
        (call, found)
        for call in calls
        if _may_begin(hold, call) and (found := _candidate(hold, toolbox, call.tool, call.args)) is not None
    ]
    if not candidates:
        return ()
    rules = await _rules_now(hold)
    changed: list[Plan] = []
    previews = _Previews(hold)
    for number, (call, candidate) in enumerate(candidates):
        await _give_way(number)
        judgement = await _judged_here(hold, rules, await with_link_targets(hold, candidate.proposal))
        if _still_holds(hold, call, judgement):
            continue
        preview = await previews.of(candidate) if judgement.request is not None else None
        plan = _plan(Plan(call_id=call.id), judgement, preview)
        changed.append(_with_may_have_run(hold, call, plan))
    return tuple(changed)


async def denial(hold: Hold, toolbox: Toolbox, call: Call) -> str | None:
    """Why a call that has waited for its siblings may not begin any more, if so."""
    candidate = _candidate(hold, toolbox, call.tool, call.args)
    if candidate is None:
        return None
    proposal = await with_link_targets(hold, candidate.proposal)
    judgement = await _judged_here(hold, await _rules_now(hold), proposal)
    return judgement.reason if judgement.verdict is Verdict.DENY else None


async def forbidden(hold: Hold, call: Call, touches: Touches) -> frozenset[str]:
    """Of paths and hosts that a call turns out to touch while it runs, those that the rules do not allow.

    What a person has allowed may touch all paths that no rule denies: they were asked about the call. They
    were not asked about another host, nor about a file whose change has effects beyond itself, and that a
    link leads to: these need a rule that allows them.
    """
    rules = await _rules_now(hold)
    refused = {Verdict.DENY} if call.decided_by is not None else {Verdict.DENY, Verdict.ASK}

    found: set[str] = set()
    each_alone = (
        *((path, Touches(reads=(path,)), refused) for path in touches.reads),
        *((path, Touches(writes=(path,)), refused) for path in touches.writes),
        *((host, Touches(hosts=(host,)), {Verdict.DENY, Verdict.ASK}) for host in touches.hosts),
    )
    for number, (what, one, not_allowed) in enumerate(each_alone):
        await _give_way(number)
        proposal = Proposal(tool=call.tool, touches=one, workspace=hold.setup.workspace)
        judgement = await _judged_here(hold, rules, proposal)
        is_dangerous = judgement.request is not None and judgement.request.danger is not None
        if judgement.verdict in not_allowed or is_dangerous:
            found.add(what)
    return frozenset(found)


def touched_by(hold: Hold, toolbox: Toolbox, call: Call) -> Touches | None:
    """What a call would touch, or has touched; None: its tool does not tell, or cannot run."""
    candidate = _candidate(hold, toolbox, call.tool, call.args)
    return candidate.proposal.touches if candidate is not None else None


async def _rules_now(hold: Hold) -> Rules:
    stored: StoredRules = await read_rules(hold.services.store.db, hold.chat.owner_id, hold.chat_id)
    hold.known_rules = replace(hold.services.rules, user=stored.user, chat=stored.chat)
    return hold.known_rules


async def _judged_here(hold: Hold, rules: Rules, proposal: Proposal) -> Judgement:
    """By the rules, and in a chat that changes nothing more strictly."""
    proposal = replace(proposal, run_by_git=await _run_by_git(hold, proposal))
    kind = kind_of(hold.chat, hold.setup)
    if kind in ACTING:
        return await _judged(hold, rules, proposal)
    gate = Gate(
        chat_id=hold.chat_id,
        writes_plan=kind is ChatKind.PLANNING_ROOT,
        is_confined=await _is_confined(hold, proposal),
    )
    if (why := refusal(gate, proposal)) is not None:
        return Judgement(verdict=Verdict.DENY, reason=why)
    judgement = await _judged(hold, rules_behind(gate, rules, proposal), proposal)
    return judged_behind(gate, judgement, proposal)


async def _run_by_git(hold: Hold, proposal: Proposal) -> tuple[str, ...]:
    """Empty for a call that changes nothing, and while the workspace is away: then the call cannot run."""
    if proposal.touches is None or not (proposal.touches.writes or proposal.touches.commands):
        return ()
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            workspace = await hold.workspace()
            return await workspace.files.run_by_git() if workspace is not None else ()
    except (WorkspaceUnusable, TimeoutError):
        return ()


async def _is_confined(hold: Hold, proposal: Proposal) -> bool:
    """Also where no command runs at all."""
    if proposal.touches is None or not proposal.touches.commands:
        return True
    try:
        workspace = await hold.workspace()
    except WorkspaceUnusable:
        return True  # The tool will say so.
    return workspace is None or workspace.protection.level in (Level.SANDBOX, Level.CLOSED)


async def _judged(hold: Hold, rules: Rules, proposal: Proposal) -> Judgement:
    """Most calls are judged twice in a row by rules that say the same: then the judgement is the same."""
    known = hold.last_judged
    if known is None or known.proposal != proposal or known.rules != rules:
        known = hold.last_judged = LastJudged(rules, proposal, await _judge(rules, proposal))
    return known.judgement


async def _judge(rules: Rules, proposal: Proposal) -> Judgement:
    commands = proposal.touches.commands if proposal.touches is not None else ()
    is_long = sum(map(len, commands)) > INLINE_CHARACTERS_MAX
    if is_long or len(rules.deployment) + len(rules.user) + len(rules.chat) > INLINE_RULES_MAX:
        return await asyncio.to_thread(judge, rules, proposal)
    return judge(rules, proposal)


async def _judged_in_turn(hold: Hold, rules: Rules, proposals: Sequence[Proposal]) -> list[Judgement]:
    judged: list[Judgement] = []
    for number, proposal in enumerate(proposals):
        await _give_way(number)
        judged.append(await _judged_here(hold, rules, proposal))
    return judged


async def _give_way(number: int) -> None:
    """A reply may have many calls: other chats have a turn between two of them."""
    if number:
        await asyncio.sleep(0)


def _candidate(hold: Hold, toolbox: Toolbox, name: str, args: Json) -> _Candidate | None:
    """None: nothing will run. There is no such tool, it is not active, or its arguments do not fit."""
    tool = toolbox.find(name)
    if tool is None or not toolbox.is_active(name):
        return None
    try:
        fits = fitting(name, tool.arguments, args)
    except UnfitError:
        return None
    proposal = Proposal(tool=name, touches=_touches(tool, fits), workspace=hold.setup.workspace)
    return _Candidate(tool=tool, args=fits, proposal=proposal)


def _touches(tool: AnyTool, args: Json) -> Touches | None:
    """None, of which a person is asked, also when the tool cannot tell."""
    try:
        return tool.touches(args) if tool.touches is not None else None
    except Exception:
        log.warning("tool.touches_failed", tool=tool.name, exc_info=True)
        return None


def _is_void(toolbox: Toolbox, calls: Iterable[ToolCall]) -> bool:
    """A tool that must be alone is not: nothing will run, so no person is asked."""
    every = [call for call in calls if not call.provider_executed]
    alone = any(call.tool_name in toolbox.exclusive for call in every if toolbox.kind(call) is Kind.LOCAL)
    return alone and len(every) > 1


def _may_begin(hold: Hold, call: Call) -> bool:
    if call.kind is not Kind.LOCAL or call.state not in (CallState.OPEN, CallState.STARTED):
        return False
    return call.effect is not Effect.ONCE or not hold.has_begun(call)


def _still_holds(hold: Hold, call: Call, judgement: Judgement) -> bool:
    """A person's approval stands against a rule that asks, and not against one that denies."""
    asks_anew = judgement.verdict is Verdict.ASK and not hold.has_begun(call) and call.decided_by is None
    return judgement.verdict is not Verdict.DENY and not asks_anew


def _plan(plan: Plan, judgement: Judgement, preview: str | None) -> Plan:
    match judgement:
        case Judgement(verdict=Verdict.DENY, reason=reason):
            return replace(plan, state=CallState.DENIED, reason=reason)
        case Judgement(verdict=Verdict.ASK, request=ApprovalRequest() as request):
            return replace(plan, state=CallState.NEEDS_APPROVAL, request=replace(request, preview=preview))
        case _:
            return plan


async def _asking(hold: Hold, candidate: _Candidate, plan: Plan) -> Plan:
    """The call waits for a person from the moment on at which its reply is saved."""
    assert candidate.tool.ask is not None, "only tools that ask"
    try:
        async with asyncio.timeout(ASK_SECONDS):
            asked = await candidate.tool.ask(candidate.args, _may_look_at(hold))
    except ToolError as error:
        return replace(plan, state=CallState.DENIED, reason=str(error))
    except Exception:
        log.warning("tool.ask_failed", tool=candidate.tool.name, chat_id=hold.chat_id, exc_info=True)
        return replace(plan, state=CallState.DENIED, reason=f"{candidate.tool.name} failed. Try it again.")
    return replace(plan, asks_person=True, request=ApprovalRequest(asked=asked))


def _may_look_at(hold: Hold) -> Asking:
    async def files() -> Files | None:
        try:
            workspace = await hold.workspace()
        except WorkspaceUnusable as unusable:
            raise ToolError(str(unusable)) from unusable
        return workspace.files if workspace is not None else None

    return Asking(
        chat_id=hold.chat_id, files=files, last_plan=partial(last_plan, hold.services.store.db, hold.chat_id)
    )


def _with_may_have_run(hold: Hold, call: Call, plan: Plan) -> Plan:
    if not hold.has_begun(call):
        return plan
    return replace(plan, reason=f"{plan.reason} {MAY_HAVE_RUN}")


class _Previews:
    """What calls would change, for the person who is asked: within a time for all of them."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._ends: float | None = None

    async def of(self, candidate: _Candidate) -> str | None:
        """None: the tool has none, or it takes too long."""
        if candidate.tool.preview is None:
            return None
        if self._ends is None:
            self._ends = asyncio.get_running_loop().time() + PREVIEWS_SECONDS
        try:
            async with asyncio.timeout_at(self._ends):
                workspace = await self._hold.workspace()
                if workspace is None:
                    return None
                text = await candidate.tool.preview(candidate.args, workspace)
        except Exception:  # A person can decide without it, by the arguments.
            log.warning("preview.failed", tool=candidate.tool.name, exc_info=True)
            return None
        return shortened(valid_text(text), PREVIEW_CHARACTERS_MAX)


async def _labelled(draft: Draft, candidates: Mapping[CallId, _Candidate]) -> Draft:
    """The same reply; beside each command the programs that it runs."""
    found: dict[CallId, tuple[tuple[str, ...], ...]] = {}
    for call_id, candidate in candidates.items():
        commands = candidate.proposal.touches.commands if candidate.proposal.touches is not None else ()
        # A label is for a short command; a long one is its own label.
        if len(commands) == 1 and len(commands[0]) <= INLINE_CHARACTERS_MAX:
            await asyncio.sleep(0)
            if (programs := labels(commands[0])) is not None:
                found[call_id] = programs
    if not found:
        return draft
    return replace(draft, content=tuple(_with_label(part, found) for part in draft.content))


def _with_label(part: Part, found: Mapping[CallId, tuple[tuple[str, ...], ...]]) -> Part:
    if isinstance(part, ToolCall) and part.tool_call_id in found:
        return replace(part, parsed_commands=found[part.tool_call_id])
    return part
