"""Every bound of a chat, by name."""

from chatd.domain.ids import SECOND

# Messages that may wait behind a running turn.
QUEUE_MESSAGES_MAX = 20

# Files that one chat may refer to, beside those that its tools have shown.
FILES_MAX = 50
# Pictures and documents that the tools of one chat may show.
MEDIA_MAX = 1000

# Of one message. A model that runs away, an import or a request must not bring more rows than a history can
# carry: what a reply has beyond these is left out, what a request has is refused.
PARTS_PER_MESSAGE_MAX = 2000
CALLS_PER_MESSAGE_MAX = 128
FILES_PER_MESSAGE_MAX = FILES_MAX
# The arguments of one call, as JSON.
ARGS_BYTES_MAX = 1024 * 1024

# How long a client may take to run the tools it offered, unless it says otherwise. A person has no deadline.
CLIENT_ANSWER_SECONDS = 300
CLIENT_ANSWER_MICROS = CLIENT_ANSWER_SECONDS * SECOND
# 30 days. Longer is as good as no deadline, which can be said.
CLIENT_ANSWER_SECONDS_MAX = 30 * 24 * 3600

# How long a temporary chat is kept after its last turn has ended.
TEMPORARY_SECONDS = 3600
TEMPORARY_MICROS = TEMPORARY_SECONDS * SECOND

# Model calls in one turn before we stop it.
STEPS_MAX = 1200

# Chats that may work for one chat: in all, as they stay until their family is deleted, and at once.
CHILDREN_MAX = 256
CHILDREN_AT_WORK_MAX = 32

# A worker beats every three seconds; after ten it is taken for dead. Three beats may be missed.
BEAT_SECONDS = 3.0
LEASE_STALE_MICROS = 10 * SECOND
