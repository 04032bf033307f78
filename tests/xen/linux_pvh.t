#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel as a PVH guest that was relocated at its start (KASLR), with two programs at work. The kernel's functions are
# named by vmlinux and nothing else, which has no symbol table; those of the programs by their files, in the same report.
set -u
. "$(dirname "$0")/tap.sh"

linux=$work/linux
"$xen/linux/build" -r "$linux"
lab -e -f "$linux/grub.bin" "$xen/in_dom0/linux_pvh.sh"
trace=$out/pvh.upf
profile() { # [-t TRACE] OPTION...
	local of=$trace

	[ "$1" != -t ] || { of=$2 && shift 2; }
	"$report" -q --folded "$@" "$of"
}

recorded() {
	cat "$out"/*.err "$out/failed"
	"$report" --verify "$trace" && "$report" --verify "$out/boot.upf"
}
ok "recorded" recorded
is_pvh() {
	"$report" --header "$trace" | tee "$work/header"
	grep -qE '^kind +PVH' "$work/header"
}
ok "the guest is a PVH guest" is_pvh
# Its vDSOs have build-ids, too, and are in the same memory.
says_build() {
	local id

	id=$(readelf -n "$linux/vmlinux" | awk '/Build ID/ { print $3 }')
	"$report" --header "$1" | tail -2 | tee "$work/build-id"
	[ "$id" ] && grep -q "^build-id  *$id\$" "$work/build-id" && grep -q 'in its memory, at 0x' "$work/build-id"
}
ok "the trace says which kernel ran" says_build "$trace"
relocated() {
	local linked text

	linked=$(readelf -lW "$linux/vmlinux" | awk '$1 == "LOAD" { print substr($3, 3); exit }')
	text=$(awk '$3 == "_text" { print $1 }' "$out/kallsyms.work")
	echo "linked to $linked, and the guest's kernel is at $text"
	[ -n "$text" ] && [ "$text" != "$linked" ]
}
ok "its kernel is not where it was linked" relocated

# --- the kernel ------------------------------------------------------------------------------------------------------
# Every address as the guest itself names it.
as_kallsyms() { # KALLSYMS TRACE SAMPLES [OPTION...]: at least so many have a name
	profile -t "$2" --no-repair --max-stack 1 "${@:4}" -s "$linux/vmlinux" > "$work/ours"
	profile -t "$2" --no-repair --max-stack 1 "${@:4}" -s "$out/$1" > "$work/theirs"
	awk -v least="$3" '/^[a-z_]/ { n += $NF } END { print n " samples have a name"; exit n < least }' "$work/ours" &&
		diff "$work/ours" "$work/theirs"
}
ok "-s vmlinux names each address as the guest's kallsyms does" as_kallsyms kallsyms.work "$trace" 500
# It begins in GRUB, and where vmlinuz is unpacked.
from_the_start() {
	as_kallsyms kallsyms.work "$out/boot.upf" 200 || return
	profile -t "$out/boot.upf" -s "$linux/vmlinux" > "$work/boot"
	grep -m 3 -E '(start_kernel|kernel_init);' "$work/boot"
	awk '/^0x[0-9a-f]+ / { n += $NF } END { print n " samples before the kernel"; exit n < 20 }' "$work/boot" &&
		grep -q 'kernel_init;.*;do_one_initcall;' "$work/boot"
}
ok "of a guest that was recorded from its first instruction, too" from_the_start
# In one trace, each by its own place.
twice() {
	local at

	cat "$out/twice.err"
	"$report" --verify "$out/twice.upf" || return
	grep -h ' _text$' "$out"/kallsyms{.1,}
	at=$("$report" --dump "$out/twice.upf" | awk '/ event domain 0 4 \(reboot\)/ { print $4; exit }')
	as_kallsyms kallsyms.1 "$out/twice.upf" 200 --time ",$at" && mv "$work/ours" "$work/first" &&
		as_kallsyms kallsyms "$out/twice.upf" 200 --time "$at," && mv "$work/ours" "$work/second" || return
	profile -t "$out/twice.upf" --no-repair --max-stack 1 -s "$linux/vmlinux" | sort > "$work/both"
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); all[$0] += n } END { for (s in all) print s, all[s] }' "$work"/{first,second} |
		sort | diff - "$work/both"
}
ok "of a guest that was destroyed and created again, too" twice
# But for what ORC does not describe (linux.t).
kernel_whole() {
	"$report" --dump -s "$linux/vmlinux" "$trace" | grep ' kernel cpu ' > "$work/kernel"
	grep -v ' end 0 (whole)' "$work/kernel" | tee "$work/lost" | head -n 5
	echo "$(wc -l < "$work/lost") of $(wc -l < "$work/kernel") are not whole"
	[ "$(wc -l < "$work/kernel")" -gt 500 ] && ! grep -vE '__x86_indirect_thunk|__switch_to_asm' "$work/lost" &&
		[ $(($(wc -l < "$work/lost") * 100)) -le "$(wc -l < "$work/kernel")" ]
}
ok "its stacks are whole" kernel_whole
to_the_leaf() {
	profile --ignore '\[user\]' -s "$linux/vmlinux" > "$work/kernel"
	awk '{ all += $NF }
		/^entry_SYSCALL_64_after_hwframe;do_syscall_64;(x64_sys_call;)?(__x64_sys_read;)?ksys_read;vfs_read;read_zero/ { zero += $NF }
		END { printf "%d of %d in read_zero()\n", zero, all
			exit zero < all / 2 }' "$work/kernel"
}
ok "they lead from the entry to the leaf" to_the_leaf

# --- the programs ----------------------------------------------------------------------------------------------------
# One is where it was linked, and of the other the address is known. What they call and when is in linux/program.c.
fixed=(-s "$linux/fixed")
moved=(-s "$linux/moved@$(awk '$1 == "USED" && $2 == "/moved" { print $3; exit }' "$out/before")")
called='_start;__libc_start_main(_impl)?;__libc_start_call_main;main(;(often;mix|seldom;mix|often|seldom|zeros(;.*read)?|syscall|(__)?dprintf(;[^;]+)*))?'
own_shares() { # OPTION...: three times as long by way of often() as of seldom(), and half of all that is in user mode
	profile --focus '\[user\]' -s "$linux/vmlinux" "$@" | tee "$work/program" | grep -vE "^\[user\](;$called)? [0-9]+\$" && return 1
	awk '{ all += $NF } /;main/ { own += $NF } /;often;mix / { often += $NF } /;seldom;mix / { seldom += $NF }
		END { share = often / (often + seldom)
			printf "%d of %d; %d often, %d seldom\n", own, all, often, seldom
			exit own < all / 3 || own > all * 2 / 3 || share < 0.7 || share > 0.8 }' "$work/program"
}
ok "a program at fixed addresses: whole stacks by its file" own_shares "${fixed[@]}"
ok "a position-independent program: whole stacks by its file and its address" own_shares "${moved[@]}"
all=("${fixed[@]}" "${moved[@]}" -s "$linux/vmlinux")
all_named() {
	profile "${all[@]}" > "$work/all"
	! grep -nE '^\[user\] |0x' "$work/all"
}
ok "both programs and the kernel in one report: nothing is without a name" all_named
apart() {
	! grep -E '^\[user\].*;(entry_|do_syscall|ksys_|vfs_)|^[^[].*;(main|often|seldom|zeros)[; ]' "$work/all" &&
		grep -q '^\[user\];' "$work/all" && grep -q '^entry_' "$work/all"
}
ok "no stack has functions of a program and of the kernel" apart
# The programs know how much CPU time they spent in their own functions, and how much in reading.
as_counted() {
	local ours

	ours=$(awk '{ all += $NF } /^\[user\]/ { user += $NF } END { print 100 * user / all }' "$work/all")
	awk -v ours="$ours" '$1 != "USED" { next }
		FNR == NR { own[$2] = $4; kernel[$2] = $5; next }
		{ last_own[$2] = $4; last_kernel[$2] = $5 }
		END { for (p in last_own) { o += last_own[p] - own[p]; k += last_kernel[p] - kernel[p] }
			theirs = 100 * o / (o + k)
			printf "%.1f %% in the programs; they counted %.1f %% of %d ms\n", ours, theirs, o + k
			exit !(o + k > 3000 && theirs - ours < 5 && ours - theirs < 5) }' "$out/before" "$out/after"
}
ok "as much time in the programs as they counted, within 5 points" as_counted

done_testing
