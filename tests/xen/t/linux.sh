# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of linux.t: a Debian kernel as a PV guest, at work in user space, in the kernel and in a module.
cat > /tmp/linux.cfg <<-END
	name="linux"
	type="pv"
	kernel="/lab/vmlinuz"
	ramdisk="/lab/initrd"
	memory=192
	vcpus=1
	extra="console=hvc0 quiet"
END
xl create -q /tmp/linux.cfg || exit
log=/var/log/xen/console/guest-linux.log
for try in $(seq 300); do
	grep -q 'KALLSYMS END' $log 2> /dev/null && break
	sleep 0.5
done
sed '/KALLSYMS/d; /COUNTED/d' $log | tr -d '\r' | base64 -d | gzip -d > /out/kallsyms
sleep 1
counted() {
	grep '^COUNTED' $log | tail -n 1 | tr -d '\r'
}
counted > /out/counted
uniprof-record -q -F 500 -d 8 -o /out/fp.upf linux 2> /out/fp.err
counted >> /out/counted
uniprof-record -q -F 500 -d 8 --call-graph dwarf -o /out/dwarf.upf linux 2> /out/dwarf.err
