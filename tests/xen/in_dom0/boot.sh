# SPDX-License-Identifier: BSD-2-Clause
# The lab itself, in dom0: every workload runs, a stack is what it should be, strace is there. Says what is wrong and ends with 1.
# Wants the guest's symbols beside it: -f guest.map, made by nm -n.

failed=0
fail() {
	echo "boot.sh: $*"
	failed=1
}

# The stack of domain $1's vCPU $2 as xenctx walks it, innermost function first, how often each; it leaves out the outermost.
# Hexadecimal numbers of one width compare as text.
stack() {
	xenctx -f -C "$(domid "$1")" | awk -v vcpu="vcpu$2:" '
		NR == FNR { at[++last] = $1 ""; name[last] = $3; next }
		/^vcpu/ { mine = $1 == vcpu }
		/^Call Trace/ { trace = mine; next }
		!trace || !match($0, /<[0-9a-f]+>/) { trace = 0; next }
		{ address = substr($0, RSTART + 1, 16); for (i = last; i > 1 && at[i] > address; i--); print name[i] }
	' /lab/guest.map - | uniq -c | awk '{ printf "%s%s*%d", sep, $2, $1; sep = " " }'
}

# expect WHAT OUTPUT COMMAND...: once the guest is so far.
expect() {
	local what=$1 wanted=$2

	shift 2
	await prints "$wanted" "$@" || fail "$what: it is \"$("$@")\" and should be \"$wanted\""
}
prints() {
	[ "$(shift; "$@")" = "$1" ]
}

runs() {
	case $(guest_state "$1") in *[bpscd]*) return 1 ;; esac
}
for work in shares levels recursion heartbeat idle; do
	guest_start "$work" 1 "work=$work" || fail "$work does not start"
	xl list "$work" | tail -n 1
	case $work in
	idle) expect 'idle is blocked' b guest_state "$work" ;;
	*) await runs "$work" || fail "$work does not run: $(guest_state "$work")" ;;
	esac
	guest_end "$work"
done

guest_start smp guest.elf 2 work=smp || fail 'smp does not start'
xl vcpu-list smp
expect "smp's second vCPU" 'work_idle*1 secondary_main*1' stack smp 1
guest_end smp

guest_start depth guest.elf 2 'work=depth depth=16' || fail 'depth does not start'
xl vcpu-list depth
expect 'depth, vCPU 0' 'bottom*1 deeper*12 work_depth*1 kernel_main*1' stack depth 0
expect 'depth, vCPU 1' 'bottom*1 deeper*12 work_depth*1 secondary_main*1' stack depth 1
xenctx -f -C "$(domid depth)" > /out/depth.txt
guest_end depth

strace -V | head -n 1 || fail 'no strace'
strace -c -o /out/strace.txt true || fail 'strace does not run'
xl info > /out/info.txt
exit $failed
