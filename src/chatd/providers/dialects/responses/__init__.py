"""OpenAI's Responses: at OpenAI itself and at Azure.

dialect.py   the four deeds of a dialect, put together
turns.py     turns become input items
replay.py    which of these items may go back, and whether calls and results are pairs
body.py      the request around the items: options, tools, system texts
schemas.py   what a tool takes, also in the strict form
frames.py    the frames of an answer, as far as we read them
decode.py    frames become events
output.py    finished output items become events
"""

from chatd.providers.dialects.responses.dialect import RESPONSES

__all__ = ["RESPONSES"]
