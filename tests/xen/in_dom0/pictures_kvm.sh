# SPDX-License-Identifier: BSD-2-Clause
# A host's part of tests/xen/pictures: a guest of KVM that leaves for one reason after the other, on one processor, and the
# recorder on another.
. /lab/kvm_guests.sh

options=
taskset -p 1 $$ > /dev/null
vmm_start exits "work=exits far ring=0"
taskset -p 2 $$ > /dev/null
record exits --host -F 999 -n 4000
kill -9 "$pid"
exit 0
