"""What packages hand on is imported when it is used; bars are drawn where they can be."""

import importlib
import subprocess
import sys
import threading

import pytest

from mjq.bars import Bar
from mjq.lazily import attach


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules, one of them slow to import, which notes each import."""
    folder = tmp_path / "handing"
    folder.mkdir()
    attached = "attach(__name__, submodules=['slow'], names={'parts': ['one', 'two']})"
    (folder / "__init__.py").write_text(
        f"from mjq.lazily import attach\n__getattr__, __dir__, __all__ = {attached}\n__all__ += ['own']\nown = 1\n"
        "imported = []\n"
    )
    note = "import handing, time\nhanding.imported.append(__name__)\n"
    (folder / "parts.py").write_text(note + "one = []\ntwo = 2\n")
    (folder / "slow.py").write_text(note + "time.sleep(0.3)\nlast = 'there'\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("handing")
    for name in [name for name in sys.modules if name.partition(".")[0] == "handing"]:
        del sys.modules[name]


def test_nothing_is_imported_before_it_is_used(package):
    assert package.imported == []
    assert package.one is package.one == []
    assert package.imported == ["handing.parts"]
    assert package.slow.last == "there"
    assert package.imported == ["handing.parts", "handing.slow"]


def test_all_public_names_are_listed_and_no_others_are_found(package):
    assert dir(package) == ["one", "own", "slow", "two"]
    with pytest.raises(AttributeError, match="module 'handing' has no attribute 'three'"):
        package.three
    with pytest.raises(ImportError, match="cannot import name 'three'"):
        exec("from handing import three")


def test_threads_that_ask_at_once_get_a_complete_module(package):
    found, begun = [], threading.Barrier(4)

    def ask():
        begun.wait()
        found.append(package.slow.last)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert found == ["there"] * 4
    assert package.imported == ["handing.slow"]


@pytest.mark.parametrize("names", [{"slow": ["slow"]}, {"a": ["x"], "b": ["x"]}, {"parts": ["sub"]}])
def test_one_name_for_two_things_is_refused(names):
    with pytest.raises(ValueError, match="handing hands on"):
        attach("handing", submodules=["sub"], names=names)


def test_the_package_imports_none_of_its_rooms():
    code = "import sys, mjq; print(*sorted(x for x in sys.modules if x.startswith('mjq.') or x == 'numpy'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert found == ["mjq.lazily", "mjq.models"]


def told(capsys, **options):
    with Bar("things", 3, **options) as bar:
        bar.expect(2)
        bar.update()
        bar.update(4)
    return capsys.readouterr().err


def test_a_bar_says_what_is_counted_and_how_far_it_is(capsys):
    found = told(capsys, progress=True)
    assert "things: 100%" in found and "5/5" in found
    assert told(capsys, progress=True, delay=60) == ""


@pytest.mark.parametrize("progress", [None, False])
def test_without_a_terminal_or_a_wish_there_is_no_bar(capsys, progress):
    assert told(capsys, progress=progress) == ""


def test_on_a_terminal_there_is_a_bar(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "things: 100%" in told(capsys)


def test_where_tqdm_is_not_installed_there_is_no_bar(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert told(capsys, progress=True) == ""
    monkeypatch.setattr(sys, "stderr", None)
    with Bar("things", 1) as bar:
        bar.update()
