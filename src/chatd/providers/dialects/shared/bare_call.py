"""A call without arguments: meant so, or cut off before them. What comes next in the answer tells (pure)."""

from msgspec.structs import replace

from chatd.providers.events import StreamEvent, ToolCalled


class BareCall:
    """At most one: the last call so far, if it has no arguments."""

    def __init__(self) -> None:
        self.call: ToolCalled | None = None

    def hold(self, call: ToolCalled, out: list[StreamEvent]) -> None:
        self.settle(out)
        self.call = call

    def settle(self, out: list[StreamEvent], *, cut_off: bool = False) -> None:
        """The answer went on, or has ended: the call was meant so, unless it was cut off right there."""
        call, self.call = self.call, None
        if call is not None:
            # Arguments that are text are no object, so the call is not run.
            out.append(replace(call, args="") if cut_off else call)
