#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What happens to a guest while it is recorded: vCPUs and memory plugged in, a pause, a reset, a migration's end.
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/qemu.sh"

say() {
	printf '%s\n' "$*" >&7
}
# So far: a block is written every second.
seen() {
	[ "$("$report" --dump "$work/states.upf" 2> /dev/null | grep -cE "$1")" -ge "${2:-1}" ]
}
stacks() {
	"$report" -q --folded --no-inline --state all -s "$guest" "$@" "$work/states.upf" 2> /dev/null
}
at_work() {
	stacks --vcpu "$1" | grep -q 'work_levels;function_2;function_4 '
}

start_qemu "states$$" 1,maxcpus=2 "work=levels others=same vcpus=2 " -m 64,slots=1,maxmem=1G
# It waits for its second vCPU.
works_or_skip boot_vcpu
"$record" -F 500 --max-overhead 100% --max-cpu 100% --max-pause 60s -f -o "$work/states.upf" "states$$" 2> "$work/states.err" &
recorder=$!
ok "a guest of one vCPU, with room for two: recorded" await seen 'sample domain 0 vcpu 0 running' 10
alone() {
	seen 'sample domain 0 vcpu 1 offline' 10 && ! seen 'sample domain 0 vcpu 1 (running|blocked|runnable|vmm)'
}
ok "the second vCPU is offline" alone

say device_add host-x86_64-cpu,id=cpu1,socket-id=0,die-id=0,core-id=1,thread-id=0
ok "it is plugged in, and recorded at its work" await at_work 1
ok "the first one is at its work, too" await at_work 0
say object_add memory-backend-ram,id=more,size=256M
say device_add pc-dimm,id=dimm,memdev=more
say info memory-devices
plugged() {
	tr '\r' '\n' < "$work/qemu.out" | grep -q 'memdev: /objects/more'
}
ok "memory is plugged in" await plugged

# is_paused N: since its pause number N, deadlines were lost for that, and the guest did not go on.
is_paused() {
	"$report" --dump "$work/states.upf" 2> /dev/null | awk -v number="$1" '
		/ event domain 0 5 \(paused\)/ { n++; paused = 1; lost = 0 }
		/ event domain 0 6 \(resumed\)/ { paused = 0 }
		paused && / lost domain 0 .*domain paused by another/ { lost++ }
		END { exit n < number || !paused || lost < 100 }'
}
# Between a pause and what follows it.
none_is_taken() {
	! "$report" -q --dump "$work/states.upf" | awk '
		/ event domain 0 [56] / { paused = $8 == 5 }
		paused && / sample domain 0 /' | grep .
}
pauses() {
	"$report" --dump "$work/states.upf" 2> /dev/null | grep -c ' event domain 0 5 (paused)'
}
say stop
ok "it is paused: told, and samples that were due are lost" await is_paused 1
before=$(pauses)
say cont
ok "it goes on: told" await seen 'event domain 0 6 \(resumed\)' "$before"

# Firmware is no code of the guest's. The second vCPU waits in it for the first one.
firmware() {
	stacks --vcpu 0 | grep -E '(^|;)0x([ef][0-9a-f]{4}|[0-9a-f]{7,8}) [0-9]+$'
}
ok "only the guest's code was seen" test "$(firmware)" = ""
say system_reset
ok "after a reset the firmware is seen, under the same identity" await firmware
samples() {
	stacks --vcpu 1 | awk '/work_levels/ { n += $NF } END { print n + 0 }'
}
more_than() {
	[ "$(samples)" -gt "$1" ]
}
before=$(samples)
ok "and then the guest again, with both vCPUs" await more_than $((before + 100))
of_the_guest() {
	! stacks | grep -E 'kernel_main|secondary_main' | sed 's/^\[user\];//' |
		grep -vE '^(_start;kernel|_start_secondary;secondary)_main(;work_levels(;function_1(;function_3)?|;function_2(;function_[45])?)?)? '
}
ok "all this time every stack is the guest's" of_the_guest

before=$(pauses)
say 'migrate "exec:cat > /dev/null"'
ok "after a migration it is paused: told" await is_paused $((before + 1))
kill -INT "$recorder"
wait "$recorder"
ok $? "the recording ends in order" "$(cat "$work/states.err")"
ok "the trace is sound" "$report" --verify "$work/states.upf"
ok "no sample was taken in a pause" none_is_taken
ok "nothing is left behind" untouched

done_testing
