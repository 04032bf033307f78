#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What counts: filters by time, vCPU, domain, run state and name, weights, several traces shown as one.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"

for kind in small later throttled domains empty killed linux idle badsamples; do
	"$mktrace" $kind >"$tmp/$kind.upf" || { echo "Bail out! mktrace $kind"; exit 1; }
done
echo 'lost 7' | "$mktrace" counted >"$tmp/lost.upf"

# folded NAME EXPECTED OPTION...: the folded stacks of small.upf are these, lines parted by '|'.
folded() {
	local name=$1 want=$2
	shift 2
	(cd "$tmp" && "$report" -q --folded -s syms "$@" 2>&1) | paste -sd'|' >"$tmp/got"
	printf '%s\n' "$want" | diff - "$tmp/got" | sed 's/^/# /'
	[ "$(cat "$tmp/got")" = "$want" ]
	ok $? "$name"
}

# --- which samples: in small.upf a round every 10 ms, 15 of them; in domains.upf three of web1, then two of the other one
folded 'a time in seconds' 'main;work 3|main;work;leaf 1' --time 0,0.04 small.upf
folded 'an open end' 'main;odd:name 1|main;work 2' --time 120ms, small.upf
folded 'an open beginning' 'main;work 1' --time ,10ms small.upf
folded 'a time in percent' 'main;work 3' --time 0,20% small.upf
folded 'a slice' 'main;work;leaf 3' --time 20%/2 small.upf
folded 'a vCPU' 'idle 12' --vcpu 1 --state all small.upf
folded 'vCPUs' '0xdead0000;0x1250 1|idle 12|main;leaf 1|main;odd:name 1|main;work 5|main;work;leaf 5|main;work;work;work 2' \
	--vcpu 0-1 --state all small.upf
folded 'lists add up' '0xdead0000;0x1250 1|idle 12|main;leaf 1|main;odd:name 1|main;work 5|main;work;leaf 5|main;work;work;work 2' \
	--vcpu 1 --vcpu 0 --state blocked --state running small.upf
folded 'a domain by name' 'web1;main;work 3' --domain web1 domains.upf
folded 'a domain by number' 'db\x1b[31m;main;work;leaf 2' --domain 7 domains.upf
folded 'both' 'db\x1b[31m;main;work;leaf 2|web1;main;work 3' --domain 7,web1 domains.upf
folded 'run states' 'idle 12' --state blocked,offline small.upf

# --- which stacks and frames
folded focus 'main;leaf 1|main;work;leaf 5' --focus '^leaf$' small.upf
folded 'two of them' 'main;leaf 1|main;odd:name 1|main;work;leaf 5' --focus '^leaf$' --focus odd small.upf
folded ignore '0xdead0000;0x1250 1|main;leaf 1|main;odd:name 1' --ignore work small.upf
folded hide '0xdead0000;0x1250 1|main 7|main;leaf 6|main;odd:name 1' --hide '^work$' small.upf
folded show-from 'work 5|work;leaf 5|work;work;work 2' --show-from work small.upf
folded max-stack '0x1250 1|leaf 6|odd:name 1|work 7' --max-stack 1 small.upf
folded collapse-recursion 'main;work 2' --collapse-recursion --time 80ms,100ms small.upf
# [user] is matched like a frame, and stands for frames without a name.
kernel='entry_SYSCALL_64_after_hwframe;vfs_write 4|entry_SYSCALL_64_after_hwframe;vfs_write;compress [zstd_compress] 3'
folded 'show-from [user]' '[user] 7|[user];main;leaf 1' --show-from '\[user\]' -s kallsyms linux.upf
folded 'show-from in a program' '[user];leaf 1' --show-from '^leaf$' -s kallsyms linux.upf
folded 'hide [user]' "0x29715b20;0x4eda6a 5|[no stack] 1|entry_SYSCALL_64_after_hwframe;0x4eda70 2|$kernel|main;0x99999;leaf 1" \
	--hide '\[user\]' -s kallsyms linux.upf
folded 'hide what [user] stands for' "[no stack] 1|[user] 7|[user];main;leaf 1|$kernel" --hide '^0x' -s kallsyms linux.upf
folded 'hide both' "[no stack] 1|$kernel|main;leaf 1" --hide '\[user\]|^0x' --ignore '^0x4eda70' -s kallsyms linux.upf
folded 'all at once' 'work;leaf 5' --show-from work --max-stack 2 --focus leaf --time ,80ms --hide main --vcpu 0 small.upf

# --- shares and weights
same percentage-absolute 0 "$report" -q --focus '^leaf$' -s syms small.upf
same percentage-relative 0 "$report" -q --focus '^leaf$' --percentage relative -s syms small.upf
same weight-cpu 0 "$report" --weight cpu -s syms small.upf
same weight-cpu-tree 0 "$report" -q --tree --weight cpu -s syms small.upf
same filtered 0 "$report" --focus leaf --time 0,100ms -s syms small.upf

same weight-nothing 0 "$report" -q --weight cpu --state blocked -s syms small.upf

# svg NAME TITLE OPTION...: the picture of small.upf has a frame with this title.
svg() {
	local name=$1 title=$2
	shift 2
	"$report" -q --svg -s "$tmp/syms" "$@" "$tmp/small.upf" >"$tmp/picture"
	grep -o '<g><title>[^<]*' "$tmp/picture" | sed 's/^/# /'
	grep -qF "<g><title>$title</title>" "$tmp/picture"
	ok $? "$name"
}
svg 'svg: shares of all samples' 'leaf: 5 samples, 33.3%' --focus '^leaf$'
svg 'svg: shares of those that names keep' 'leaf: 5 samples, 83.3%' --focus '^leaf$' --percentage relative
svg 'svg: weighed by CPU time' 'leaf: 40.0 ms, 28.6%' --weight cpu
grep -q '>15 samples, 150.0 ms recorded' "$tmp/picture"
ok $? 'and how many samples that are'

