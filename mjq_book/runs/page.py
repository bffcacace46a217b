"""An executed notebook as a web page that needs neither network nor other files."""

from __future__ import annotations

import re
from pathlib import Path

import math_core
import nbformat
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from mjq_book.runs.stored import is_glue
from mjq_logs._util import atomic

TRANSLATOR = math_core.LatexToMathML(continue_on_error=True)  # what it does not know stands on the page, marked
SPACED = set("=≠<>≤≥≈≪≫→+−±⋅×∈")  # operators with a space on both sides in plain text
PLAIN = str.maketrans({"∗": "*", ",": ", ", "\u2061": ""})  # the last one stands between a function and its argument
END = "\u200b"  # of a subscript or a power
NUMBER = re.compile(r"\\tag\{([^}]*)\}")
STYLE = """
html { color-scheme: light dark }
main { max-width: 60rem; margin: auto } .number { float: right } math[display=block] { overflow-x: auto }
main .jp-InputArea-editor { overflow-x: auto }
details.code > summary { color: GrayText; font: var(--jp-ui-font-size1) system-ui }
main img, main .jp-RenderedSVG svg { background: white; color-scheme: light; max-width: 100%; height: auto }
"""
DARK = ":root { --jp-mirror-editor-comment-color: #8fbcbc; --jp-mirror-editor-operator-color: #c99cff }"


class _Renderer(IPythonRenderer):
    """Write formulas as MathML, which a browser shows without a script."""

    def inline_math(self, body: str) -> str:
        return TRANSLATOR.convert_with_local_state(body, displaystyle=False)

    def block_math(self, body: str) -> str:
        numbers, tex = NUMBER.findall(body), NUMBER.sub("", body).strip()
        tex = tex if r"\\" not in tex or r"\begin" in tex else rf"\begin{{aligned}}{tex}\end{{aligned}}"
        number = "".join(f'<span class="number">({number})</span>' for number in numbers)
        return f"<div>{number}{TRANSLATOR.convert_with_local_state(tex, displaystyle=True)}</div>"

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")


def in_symbols(tex: str) -> str:
    r"""Return a formula as plain text, for a terminal.

    >>> in_symbols(r"E[W_q^2] \ge \frac{\lambda}{1 - \rho} + n^{-3/2} \ln n, D_1 D_2")
    'E[W_q^2] ≥ λ/(1 − ρ) + n^(−3/2) ln n, D_1 D_2'
    """
    parsed = BeautifulSoup(TRANSLATOR.convert_with_local_state(tex, displaystyle=False), "html.parser")
    text = re.sub(r"(?<=\() | (?=\))|(?<=\( [−+]) ", "", " ".join(_symbols(parsed).split()))
    return re.sub(rf"{END}(?=[\w(])", " ", text).replace(END, "")


def _symbols(node):
    parts = [child if isinstance(child, str) else _symbols(child) for child in node.children]
    if node.name == "mfrac":
        return "/".join(part if part.strip().isalnum() else f"({part})" for part in parts)
    if node.name == "msqrt":
        return f"√({''.join(parts)})"
    marks = {"msub": "_", "munder": "_", "msup": "^", "msubsup": "_^", "munderover": "_^"}.get(node.name, "")
    for k, mark in enumerate(marks, 1):
        parts[k] = parts[k] if parts[k] in "*′" else mark + (parts[k] if parts[k].isalnum() else f"({parts[k]})")
    text = ("; " if node.name == "mtable" else "").join(parts).translate(PLAIN) + END * bool(marks)
    is_word = node.name in ("mi", "mtext") and len(text) > 1
    return f" {text} " if is_word or text in SPACED or node.name in ("mspace", "mtd") else text


def _html(markdown: str) -> str:
    return MarkdownWithMath(renderer=_Renderer(escape=False)).render(markdown)


def write(source: Path, target: Path) -> None:
    """Write an executed notebook as one page, light or dark; of links to other pages, their words stay.

    Code that the notebook folds is folded, and that of sentences is left out.
    """
    notebook = nbformat.read(source, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        cell.outputs = [output for output in cell.outputs if not is_glue(output)]
        for output in cell.outputs:
            if "text/latex" in output.get("data", {}):
                output.data["text/markdown"] = output.data.pop("text/latex")
    exporter = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.register_filter("markdown2html", _html)
    text, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": source.stem}})
    dark, _, _ = exporter.environment.loader.get_source(exporter.environment, "static/theme-dark.css")
    style = f"<style>@media screen and (prefers-color-scheme: dark) {{\n{dark}{DARK}}}{STYLE}</style>"
    page = BeautifulSoup(text.replace("</head>", f"{style}</head>", 1), "html.parser")
    for script in page.find_all("script"):
        script.decompose()
    for link in page.find_all("a", href=True):
        if not str(link["href"]).startswith(("#", "http")):
            link.unwrap()
    for cell, lines in zip(code, page.select(".jp-CodeCell .jp-Cell-inputWrapper"), strict=True):
        if any(tag.startswith("remove-") for tag in cell.metadata.get("tags", [])):
            lines.decompose()
        elif cell.metadata.get("jupyter", {}).get("source_hidden"):
            words = page.new_tag("summary", string=cell.metadata.get("mystnb", {}).get("code_prompt_show", "Code"))
            lines.wrap(page.new_tag("details", attrs={"class": "code"})).insert(0, words)
    atomic.write(target, str(page).encode())
