"""The same problems solved by what a user would take instead, beside ours: times and errors, for each tool installed.

``python -m benchmarks.peers`` runs every comparison whose tool is installed, prints the table and keeps it in
``benchmarks/peers/results.csv``, with versions, date and machine. Rows of tools that are not installed stay as they
were. No tool but scipy, simpy and ciw is installed with the project:

    pip install most-queue line-solver stormpy

Times are those of the processor, all threads together. Both sides run in turn, several times, and the ratio is the
median of the ratios of neighbours, so that other work on the machine slows both. Linear algebra has one thread on both
sides. One call before that compiles and fills caches, and does not count.
"""
