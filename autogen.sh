#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
mkdir -p m4 build-aux
autoreconf -i
