#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make deps installs the groups of DEPENDS that the goals beside it need; alone, or beside a goal that needs all, all.
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/tap.sh
. tests/tap.sh
unset MAKEFLAGS MAKELEVEL

# asks_for GROUPS GOAL...: .ci/deps is called with these; none are all.
asks_for() {
	local said

	said=$(make -n deps "${@:2}" 2>&1 | grep '\.ci/deps' | head -n 1)
	echo "$said"
	[ "${said% }" = ".ci/deps${1:+ $1}" ]
}
ok "alone: all" asks_for ''
ok "demo: what two programs and the lab need" asks_for 'lab record report' demo
ok "demo-kvm: what two programs and KVM need" asks_for 'kvm record report' demo-kvm
ok "all: what two programs need" asks_for 'kvm record report' all
ok "uniprof-report: what it needs" asks_for 'report' uniprof-report
ok "two goals: what both need" asks_for 'kvm lab record report' all demo
ok "check: all" asks_for '' check
ok "a goal that needs all beside one that does not: all" asks_for '' demo check-all
no_such() {
	local said

	said=$(.ci/deps nothing 2>&1) && return 1
	echo "$said"
	[ "$said" = 'deps: no such group: nothing; DEPENDS lists them' ]
}
ok "a group that there is not" no_such
done_testing
