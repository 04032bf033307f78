# SPDX-License-Identifier: BSD-2-Clause
# What a dom0 script of the lab has at hand. Files it was given lie in /lab, what it leaves in /out is brought out.

# guest_start NAME VCPUS "COMMAND LINE": a guest of tests/xen/guests, see kernel.c there.
guest_start() {
	cat > "/tmp/$1.cfg" <<-END
		name="$1"
		type="pv"
		kernel="/lab/guest.elf"
		memory=32
		vcpus=$2
		cmdline="vcpus=$2 $3"
		tsc_mode="native"
		on_crash="preserve"
	END
	xl create -q "/tmp/$1.cfg" 2> "/tmp/$1.err" || { cat "/tmp/$1.err"; return 1; }
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
