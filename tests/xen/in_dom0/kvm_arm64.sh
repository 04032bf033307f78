# SPDX-License-Identifier: BSD-2-Clause
# An ARM64 host's part of kvm_arm64.t: guests of each kind and mode, by stops and live; how deep stacks are walked; on two
# processors, of which the guest has one and the recorder the other.
. /lab/kvm_guests.sh

both() { # NAME KERNEL LINE
	guest=$2.img options=
	case $2 in arm32*) options=-3 ;; esac
	vmm_start "$1" "$3"
	record "$1-live" --sampler live -F 997 -n 1500
	record "$1-stop" --sampler stop -F 997 -n 1500
	kill -9 "$pid"
	wait "$pid" 2> /dev/null
}
while read -r name kernel work; do
	both "$name" "$kernel" "work=$work" < /dev/null
done < /lab/kinds
dmesg > /out/dmesg
exit 0
