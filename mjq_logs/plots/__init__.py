"""Pictures of what a log tells: of its load, the capacity of its machine, plans for it, and promised starts."""

from __future__ import annotations

from mjq_logs.plots.capacities import (
    load_by_time,
    memory_of_log,
    shares_of_capacity,
    waits_against_load,
    wasted_servers,
)
from mjq_logs.plots.planning import waits_by_change, waits_by_load, waits_by_size
from mjq_logs.plots.promises import error_by_lead, waits_by_promise
from mjq_logs.plots.several import busy_by_resource, busy_on_hosts, lacks_by_policy, lost_on_hosts, waits_on_hosts

__all__ = [
    "busy_by_resource",
    "busy_on_hosts",
    "error_by_lead",
    "lacks_by_policy",
    "load_by_time",
    "lost_on_hosts",
    "memory_of_log",
    "shares_of_capacity",
    "waits_against_load",
    "waits_by_change",
    "waits_by_load",
    "waits_by_promise",
    "waits_by_size",
    "waits_on_hosts",
    "wasted_servers",
]
