"""Write the paper to `_build/paper` as a page, and for print where Chromium or Chrome is found.

`make paper` runs this with pandoc. It counts words and looks for citations that lead nowhere.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

PAPER = Path(__file__).resolve().parent
BUILD = PAPER.parent / "_build/paper"
FEWEST, MOST = 900, 1100  # words, without header and references
STYLE = """<style>
body { max-width: 44em; margin: 2em auto; padding: 0 1em; font: 11pt/1.5 Georgia, serif; }
h1 { font-size: 1.25em; } h1.title { font-size: 1.6em; } a { color: inherit; }
</style>"""


def body(text):
    """The text without its header."""
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)


def words(text):
    """How many words the text has; headings count, citations do not."""
    plain = re.sub(r"\[@[^\]]*\]", " ", body(text).replace("# References", ""))
    return len(re.findall(r"[\w$\\][^\s]*", plain))


def cited(text):
    """The keys that the text cites."""
    return set(re.findall(r"@([A-Za-z]\w+)", body(text)))


def known(bib):
    """The keys that the bibliography has."""
    return set(re.findall(r"^@\w+\{(\w+),", bib, flags=re.M))


def main():
    import pypandoc  # of the package pypandoc_binary, which brings pandoc

    text = (PAPER / "paper.md").read_text(encoding="utf-8")
    lost = cited(text) ^ known((PAPER / "paper.bib").read_text(encoding="utf-8"))
    if lost or not FEWEST <= words(text) <= MOST:
        print(f"cited and not known, or known and not cited: {sorted(lost)}; {words(text)} words")
        return 1
    BUILD.mkdir(parents=True, exist_ok=True)
    head, page = BUILD / "style.html", BUILD / "paper.html"
    head.write_text(STYLE, encoding="utf-8")
    options = ["--standalone", "--citeproc", "--mathml", f"--include-in-header={head}"]
    options += [f"--bibliography={PAPER / 'paper.bib'}", "--metadata=lang:en"]
    pypandoc.convert_file(PAPER / "paper.md", "html5", outputfile=page, extra_args=options)
    head.unlink()
    print(f"{words(text)} words, {len(cited(text))} references\n{page}")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("no Chromium or Chrome was found: nothing for print")
        return 0
    target = page.with_suffix(".pdf")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
    subprocess.run([browser, *flags, page.as_uri()], check=True, capture_output=True, timeout=120)
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
