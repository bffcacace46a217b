"""Python runs this at its start, in processes that a recorded kernel starts."""

import os

import file_record

if file_record.VARIABLE in os.environ:
    file_record.record(*os.environ[file_record.VARIABLE].splitlines())
