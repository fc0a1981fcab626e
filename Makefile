# make run           set everything up and run the main job: the studies, and a page about them
# make check         the inner loop: format, lint, types, unit tests, a few golden runs (a minute and a half)
# make test          set everything up and pass every test
# make golden        write the golden records anew: what runs give, for a person to review in the diff
# make studies       run every study at its normal level, and write one page about them (CI: each night)
# make wheel         build a wheel to install elsewhere, the same bytes whoever builds it, into out/wheels
# make bench         time ackclock against ns-2, htsim and ns-3 (half an hour), into docs/performance.md
# make instructions  count the engine's instructions against the record
# make pgo           make the profile anew that wheels are compiled with (four minutes)
# make soak          simulate HOPS packet-hops (1e11, hours) in one process, into out/soak.md
# make fuzz          throw made-up inputs, kills and full disks at it (hours), into docs/robustness.md
# make page          build the page of `ackclock view` into the package
# make site          build documentation with search, playground and studies as static files: out/site
#
# Needed: make, Rust stable, Python 3.10 or later with venv and tkinter; for the page of
# `ackclock view` Node 20.19 or later. What is missing is named in one line. Everything else
# goes into .venv/, target/ and web/node_modules/. Nothing is rebuilt when nothing has changed.

PYTHON ?= python3

VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/stamps
RUST   := Cargo.toml rust-toolchain.toml $(wildcard Cargo.lock) $(shell find crates -name '*.rs' -o -name Cargo.toml)

