#!/usr/bin/env bash
# Whether the crates compile for the systems that wheels are built for, and the engine for WebAssembly. Nothing is linked.
set -euo pipefail
cd "$(dirname "$0")/.."

# PyO3 looks for no Python of the other system: the extension has the stable ABI.
export PYO3_NO_PYTHON=1
for target in x86_64-pc-windows-gnu aarch64-apple-darwin x86_64-apple-darwin x86_64-unknown-linux-musl aarch64-unknown-linux-gnu; do
    rustup target add "$target"
    echo "== $target"
    cargo check --quiet --locked -p ackclock-python --target "$target"
done
rustup target add wasm32-unknown-unknown
echo "== wasm32-unknown-unknown"
cargo check --quiet --locked -p ackclock-engine --target wasm32-unknown-unknown
