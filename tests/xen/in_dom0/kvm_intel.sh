# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_intel.t: a guest of KVM recorded by stops on a processor of Intel's.
. /lab/kvm_guests.sh

options=
vmm_start shares "work=shares far"
record shares -v -F 199 -n 400
kill -9 "$pid"
wait "$pid" 2> /dev/null
dmesg > /out/dmesg
exit 0
