# Everything a newcomer needs: `make demo` opens the workbench, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check format bench house docs conformance interop soak clean

demo: $(VENV)/installed
	$(BIN)/workbench demo

# A third of the tests' time is spent on other processes, so four of them keep two cores busy. In the order of their
# names: otherwise the files with the fewest tests are the last, and those are the slowest.
test: $(VENV)/installed
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

house: $(VENV)/installed
	$(BIN)/python scripts/house.py --tests

docs: $(VENV)/installed
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/promises.py
	$(BIN)/python scripts/screenshots.py

conformance: $(VENV)/installed
	$(BIN)/python -m tests.conformance.run $(GATES)

interop: $(VENV)/installed
	$(BIN)/python -m tests.interop.run $(PAIRS)

SEEDS ?= 50
EVENTS ?= 500
JOBS ?= 2

soak: $(VENV)/installed
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -m hypothesis --hypothesis-profile soak -o timeout=1800
	$(BIN)/python -m tests.terminal.walks.soak --seeds $(SEEDS) --events $(EVENTS) --jobs $(JOBS)

# uv is quicker where it is there; pip gives the same set, since constraints.txt pins every version.
$(VENV)/installed: pyproject.toml constraints.txt
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev]'; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'; \
	fi
	@# Also where PYTHONDONTWRITEBYTECODE is set, no start should compile the modules again.
	@$(BIN)/python -m compileall -q server_core workbench
	@touch $@

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache
