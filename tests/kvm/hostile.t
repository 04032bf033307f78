#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A monitor that exchanges a vCPU's descriptor for an empty file while a recorder takes it, for TURNS recordings: each
# one records the guest or says why not. To touch a page of that file would be SIGBUS.
set -u
. "$(dirname "$0")/tap.sh"

start_vmm -k -x work=heartbeat
unharmed_recorder() {
	local turn status

	for ((turn = 0; turn < ${TURNS:-10}; turn++)); do
		"$record" -F 1k -n 3 --max-overhead 100% --max-cpu 100% -f -o "$work/turn.upf" "$pid" 2> "$work/turn.err"
		status=$?
		[ "$status" = 0 ] && continue
		[ "$status" = 4 ] && grep -q 'exchanged a vCPU.s descriptor' "$work/turn.err" && continue
		echo "turn $turn: status $status"
		cat "$work/turn.err"
		return 1
	done
}
ok "each recording ends by itself" unharmed_recorder
ok "the guest goes on, and nothing is left behind" unharmed
done_testing
