# SPDX-License-Identifier: BSD-2-Clause
# What the tests of KVM on a processor of AMD's share: the lab of a host, and checks of live recordings.

# With cycles that are long beside what the recorder takes of the processor they share: its time is no part of a turn.
UNIT_CYCLES=400000 "$xen/../kvm/guests/build" "$work/guest.elf" || exit
guest=$work/guest.elf
if ! nm "$build/uniprof-record" | grep -q bpf_object; then
	echo "1..0 # SKIP built without libbpf"
	exit
fi
live_lab() { # SCRIPT OPTION...
	lab -k kvm -f "$build/tests/kvm/vmm=/bin/vmm" -f /usr/bin/setpriv=/bin/set_privileges -f "$build/tests/xen/onlooker=/bin/onlooker" \
		-f "$xen/in_dom0/kvm_guests.sh" "${@:2}" "$xen/in_dom0/$1"
}

# What the host does meanwhile is above the guest's stack. 4,000 samples are off by 0.8 points (one sigma).
true_shares() { # NAME TRUTH [POINTS]
	folded "$out/$1.upf" | grep -v '^\[no stack\]' | sed '
		s/^\[user\];//
		s/^_start_secondary;secondary_main;/_start;kernel_main;/
		s/;\[[^]]*\];\[[^]]*\]\( [0-9]*\)$/\1/' > "$work/live"
	shares_of "$work/live" "$xen/guests/truth/$2.txt" "${3:-3}"
}
# all_whole NAME [LEAST]: all stacks that there are, more than LEAST (500). A vCPU that is not interrupted in time has
# none.
all_whole() {
	"$report" -s "$guest" "$out/$1.upf" | tee "$work/profile"
	"$report" -q --dump "$out/$1.upf" | awk -v least="${2:-500}" '
		/ sample / && / running / && !/no registers/ { all++; whole += / end 0 / && !/depth 0/; bad += / end [1-9]/ }
		END { print all, whole, bad; exit !(all > least && whole > 0.98 * all && bad * 500 < all) }'
}
sampled() { # NAME
	cat "$out/$1.err"
	"$report" --header "$out/$1.upf" | sed -n 's/^sampled *//p'
}
is_live() { # NAME
	[ "$(sampled "$1" | tail -n 1)" = "live: without a stop" ]
}
# signals NAME: how often the guest had to leave for a signal while it was recorded.
signals() {
	echo $(($(cat "$out/$1.after") - $(cat "$out/$1.before")))
}
rounds() { # NAME
	awk '/^samples/ { sub("[(]", "", $6); print $6 }' "$out/$1.err"
}
# A stop has none where the vCPU waits for a processor, or has left the guest by itself. A round of stops has ten times
# as many as a live one, at least.
no_signal() {
	echo "$(signals shares) signals in $(rounds shares) rounds live, $(signals stops) in $(rounds stops) by stops"
	[ "$(signals stops)" -gt 20 ] && [ "$(signals shares)" -lt 50 ] &&
		[ $(($(signals stops) * $(rounds shares))) -gt $((10 * $(signals shares) * $(rounds stops))) ]
}
# during NAME: from the first of NAME.told's two moments to the second, as the trace counts time.
during() {
	local started

	started=$(date -d "$("$report" --header "$out/$1.upf" | sed -n 's/^started *//p')" +%s.%N)
	awk -v started="$started" '{ printf "%s%.6f", (NR > 1 ? "," : ""), $1 - started }' "$out/$1.told"
}
# shares_of_parts POINTS: by the guest's own count of cycles over the same time, host and monitor included.
parts="exits_calculate exits_write_port exits_ask_cpuid exits_touch_pages"
shares_of_parts() {
	folded --time "$(during exits)" "$out/exits.upf" > "$work/exits"
	awk -v parts="$parts" -v points="$1" '
		NR == FNR { for (i = 1; i <= 4; i++) told[i] = $(i + 5) - told[i]; next }
		/^_start;kernel_main;work_exits;exits_/ { split($1, frame, ";"); seen[frame[4]] += $NF; all += $NF }
		END {
			n = split(parts, name, " ")
			for (i = 1; i <= n; i++) sum += told[i]
			for (i = 1; i <= n; i++) {
				off = 100 * (seen[name[i]] / all - told[i] / sum)
				printf "%s: %.1f%%, off by %.1f\n", name[i], 100 * seen[name[i]] / all, off
				bad += off < -points || off > points
			}
			exit bad || all < 8000
		}' "$out/exits.told" "$work/exits"
}
