"""What axe-core finds wrong in a page."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from playwright.sync_api import Page

from chromium import ROOT

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"

#: A width of each layout, and both palettes.
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


def violations(page: Page) -> list[str]:
    """What axe finds wrong: the rule, and the element."""
    if not AXE.is_file():
        if shutil.which("node") is None:
            pytest.skip("Node is not installed, and so is not axe-core")
        pytest.fail("axe-core is missing: run npm ci in web")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert found["passes"], "axe has looked at nothing"
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node['html'][:120]} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
