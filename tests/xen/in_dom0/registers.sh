# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of registers.t and arm_registers.t. Guests that somebody has paused, and one that has crashed, as xenctx shows
# them and as we do: registers.sh NAME=TYPE,KERNEL,WORK... Wants their symbols beside: KERNEL.map.

# Both look at the same moment, as the guest does not run. Afterwards it is as paused as before, and runs when it is let go.
look() { # NAME KERNEL
	id=$(domid "$1")
	guest_state "$1" > "/out/$1.before"
	uniprof-record -n 1 --registers -o "/out/$1.upf" "$1" 2> "/out/$1.err"
	echo $? > "/out/$1.rc"
	if command -v uniprof-report > /dev/null; then
		uniprof-record --dump --image "/lab/$2" "$1" > "/out/$1.dump" 2>&1
	fi
	guest_state "$1" > "/out/$1.after"
	for vcpu in 0 1; do
		xenctx -a -S -s "/lab/$2.map" "$id" $vcpu > "/out/$1.xenctx.$vcpu" 2>&1
	done
}
runs() {
	case $(guest_state "$1") in *[pscd]*) return 1 ;; esac
}

crashed() {
	case $(guest_state "$1") in *c*) ;; *) return 1 ;; esac
}

for guest in "$@"; do
	name=${guest%%=*} what=${guest#*=}
	type=${what%%,*} kernel=${what#*,}
	work=${kernel#*,} kernel=${kernel%%,*}
	guest_start "$name" "$kernel" 2 "work=$work others=${others:-idle}"
	if [ "$work" = end:3 ]; then
		await crashed "$name"
	else
		xl pause "$name"
	fi
	look "$name" "$kernel"
	if [ "$work" != end:3 ]; then
		xl unpause "$name"
		await runs "$name" && echo yes > "/out/$name.runs"
	fi
	guest_end "$name"
done
