"""The licence of everything that ackclock is built of, runs with or is tested with, as a page.

    python tools/list_licences.py > docs/licences.md

Rust crates by cargo metadata, Python packages by what they say of themselves where they are installed, the page's by
npm's lock file. A licence that is not among the allowed ones is an error.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: What may be used and passed on together with code under MIT or Apache-2.0.
ALLOWED = frozenset(
    """0BSD|Apache-2.0|Apache-2.0 WITH LLVM-exception|BSD-2-Clause|BSD-3-Clause|BSL-1.0|BlueOak-1.0.0|CC0-1.0|CC-BY-4.0
HPND|ISC|MIT|MIT-0|MIT-CMU|MPL-2.0|NCSA|PSF-2.0|Python-2.0|Unicode-3.0|Unlicense|Zlib""".replace("\n", "|").split("|")
)

#: How packages of Python call theirs when they do not use SPDX's names.
SPDX = {
    "apache software license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd-style": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "psf-2.0": "PSF-2.0",
}


def crates() -> dict[tuple[str, str], str]:
    """Crates of other people, with version and licence."""
    found = {}
    for manifest in ("Cargo.toml", "fuzz/Cargo.toml"):
        line = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(ROOT / manifest)]
        for package in json.loads(subprocess.check_output(line))["packages"]:
            if package["source"]:
                licence = (package["license"] or "").replace("/", " OR ")
                found[package["name"], package["version"]] = licence
    return found


def packages() -> dict[tuple[str, str], str]:
    """Packages of Python that requirements.lock has; of those that another system or Python needs, PyPI knows."""
    found = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE):
        try:
            found[name, version] = licence_of(metadata.metadata(name))
        except metadata.PackageNotFoundError:
            found[name, version] = ELSEWHERE[name]
    return found


def licence_of(told: metadata.PackageMetadata) -> str:
    """By its expression, else by its classifiers, else by its words."""
    expression = told.get_all("License-Expression")
    if expression:
        return str(expression[0])
    classes = [value.rpartition(" :: ")[2] for value in told.get_all("Classifier") or [] if value.startswith("License")]
    known = [SPDX.get(name.lower(), name) for name in classes if name != "OSI Approved"]
    words = str((told.get_all("License") or [""])[0]).split("\n")[0].strip()
    return " AND ".join(known) or SPDX.get(words.lower(), words)


def scripts() -> dict[tuple[str, str], str]:
    """Packages of the page and of what builds it."""
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    named = {path.rpartition("node_modules/")[2]: told for path, told in locked.items() if path}
    return {(name, told["version"]): told.get("license", "") for name, told in named.items()}


def is_allowed(licence: str) -> bool:
    """Whether an SPDX expression has a way that is allowed: a conjunction of alternatives, as they are written."""
    inner = licence.replace("(", "").replace(")", "")
    return all(any(one.strip() in ALLOWED for one in part.split(" OR ")) for part in inner.split(" AND "))


#: Packages of requirements.lock that only another system or an older Python installs.
ELSEWHERE = {
    "colorama": "BSD-3-Clause",
    "exceptiongroup": "MIT",
    "httpx2-jsfetch": "BSD-3-Clause",
    "six": "MIT",
    "tomli": "MIT",
}


def main() -> int:
    """Print the page; 1 where a licence is not allowed."""
    refused = []
    print("# Licences\n\nWhat ackclock is built of, runs with and is tested with; made by `tools/list_licences.py`.")
    for title, found in (("Rust", crates()), ("Python", packages()), ("The page, and what builds it", scripts())):
        print(f"\n## {title}\n\n| package | version | licence |\n|---|---|---|")
        for (name, version), licence in sorted(found.items()):
            print(f"| {name} | {version} | {licence} |")
            if not is_allowed(licence):
                refused.append(f"{name} {version}: {licence or 'no licence is told'}")
    for line in refused:
        print(f"not allowed: {line}", file=sys.stderr)
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main())
