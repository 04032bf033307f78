# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_intel.t: guests of KVM on one of two processors of Intel's, recorded from the other.
. /lab/kvm_guests.sh

options=
start shares "work=shares far"
record shares -v -F 499 -n 3000
record stops -v --sampler stop -F 499 -n 3000
record copies -v --call-graph dwarf -F 499 -n 20
record refused --sampler live --call-graph dwarf -F 499 -n 20
end
start depth "work=depth:62 far"
record depth --max-stack 200 -F 499 -n 300
end
guest=leaves.elf
start leaves "work=leaves far"
record leaves -F 499 -n 1500
end
guest=any.elf
start any "work=leaves far"
record any -F 499 -n 500
end
guest=guest.elf
start exits "work=exits far ring=0"
record exits --host -F 499 -n 800
end
start spaces "work=spaces far ring=0"
record spaces -v -F 499 -n 300
end
dmesg > /out/dmesg
exit 0
