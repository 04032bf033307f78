#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM on emulated ARM64 hosts, as kvm_arm64.t: every mode, on one processor, which the recorder takes from the guest; on
# hosts that run at EL1; on Linux 6.12, also with pages of 16 KiB.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kvm_arm64.sh"

kvm_arm kvm <<-END
	4k arm64-4k shares
	16k arm64-16k shares
	64k arm64-64k recursion
	flat64 arm64-flat levels
	short arm32-short recursion
	thumb arm32-thumb shares
	depth10 arm64-4k depth:10
	depth62 arm64-4k depth:62
END
kvm_arm kvm-nvhe "$kills" <<-END
	4k arm64-4k shares
	64k arm64-64k recursion
	lpae arm32-lpae levels
END
for kind in kvm-trixie kvm-nvhe-trixie kvm-trixie-16k; do
	kvm_arm $kind <<-END
		4k arm64-4k shares
		64k arm64-64k recursion
	END
done
done_testing
