# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of lockstep.t: three guests at a time, whose cycles are one, half and one and a half sampling periods.
lockstep() { # lockstep RATE SECONDS PERIOD-IN-US
	guest_start one 1 "work=lockstep:$3"
	guest_start half 1 "work=lockstep:$(($3 / 2))"
	guest_start more 1 "work=lockstep:$(($3 * 3 / 2))"
	uniprof-record -F "$1" -d "$2" -o "/out/$1.upf" one half more 2> "/out/$1.err"
	echo $? > "/out/$1.rc"
	for name in one half more; do
		guest_end $name
	done
}
lockstep 100 80 10000
lockstep 250 32 4000
