"""What the comments at the beginning of a log say of its clock, its machine and its submit times.

Only the Standard Workload Format has such comments; of other formats they are empty, and say nothing.
"""

from __future__ import annotations

import re

from mjq._util.plain import brief
from mjq_logs.reading.rows import DAY, FARTHEST
from mjq_logs.reading.text import as_count, as_number

# How a header says so: that of NASA iPSC ("the given submit times are actually start times"), the same words with
# another verb, and what the archive's page of that log says ("does not include arrival information, only start times").
SUBMITS_ARE_STARTS = re.compile(
    r"submit(tal)? times? (is|are) ((actually|really|in fact) )?(the )?start times?"
    r"|(no|not include) arrival information, only start times",
    re.IGNORECASE,
)


def says_submits_are_starts(header: dict[str, str]) -> bool:
    """Return whether a note says that the given submit times are start times.

    >>> says_submits_are_starts({"Note": "the given submit times are actually start times"})
    True
    >>> says_submits_are_starts({"Note": "submit times are not start times"})
    False
    """
    return SUBMITS_ARE_STARTS.search(" ".join(header.get("Note", "").split())) is not None


def machine_of(header: dict[str, str], partition: str | None = None) -> tuple[float | None, str, str]:
    """Return the processors of all partitions, or of the one asked for, where that is from, and what is odd about it.

    >>> machine_of({"MaxProcs": "100 (64, 36)"}), machine_of({"MaxProcs": "100 (64, 36)"}, "2")
    ((100.0, 'MaxProcs in the header', ''), (36.0, 'MaxProcs in the header', ''))
    >>> machine_of({"MaxProcs": "1,024"})[0], machine_of({"MaxProcs": "4 nodes x 4"})
    (1024.0, (None, '', "MaxProcs in the header is '4 nodes x 4', which is no number: it is not used"))
    """
    odd = ""
    for name in ("MaxProcs", "MaxNodes"):
        if name not in header:
            continue
        total, _, parts = header[name].partition("(")
        if partition is None:
            number = as_count(total)
        else:
            listed = re.split(r"[,;\s]\s*", parts.partition(")")[0].strip())
            place = int(partition) if str(partition).isdigit() else 0
            number = as_count(listed[place - 1]) if 0 < place <= len(listed) else None
        if number:
            return number, f"{name} in the header", ""
        if partition is None and not odd:
            odd = f"{name} in the header is {brief(header[name])}, which is no number: it is not used"
    return None, "", odd


def clock_of(header: dict[str, str]) -> tuple[float | None, str]:
    """Return when second 0 is, in seconds since 1970 at the place, if a header tells it; and what is odd about it.

    >>> clock_of({"UnixStartTime": "749458803", "TimeZone": "-28800"})
    (749430003.0, '')
    >>> clock_of({"UnixStartTime": "inf"})
    (None, "UnixStartTime in the header is 'inf', not a time in seconds from 1970 to 2200: it is not used")
    """
    given = header.get("UnixStartTime")
    if given is None:
        return None, ""
    began = as_number(given)
    if began is None or not 0 <= began <= FARTHEST:
        words = f"UnixStartTime in the header is {brief(given)}, not a time in seconds from 1970 to 2200"
        return None, f"{words}: it is not used"
    given = header.get("TimeZone", "0")
    number = re.match(r"\s*(-?\d+)", given)
    offset = float(number[1] if number else 0)
    if abs(offset) > DAY:
        return began, f"TimeZone in the header is {brief(given)}, more than a day of seconds: hours are those of UTC"
    return began + offset, ""
