#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Which capabilities each part of the recorder has while it records: those that the manual says it keeps, and no others.
set -u
. "$(dirname "$0")/tap.sh"

# In the manual's order; the first two are kept.
documented=$(sed -n '/^On KVM it needs root/,/^\.El/s/^\.It //p' "$kvm/../../docs/uniprof-record.1" | sed 's/ *, */\n/g')
bit() {
	case $1 in
	CAP_DAC_READ_SEARCH) echo 2 ;;
	CAP_SYS_PTRACE) echo 19 ;;
	CAP_PERFMON) echo 38 ;;
	CAP_BPF) echo 39 ;;
	*) return 1 ;;
	esac
}
# set_of CAPABILITY...: as /proc shows it.
set_of() {
	local capability set=0

	for capability; do
		((set |= 1 << $(bit "$capability"))) || return
	done
	printf '%016x\n' $set
}
ok "the manual names four" test "$(wc -l <<< "$documented")" = 4
# shellcheck disable=SC2046
kept=$(set_of $(head -n 2 <<< "$documented"))

# have FILE PERMITTED: the thread's sets are these.
have() {
	grep -H '^Cap[IPEA]\|^NoNewPrivs' "$1"
	[ "$(sed -n 's/^CapPrm:\t//p' "$1")" = "$2" ] && [ "$(sed -n 's/^CapEff:\t//p' "$1")" = "$2" ] &&
		grep -q '^NoNewPrivs:.1' "$1"
}
# The recorder samples by its first thread, stops vCPUs by one that it has begun, and writes by others; its watchdog is a
# process.
the_fewest() {
	local task watchdog stops=0

	watchdog=$(pgrep -P "$recorder" uniprof-wdog) || return
	have "/proc/$recorder/status" "$kept" && have "/proc/$watchdog/status" "$kept" || return
	for task in "/proc/$recorder/task/"*; do
		[ "${task##*/}" = "$recorder" ] || have "$task/status" "$(set_of)" && continue
		have "$task/status" "$kept" && ((++stops == 1)) || return
	done
}
end() {
	kill -INT "$recorder"
	wait "$recorder"
}

start_vmm -k work=shares
mkdir -m 777 "$work/nobody"
"$record" -F 100 -d 600s -o "$work/nobody/root.upf" "$pid" 2> "$work/root.err" &
recorder=$!
ok "root's recorder records" await [ -s "$work/nobody/root.upf" ]
ok "it keeps the two capabilities that the manual says" await the_fewest
end
ok $? "and ends in order" "$(cat "$work/root.err")"

# shellcheck disable=SC2086
needed=$(printf '+%s,' $documented | tr 'A-Z' 'a-z' | sed 's/cap_//g; s/,$//')
setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$needed" --ambient-caps "$needed" \
	"$record" -F 100 -d 600s -o "$work/nobody/account.upf" "$pid" 2> "$work/account.err" &
recorder=$!
ok "so does an account's with the four" await [ -s "$work/nobody/account.upf" ]
ok "it keeps the two, too" await the_fewest
end
ok $? "and ends in order" "$(cat "$work/account.err")"

# With the four, and nothing of the account's own.
unseen() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$record" --list 2>&1 | tee "$work/list"
	grep -q "cannot list the domains: not permitted: CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH are missing: run as root" "$work/list"
}
ok "without any --list says what is missing" unseen
ok "nothing is left behind" untouched

done_testing
