# SPDX-License-Identifier: BSD-2-Clause
# What a dom0 script of the lab has at hand. Files it was given lie in /lab, what it leaves in /out is brought out.

# await COMMAND...: waits until it succeeds. Scripts wait for what must become so, not for a time in which it should
# have: how long that is depends on the machine's load. The bound, two minutes, is only for what never comes.
await() {
	local tries

	for tries in $(seq 600); do
		"$@" && return
		sleep 0.2
	done
	echo "await: waited in vain: $*" >&2
	return 1
}

# has_samples TRACE N: while it is recorded, and after; with the onlooker at hand.
has_samples() {
	[ "$(onlooker samples "$1" | cut -d ' ' -f 1)" -ge "$2" ]
}

# no_zombie: no domain is dead and held by somebody.
no_zombie() {
	! xl list | grep -q '(null)'
}

# guest_config NAME [KERNEL] VCPUS ["COMMAND LINE"]: writes /tmp/NAME.cfg of a guest of 32 MB. KERNEL is a file in /lab,
# guest.elf if left out: for its command line see guests/kernel.c. With on_reboot=restart it comes back. It is a PV guest;
# with type=pvh one of that kind, and with type=hvm an HVM guest without a device model, whose firmware KERNEL is: it gets
# no command line. With type=qemu it is an HVM guest as most are, where there is a QEMU (lab -q).
guest_config() {
	case $2 in
	*[!0-9]*) ;;
	*) set -- "$1" guest.elf "$2" "$3" ;;
	esac
	cat > "/tmp/$1.cfg" <<-END
		name="$1"
		type="$(echo "${type:-pv}" | sed s/qemu/hvm/)"
		memory=32
		maxmem=${maxmem:-32}
		vcpus=$3
		tsc_mode="native"
		on_crash="preserve"
		on_reboot="${on_reboot:-destroy}"
	END
	if [ "$type" = hvm ]; then
		cat >> "/tmp/$1.cfg" <<-END
			firmware_override="/lab/$2"
			device_model_version="qemu-xen-traditional"
			device_model_override="$(no_device_model)"
		END
	else
		cat >> "/tmp/$1.cfg" <<-END
			kernel="/lab/$2"
			cmdline="vcpus=$3 $4"
		END
	fi
	[ "$type" != qemu ] || printf '%s\n' 'vga="none"' nographic=1 vnc=0 >> "/tmp/$1.cfg"
}

# guest_start, with the same arguments: creates that guest, and returns when all its vCPUs are up.
guest_start() {
	guest_config "$@"
	xl create -q "/tmp/$1.cfg" > "/tmp/$1.err" 2>&1 || { cat "/tmp/$1.err" >&2; return 1; }
	guest_wait "$1"
}

# Makes a program that only says that it is a device model, and tells where it is.
no_device_model() {
	cat > /tmp/no-device-model <<-'END'
		#!/bin/sh
		while [ "$1" != -d ]; do shift; done
		xenstore-write "/local/domain/0/device-model/$2/state" running
		exec sleep 1000000
	END
	chmod +x /tmp/no-device-model
	echo /tmp/no-device-model
}

# linux_config ["COMMAND LINE"]: writes /tmp/linux.cfg of the guest "linux", whose console is in $linux_log: the Debian kernel
# that linux/build made, as a PV guest. With type=pvh it is a PVH guest of GRUB, which has the kernel, its command line and all
# that it needs.
linux_log=/var/log/xen/console/guest-linux.log
linux_config() {
	cat > /tmp/linux.cfg <<-END
		name="linux"
		type="${type:-pv}"
		memory=192
		vcpus=1
	END
	if [ "$type" = pvh ]; then
		printf '%s\n' 'kernel="/lab/grub.bin"' 'tsc_mode="native"'
	else
		printf '%s\n' 'kernel="/lab/vmlinuz"' 'ramdisk="/lab/initrd"' "extra=\"console=hvc0 quiet $1\""
	fi >> /tmp/linux.cfg
}

# linux_start, with the same argument: creates that guest.
linux_start() {
	linux_config "$@"
	xl create -q /tmp/linux.cfg
}

# The symbols that the Linux guest's init prints, once they are all there.
linux_kallsyms() {
	await grep -qs 'KALLSYMS END' $linux_log
	awk '/KALLSYMS END/ { exit } begun { print } /KALLSYMS BEGIN/ { begun = 1 }' $linux_log | tr -d '\r' | base64 -d | gzip -d
}

# traced NAME DOMAIN...: the calls of a recorder. Rounds are told apart by the sleeps between them.
traced() {
	name=$1
	shift
	strace -f -e trace=ioctl,mmap,munmap,rt_sigtimedwait -o "/out/$name.txt" \
		uniprof-record -F 200 -n 200 -q -o "/out/$name.upf" "$@"
	echo $? > "/out/$name.rc"
}

# Waits until all vCPUs of NAME are up.
guest_wait() {
	await all_up "$1"
}
all_up() {
	xl vcpu-list "$1" | awk 'NR > 1 && $5 ~ /p/ { down = 1 } END { exit down || NR < 2 }'
}

guest_end() {
	xl destroy "$1"
}

# The state letters that xl shows of a domain: r b p s c d.
guest_state() {
	xl list "$1" | awk 'NR == 2 { gsub("-", "", $5); print $5 }'
}

domid() {
	xl domid "$1"
}
