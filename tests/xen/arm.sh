# SPDX-License-Identifier: BSD-2-Clause
# What the tests of Xen on ARM share: the recorder for its dom0, and guests.
kernels=() options=()

# Builds the lab's guest as $work/NAME.img.
add_guest() { # NAME MODE [VARIANT [COMPILER]]
	CC=${4:-} "$xen/guests/build" -v "${3:-frames}" -m "$2" "$work/$1.elf"
	kernels+=(-g "$work/$1.img")
}

# The report stays this system's. Several tests at once build one recorder. $options
# are more of the lab's.
lab_arm() { # SCRIPT [ARGUMENT...]
	local sysroot

	sysroot=$("$xen/lab" -a arm64 -w | sed -n 's/^xen=//p')
	aarch64-linux-gnu-gcc --sysroot="$sysroot" -O1 -g -fdebug-prefix-map="$PWD=." -fdebug-prefix-map="$xen=." -Wall -D_GNU_SOURCE -o "$work/vmm" "$xen/../kvm/vmm_arm64.c"
	[ "${build##*/}" = arm64 ] || build=$build/arm64
	mkdir -p "$build"
	flock "$build" make -s -C "$xen/../.." O="$build" CC="aarch64-linux-gnu-gcc --sysroot=$sysroot -fdebug-prefix-map=$sysroot=" uniprof-record \
		> "$work/make.log" 2>&1 || cat "$work/make.log"
	guest=${kernels[1]}
	lab -a arm64 "${kernels[@]}" "${options[@]}" "$@"
}
