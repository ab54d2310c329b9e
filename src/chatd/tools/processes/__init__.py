"""The tools for processes, in the order in which models are told of them."""

from chatd.kit.clock import Clock
from chatd.tools.processes.execute import execute
from chatd.tools.processes.process_input import process_input
from chatd.tools.processes.process_list import process_list
from chatd.tools.processes.process_output import process_output
from chatd.tools.processes.process_signal import process_signal
from chatd.tools.tool import AnyTool


def process_tools(clock: Clock) -> tuple[AnyTool, ...]:
    return (execute(clock), process_output(clock), process_input, process_list, process_signal)
