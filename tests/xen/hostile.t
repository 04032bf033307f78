#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A guest whose frame pointers, stack pointers and page tables lead astray: every walk ends, for the right reason, and the guest
# goes on.
set -u
. "$(dirname "$0")/tap.sh"

lab "$xen/in_dom0/hostile.sh"

recorded() {
	cat "$out/$1.err" "$out/state"
	[ "$(cat "$out/$1.rc")" = 0 ] && "$report" --verify "$out/$1.upf" && ! grep -q p "$out/state"
}
# ends TRACE LEAF END [DEPTH]: samples in LEAF, at least ten, ended so, each of them, with so many frames; but for those whose
# page was met for the first time.
ends() {
	"$report" -q --no-repair --dump -s "$guest" "$out/$1.upf" | grep -E " sample .*: $2(\+0x[0-9a-f]+)? " |
		grep -v ' (page not mapped in time), ' > "$work/samples"
	grep -vE " end [0-9]+ \($3\), depth ${4:-[0-9]+}: " "$work/samples" | tee "$work/others" | cut -c 1-200 | head -n 3
	echo "$(wc -l < "$work/samples") samples in $2"
	[ "$(wc -l < "$work/samples")" -ge 10 ] && [ ! -s "$work/others" ]
}
ok "frame pointers: recorded, and the guest runs" recorded fp
ok "a frame that is its own caller" ends fp fp_loop 'frame pointer not above the last' 2
ok "two frames that call each other" ends fp fp_cycle 'frame pointer not above the last' 3
ok "frames that go down" ends fp fp_down 'frame pointer not above the last' 2
ok "an odd frame pointer" ends fp fp_odd 'frame pointer misaligned' 1
ok "one that is no address" ends fp fp_hole 'frame pointer not an address' 1
ok "one whose return address would be none" ends fp fp_last_word 'frame pointer not an address' 1
ok "one where nothing is" ends fp fp_nowhere 'no page there' 1
ok "one in Xen's own memory" ends fp fp_xen '.*' 1
ok "a frame on two pages" ends fp fp_over_pages 'whole' 2
ok "a frame that reaches into a hole" ends fp fp_into_hole 'no page there' 1
ok "a stack without end" ends fp fp_endless 'depth limit' 127
ok "page tables that are their own page" ends fp fp_tables 'whole' 2
ok "a page that comes and goes" ends fp fp_flipping 'whole|no page there' '[12]'
ok "pointers by chance" ends fp fp_random '.*'
ok "copies: recorded, and the guest runs" recorded dwarf
for leaf in sp_odd sp_hole sp_top sp_xen sp_random fp_random; do
	ok "copies: $leaf" ends dwarf $leaf '.*'
done
ok "auto: recorded, and the guest runs" recorded auto
for leaf in fp_loop fp_odd fp_nowhere fp_into_hole fp_endless fp_flipping fp_random sp_odd sp_top sp_random; do
	ok "auto: $leaf" ends auto $leaf '.*'
done
done_testing
