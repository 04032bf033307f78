# SPDX-License-Identifier: BSD-2-Clause
# A host's part of packages.t, with the files of the machine that runs the lab: QEMU is this machine's, recorder and report
# are installed in the folder $1, where the guest's kernel has the path that QEMU is given.
mkdir /packages
mount --bind "$1/packages" /packages
for folder in proc sys dev run; do
	mount --rbind "/$folder" "$1/$folder"
done
cp /lab/guest.elf /packages/web1.elf
qemu-system-x86_64 -accel kvm -cpu host -machine q35 -nodefaults -display none -m 64 -name guest=web1 -kernel /packages/web1.elf \
	-append 'work=shares ring=0' -debugcon file:/out/console > /out/qemu 2>&1 &
for tries in $(seq 600); do
	[ ! -s /out/console ] || break
	sleep 0.2
done
chroot "$1" sh -c 'cd /tmp
	timeout -s INT 10 uniprof-record web1 2> record.err
	uniprof-report > flat
	uniprof-report -o web1.svg'
cp "$1"/tmp/{record.err,flat,web1.upf,web1.svg} /out
exit 0
