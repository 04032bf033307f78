# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Guests under QEMU, for tests that have read tap.sh. Without QEMU they are skipped.
command -v qemu-system-x86_64 > /dev/null || {
	echo '1..0 # SKIP no QEMU here'
	exit
}

# start_qemu NAME VCPUS LINE OPTION...: in $pid; its monitor reads commands from descriptor 7. Firmware boots it, which takes a
# software KVM its time.
start_qemu() {
	rm -f "$work/console" "$work/monitor"
	mkfifo "$work/monitor"
	qemu-system-x86_64 -accel kvm -cpu host,-arch-capabilities -machine q35 -nodefaults -display none -m 64 \
		-name "guest=$1,debug-threads=on" -smp "$2" -kernel "$guest" -append "$3" -debugcon "file:$work/console" \
		"${@:4}" -monitor stdio < "$work/monitor" > "$work/qemu.out" 2>&1 &
	pid=$!
	machines+=("$pid")
	exec 7> "$work/monitor"
}
works() {
	local try

	for ((try = 0; try < 300; try++)); do
		gone "$pid" && break
		[ "$("$report" -q --folded -s "$guest" <("$record" -n 3 -F 100 --max-overhead 100% -o - "$pid" 2> /dev/null) 2> /dev/null |
			grep -c "$1")" = 0 ] || return 0
		sleep 1
	done
	cat "$work/qemu.out"
	return 1
}
gone() {
	! kill -0 "$1" 2> /dev/null
}
untouched() {
	await untraced
}
# works_or_skip FUNCTION: waits until the guest is there.
works_or_skip() {
	works "$1" > "$work/why" || {
		echo "1..0 # SKIP no KVM here that runs QEMU: $(tr '\r' '\n' < "$work/why" | grep -v '^QEMU\|(qemu)' | head -n 1)"
		exit
	}
}
