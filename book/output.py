"""Run the commands whose output the pages show, and keep what they print: ``make sync-output``.

    python book/output.py            all of them
    python book/output.py capacity   only these

The text of each stands in ``book/outputs``; the directive ``{output}`` shows parts of it with notes
(`book/_ext/console.py`). A test runs the commands again and compares.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "book/outputs"
LOG = "mjq_logs/making/example.swf.gz"
COMMANDS = {
    "capacity": ("capacity", LOG),
    "capacity-full": ("capacity", LOG, "--full"),
    "plan": ("plan", LOG, "--target-wait", "2h"),
}


def kept(name):
    return KEPT / f"{name}.txt"


def main(names):
    for name in names or COMMANDS:
        command = [sys.executable, "-m", "mjq", *COMMANDS[name]]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if done.returncode:
            sys.exit(done.stderr)
        kept(name).write_text(done.stdout, encoding="utf-8")
        print(f"{kept(name).relative_to(ROOT)}: written")


if __name__ == "__main__":
    main(sys.argv[1:])
