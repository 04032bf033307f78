#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Where the kernel does not tell a guest's memory, it is found among its monitor's mappings, and checked; where that does
# not succeed the guest is refused. The kernel tells nothing to a recorder without CAP_BPF, nor to one built without libbpf.
set -u
. "$(dirname "$0")/tap.sh"

# searched NAME OPTION... GUEST: as recorded, but without the kernel's word.
searched() {
	local record=$work/searcher

	recorded "$@" -v && grep -q "memory: $missing: found by the process's mappings" "$work/$1.err" || {
		cat "$work/$1.err"
		return 1
	}
}
cat > "$work/searcher" << EOF
#!/bin/bash
exec setpriv --bounding-set=-bpf,-perfmon,-sys_admin --inh-caps=-bpf,-perfmon,-sys_admin "$record" "\$@"
EOF
chmod +x "$work/searcher"
missing='CAP_BPF and CAP_PERFMON are missing'

start_vmm -g -k "work=levels far"
told() {
	recorded told -F 1k -n 100 -v "$pid" && grep -q "memory: found by the kernel's memory slots" "$work/told.err"
}
ok "the kernel tells where the memory is, and -v that it did" told
ok "without CAP_BPF: found by its mappings" searched far -F 2k -n 4000 "$pid"
ok "below 4 GiB and above it: every stack is the guest's, and has its share of time" shares far levels 0
ok "nothing is left behind" untouched
listed() {
	"$work/searcher" --list | tee "$work/list"
	grep -qE "^ *$pid  $called +KVM +1 +- +running +[0-9.]+% +$called +maybe: " "$work/list"
}
ok "--list stops no guest to search its memory" await listed
end_machines

start_vmm -g -m -k -c 2 "work=shares others=same far"
ok "memory from a memfd, two vCPUs: found" searched memfd -F 2k -n 2000 "$pid"
both() {
	for vcpu in 0 1; do
		folded --vcpu $vcpu "$work/memfd.upf" | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/' > "$work/vcpu"
		shares_of "$work/vcpu" "$kvm/../xen/guests/truth/shares.txt" any || return
	done
}
ok "every stack of each vCPU is the guest's" both
# After Ctrl-Z the guest may end: neither its memory nor the machine may be held meanwhile.
mapped() {
	grep -q memfd:guest "/proc/$recorder/maps" && grep -q anon_inode:kvm-vcpu "/proc/$recorder/maps"
}
unmapped() {
	grep 'memfd:guest\|anon_inode:kvm' "/proc/$recorder/maps"
	[ $? = 1 ] && ! ls -l "/proc/$recorder/fd" | grep 'memfd:guest\|anon_inode:kvm'
}
rounds() {
	"$report" --dump "$work/kills.upf" 2> /dev/null | grep -c 'sample domain 0 vcpu 1 '
}
sampled_beyond() {
	[ "$(rounds)" -gt "$1" ]
}
let_go() {
	begin
	await mapped && kill -TSTP "$recorder" && await in_state T "$recorder" || return
	unmapped
	local status=$? before
	before=$(rounds)
	kill -CONT "$recorder"
	await mapped && await sampled_beyond $((before + 1000)) || status=1
	kill -INT "$recorder"
	wait "$recorder" && "$report" --verify "$work/kills.upf" && return $status
}
ok "nothing of the guest is mapped while the recorder is stopped by Ctrl-Z; then it goes on" let_go
ended_meanwhile() {
	begin
	await mapped && kill -TSTP "$recorder" && await in_state T "$recorder" && kill -KILL "$pid"
	unmapped
	local status=$?
	kill -CONT "$recorder"
	wait "$recorder" && grep -q '^ended.*domain' "$work/kills.err" && "$report" --verify "$work/kills.upf" && return $status
}
ok "a guest that ends meanwhile ends the recording" ended_meanwhile
end_machines

start_vmm -g -k work=idle
await halted
ok "a halted guest: found, without its memory above 4 GiB, of which nothing says where it is" searched idle -F 100 -n 20 "$pid"
ok "its stack" test "$(folded --state all "$work/idle.upf" | sed 's/ .*//')" = "_start;kernel_main;work_idle"
end_machines

# The thread is outside KVM_RUN most of the time: one try may not see it inside.
start_vmm -g -w 1000 work=storm
ok "a thread that sleeps outside KVM_RUN most of the time: found" await searched storm -F 1k -n 50 "$pid"
ok "nothing is left behind" untouched
end_machines

refused() {
	"$work/searcher" -f -o "$work/no.upf" "$pid" 2> "$work/no.err"
	[ $? = 4 ] && cat "$work/no.err" && [ ! -e "$work/no.upf" ] && [ "$(wc -l < "$work/no.err")" = 1 ] &&
		grep -qF "cannot find its memory: $missing, and its process's mappings do not show it; if it is paused, let it run" "$work/no.err"
}
start_vmm -k work=heartbeat
ok "memory in pieces that mappings do not tell apart: refused in one line" refused
ok "nothing is left behind" untouched
end_machines

command -v qemu-system-x86_64 > /dev/null || {
	echo "# no QEMU here"
	done_testing
	exit
}
. "$kvm/qemu.sh"
start_qemu "web$$" 1 "work=levels far " -m 3G -object memory-backend-memfd,id=ram,size=3G,share=on -machine memory-backend=ram
if works work_levels > "$work/why"; then
	ok "QEMU with shared memory, some above 4 GiB: recorded" recorded shared -F 2k -n 4000 "web$$"
	ok "every stack is the guest's, and has its share of time" shares shared levels 0
	ok "without CAP_BPF: found" searched qemu -F 2k -n 4000 "web$$"
	ok "every stack is the guest's, and has its share of time" shares qemu levels 0
	ok "nothing is left behind" untraced
	end_machines

	# Code is in the first node, and stacks are in the third, which the hole is in.
	nodes=()
	for node in a b c d; do
		nodes+=(-object "memory-backend-ram,id=$node,size=768M" -numa "node,memdev=$node")
	done
	start_qemu "numa$$" 1 "work=levels far " -m 3G "${nodes[@]}"
	works work_levels > "$work/why"
	ok "four NUMA nodes: recorded" recorded numa -F 2k -n 100 "numa$$"
	ok "without CAP_BPF: found" searched nodes -F 2k -n 4000 "numa$$"
	ok "every stack is the guest's, and has its share of time" shares nodes levels 0
	ok "nothing is left behind" untraced
else
	echo "# no KVM here that runs QEMU"
fi

done_testing
