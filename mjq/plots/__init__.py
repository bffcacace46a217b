"""What chapters share to show their results: the look of figures, tables, drawings, bands of intervals, claims."""

from __future__ import annotations

from mjq.plots.claims import holds
from mjq.plots.drawings import network, resource, state_graph, tracker
from mjq.plots.figures import COLOURS, WIDTH, band, panels, style
from mjq.plots.schedules import gantt, timeline
from mjq.plots.tables import SIGNIFICANT, Glued, Sentence, Table, glue, say, significant, table, verdicts

__all__ = [
    "COLOURS",
    "SIGNIFICANT",
    "WIDTH",
    "Glued",
    "Sentence",
    "Table",
    "band",
    "gantt",
    "glue",
    "holds",
    "network",
    "panels",
    "resource",
    "say",
    "significant",
    "state_graph",
    "style",
    "table",
    "timeline",
    "tracker",
    "verdicts",
]