# Without Node there is all but the page, and the tests of the page are skipped.
PAGE   := $(if $(shell .ci/prerequisites $(PYTHON) page && echo found),$(STAMPS)/page)
# The engine for the browser, and with it the page without a server, need Rust's standard library for browsers, too.
ENGINE := $(if $(shell .ci/prerequisites $(PYTHON) play && echo found),$(STAMPS)/engine)
PLAY   := $(if $(ENGINE),$(STAMPS)/play)
WASM   := target/wasm32-unknown-unknown/browser/ackclock_wasm.wasm
WEB    := $(shell find web/src web/public -type f) web/index.html $(wildcard web/*.ts) web/tsconfig.json
# Where it cannot be built, what an earlier build has left is neither tested nor published.
DROP_PLAY := rm -rf out/play $(STAMPS)/play $(STAMPS)/engine python/ackclock/server/static/ackclock.wasm

# PyO3 looks for a Python while cargo compiles the extension for clippy and the tests.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# rust-toolchain.toml names a version. Where rustup may not fetch it, the stable toolchain that is there does.
ifeq ($(shell cargo --version 2>/dev/null),)
ifneq ($(shell RUSTUP_TOOLCHAIN=stable cargo --version 2>/dev/null),)
export RUSTUP_TOOLCHAIN := stable
endif
endif

# Compiled with the profile of benches/pgo, in a folder of its own: cargo does not see that a wrapper came or went, and
# would take what the other build left.
PROFILED := RUSTC_WRAPPER=$(CURDIR)/benches/pgo/rustc CARGO_TARGET_DIR=$(CURDIR)/target/pgo

# What is built has the same bytes whoever builds it: the folders it was built in are not in it.
NO_FOLDERS := --remap-path-prefix=$(CURDIR)=. --remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo

# Processes that tests run in at once.
JOBS    ?= logical

HOPS    ?= 1e11
THREADS ?= 1

.PHONY: run check studies test interop golden page site wheel try-wheel bench instructions pgo soak fuzz lint fmt clean help
.DELETE_ON_ERROR:

run: $(STAMPS)/native $(PAGE)
	@$(BIN)/ackclock study report --quick

# Fails where a run crashes, or a value, trace or verdict is not the recorded one of the paper's own simulator.
studies: $(STAMPS)/native
	$(BIN)/ackclock study report

test: lint $(PAGE) $(PLAY)
	$(if $(PLAY),,$(DROP_PLAY))
	$(if $(PAGE),cd web && npm run --silent check)
	cargo test --workspace --locked
	cargo test --manifest-path crates/quic/Cargo.toml --target-dir target --locked
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --durations 20 -m "not serial"
	$(BIN)/python -m pytest --durations 20 -m serial

# What a change breaks first. A change in Rust needs the extension first, which takes minutes; the rest is a minute and a half.
check: $(STAMPS)/native
	@.ci/prerequisites $(PYTHON) lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	cargo test --workspace --exclude ackclock-python --lib --locked
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile -m "not serial" \
		tests/golden tests/scenario tests/study/test_study_rules.py tests/docs/test_architecture.py

# Tables as pyarrow and xarray take them: 190 MB that nothing else needs, so with a lock of their own. CI: each night.
interop: $(STAMPS)/native
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-interop.lock
	$(BIN)/python -m pytest tests/batch/test_other_libraries.py

# The wheel in an empty environment of each supported Python that is there: a run, a plot, a script, the page. CI: each night.
try-wheel: wheel
	packaging/try_wheel.sh out/wheels

# What ns-2 writes is recorded by tests/oracle/ns2/record.py, on a machine that has it.
golden: $(STAMPS)/native
	$(BIN)/python tests/golden/figures.py
	cargo run --release --locked --quiet -p ackclock-engine --example digests > target/digests.tsv
	mv target/digests.tsv crates/engine/tests/digests.tsv
	git diff --stat -- tests/golden crates/engine/tests/digests.tsv

page: $(PAGE)

site: $(STAMPS)/native $(PLAY) out/report.html
	$(if $(PLAY),,$(DROP_PLAY))
	@$(BIN)/python tools/build_site.py

# The folders it is built in are not in it, its date is the commit's: docs/robustness.md. A target of its own, since flags
# that differ compile everything anew.
wheel: $(STAMPS)/packages $(PAGE)
	$(PROFILED) SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) \
	RUSTFLAGS="$(NO_FOLDERS)" \
	$(BIN)/maturin build --release --locked --quiet --strip --target-dir target/wheel --out out/wheels
	sha256sum out/wheels/*.whl

# With published scripts, too: make bench PUBLISHED="MANIFEST DIR" (benches/published.py); with htsim: HTSIM=DIR (benches/rivals.py).
# The extension is built with the profile, as wheels are; the next `make test` installs the plain one again.
bench: $(STAMPS)/packages $(PAGE)
	@rm -f $(STAMPS)/native
	$(PROFILED) PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	@$(BIN)/python -m compileall -q python/ackclock
	$(BIN)/python benches/run.py --write $(if $(PUBLISHED),--published $(PUBLISHED))
	$(BIN)/python benches/rivals.py --write $(if $(HTSIM),--htsim $(HTSIM))
	$(BIN)/python benches/scenarios.py --write

# Instructions of the engine under valgrind, against benches/instructions.tsv.
instructions: $(STAMPS)/packages
	$(BIN)/python benches/instructions.py

# Into benches/pgo, for this rustc; it needs `rustup component add llvm-tools`.
pgo: $(STAMPS)/native
	$(BIN)/python benches/train.py

soak:
	@mkdir -p out
	cargo run --release --locked --quiet -p ackclock-engine --example soak -- $(HOPS) out/soak.md 300 $(THREADS)

# One of them: make fuzz FUZZ=scenario.
fuzz: $(STAMPS)/native
	$(BIN)/python -m fuzz $(FUZZ)

lint: $(STAMPS)/native
	@.ci/prerequisites $(PYTHON) lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo fmt --manifest-path crates/quic/Cargo.toml --check
	cargo clippy --manifest-path crates/quic/Cargo.toml --target-dir target --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python tools/write_stub.py --check
	$(BIN)/python tools/write_scenario_types.py --check
	$(BIN)/python tools/write_schema.py --check
	$(BIN)/python tools/write_support_table.py --check
	$(BIN)/python tools/write_reference.py --check
	$(BIN)/python tools/write_tables.py --check
	$(BIN)/mypy
	for file in studies/*/reduce.py; do $(BIN)/mypy $$file || exit 1; done
	$(BIN)/python -m mypy.stubtest ackclock._native --allowlist tools/stubtest.allow

fmt: $(STAMPS)/native $(PAGE)
	cargo fmt --all
	$(if $(PAGE),cd web && npm run --silent format)
	$(BIN)/python tools/write_stub.py
	$(BIN)/python tools/write_scenario_types.py
	$(BIN)/python tools/write_schema.py
	$(BIN)/python tools/write_support_table.py
	$(BIN)/python tools/write_reference.py
	$(BIN)/python tools/write_tables.py
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# maturin compiles the release extension into python/ackclock/ and installs the package in
# place, so that a change in Python needs no build. It is compiled without the profile, as `cargo build`
# compiles it: what contributors build is what is tested, and no result depends on the profile. Wheels have it: the hosted
# CI runs the golden runs and the tests of determinism on them.
$(STAMPS)/native: $(RUST) pyproject.toml $(STAMPS)/packages
	PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	@$(BIN)/python -m compileall -q python/ackclock  # what pip does for a package that is not in place: a faster start
	@touch $@

# The page goes into the package, which finds it there and takes it into a wheel; with it the engine for the browser, if
# that could be built. Without it the server runs all.
$(STAMPS)/page: $(WEB) $(STAMPS)/node_modules $(ENGINE)
	cd web && npm run --silent build -- --logLevel warn
	$(if $(ENGINE),cp $(WASM) python/ackclock/server/static/ackclock.wasm)
	@touch $@

# The page without a server, with the engine: for any web server.
$(STAMPS)/play: $(WEB) $(STAMPS)/node_modules $(ENGINE)
	cd web && npm run --silent build:site -- --logLevel warn
	cp $(WASM) out/play/ackclock.wasm
	@touch $@

# The engine as WebAssembly. It is compiled when Rust's sources change, not when the page's do.
$(STAMPS)/engine: $(RUST)
	RUSTFLAGS="$(NO_FOLDERS)" cargo build --quiet --locked --profile browser -p ackclock-wasm --target wasm32-unknown-unknown
	@mkdir -p $(STAMPS) && touch $@

# An earlier report is taken as it is: `make run` and `make studies` make it anew.
out/report.html: | $(STAMPS)/native
	$(BIN)/ackclock study report --quick

$(STAMPS)/node_modules: web/package-lock.json $(STAMPS)/packages
	cd web && npm ci --silent --no-audit --no-fund
	@touch $@

$(STAMPS)/packages: requirements.lock .ci/prerequisites
	@.ci/prerequisites $(PYTHON)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@mkdir -p $(STAMPS) && touch $@

clean:
	rm -rf $(VENV) target out web/node_modules python/ackclock/server/static .pytest_cache .mypy_cache .ruff_cache python/ackclock/_native*.so

help:
	@sed -n '1,14s/^# //p' Makefile
