"""Pictures of what a log tells: of its load, the capacity of its machine, and plans for it."""

from __future__ import annotations

from mjq_logs.plots.capacities import (
    load_by_time,
    memory_of_log,
    shares_of_capacity,
    waits_against_load,
    wasted_servers,
)
from mjq_logs.plots.planning import waits_by_change, waits_by_load, waits_by_size

__all__ = [
    "load_by_time",
    "memory_of_log",
    "shares_of_capacity",
    "waits_against_load",
    "waits_by_change",
    "waits_by_load",
    "waits_by_size",
    "wasted_servers",
]
