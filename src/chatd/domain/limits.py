"""Every bound of a chat, by name."""

from chatd.domain.ids import SECOND

# Messages that may wait behind a running turn.
QUEUE_MESSAGES_MAX = 20

# Files that one chat may refer to.
FILES_MAX = 50

# How long a client may take to run the tools it offered. A person has no deadline.
CLIENT_ANSWER_MICROS = 300 * SECOND

# Model calls in one turn before we stop it.
STEPS_MAX = 1200

# A worker beats every three seconds; after ten it is taken for dead. Three beats may be missed.
BEAT_SECONDS = 3.0
LEASE_STALE_MICROS = 10 * SECOND
