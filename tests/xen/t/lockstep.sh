# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of lockstep.t: guests whose cycles are one, half and one and a half sampling periods. Argument: the rate.
period=$((1000000 / $1))
lockstep() { # lockstep NAME CYCLE-IN-US
	guest_start "$1" 1 "work=lockstep:$2"
	uniprof-record -F "$rate" -d $((6000 / rate)) --max-overhead 100 -o "/out/$1.upf" "$1" 2> "/out/$1.err"
	echo $? > "/out/$1.rc"
	guest_end "$1"
}
rate=$1
lockstep one $period
lockstep half $((period / 2))
lockstep more $((period * 3 / 2))
