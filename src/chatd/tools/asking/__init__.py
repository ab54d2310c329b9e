"""Tools with which an agent asks a person."""

from chatd.tools.asking.ask_user_question import ask_user_question
from chatd.tools.asking.propose_plan import propose_plan
from chatd.tools.tool import AnyTool


def asking_tools() -> tuple[AnyTool, ...]:
    return (ask_user_question, propose_plan)
