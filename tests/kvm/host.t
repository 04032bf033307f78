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
	perl -e 'for (1 .. 900) { open(my $f, "<", "/dev/null") or die; push(@f, $f) }
		print "ready\n"; close(STDOUT); sleep' > "$work/crowd" &
	machines+=("$!")
	await grep -qs ready "$work/crowd"
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
until [ -s "$3/beats" ]; do sleep 0.1; done
"$2" --list | grep "^ *$pid "
"$2" -v -F 1k -n 1000 --max-overhead 100% --max-cpu 100% --max-pause 60s -f -o "$3/inside.upf" "$pid"
EOS
inside() {
	rm -f "$work/beats"
	unshare --pid --fork --mount-proc --kill-child bash "$work/inside" "$vmm" "$record" "$work" "$guest" |
		tee "$work/inside.log" &&
		grep -q "memory: found by the kernel's memory slots" "$work/inside.log" &&
		grep -qE "^ *[0-9]+  $called +KVM +2 .* yes$" "$work/inside.log" && "$report" --verify "$work/inside.upf"
}
inside_stacks() {
	for vcpu in 0 1; do
		folded --vcpu $vcpu "$work/inside.upf" | sed 's/^_start_secondary;secondary_main;/_start;kernel_main;/' > "$work/vcpu"
		shares_of "$work/vcpu" "$kvm/../xen/guests/truth/shares.txt" any || return
	done
}
# Numbers below /proc are then of other processes than those that calls take.
other_proc() {
	unshare --pid --fork --kill-child "$record" --list 2>&1 | tee "$work/list"
	grep -q '/proc is not of this PID namespace' "$work/list"
}
if unshare --pid --fork --mount-proc true 2> "$work/unshare"; then
	ok "in a PID namespace: listed, and recorded by its number there, by what the kernel tells" inside
	ok "every stack of each vCPU is the guest's" inside_stacks
	ok "with a /proc of another PID namespace: one line says so" other_proc
else
	ok "# SKIP no PID namespace can be made here: $(head -n 1 "$work/unshare")" true
fi

# --- what is missing -------------------------------------------------------------------------------------------------
start_vmm -k work=heartbeat
# says TEXT COMMAND...: it fails, and the only line that it prints has the text.
says() {
	local text=$1

	shift
	"$@" > "$work/said" 2>&1
	[ $? != 0 ] && cat "$work/said" && [ "$(wc -l < "$work/said")" = 1 ] && grep -qF "$text" "$work/said"
}
# with ERROR: what a container's filter, or an old kernel, makes of the call.
with() {
	says "$2" strace -o /dev/null -e trace=pidfd_getfd -e "inject=pidfd_getfd:error=$1" "$record" -n 1 -f -o "$work/no.upf" "kvm:$pid"
}
ok "without pidfd_getfd: one line says what it takes" \
	with ENOSYS "KVM guests need pidfd_getfd(2): Linux 5.6, and a container that allows it"
ok "where root may not, it is not told to run as root" \
	with EPERM "not permitted, though no capability is missing: a security module"
ok "without one capability: it is named" says "not permitted: CAP_SYS_PTRACE is missing: run as root, or with" \
	setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$record" -n 1 -f -o "$work/no.upf" "kvm:$pid"
if unshare --user --map-root-user true 2> "$work/unshare"; then
	ok "root of a user namespace" says "not permitted: root of a user namespace has no rights on processes outside it" \
		unshare --user --map-root-user "$record" -n 1 -f -o "$work/no.upf" "kvm:$pid"
else
	ok "# SKIP no user namespace can be made here: $(head -n 1 "$work/unshare")" true
fi
ok "a process that is no monitor" \
	says "$$: no such domain; process $$ ($(cat /proc/$$/comm)) runs no virtual machine on KVM; there are: " \
	"$record" -n 1 -f -o "$work/no.upf" "kvm:$$"
end_machines

command -v qemu-system-x86_64 > /dev/null || {
	echo "# no QEMU here"
	done_testing
	exit
}
qemu-system-x86_64 -accel tcg -machine q35 -nodefaults -display none -m 64 -name "tcg$$" -S &
pid=$!
machines+=("$pid")
emulated() {
	local operand=$1

	await says "$operand: no such domain; process $pid (qemu-system-x86) runs no virtual machine on KVM: QEMU needs -accel kvm; " \
		"$record" -n 1 -f -o "$work/no.upf" "kvm:$operand"
}
ok "a QEMU without KVM, by its name: the reason" emulated "tcg$$"
ok "by its number" emulated "$pid"
end_machines

done_testing
