# SPDX-License-Identifier: BSD-2-Clause
# An ARM64 host's part of kvm_arm64.t, of one processor: the guests that /lab/kinds lists, live and by stops.
. /lab/kvm_guests.sh

both() { # NAME KERNEL LINE
	guest=$2.img options=
	case $2 in arm32*) options=-3 ;; esac
	vmm_start "$1" "$3"
	record "$1-live" --sampler live -F 997 -n 1500
	record "$1-stop" --sampler stop -F 997 -n 1500
	end
}
while read -r name kernel work; do
	both "$name" "$kernel" "work=$work" < /dev/null
done < /lab/kinds
dmesg > /out/dmesg
exit 0
