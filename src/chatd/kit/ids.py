"""New identifiers: random, and sortable by the time they were made (UUID version 7)."""

import secrets
import time
import uuid


def new_id() -> str:
    milliseconds = time.time_ns() // 1_000_000
    number = (milliseconds << 80) | secrets.randbits(80)
    number &= ~(0xF << 76) & ~(0x3 << 62)
    return str(uuid.UUID(int=number | (0x7 << 76) | (0x2 << 62)))
