# SPDX-License-Identifier: BSD-2-Clause
# What the tests of KVM on ARM64 share. The recorder is built for that host, the trace is read here.
. "$xen/arm.sh"

# KILLS=300 is the long run.
kills=${KILLS:-5}
# kvm_arm KIND [KILLS]: a host with the guests that standard input lists; with KILLS, it has two processors, and its second
# part (in_dom0/kvm_arm64.sh) is run, too.
kvm_arm() {
	local kind=$1 mode

	shift
	cat > "$work/kinds"
	kernels=()
	for mode in $({ awk '{ print $2 }' "$work/kinds"; echo arm64-4k; } | sort -u); do
		add_guest "$mode" "$mode"
	done
	options=(-k "$kind" -f "$work/vmm=/bin/vmm" -f "$work/kinds" -f "$xen/in_dom0/kvm_guests.sh" ${1:+-c 2})
	lab_arm "$xen/in_dom0/kvm_arm64.sh" "$@"
	check_guests "$kind" ${1:+apart}
	[ $# = 0 ] || check_apart "$kind"
	ok "$kind: nothing in the kernel's log" quiet_kernel
}
true_shares() { # NAME TRUTH [POINTS [OPTION...]]: TRUTH is a work or a file; options of the report
	folded "${@:4}" "$out/$1.upf" | grep -v '^\[no stack\]' | sed '
		s/^\[user\];//
		s/^_start_secondary;secondary_main;/_start;kernel_main;/
		s/;\[[^]]*\];\[[^]]*\]\( [0-9]*\)$/\1/' > "$work/stacks"
	case $2 in
	/*) shares_of "$work/stacks" "$2" "${3:-3}" ;;
	*) shares_of "$work/stacks" "$xen/guests/truth/$2.txt" "${3:-3}" ;;
	esac
}
sampled() { # NAME
	"$report" --header "$out/$1.upf" | sed -n 's/^sampled *//p'
}
# By stops on one processor, which recorder and guest share, samples are independent, and after a gap of up to 30 deadlines
# one stack counts for all of these in the default view. Of 1,500 samples a share of 20 % has a standard deviation of 1.0
# points by samples, and of up to 2.1 by time.
check_guests() { # WHERE [apart]: those of $work/kinds; apart: on two processors
	local name mode work_of truth how within bound

	while read -r name mode work_of; do
		guest=$work/$mode.elf truth=$work_of
		case $work_of in
		depth:*)
			truth=$work/truth
			printf '_start;kernel_main;work_depth;%sbottom\t100\n' "$(printf 'deeper;%.0s' $(seq $((${work_of#*:} - 4))))" > "$truth" ;;
		esac
		for how in stop live; do
			ok "$1, $name, $how: recorded" recorded "$name-$how"
			within="time within 3 points" bound=(3)
			[ "$how:${2:-}" != stop: ] ||
				within="samples within five standard deviations" bound=(chance --weight samples)
			ok "$1, $name, $how: every stack is the guest's, every share of $within" \
				true_shares "$name-$how" "$truth" "${bound[@]}"
		done
		ok "$1, $name: the trace says which is which" [ "$(sampled "$name-live"):$(sampled "$name-stop")" = "live: without a stop:" ]
	done < "$work/kinds"
}
is_live() { # NAME
	cat "$out/$1.err"
	[ "$(sampled "$1")" = "live: without a stop" ]
}
# Where registers are those of an earlier stop, a guest with several address spaces is sampled by stops.
of_spaces() { # KIND
	case $1 in
	*nvhe*) is_live spaces ;;
	*) ! is_live spaces && grep -q 'sampled by stops: it uses several address spaces' "$out/spaces.err" ;;
	esac && recorded spaces && true_shares spaces spaces
}
of_host() {
	recorded host && folded "$out/host.upf" | tee "$work/host"
	awk '/^_start;kernel_main;work_idle/ { all += $NF }
		/work_idle;.*\[host\];.*;kvm_vcpu_ioctl / { known += $NF } /;kvm_arch_vcpu_ioctl_run / { run += $NF }
		END { print all, known, run; exit !(all > 500 && known > 0.05 * all && 2 * run > known) }' "$work/host"
}
# The third vCPU has not been started.
sleeps() { # NAME
	recorded "$1" && folded --vcpu 1-2 --state blocked "$out/$1.upf" | tee "$work/blocked"
	[ "$(sed 's/ [0-9]*$//' "$work/blocked")" = "_start_secondary;secondary_main;work_halt" ]
}
in_order() {
	cat "$out/ended.rcs" "$out/ended.err"
	[ "$(sort -u "$out/ended.rcs")" = 0 ] && [ "$(wc -l < "$out/ended.rcs")" = "$kills" ]
}
check_apart() { # WHERE
	local name

	guest=$work/arm64-4k.elf
	ok "$1, apart: live is the default" is_live shares
	for name in shares fast; do
		ok "$1, apart: $name: recorded" recorded $name
		ok "$1, apart: $name: every stack is the guest's, every share of time within 3 points" true_shares $name shares
	done
	ok "$1, apart: two: recorded" recorded two
	ok "$1, apart: two: every stack is the guest's, also of a vCPU that waits for the processor" \
		true_shares two shares any
	# A turn of a vCPU is four to twelve milliseconds, and where it ends the vCPU waits as long: so a second has
	# some 200 such places. Their shares are off by up to 10 points by chance.
	ok "$1, apart: two: every share of the running time within 3 points" true_shares two shares 3 --state running
	for name in halted halted-stop; do
		ok "$1, apart: $name: the vCPU that waits for an interrupt shows its stack" sleeps $name
	done
	ok "$1, apart: with the host's functions: these are of KVM_RUN" of_host
	ok "$1, apart: after recorders that were killed the guest works on, and is recorded" recorded again
	ok "$1, apart: a guest of two address spaces, by what can tell them: every stack is the guest's" of_spaces "$1"
	ok "$1, apart: monitors that end while they are recorded" in_order
	ok "$1, apart: no program and no perf event is left" test ! -s "$out/left"
}
