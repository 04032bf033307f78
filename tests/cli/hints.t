#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Notes on sample quality that say what would help.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"

hint='without frame pointers, record with --call-graph dwarf'
"$mktrace" linux >"$tmp/linux.upf"
"$mktrace" small >"$tmp/small.upf"
echo '1210 7000 1234' | "$mktrace" copies >"$tmp/copies.upf"
"$report" "$tmp/linux.upf" 2>&1 | grep -qF -- "$hint"
ok $? 'frame pointers lead nowhere: --call-graph dwarf'
"$report" "$tmp/small.upf" >"$tmp/out" 2>&1
grep -q ' broken' "$tmp/out"
ok $? 'a few broken stacks'
! grep -qF -- "$hint" "$tmp/out"
ok $? '... are no reason'
"$report" "$tmp/copies.upf" >"$tmp/out" 2>&1
grep -q 'none whole' "$tmp/out" && ! grep -qF -- "$hint" "$tmp/out"
ok $? 'nor are copies of the stack, which it would be'
"$report" -q "$tmp/linux.upf" 2>&1 | grep -qF -- "$hint"
ok $((! $?)) '-q is quiet'
done_testing
