#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each fuzzer on its corpus alone.
RUNS=0 exec "$(dirname "$0")/random.t"
