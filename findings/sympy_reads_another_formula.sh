#!/bin/sh
# Load times idle share, read from LaTeX, is a function of the idle share.
#
# Versions: sympy 1.14.0, antlr4-python3-runtime 4.11.1
# One would expect: parse_latex of sympy reads \rho(1 - \rho) as a product, as it reads 2(1 - \rho). What it
# cannot read, such as a bar over a letter, raises an error.
# What happens: a letter before a parenthesis is a function, so that putting in 1/2 leaves rho(1/2). \bar{x}
# is a product of two unknowns, x^{2}_i loses its index and 1{,}000 is 1, without a word.
set -eu
unset PYTHONDONTWRITEBYTECODE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check sympy==1.14.0 antlr4-python3-runtime==4.11.1
cd "$folder"
venv/bin/python - <<'EOF'
import warnings

from sympy import Function, Rational, Symbol
from sympy.parsing.latex import parse_latex

warnings.simplefilter("error")
idle = parse_latex(r"\rho(1 - \rho)").subs(Symbol("rho"), Rational(1, 2))
others = [str(parse_latex(text)) for text in (r"2(1 - \rho)", r"\bar{x}", "x^{2}_i", "1{,}000")]
print("at load 1/2:", idle, " others:", others)  # rho(1/2); 2*(1 - rho), bar*x, x**2, 1
assert (idle == Function("rho")(Rational(1, 2)) and others == ["2*(1 - rho)", "bar*x", "x**2", "1"])
EOF
