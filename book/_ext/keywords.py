"""Words by which readers look for a page: the search puts that page first, and the index has them.

The search ranks the words of titles alike, and words of the text below the names of functions. A word here leads to the
one page that explains it.
"""

from docutils import nodes
from sphinx import addnodes

WORDS = {
    "notebooks/processing_capacity": ["processing capacity", "mean work", "large jobs"],
    "notebooks/stability": ["idle servers", "wasted servers", "stability"],
    "notebooks/cluster": ["lost jobs", "blocking", "finite queue"],
    "notebooks/fluid": ["fluid model", "autoscaling", "processor sharing"],
    "notebooks/pool_depletion": ["pool", "best mix"],
    "notebooks/near_saturation": ["variable run times", "time in the system", "saturation"],
    "notebooks/several_resources": ["GPU", "dominant share", "DRF", "vector bin packing", "memory and processors"],
    "notebooks/many_hosts": ["hosts", "nodes", "fragmentation", "Kubernetes", "best fit", "worst fit"],
    "notebooks/scheduling": ["EASY", "EASY backfilling", "backfilling", "reservation", "estimates"],
    "notebooks/your_cluster": ["shuffled jobs", "order of the jobs", "public logs"],
    "notebooks/what_a_log_remembers": ["memory", "rows of like jobs", "shuffling"],
    "book/operators": ["sacct", "Slurm", "log", "mjq capacity", "mjq plan"],
    "book/course": ["course", "sessions", "exercises"],
    "book/ledger": ["errata", "reproduced"],
}


def enter(app, doctree):
    """Give a page its main entries of the index; they lead to its beginning."""
    entries = [("single", word, "", "main", None) for word in WORDS.get(app.env.docname, ())]
    if entries:
        app.env.get_domain("index").entries.setdefault(app.env.docname, []).extend(entries)
        next(doctree.findall(nodes.section)).append(addnodes.index(entries=entries))  # where the search looks for them


def complete(app):
    """Enter the words of pages that are not written again: Sphinx keeps their titles for the search, but not these."""
    indexer = getattr(app.builder, "indexer", None)  # an EPUB file has no search
    for page in WORDS.keys() & (indexer._titles.keys() if indexer else set()):  # those that the search knows
        app.env._search_index_index_entries.setdefault(page, [(word, "", "main") for word in WORDS[page]])
    return ()


def setup(app):
    app.connect("doctree-read", enter)
    app.connect("html-collect-pages", complete)  # before the search's index is written
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
