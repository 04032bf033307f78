# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of hvm_linux.t: a Debian kernel in an HVM guest that goes on with another one (kexec), then reboots, and
# has another domid from then on.
. /lab/linux_boots.sh

# The firmware reads a disk of AHCI by DMA. What QEMU hands over by itself (-kernel) comes byte by byte here.
cat > /tmp/linux.cfg <<-END
	name="linux"
	type="hvm"
	memory=256
	vcpus=1
	tsc_mode="native"
	vga="none"
	nographic=1
	vnc=0
	serial="pipe:/run/line"
	device_model_args_hvm=["-drive", "file=/lab/linux.iso,if=none,id=disk,media=cdrom,readonly=on",
		"-device", "ahci,id=ahci", "-device", "ide-cd,drive=disk,bus=ahci.0"]
END
xl create -q /tmp/linux.cfg
record_boots
