"""The list of the book's chapters, in its order, and what each is about."""

from __future__ import annotations

from typing import NamedTuple


class Chapter(NamedTuple):
    """Describe a chapter by the key of its ledger, the names of its notebook, module and headline, and its subject."""

    key: str
    name: str
    title: str  # the first heading of the notebook
    about: str
    of_a_paper: bool = True  # which it reproduces and cites by the key
    package: str = "mjq"  # where its module is; a chapter that is about data has no model and no headline
    builds_on: tuple[str, ...] = ()  # names of chapters to read before, but for those that these build on

    @property
    def has_model(self) -> bool:
        """Return whether there is a model of this name."""
        return self.package == "mjq"

    @property
    def module(self) -> str:
        """Return the name of the module that the chapter is about."""
        return f"mjq.{self.name}" if self.has_model else self.package

    @property
    def companion(self) -> str | None:
        """Return the name of the notebook that examines the paper claim by claim."""
        return f"{self.name}_claims" if self.of_a_paper else None

    @property
    def notebooks(self) -> tuple[str, ...]:
        """Return the names of its notebooks: its own and its companion's."""
        return (self.name, self.companion) if self.companion else (self.name,)


# In the order of the book. Everything that goes through papers or chapters reads this list. `make sync-contents` writes
# the texts that are made from it, and tests say what is still missing.
CHAPTERS = (
    Chapter(
        "BB22",
        "processing_capacity",
        "Processing capacity of multiserver jobs",
        "how much work a resource can do when jobs hold several units of it at once",
    ),
    Chapter(
        "GHS20",
        "stability",
        "Stability of two-class multiserver jobs",
        "the product form, the stability limit and the wasted servers of two classes",
        builds_on=("processing_capacity",),
    ),
    Chapter(
        "SW23",
        "cluster",
        "A cluster with a tracker and a finite queue",
        "who is lost and how long the others wait when a tracker stands in front of the servers",
        builds_on=("processing_capacity",),
    ),
    Chapter(
        "RBAC21",
        "fluid",
        "A fluid model of processor-sharing networks, smoothed",
        "how many requests are where in a network of queues, by differential equations",
    ),
    Chapter(
        "CGPS16",
        "pool_depletion",
        "Pool depletion and the best mix",
        "a pool of tasks of two classes, worked off in the best mix",
        builds_on=("fluid",),
    ),
    Chapter(
        "NS",
        "near_saturation",
        "Near saturation",
        "how long jobs stay when the resource is nearly full, for any number of classes",
        of_a_paper=False,
        builds_on=("processing_capacity",),
    ),
    Chapter(
        "SR",
        "several_resources",
        "Several resources at once",
        "how much a machine can do when jobs need processors and memory together",
        of_a_paper=False,
        builds_on=("stability",),
    ),
    Chapter(
        "MH",
        "many_hosts",
        "Many hosts",
        "how much a cluster can do when each job must fit on one host",
        of_a_paper=False,
        builds_on=("several_resources",),
    ),
    Chapter(
        "SCHED",
        "scheduling",
        "Scheduling",
        "what order of arrival wastes, and who pays when others may pass",
        of_a_paper=False,
        builds_on=("processing_capacity",),
    ),
    Chapter(
        "YC",
        "your_cluster",
        "Your cluster",
        "capacity, waste and waits by the log of a cluster",
        of_a_paper=False,
        package="mjq_logs",
        builds_on=("scheduling",),
    ),
    Chapter(
        "WLR",
        "what_a_log_remembers",
        "What a log remembers",
        "what the order of the jobs is worth, and which numbers of a log give its waits again",
        of_a_paper=False,
        package="mjq_logs",
        builds_on=("near_saturation", "your_cluster"),
    ),
)
PAPERS = tuple(chapter for chapter in CHAPTERS if chapter.of_a_paper)
NAMES = tuple(chapter.name for chapter in CHAPTERS if chapter.has_model)
