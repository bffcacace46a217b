"""The list of the book's chapters, in its order."""

from __future__ import annotations

from typing import NamedTuple


class Chapter(NamedTuple):
    """Describe a chapter by the key of its ledger, the name of its notebook and model, and its title."""

    key: str
    name: str
    title: str  # the first heading of the notebook
    of_a_paper: bool = True  # which it reproduces and cites by the key
    has_model: bool = True  # one that is about data has none
    builds_on: tuple[str, ...] = ()  # names of chapters to read before, but for those that these build on

    @property
    def companion(self) -> str | None:
        """Return the name of the notebook that examines the paper claim by claim."""
        return f"{self.name}_claims" if self.of_a_paper else None

    @property
    def notebooks(self) -> tuple[str, ...]:
        """Return the names of its notebooks: its own and its companion's."""
        return (self.name, self.companion) if self.companion else (self.name,)


# In the order of the book. Everything that goes through papers or chapters reads this list; tests say which text does
# not agree with it.
CHAPTERS = (
    Chapter("BB22", "processing_capacity", "Processing capacity of multiserver jobs"),
    Chapter("GHS20", "stability", "Stability of two-class multiserver jobs", builds_on=("processing_capacity",)),
    Chapter("SW23", "cluster", "A cluster with a tracker and a finite queue", builds_on=("processing_capacity",)),
    Chapter("RBAC21", "fluid", "A fluid model of processor-sharing networks, smoothed"),
    Chapter("CGPS16", "pool_depletion", "Pool depletion and the best mix", builds_on=("fluid",)),
    Chapter("NS", "near_saturation", "Near saturation", of_a_paper=False, builds_on=("processing_capacity",)),
    Chapter("SR", "several_resources", "Several resources at once", of_a_paper=False, builds_on=("stability",)),
    Chapter("MH", "many_hosts", "Many hosts", of_a_paper=False, builds_on=("several_resources",)),
    Chapter("SCHED", "scheduling", "Scheduling", of_a_paper=False, builds_on=("processing_capacity",)),
    Chapter("YC", "your_cluster", "Your cluster", of_a_paper=False, has_model=False, builds_on=("scheduling",)),
    Chapter(
        "WLR",
        "what_a_log_remembers",
        "What a log remembers",
        of_a_paper=False,
        has_model=False,
        builds_on=("near_saturation", "your_cluster"),
    ),
)
PAPERS = tuple(chapter for chapter in CHAPTERS if chapter.of_a_paper)
NAMES = tuple(chapter.name for chapter in CHAPTERS if chapter.has_model)
