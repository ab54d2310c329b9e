"""What was counted. Counters live as long as the process: a test looks at the difference."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import REGISTRY


def counted() -> dict[str, float]:
    """Every sample of ours, as a line of /metrics names it, but for buckets."""
    return {
        f"{sample.name}{_written(sample.labels)}": sample.value
        for family in REGISTRY.collect()
        if family.name.startswith("chatd_")
        for sample in family.samples
        if not sample.name.endswith(("_created", "_bucket"))
    }


def added_since(before: Mapping[str, float]) -> dict[str, float]:
    return {
        name: value - before.get(name, 0) for name, value in counted().items() if value != before.get(name, 0)
    }


@contextmanager
def counting() -> Iterator[dict[str, float]]:
    """Is filled at the end of the block with what was counted in it."""
    before, found = counted(), dict[str, float]()
    yield found
    found.update(added_since(before))


def _written(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}" if labels else ""
