"""Writing to a terminal so that no half-drawn picture is seen."""

import os
import sys

from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

# Terminals that know it show everything in between at once; the others pass it over.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"


class HeldOutput(Vt100_Output):
    """While it is held, everything is collected, and reaches the terminal as one piece."""

    _held = False

    def hold(self) -> None:
        if not self._held:
            self._held = True
            self.write_raw(_BEGIN)

    def release(self) -> None:
        if self._held:
            self._held = False
            self.write_raw(_END)
            self.flush()

    def flush(self) -> None:
        if not self._held:
            super().flush()


def held_output() -> HeldOutput:
    output = HeldOutput.from_pty(
        sys.stdout, term=os.environ.get("TERM"), default_color_depth=ColorDepth.from_env()
    )
    assert isinstance(output, HeldOutput)
    return output
