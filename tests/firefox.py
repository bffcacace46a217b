"""Ask Firefox something about a page: by WebDriver BiDi, for Playwright drives a Firefox of its own only."""

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tornado.websocket import websocket_connect

LARGEST = 2**28  # bytes of an answer
PATIENCE = 120  # seconds that Firefox may take to start


def evaluate(address, expression):
    """The value of an expression of JavaScript, once its promise is kept, in an opened page."""
    with ThreadPoolExecutor(1) as thread:  # for Playwright has a loop in this one
        return thread.submit(asyncio.run, _evaluate(address, expression)).result()


async def _evaluate(address, expression):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        firefox = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            call = await _connected(Path(profile) / "WebDriverBiDiServer.json")
            await call("session.new", capabilities={})
            (page,) = (await call("browsingContext.getTree"))["contexts"]
            await call("browsingContext.navigate", context=page["context"], url=address, wait="complete")
            target = {"context": page["context"]}
            found = await call("script.evaluate", expression=expression, target=target, awaitPromise=True)
            return found["result"]["value"]
        finally:
            firefox.kill()
            firefox.wait()


async def _connected(file):
    """What calls Firefox, once it has written down the port that it has chosen."""
    end = time.monotonic() + PATIENCE
    while not (file.exists() and (given := file.read_text(encoding="utf-8")).strip().endswith("}")):
        assert time.monotonic() < end, "Firefox has not started"
        await asyncio.sleep(0.3)
    address = f"ws://127.0.0.1:{json.loads(given)['ws_port']}/session"
    socket_of = await websocket_connect(address, max_message_size=LARGEST)
    number = 0

    async def call(method, **params):
        nonlocal number
        number += 1
        await socket_of.write_message(json.dumps({"id": number, "method": method, "params": params}))
        while (said := json.loads(await socket_of.read_message())).get("id") != number:
            pass  # events that nobody asked for
        assert said["type"] == "success", said
        return said["result"]

    return call
