#!/bin/sh
# A book with a broken reference passes sphinx-build -W at the second try.
#
# Versions: sphinx 7.4.7
# One would expect: -W (with --keep-going) makes warnings errors, and the source has not changed, so the
# second build ends as the first did.
# What happens: the first build exits 1, keeps what it read, and the second, of the same unchanged pages,
# exits 0: a page that is not read again does not warn again. Only -E, or another folder, shows the fault.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check sphinx==7.4.7
cd "$folder"
mkdir source
: > source/conf.py
printf 'Title\n=====\n\nSee :ref:`nowhere`, and :doc:`missing`.\n' > source/index.rst
status() { if venv/bin/python -m sphinx -q -W --keep-going "$@" source built > out.txt 2>&1; then echo 0; else echo $?; fi; }
seen="first $(status), second $(status), anew $(status -E)"
echo "exit status: $seen" # first 1, second 0, anew 1
test "$seen" = "first 1, second 0, anew 1"
