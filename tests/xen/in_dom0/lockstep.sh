# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of lockstep.t: guests whose cycles are one, half and one and a half sampling periods. Arguments: the
# rate, and where the guest counts how long it was in each part of its cycle.
rate=$1 period=$((1000000 / $1))
shift
has_run() { # has_run NAME ADDRESS...: a whole cycle
	case " $(onlooker words "$@") " in *' 0 '*) return 1 ;; esac
}
lockstep() { # lockstep NAME CYCLE-IN-US ADDRESS...
	name=$1 cycle=$2
	shift 2
	guest_start "$name" 1 "work=lockstep:$cycle"
	await has_run "$name" "$@"
	onlooker words "$name" "$@" > "/out/$name.words"
	uniprof-record -F "$rate" -n 3700 --max-overhead 100 -o "/out/$name.upf" "$name" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
	onlooker words "$name" "$@" >> "/out/$name.words"
	guest_end "$name"
}
xl sched-credit2 -d Domain-0 -w 65535 # dom0 has the processor whenever it wants it
lockstep one $period "$@"
lockstep half $((period / 2)) "$@"
lockstep more $((period * 3 / 2)) "$@"
