# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_intel.t: guests of KVM on one of two processors of Intel's, recorded by stops from the other.
. /lab/kvm_guests.sh

options=
record_work() { # WORK SAMPLES
	taskset -p 1 $$ > /dev/null
	vmm_start "${1%:*}" "work=$1 far"
	taskset -p 2 $$ > /dev/null
	record "$name" -v --max-stack 200 -F 499 -n "$2"
	kill -9 "$pid"
	wait "$pid" 2> /dev/null
}
record_work shares 3000
record_work depth:62 500
dmesg > /out/dmesg
exit 0
