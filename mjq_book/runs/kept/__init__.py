"""What a run of a chapter keeps.

``results``     its numbers
``recorder``    notes them while the notebook is executed
``provenance``  code, commit, versions and machine
"""
