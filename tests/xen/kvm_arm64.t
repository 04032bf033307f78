#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Guests of KVM on an emulated ARM64 host of two processors with Debian's kernel, which runs at EL2 (VHE): by stops, and live.
# kvm_arm64_kinds.t has the other guests and hosts.
set -u
. "$(dirname "$0")/tap.sh"
. "$xen/kvm_arm64.sh"

kvm_arm kvm "$kills" <<-END
	64k arm64-64k shares
	user64 arm64-user levels
	lpae arm32-lpae shares
	depth126 arm64-4k depth:126
END
done_testing
