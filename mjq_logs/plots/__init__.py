"""Pictures of what a log tells: of its load, of the capacity of its machine, and plans for it.

Each function draws one of them on axes that it is given, from a report that has what is drawn.
"""

from __future__ import annotations

from mjq_logs.plots.capacities import (
    load_by_time,
    memory_of_log,
    shares_of_capacity,
    waits_against_load,
    wasted_servers,
)
from mjq_logs.plots.planning import waits_by_change, waits_by_load, waits_by_size
from mjq_logs.plots.several import busy_by_resource, busy_on_hosts, lacks_by_policy, lost_on_hosts, waits_on_hosts

__all__ = [
    "busy_by_resource",
    "busy_on_hosts",
    "lacks_by_policy",
    "load_by_time",
    "lost_on_hosts",
    "memory_of_log",
    "shares_of_capacity",
    "waits_against_load",
    "waits_by_change",
    "waits_by_load",
    "waits_by_size",
    "waits_on_hosts",
    "wasted_servers",
]
