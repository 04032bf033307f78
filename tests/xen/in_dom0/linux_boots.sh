# SPDX-License-Identifier: BSD-2-Clause
# What kvm_linux.sh and hvm_linux.sh share. The serial line of the Linux guest that linux/build -k makes is the named
# pipes /run/line.in and /run/line.out.
mkfifo /run/line.in /run/line.out
cat <> /run/line.out > /run/console & # for any number of QEMUs

boots() { # N: so many kernels have come up
	[ "$(grep -c '^END' /run/console)" = "$1" ]
}
# The guest "linux", which is starting, goes on with another kernel (k), then reboots (r).
record_boots() {
	local boot=1 told recorder samples

	await boots 1 || return
	uniprof-record -F 200 --max-cpu 100 --max-overhead 100 --follow -o /out/boots.upf linux 2> /out/boots.err &
	recorder=$!
	await has_samples /out/boots.upf 300 || return
	for told in k r; do
		echo $told > /run/line.in
		boot=$((boot + 1))
		await boots $boot || return
		samples=$(($(onlooker samples /out/boots.upf | cut -d ' ' -f 1) + 300))
		await has_samples /out/boots.upf $samples || return
	done
	kill -INT $recorder
	wait $recorder
	echo $? > /out/boots.rc
	tr -d '\r' < /run/console > /out/console
}
