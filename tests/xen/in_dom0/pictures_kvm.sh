# SPDX-License-Identifier: BSD-2-Clause
# A host's part of tests/xen/pictures: a guest of KVM that leaves for one reason after the other.
. /lab/kvm_guests.sh

options=
vmm_start exits "work=exits far ring=0"
record exits -F 999 -n 4000
kill -9 "$pid"
exit 0
