"""Rows as data frames of libraries that are the user's, not ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any


def to_polars(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a polars `DataFrame`. `ImportError` where polars is not installed."""
    return _library("polars").DataFrame(list(rows), infer_schema_length=None)


def to_pandas(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a pandas `DataFrame`. `ImportError` where pandas is not installed."""
    return _library("pandas").DataFrame(list(rows))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name} is not installed: pip install {name}") from None
