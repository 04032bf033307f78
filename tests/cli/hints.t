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
# Frame pointers where they lead to a root, copies where they do not: without any option.
# shellcheck source=tests/sim/clock.sh
work=$tmp . "$here/../sim/clock.sh"
record=${BUILD:?}/uniprof-record-sim
"$record" -q -F 1k -n 20 -o "$tmp/auto.upf" busy frameless
"$report" --state all "$tmp/auto.upf" >"$tmp/out" 2>&1
grep -qF '66.7% by frame pointers, 33.3% by copies where these failed' "$tmp/out"
ok $? 'auto: which share of stacks came which way'
grep -qF -- 'its unwind tables can unwind them' "$tmp/out" && ! grep -qF -- "$hint" "$tmp/out"
ok $? '... what copies wait for, and nothing that was done already'
"$report" --state all "$tmp/auto.upf" --domain busy >"$tmp/out" 2>&1
grep -qF 'all whole · all by frame pointers' "$tmp/out"
ok $? '... of each domain by itself'
"$record" -q -F 1k -n 20 --call-graph fp -o "$tmp/fp.upf" frameless
"$report" "$tmp/fp.upf" 2>&1 | grep -qF -- "$hint"
ok $? 'fp: the same guest'
# Callers that frame pointers miss, of the samples that count.
"$mktrace" windows >"$tmp/windows.upf"
"$report" -s "$tmp/syms" "$tmp/windows.upf" >"$tmp/out" 2>&1
grep -q ' 2 counted' "$tmp/out" && grep -q ' 2 with restored callers$' "$tmp/out"
ok $? 'restored callers, and none that is missing'
"$report" --state blocked -s "$tmp/syms" "$tmp/windows.upf" >"$tmp/out" 2>&1
grep -q ' 7 counted' "$tmp/out" && grep -q ' 3 with restored callers · 4 may lack a caller$' "$tmp/out"
ok $? '... of other run states'
"$report" -q "$tmp/linux.upf" 2>&1 | grep -qF -- "$hint"
ok $((! $?)) '-q is quiet'
# Names: said above the table, and once, where -s is missing.
hint="No names: -s FILE gives them, from the guest's binary or its /proc/kallsyms."
for view in flat tree 'peek 0x'; do
	# shellcheck disable=SC2086
	[ "$("$report" --$view "$tmp/small.upf" 2>&1 | head -1)" = "$hint" ]
	ok $? "--${view% *}: no names: -s, above the table"
	# shellcheck disable=SC2086
	"$report" -q --$view "$tmp/small.upf" 2>&1 | grep -qF 'No names'
	ok $((! $?)) '... but not with -q'
	# shellcheck disable=SC2086
	"$report" --${view/0x/main} -s "$tmp/syms" "$tmp/small.upf" 2>&1 | grep -qF 'No names'
	ok $((! $?)) '... nor with names'
done
"$report" --folded "$tmp/small.upf" 2>&1 >/dev/null | grep -q -- '-s FILE gives names'
ok $? '--folded: among the notes'
"$report" --domain no-such -s "$tmp/syms" "$tmp/small.upf" 2>/dev/null | grep -qF 'No names'
ok $((! $?)) 'no samples, no hint'
[ "$("$report" --state running --vcpu 0 --focus '^\[user\]$' "$tmp/linux.upf" 2>&1 | head -1)" = "$hint" ]
ok $? 'programs alone: their names are missing'
"$report" --focus '^\[user\]$' "$tmp/linux.upf" 2>&1 | grep -qxE 'Names    none · -s FILE gives names: .*'
ok $? '... and the notes say so'
sed 's/^0*1/f00000000000/' "$tmp/syms" >"$tmp/elsewhere"
[ "$("$report" -s "$tmp/elsewhere" "$tmp/small.upf" 2>&1 | head -1)" = 'No address has a name in the files of -s: another build, or loaded elsewhere?' ]
ok $? 'names of something else'
done_testing
