#!/usr/bin/env bash
# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
# A Debian root with Python for aarch64 and the wheels the package needs, unpacked into a folder:
# nothing of the machine's own packages is touched. Usage: tools/aarch64.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
part=$folder.part
command -v apt-get >/dev/null || { echo 'apt-get is not there: expected a Debian or Ubuntu'; exit 1; }
rm -rf "$part"
mkdir -p "$part"/{root,wheels,lists/partial,cache/archives/partial}
touch "$part/status"
debian=(-qq -o "Dir::State::lists=$part/lists" -o "Dir::State::status=$part/status"
        -o "Dir::Cache=$part/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64
        -o "APT::Sandbox::User=$(id -un)")
apt-get "${debian[@]}" update
apt-get "${debian[@]}" install --yes --download-only --no-install-recommends \
    python3 libstdc++6 libgomp1 >/dev/null
for archive in "$part"/cache/archives/*.deb; do dpkg -x "$archive" "$part/root"; done
version=$(basename "$(readlink "$part/root/usr/bin/python3")" | sed 's/python//')
"${PYTHON:-python3}" -m pip install -q --target "$part/wheels" --only-binary=:all: \
    --python-version "$version" --implementation cp \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
    --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 'numba>=0.59' 'numpy>=1.26'
rm -rf "$part"/{lists,cache,status,lock,lock-frontend}
mv "$part" "$folder"
