#!/bin/sh
# A queue of salabim for several servers is not served in order of arrival.
#
# Versions: salabim 26.0.9
# One would expect: requests for a resource of four units are honoured in the order in which they were made,
# as simpy's Container does it: a job that needs one waits behind a job that needs four.
# What happens: each release honours all requests that fit, so small jobs overtake, and the wide one starves
# while they keep coming (first fit). Resource(honor_only_first=True) gives the order of arrival.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check salabim==26.0.9
cd "$folder"
venv/bin/python - <<'EOF'
import salabim


class Job(salabim.Component):
    def setup(self, need, run):
        self.need, self.run = need, run

    def process(self):
        yield self.request((servers, self.need))
        starts[self.name()] = env.now()
        yield self.hold(self.run)
        self.release()


seen = []
for first_only in (False, True):
    env, starts = salabim.Environment(yieldless=False), {}
    servers = salabim.Resource("servers", capacity=4, honor_only_first=first_only)
    if not first_only:
        servers = salabim.Resource("servers", capacity=4)
    for name, at, need, run in (("first", 0, 3, 10), ("wide", 1, 4, 1), ("small", 2, 1, 20)):
        Job(name, at=at, need=need, run=run)
    env.run(till=100)
    seen.append(starts)
print("as it comes:", seen[0], " honor_only_first:", seen[1])  # small at 2, wide at 22; wide at 10, small at 11
assert (seen == [{"first": 0, "small": 2, "wide": 22}, {"first": 0, "wide": 10, "small": 11}])
EOF
