"""In place of IPython: what chapters show is handed to the page (`runner.py`)."""
