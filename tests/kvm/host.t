#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the host is like around a guest: crowded with descriptors, a PID namespace, a container that lacks something, QEMU
# without KVM.
set -u
. "$(dirname "$0")/tap.sh"

# --- many descriptors ------------------------------------------------------------------------------------------------
looks=$build/tests/kvm/looks
start_vmm -k work=heartbeat
# The program's runs are counted, so the machine's load does not matter. Before Linux 6.1 all of the host's are looked at.
few() {
	local records runs micros

	read -r records runs micros <<< "$("$looks" "$pid" 100)"
	echo "$records records of $runs descriptors in $micros us of CPU time; of the whole host: $("$looks" 0 1)"
	[ "$records" -ge 3 ] && [ "$runs" -lt 200 ]
}
can_count() {
	[ -x "$looks" ] && "$looks" 0 1 > "$work/count" 2>&1 && printf '%s\n' 6.1 "$(uname -r)" | sort -CV
}
if can_count; then
	perl -e 'my @f; for (1 .. 900) { open(my $f, "<", "/dev/null") or die; push(@f, $f) } print "ready\n"; close(STDOUT); sleep(600)' > "$work/crowd" &
	machines+=("$!")
	await grep -q ready "$work/crowd"
	ok "a look at the guest does not look at all descriptors of the host" few
else
	ok "# SKIP Linux before 6.1, or no BPF here: $(head -n 1 "$work/count" 2> /dev/null)" true
fi
end_machines

# --- a PID namespace -------------------------------------------------------------------------------------------------
# Numbers of processes and threads are the namespace's own, everywhere.
cat > "$work/inside" << 'EOS'
#!/bin/bash
set -u
exec 2>&1
"$1" -k -c 2 -b "$3/beats" -a "work=shares others=same far" "$4" &
pid=$!
for ((try = 0; try < 600; try++)); do
	[ -s "$3/beats" ] && break
	sleep 0.1
done
"$2" --list | grep "^ *$pid "
"$2" -v -F 1k -n 2000 --max-overhead 100% --max-cpu 100% --max-pause 60s -f -o "$3/inside.upf" "$pid"
EOS
inside() {
	rm -f "$work/beats"
	timeout -s KILL 300 unshare --pid --fork --mount-proc --kill-child bash "$work/inside" "$vmm" "$record" "$work" "$guest" | tee "$work/inside.log" &&
		grep -q "memory: found by the kernel's memory slots" "$work/inside.log" &&
		grep -qE "^ *[0-9]+  $called +KVM +2 .* yes$" "$work/inside.log" && "$report" --verify "$work/inside.upf"
}
inside_stacks() {
	for vcpu in 0 1; do
		folded --vcpu $vcpu "$work/inside.upf" | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/' > "$work/vcpu"
		shares_of "$work/vcpu" "$kvm/../xen/guests/truth/shares.txt" 100 || return
	done
}
# Numbers below /proc are then of other processes than those that calls take.
other_proc() {
	timeout -s KILL 60 unshare --pid --fork --kill-child "$record" --list 2>&1 | tee "$work/list"
	grep -q '/proc is not of this PID namespace' "$work/list"
}
if unshare --pid --fork --mount-proc true 2> "$work/unshare"; then
	ok "in a PID namespace: listed, and recorded by its number there, by what the kernel tells" inside
	ok "every stack of each vCPU is the guest's" inside_stacks
	ok "with a /proc of another PID namespace: one line says so" other_proc
else
	ok "# SKIP no PID namespace can be made here: $(head -n 1 "$work/unshare")" true
fi

done_testing
