"""Which calls of one reply may run, and in which order (pure)."""

from collections.abc import Container, Iterable

from msgspec import Struct

from chatd.domain.call import Call, CallResult, Kind, awaits_action


class Refusal(Struct, frozen=True, kw_only=True):
    """A call that does not run, and what the model is told instead."""

    call: Call
    result: CallResult


class Batch(Struct, frozen=True, kw_only=True):
    """All of `parallel` at once; when they have settled, each of `serial` in turn. Or no call runs."""

    refused: tuple[Refusal, ...] = ()
    parallel: tuple[Call, ...] = ()
    serial: tuple[Call, ...] = ()


def arrange(calls: Iterable[Call], *, exclusive: Container[str], serial: Container[str]) -> Batch:
    """Takes all calls of one message, also the ones that have a result already: whether a call came alone
    must not depend on how far we were when the process died. Calls that wait for a client or a person count
    as company of one that must be alone, and are otherwise left out.
    """
    every = [call for call in calls if call.kind is not Kind.PROVIDER]
    ours = [call for call in every if call.kind is Kind.LOCAL]
    pushy = sorted({call.tool for call in ours if call.tool in exclusive})
    if pushy and len(every) > 1:
        return Batch(refused=tuple(Refusal(call=call, result=_refusal(call, pushy)) for call in every))
    runnable = [call for call in ours if not awaits_action(call)]
    return Batch(
        parallel=tuple(call for call in runnable if call.tool not in serial),
        serial=tuple(call for call in runnable if call.tool in serial),
    )


def _refusal(call: Call, pushy: list[str]) -> CallResult:
    if call.tool in pushy:
        why = f"{call.tool} must be the only call of a reply, so nothing was run. Call it again, alone."
    else:
        others = " and ".join(pushy)
        why = f"This call was not run, because {others} must be the only call of a reply. Call it again."
    return CallResult(result={"error": why}, is_error=True)
