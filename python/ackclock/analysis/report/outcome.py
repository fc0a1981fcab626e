"""What came of a study as data, for the browser's page: measured values, verdicts and figures by the claims' ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ackclock._internal.atomic_file import atomic_write
from ackclock._native import __version__
from ackclock.analysis.report.study import in_cell, settings_of
from ackclock.batch.study import Outcome
from ackclock.batch.study.text import difference, over_seeds, shown, verdict_words


def data(outcome: Outcome) -> dict[str, Any]:
    """The same words and digits as the report has."""
    settings = {table.id: settings_of(outcome, table.id) for table in outcome.study.tables}
    return {
        "ackclock": __version__,
        "study": outcome.study.id,
        "level": outcome.level,
        "claims": {
            checked.claim.id: {
                "measured": in_cell(checked, settings[checked.claim.cell[0]])
                if checked.claim.cell
                else shown(checked.measured),
                "difference": difference(checked),
                "seeds": over_seeds(checked.measured),
                "verdict": checked.verdict.value,
                "says": verdict_words(checked),
            }
            for checked in outcome.checked
        },
        "settings": {table: names for table, names in settings.items() if names},
        "figures": [
            {"file": figure.path.name, "caption": figure.caption, "runs": list(figure.runs)}
            for figure in outcome.figures
        ],
        "comparisons": [
            {
                "caption": one.caption,
                "columns": list(one.columns),
                "groups": [
                    {"name": name, "rows": [{"name": row, "cells": list(cells)} for row, cells in rows]}
                    for name, rows in one.groups
                ],
            }
            for one in outcome.comparisons
        ],
    }


def write_outcome(outcome: Outcome, path: Path) -> None:
    """Write it; it appears whole or not at all."""
    with atomic_write(path) as part:
        Path(part).write_text(json.dumps(data(outcome), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
