"""What the process tools tell of a process: one shape for all of them (pure)."""

from chatd.domain.part import Json
from chatd.kit.clock import milliseconds
from chatd.tools.calls.truncate import truncated
from chatd.tools.processes.readable import readable
from chatd.workspaces.processes import OUTPUT_BYTES_MAX, Output

UNKNOWN_EXIT_CODE = -1


def result_of(output: Output, *, took_seconds: float, strategy: str = "head_tail") -> dict[str, Json]:
    """Of a process that has ended, or runs on. What is not known is left out."""
    process = output.process
    result: dict[str, Json] = {
        "success": process.running or process.exit_code == 0,
        "output": shown_text(output),
        "exit_code": UNKNOWN_EXIT_CODE if process.exit_code is None else process.exit_code,
        "wall_duration_ms": milliseconds(took_seconds),
    }
    if process.stopped_because is not None:
        result |= {"success": False, "error": f"The command was stopped. {process.stopped_because}"}
    if (omitted := output.total_bytes - output.shown_bytes) > 0:
        result["truncated"] = {
            "original_bytes": output.total_bytes,
            "retained_bytes": output.shown_bytes,
            "omitted_bytes": omitted,
            "strategy": strategy,
        }
    return result


def shown_text(output: Output) -> str:
    """Within the bound also when it was not text: what stands for a byte that is none is longer than it."""
    return truncated(readable(output.text), OUTPUT_BYTES_MAX)


def lost_result(process_id: str, why: str, *, took_seconds: float) -> dict[str, Json]:
    """Of a process of which we do not know how it is."""
    return {
        "success": False,
        "output": "",
        "exit_code": UNKNOWN_EXIT_CODE,
        "wall_duration_ms": milliseconds(took_seconds),
        "error": why,
        "background_process_id": process_id,
    }
