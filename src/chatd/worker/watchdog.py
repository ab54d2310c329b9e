"""The watchdog: notices that a duty has stopped getting anywhere.

Models and tools have limits of their own, and commits are tried a few times only. A duty that outlives
all of them hangs where we did not expect it.
"""

from chatd.agent.hold.progress import Progress
from chatd.kit.clock import Clock

# Longer than any model may be silent and any tool may take.
QUIET_SECONDS_MAX = 900.0
# Words and output alone do not make a step: within this time something has to be saved.
STEP_SECONDS_MAX = 7200.0
CHECK_SECONDS = 60.0


async def until_stuck(progress: Progress, clock: Clock) -> None:
    """Returns when nothing has moved for too long. A runner that pauses is not stuck."""
    quiet = unsaved = 0.0
    while quiet < QUIET_SECONDS_MAX and unsaved < STEP_SECONDS_MAX:
        signs, commits = progress.signs, progress.commits
        await clock.sleep(CHECK_SECONDS)
        quiet = 0.0 if progress.pausing or progress.signs > signs else quiet + CHECK_SECONDS
        unsaved = 0.0 if progress.pausing or progress.commits > commits else unsaved + CHECK_SECONDS
