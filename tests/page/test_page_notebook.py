"""The player in a notebook's cell: the widget's model in Python, its JavaScript in a real Chromium."""

from __future__ import annotations

import base64
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import ackclock as ac
from chromium import BUILT, PATIENCE_MS

pytest.importorskip("anywidget", reason="anywidget is not installed (the extra notebook)")

SCENARIO = ac.Scenario(
    name="in a cell",
    topology=ac.Dumbbell(pairs=2, bottleneck=ac.Link(rate="2 Mb/s", delay="20 ms", queue=ac.Queue(limit="15 packets"))),
    flows=[ac.Flow(pair=n, tcp=tcp, window="100 packets", name=tcp) for n, tcp in ((1, "reno"), (2, "sack"))],
    duration="5 s",
    record=ac.Record(changes=True, packets=True),
)

#: What a notebook's front end does for a widget: the model's state, and messages to Python and back.
NOTEBOOK = """
async ({ esm, state }) => {
  const listeners = new Map();
  const model = {
    get: (name) => state[name],
    send: (content) => ask(content),
    on: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    off: () => undefined,
  };
  window.tell = (content, body) => {
    const bytes = Uint8Array.from(atob(body), (sign) => sign.charCodeAt(0));
    for (const listener of listeners.get("msg:custom")) listener(content, [new DataView(bytes.buffer)]);
  };
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  for (const id of ["first", "second"]) widget.render({ model, el: document.getElementById(id) });
}
"""


@pytest.fixture(scope="module")
def results() -> ac.Results:
    if not BUILT.is_file():
        pytest.skip("the page has not been built (make page; Node is needed)")
    return ac.run(SCENARIO)


def test_a_cell_plays_the_run_without_a_server(chromium: Browser, results: ac.Results, monkeypatch: Any) -> None:
    player = ac.view(results, height_px=640)
    sent: list[tuple[dict[str, Any], list[bytes]]] = []
    monkeypatch.setattr(player, "send", lambda content, buffers: sent.append((content, buffers)))
    with chromium.new_context(offline=True) as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        wrong: list[str] = []
        asked: list[dict[str, Any]] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.expose_function("ask", lambda content: asked.append(content))
        # As a notebook has it: two cells show one widget.
        page.set_content("<div id='first'></div><div id='second'></div>")
        state = {"page": player.page, "height_px": player.height_px}
        page.evaluate(NOTEBOOK, {"esm": player._esm, "state": state})

        def talk() -> None:
            """Pass on what was said, as the kernel does."""
            while asked:
                player._handle_custom_msg(asked.pop(0), [])
            while sent:
                content, buffers = sent.pop(0)
                page.evaluate(
                    "([content, body]) => tell(content, body)", [content, base64.b64encode(buffers[0]).decode()]
                )
            page.wait_for_timeout(50)

        cells = [page.frame_locator(f"#{id} iframe") for id in ("first", "second")]
        for _ in range(200):
            talk()
            if all(
                cell.locator("[data-drawn]").count() and cell.locator("[data-chart=cwnd] .legend li").count()
                for cell in cells
            ):
                break
        assert [cell.locator("h1").inner_text() for cell in cells] == ["in a cell"] * 2
        frame = page.locator("#first iframe")
        assert frame.bounding_box()["height"] == pytest.approx(642, abs=2)  # type: ignore[index]
        cells[0].locator("main").press("End")
        cells[0].locator("main").press("f")
        # Thousands are apart, as on the page.
        wanted = cells[0].locator(".facts dd", has_text=f"{results.flows[0]['sent_packets']:,}".replace(",", "\u202f"))
        for _ in range(100):
            talk()
            if wanted.count():
                break
        else:
            pytest.fail(cells[0].locator(".details").inner_text())
        assert wrong == []
    player.close()


def test_the_widget_answers_what_the_page_asks(results: ac.Results, tmp_path: Path) -> None:
    player = ac.view(results.save(tmp_path / "saved"))
    status, body = player.answer("recordings/recording")
    head = json.loads(body)
    assert status == 200 and [flow["name"] for flow in head["flows"]] == ["reno", "sack"]
    status, chunk = player.answer(f"recordings/{head['id']}/hops/0")
    assert status == 200 and chunk[:4] == b"ACKH"
    assert player.answer("recordings/other")[0] == 404
    assert player.answer("runs")[0] == 404, "a notebook's page runs nothing"
    assert player.answer("../../etc/passwd")[0] == 404


@pytest.mark.parametrize("name", ["../../escaped", "{folder}/escaped", "a/b", "..", "\0"])
def test_a_scenarios_name_is_no_path(results: ac.Results, tmp_path: Path, monkeypatch: Any, name: str) -> None:
    scratch = tmp_path / "one" / "two" / "three"
    scratch.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    named = name.format(folder=tmp_path)
    monkeypatch.setattr(results, "scenario", replace(results.scenario, name=named))
    player = ac.view(results)
    there = {path.relative_to(scratch).parts[0] for path in tmp_path.rglob("*") if path.is_file()}
    assert len(there) > 0 and all(first.startswith("ackclock-") for first in there)
    status, body = player.answer("recordings/recording")
    assert status == 200 and json.loads(body)["name"] == named
    player.close()


def test_what_cannot_be_shown_is_an_error(results: ac.Results, tmp_path: Path) -> None:
    del results
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ac.view(tmp_path / "nowhere")
    (tmp_path / "bad.tr").write_text("no trace\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.tr"):
        ac.view(tmp_path / "bad.tr")
    with pytest.raises(ValueError, match="height_px=0"):
        ac.view(tmp_path, height_px=0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="0 recordings"):
        ac.view(tmp_path / "empty")


def test_without_anywidget_the_error_names_the_extra(monkeypatch: Any, results: ac.Results) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "ackclock.notebook.player", raising=False)
    with pytest.raises(ImportError, match=r"ackclock\[notebook\]"):
        ac.view(results)
