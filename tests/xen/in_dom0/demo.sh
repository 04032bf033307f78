# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of the demo.
show() {
	echo
	echo "dom0# $*"
	"$@" 2>&1
}

guest_start demo 1 "work=levels"
show xl list
show uniprof-record --list
echo
echo "Now five seconds of the guest's time, which take ten seconds or more in emulation:"
show uniprof-record -F 1000 -d 5s -o /out/run.upf demo
