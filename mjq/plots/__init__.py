"""What chapters share to show their results: the look of figures, tables, schedules, bands of intervals, claims."""

from __future__ import annotations

from mjq.plots.claims import compared, counted, holds
from mjq.plots.figures import COLOURS, WIDTH, band, panels, style
from mjq.plots.schedules import gantt
from mjq.plots.tables import SIGNIFICANT, glue, say, significant, table, verdicts

__all__ = [
    "COLOURS",
    "SIGNIFICANT",
    "WIDTH",
    "band",
    "compared",
    "counted",
    "gantt",
    "glue",
    "holds",
    "panels",
    "say",
    "significant",
    "style",
    "table",
    "verdicts",
]