# --- several traces
folded 'a trace twice counts once' 'main;leaf 1|main;odd:name 1|main;work 5|main;work;leaf 5|main;work;work;work 2' --ignore 0x small.upf small.upf
same several 0 "$report" -s syms small.upf later.upf
folded 'of both one domain' 'web1;main;leaf 1|web1;main;odd:name 1|web1;main;work 8|web1;main;work;leaf 5|web1;main;work;work;work 2' --domain web1 --ignore 0x small.upf later.upf
same several-damaged 4 "$report" -q -s syms small.upf killed.upf
for view in csv folded json dump verify; do
	(cd "$tmp" && "$report" -q --$view later.upf small.upf killed.upf badsamples.upf) 2>"$tmp/err" >"$tmp/out"
	[ $? -eq 4 ] && [ "$(sed 's/incomplete.*//' "$tmp/err" | sort)" = 'uniprof-report: badsamples.upf: 
uniprof-report: killed.upf: ' ]
	ok $? "--$view: each trace that is damaged is named, and no other"
done
fails 'no such name in several' 5 'small.upf and others: none of their' "$report" --focus nowhere small.upf later.upf

# --- what goes wrong: one line
fails 'no such name' 5 'none of its 15 samples passes' "$report" --focus nowhere small.upf
fails 'no such name, in a tree' 5 'passes the filters' "$report" --tree --focus nowhere small.upf
fails 'no such name, folded' 5 'passes the filters' "$report" --folded --focus nowhere small.upf
echo old >"$tmp/kept"
same filtered-idle 0 "$report" -q --vcpu 1 small.upf
mapfile -t all < <(views registers header verify archive; echo 'list .')
[ "${#all[@]}" -ge 18 ]
ok $? 'views of --help are found'
for view in "${all[@]}"; do
	# shellcheck disable=SC2086
	fails "no such name, --$view" 5 'passes the filters' "$report" --$view --focus nowhere -o kept small.upf
done
for view in flat dump heatmap csv; do
	fails "no such run state, --$view" 5 'passes the filters' "$report" --$view --state offline -o kept small.upf
done
[ "$(cat "$tmp/kept")" = old ]
ok $? 'nothing does not replace a file'
fails 'no such vCPU' 5 'none of its 27 samples passes' "$report" --vcpu 77 small.upf
fails 'no such run state' 5 'none of its 27 samples passes' "$report" --state offline small.upf
fails 'an idle guest, running' 5 'none of its 20 samples passes' "$report" --state running idle.upf
fails 'no such time' 5 'passes the filters' "$report" --time 9,10 small.upf
fails 'no such domain' 2 "no 'nix' in the trace, but web1" "$report" --domain nix small.upf
fails 'a wrong expression' 2 '--focus (: not a regular expression: ' "$report" --focus '(' small.upf
fails 'an empty expression' 2 'a regular expression is needed' "$report" --hide '' small.upf
fails 'a wrong time' 2 'FROM,TO' "$report" --time soon small.upf
fails 'a time that ends before' 2 'ends where it begins' "$report" --time 5,2 small.upf
fails 'a wrong vCPU' 2 'a list of vCPUs' "$report" --vcpu 0-x small.upf
fails 'no frames' 2 '1 or more' "$report" --max-stack 0 small.upf
fails 'a wrong weight' 2 'samples or cpu' "$report" --weight gold small.upf
same lost 0 "$report" lost.upf
same lost-folded 0 "$report" --folded lost.upf
# --- a throttled trace: after 2.5 s only each twentieth period is sampled, so half of the time is leaf's
folded 'a sample weighs the time that it stands for' 'main;work 250|main;work;leaf 240' throttled.upf
folded 'or one' 'main;work 250|main;work;leaf 12' --weight samples throttled.upf
folded 'of several rates, in ns; what both have of web1 counts once' 'db\x1b[31m;main;work;leaf 20100502|web1;main;work 2500000000|web1;main;work;leaf 2400000000' throttled.upf later.upf
(cd "$tmp" && "$report" -s syms throttled.upf) >"$tmp/shown"
grep -q 'requested 100 Hz, effective 5[0-9] Hz (throttled)' "$tmp/shown" && grep -q 'Self *periods' "$tmp/shown"
ok $? 'the rate is said, and the unit'
(cd "$tmp" && "$report" -q --speedscope -s syms throttled.upf) | perl -MJSON::PP -0777 -ne '
	my $p = decode_json($_)->{profiles}[0];
	my $busy = 0;
	$busy += $p->{weights}[$_] for grep { @{$p->{samples}[$_]} } 0 .. $#{$p->{samples}};
	exit !($busy == 4.9e9)'
ok $? 'a busy vCPU is busy in --speedscope'
(cd "$tmp" && "$report" -s syms small.upf small.upf) | grep -q '^Overlap  27 samples of small.upf not counted'
ok $? 'what is left out is said'

# --- what a filter by name leaves out is still what the vCPUs did
vcpus() {
	(cd "$tmp" && "$report" -s syms "$@" small.upf 2>&1) | sed -n '/^vCPUs/,$p'
}
[ -n "$(vcpus)" ] && [ "$(vcpus --focus '^leaf$')" = "$(vcpus)" ]
ok $? 'the note on vCPUs is of all samples, whatever names are filtered'
done_testing
