#!/usr/bin/env bash
# packaging/try_wheel.sh DIR [PYTHON...]: installs the wheel of DIR into an empty environment, and does there what a new user does first.
# Without PYTHON: with each supported one that is there, or else python3.
set -euo pipefail
wheels=$(realpath "$1")
shift
pythons=("$@")
if [ ${#pythons[@]} -eq 0 ]; then
    for python in python3.10 python3.11 python3.12 python3.13 python3.14; do
        # A name may be there that runs nothing (pyenv's).
        if "$python" -c 'import ensurepip' 2>/dev/null; then
            pythons+=("$python")
        fi
    done
    [ ${#pythons[@]} -gt 0 ] || pythons=(python3)
fi

try_with() {
    python=$1
    folder=$(mktemp -d)
    server=
    trap 'test -z "$server" || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
    cd "$folder"
    "$python" -m venv environment
    environment/bin/pip install --quiet --disable-pip-version-check "$wheels"/ackclock-*.whl
    PATH=$folder/environment/bin:$PATH

    ackclock --version
    ackclock init net.toml
    ackclock run net.toml --out results
    ackclock plot results --what cwnd --out window.svg
    test -s window.svg
    printf 'set ns [new Simulator]\nset f [open lab.tr w]\n$ns trace-all $f\nputs hello\n$ns run\n' > lab.tcl
    if python3 -c 'import tkinter' 2>/dev/null; then
        test "$(ackclock ns2 lab.tcl)" = hello
    else
        echo "no tkinter: ns-2 scripts are not tried"
    fi
    # The page: its HTML comes with the wheel.
    ackclock serve --no-browser --port 0 > address 2>&1 &
    server=$!
    for _ in $(seq 100); do
        grep -q http address && break
        sleep 0.1
    done
    address=$(grep -o 'http://[^ ]*' address | head -1)
    # The address has a token, for which the server gives a cookie, as to a browser.
    python3 - "$address" <<'PYTHON'
import sys
from urllib.request import HTTPCookieProcessor, build_opener

with build_opener(HTTPCookieProcessor()).open(sys.argv[1]) as answer:
    assert b"<title>" in answer.read()
PYTHON
    echo "the wheel works with $("$python" --version)"
}

for python in "${pythons[@]}"; do
    # In a shell of its own, which cleans up after itself.
    (try_with "$python")
done
