"""Cluster logs in, answers out.

``reading``     logs in: the Standard Workload Format, Slurm's sacct, CSV, Parquet
``classes``     jobs grouped by need; fewer classes in place of many
``capacity``    how many jobs an hour the machine can do, and which jobs cost the others most
``waits``       replays on machines of other sizes: how many servers keep waits short
``intervals``   how far to believe a number that comes from one log, and when the log is too short
``making``      logs that nobody has measured
"""

from mjq import lazily

# Reading a log needs no model, and the classes of one no reader.
__getattr__, __dir__, __all__ = lazily.attach(
    __name__,
    submodules=["capacity", "classes", "intervals", "making", "reading", "waits"],
    names={
        "capacity.arrivals": ["Agreement", "Load", "agreement", "load", "time_with_a_job_that_fits"],
        "capacity.binning": ["BinningError", "binning_error", "fewer_needs", "rounded_up"],
        "capacity.estimates": [
            "Capacity",
            "capacities",
            "exponential_capacity",
            "independent_capacity",
            "mean_work",
            "memory",
            "naive_capacity",
            "near_the_limit",
            "own_order_capacity",
        ],
        "classes.grouping": ["JobClass", "job_classes", "read_classes", "shipped_classes", "write_classes"],
        "capacity.costs": ["costs_of_classes"],
        "making.example": ["example_log", "example_path"],
        "reading.formats": ["read_log"],
        "reading.log": ["Lines", "Log"],
        "classes.lumping": ["rest_as_one", "two_needs"],
        "waits.plan": ["Plan", "planned", "sizes_between"],
        "capacity.report": ["Report", "report_on"],
        "capacity.saturated": ["saturated_starts"],
        "classes.reduction": ["lumping_errors", "random_system"],
        "making.synthetic": ["SyntheticLog", "synthetic_log"],
    },
)
