"""How long transactions wait for a connection, as a number for Prometheus."""

from prometheus_client import Histogram

WAIT_SECONDS = Histogram(
    "chatd_database_wait_seconds",
    "How long transactions waited for a connection, or for the group of transactions before theirs. Those "
    "that began at once are not counted.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
