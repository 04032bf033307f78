# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of lockstep.t: guests whose cycles are one, half and one and a half sampling periods.
lockstep() { # lockstep RATE SECONDS NAME CYCLE-IN-US
	guest_start "$3" 1 "work=lockstep:$4"
	uniprof-record -F "$1" -d "$2" --max-overhead 100 -o "/out/$3-$1.upf" "$3" 2> "/out/$3-$1.err"
	echo $? > "/out/$3-$1.rc"
	guest_end "$3"
}
for rate in 100 250; do
	period=$((1000000 / rate))
	lockstep $rate $((9000 / rate)) one $period
	lockstep $rate $((9000 / rate)) half $((period / 2))
	lockstep $rate $((9000 / rate)) more $((period * 3 / 2))
done
