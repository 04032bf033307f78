#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel as a PV guest: names from its kallsyms, modules' with their module, user programs apart; its stacks, which have
# no frame pointers, by the ORC tables of its vmlinux.
set -u
. "$(dirname "$0")/tap.sh"

"$xen/linux/build" "$work/linux"
lab -i -f "$work/linux/vmlinuz" -f "$work/linux/initrd" "$xen/in_dom0/linux.sh"
vmlinux=$work/linux/vmlinux names=$out/kallsyms
profile() { # TRACE OPTION...
	"$report" -s "$vmlinux" -s "$names" "${@:2}" "$out/$1.upf"
}

recorded() {
	cat "$out"/*.err
	"$report" --verify "$out/fp.upf" && "$report" --verify "$out/auto.upf"
}
ok "recorded" recorded
# Programs start and end all the time, and each has new stacks.
seldomer() {
	awk 'FNR == 1 { files++ } /^retried/ { again[files] = $2 } END { print again[1] + 0, again[2] + 0; exit again[1] + 0 > again[2] + 0 }' \
		"$out/auto.err" "$out/fp.err"
}
ok "auto: fewer rounds are taken again than by frame pointers alone" seldomer
# What docs/linux.md says of Debian's kernel.
carries() {
	readelf -SW "$vmlinux" | tee "$work/sections"
	grep -q '\.orc_unwind ' "$work/sections" && ! grep -qE '\.(eh_frame|debug_frame|symtab) ' "$work/sections"
	text=$(awk '$0 ~ / \.text / { sub(/.*\.text +PROGBITS +/, ""); print $1 }' "$work/sections")
	grep -q "^$text T _text" "$names"
}
ok "vmlinux has ORC, no other tables and no symbols, and lies where the guest's kernel lies" carries

# Three programs take turns: one in user space, one that reads zeros, one that hashes in a module.
shares_plausible() {
	profile "$1" -q --folded | tee "$work/folded" | awk '
		{ n = $NF; all += n }
		/\[user\]/ { user += n } /\[sha512_generic\]|\[tcrypt\]/ { module += n } /read_zero|clear_user/ { zero += n }
		END { printf "user %.1f %%, module %.1f %%, zeros %.1f %%\n", 100 * user / all, 100 * module / all, 100 * zero / all
			exit !(user > all / 5 && module > all / 6 && zero > all / 8) }'
}
for trace in fp auto; do
	ok "$trace: user programs, a module and the kernel, each with its share" shares_plausible $trace
done
# The program in user space is one shell, and the scheduler counts its time.
as_counted() {
	local ours

	ours=$(profile fp -q --folded | awk '{ all += $NF } /^\[user\]/ { user += $NF } END { print 100 * user / all }')
	awk -v ours="$ours" 'NR == 1 { ran = $2; up = $3 }
		END { theirs = 100 * ($2 - ran) / 1e9 / ($3 - up)
			printf "%.1f %% in user mode; of %.1f s the shell ran %.1f %%\n", ours, $3 - up, theirs
			exit !($3 - up > 4 && theirs - ours < 5 && ours - theirs < 5) }' "$out/counted"
}
ok "fp: as much in user mode as the guest's scheduler counted, within 5 points" as_counted
user_apart() {
	local counted

	counted=$(profile "$1" | sed -n 's/^User *\([0-9,]*\) samples in user mode.*/\1/p' | tr -d ,)
	profile "$1" -q --folded --weight samples | grep '\[user\]' | tee "$work/user"
	[ "$(cat "$work/user")" = "[user] $counted" ]
}
ok "user programs are one function of their own, and counted" user_apart auto

# Of samples in the kernel, those on no module's function are unwound to the end, all of them.
unwound() {
	profile auto --dump | grep ' kernel cpu ' > "$work/kernel"
	grep -v ' end 0 (whole)' "$work/kernel" | grep -vE '\]\+0x[0-9a-f]+ $' | tee "$work/lost" | head -n 5
	echo "$(grep -c ' end 0 (whole)' "$work/kernel") of $(wc -l < "$work/kernel") whole, $(wc -l < "$work/lost") lost outside modules"
	[ "$(grep -c ' end 0 (whole)' "$work/kernel")" -gt 500 ] && [ $(($(wc -l < "$work/lost") * 100)) -le "$(wc -l < "$work/kernel")" ]
}
ok "auto: kernel stacks are whole by ORC, but for those that meet a module" unwound
# With the modules' own files, put where kallsyms says that they lie, all go through: but for the instructions that ORC does not
# describe. At a retpoline's last the return address is where it will jump; __switch_to_asm fills the return stack buffer by calls.
modules=(-s "$work/linux/tcrypt.ko" -s "$work/linux/sha512_generic.ko")
through_modules() {
	profile auto "${modules[@]}" --dump | grep ' kernel cpu ' > "$work/kernel"
	grep -v ' end 0 (whole)' "$work/kernel" | tee "$work/lost" | head -n 5
	echo "$(wc -l < "$work/lost") of $(wc -l < "$work/kernel") are not whole"
	[ "$(wc -l < "$work/kernel")" -gt 500 ] && ! grep -vE '__x86_indirect_thunk|__switch_to_asm' "$work/lost" &&
		[ $(($(wc -l < "$work/lost") * 200)) -le "$(wc -l < "$work/kernel")" ] &&
		profile auto "${modules[@]}" -q --folded | tee "$work/folded" |
			grep -qE '^entry_SYSCALL_64_after_hwframe;.*;init_module \[tcrypt\];.*;sha512_transform \[sha512_generic\] '
}
ok "auto: through modules, with their files" through_modules
callers() {
	profile auto -q --folded | tee "$work/folded" |
		grep -qE '^entry_SYSCALL_64_after_hwframe;do_syscall_64;(x64_sys_call;)?(__x64_sys_read;)?ksys_read;vfs_read;read_zero;clear_user_[a-z_]+ '
}
ok "auto: from the system call's entry to the leaf" callers

done_testing
