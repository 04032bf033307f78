# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of versions.t: what boot.t shows of the lab's own Xen, and kinds.t.
(. /lab/boot.sh)
echo $? > /out/boot.rc
. /lab/kinds.sh
