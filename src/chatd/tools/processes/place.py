"""The processes of the chat's workspace, and what a tool tells where they cannot be reached."""

import asyncio

from chatd.tools.tool import Setting
from chatd.workspaces.processes import Look, Output, ProcessError, Processes, Unreachable

# How long the last look may take when a wait was cut off.
SNAPSHOT_SECONDS_MAX = 30.0


class StillUnreachable(Exception):
    """Neither the wait nor a last look was answered. The message names both problems."""


def processes_of(setting: Setting) -> Processes:
    return setting.place().processes


async def last_look(processes: Processes, setting: Setting, process_id: str, lost: Unreachable) -> Output:
    """After a wait was cut off: how the process is now. It may have ended without our noticing."""
    try:
        async with asyncio.timeout(SNAPSHOT_SECONDS_MAX):
            return await processes.output(setting.chat_id, process_id, Look())
    except (ProcessError, TimeoutError) as error:
        why = str(error) or f"It did not answer within {SNAPSHOT_SECONDS_MAX:g} seconds."
        raise StillUnreachable(
            f"The wait for the process was cut off ({lost}), and so was a look at it ({why}). It may still "
            f"be running: try process_output with {process_id} again."
        ) from error
