# SPDX-License-Identifier: BSD-2-Clause
# A host's part of kvm_rt.t.
. /lab/kvm_guests.sh

options=
start shares "work=shares far"
record shares -v -F 499 -n 600
record stops -v --sampler stop -F 499 -n 600
end
dmesg > /out/dmesg
exit 0
