"""Speed of our solvers beside what a user would use instead: the same problem, in one run.

``make bench`` prints the table and writes it to ``benchmarks/results.csv`` with the date and the machine. Times are
medians after a warm-up that compiles; what counts are the ratios.
"""
