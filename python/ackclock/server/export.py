"""A recording as one HTML file: the player with its charts, which needs neither a server nor a network.

The page is `web/src/app/single.ts`. It finds what a server would answer in elements of the page: gzipped, as base64.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import math
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ackclock._internal.atomic_file import atomic_write
from ackclock.server.app import STATIC, application
from ackclock.server.catalog import Catalog
from ackclock.server.errors import Refusal
from ackclock.server.in_process import ask

#: The script and the style of the page (npm run build in web/).
SINGLE = STATIC / "single"

#: A curve has at most so many points; the chart is some 1,000 pixels wide, so this is enough to zoom in by 10.
POINTS = 20_000
#: Flows' and links' counters are kept at so many times at most, and so many numbers of them in all.
MOST_TIMES, MOST_COUNTERS = 1000, 200_000

#: The page may load nothing, and run nothing but its own script.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


class NotBuilt(RuntimeError):
    """The page has not been built: a checkout without `make page`."""


def page(title: str, parts: str = "") -> str:
    """The page of one recording, with `parts` of it inside. Without any it asks the window that has it in a frame.

    Raises `NotBuilt` where the page was not built.
    """
    try:
        script = (SINGLE / "single.js").read_text(encoding="utf-8")
        style = (SINGLE / "single.css").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotBuilt("the page of ackclock has not been built here: `make page` builds it (Node is needed)") from None
    # Inside an element of HTML nothing may look like its end.
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        "<noscript>This page plays packets with JavaScript: allow it for this file.</noscript>\n"
        f'{parts}<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def export(path: str | os.PathLike[str], out: Path) -> int:
    """Write the recording of a trace file or a saved run to `out`; it appears whole or not at all. Returns its bytes.

    Raises `Refusal` for what cannot be shown, `NotBuilt`, and `OSError` for files that cannot be read or written.
    """
    catalog = Catalog.of_files([path])
    try:
        items = catalog.items()
        if len(items) != 1:
            raise Refusal(422, f"{path}: {len(items)} recordings; a page has one: name a trace file or a saved run")
        recording = catalog.recording(items[0].id)
        recording.wait()
        recording.read_all()
        text = page(items[0].name, _parts(catalog, items[0].id))
    finally:
        catalog.close()
    with atomic_write(out) as part:
        Path(part).write_text(text, encoding="utf-8")
    return out.stat().st_size


def _parts(catalog: Catalog, id: str) -> str:
    """Every part of a recording, as elements."""
    app = application(catalog, plays=False)

    def answer(path: str, **query: object) -> bytes:
        status, body = ask(app, f"/api/recordings/{id}{path}{'?' if query else ''}{urlencode(query)}")
        if status != 200:
            raise Refusal(status, json.loads(body)["error"])
        return body

    head: dict[str, Any] = json.loads(answer(""))
    begin_s, end_s = head["begin_s"], head["end_s"]
    times = _times(begin_s, end_s, len(head["flows"]) + len(head["links"]))
    head["id"] = "recording"
    if len(times) > 1:
        head["notes"].append(
            f"This file has counters of flows and links at {len(times)} times, each {times[1] - times[0]:.3g} s after "
            f"the one before, and at most {POINTS} points of a curve."
        )
    states = b"[%s]" % b",".join(answer("/state", t=time_s) for time_s in times)
    found = [_element("head", json.dumps(head).encode()), _element("states", states)]
    found += [_element(f"hops/{chunk['n']}", answer(f"/hops/{chunk['n']}")) for chunk in head["chunks"]]
    # An interval for each range that the chart shows is a multiple of this one.
    finest = 10.0 ** (math.floor(math.log10((end_s - begin_s) / 80 or 1)) - 1)
    for what in (*head["series"], *(() if "cwnd" in head["series"] else ("in_flight",))):
        query = {"what": what, "from": begin_s, "to": end_s, "points": POINTS}
        found.append(
            _element(f"series/{what}", answer("/series", **query, **({"bin": finest} if what == "throughput" else {})))
        )
    return "".join(found)


def _times(begin_s: float, end_s: float, counters: int) -> list[float]:
    """When counters are kept."""
    count = max(2, min(MOST_TIMES, MOST_COUNTERS // max(counters, 1)))
    return [begin_s + (end_s - begin_s) * n / (count - 1) for n in range(count)]


def _element(path: str, data: bytes) -> str:
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
    return f'<script type="application/gzip" data-path="{path}">{packed}</script>\n'
