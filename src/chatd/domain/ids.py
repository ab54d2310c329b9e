"""Names for numbers and strings, so that they do not get mixed up.

Messages and queued messages of one chat are numbered by one counter on the chat's row,
so an id never names two things and is known before anything is written.
"""

from typing import NewType

ChatId = NewType("ChatId", str)
UserId = NewType("UserId", str)
FileId = NewType("FileId", str)
WorkerId = NewType("WorkerId", str)
RunnerId = NewType("RunnerId", str)
CallId = NewType("CallId", str)

MessageId = NewType("MessageId", int)
QueuedId = NewType("QueuedId", int)
BranchId = NewType("BranchId", int)

# A moment, in microseconds since 1970. An integer is the same in both databases.
Micros = NewType("Micros", int)

SECOND = 1_000_000
