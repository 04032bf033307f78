#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A Debian kernel as a PV guest: names from its kallsyms, modules' with their module, user programs apart; its stacks, which have
# no frame pointers, by the ORC tables of its vmlinux.
set -u
. "$(dirname "$0")/tap.sh"

"$xen/linux/build" "$work/linux"
lab -f "$work/linux/vmlinuz" -f "$work/linux/initrd" "$xen/in_dom0/linux.sh"
vmlinux=$work/linux/vmlinux names=$out/kallsyms
profile() { # TRACE OPTION...
	"$report" -s "$vmlinux" -s "$names" "${@:2}" "$out/$1.upf"
}

recorded() {
	cat "$out"/*.err
	"$report" --verify "$out/fp.upf" && "$report" --verify "$out/auto.upf"
}
ok "recorded" recorded
# Programs start and end all the time, and each has new stacks: some 130 of 3,850 rounds by frame pointers alone, and
# 30 else. That these were not fewer would be eight standard deviations.
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

# Three programs have a third of the time each: one in user space, one that reads zeros, one that hashes in a module. A
# quarter is ten standard deviations of 3,850 samples below that. The second one is a sixth or more in its leaves: an
# eighth is seven below that.
shares_plausible() {
	profile "$1" -q --folded | tee "$work/folded" | awk '
		{ n = $NF; all += n }
		/\[user\]/ { user += n } /\[sha512_generic\]|\[tcrypt\]/ { module += n } /read_zero|clear_user/ { zero += n }
		END { printf "user %.1f %%, module %.1f %%, zeros %.1f %%\n", 100 * user / all, 100 * module / all, 100 * zero / all
			exit !(user > all / 4 && module > all / 4 && zero > all / 8 && all > 3700) }'
}
for trace in fp auto; do
	ok "$trace: user programs, a module and the kernel, each with its share" shares_plausible $trace
done
# The program in user space is one shell, whose time the scheduler counts, here between the first time and the last
# that the guest told it while it was recorded. Programs that begin and end are in user mode for some 2.5 points more.
# A turn of the shell is 4 ms or longer, and each 2 ms have a sample: five standard deviations are 2 points.
as_counted() {
	local started first last ran between ours

	started=$(date -d "$("$report" --header "$out/fp.upf" | sed -n 's/^started *//p')" +%s.%N)
	read -r first ran < <(awk -v from="$started" '$3 > from { print $3 - from, $2; exit }' "$out/counted")
	read -r last between < <(awk -v from="$started" -v ran="$ran" '
		$3 > from && $3 < from + 8 { last = $3; now = $2 }
		END { print last - from, now - ran }' "$out/counted")
	ours=$(profile fp -q --folded --time "$first,$last" |
		awk '{ all += $NF } /^\[user\]/ { user += $NF } END { print 100 * user / all }')
	awk -v ours="$ours" -v time="$first $last" -v ran="$between" 'BEGIN {
		split(time, at, " ")
		theirs = 100 * ran / 1e9 / (at[2] - at[1])
		printf "%.1f %% in user mode; from %.1f to %.1f s the shell ran %.1f %%\n", ours, at[1], at[2], theirs
		exit !(at[2] - at[1] > 6 && theirs - ours < 5 && ours - theirs < 5) }'
}
ok "fp: as much in user mode as the guest's scheduler counted, within 5 points" as_counted
user_apart() {
	local counted

	counted=$(profile "$1" | sed -n 's/^User *\([0-9,]*\) samples in user mode.*/\1/p' | tr -d ,)
	profile "$1" -q --folded --weight samples | grep '\[user\]' | tee "$work/user"
	[ "$(cat "$work/user")" = "[user] $counted" ]
}
ok "user programs are one function of their own, and counted" user_apart auto

# Of samples in the kernel, those on no module's function are unwound to the end, but for the instructions that ORC
# does not describe: at a retpoline's last the return address is where it will jump; __switch_to_asm fills the return
# stack buffer by calls. A third of 3,850 samples, less five standard deviations, is 1,100.
undescribed='__x86_indirect_thunk|__switch_to_asm'
unwound() {
	profile auto --dump | grep ' kernel cpu ' > "$work/kernel"
	grep -v ' end 0 (whole)' "$work/kernel" | grep -vE '\]\+0x[0-9a-f]+ $' | tee "$work/lost" | head -n 5
	echo "$(grep -c ' end 0 (whole)' "$work/kernel") of $(wc -l < "$work/kernel") whole, $(wc -l < "$work/lost") lost outside modules"
	[ "$(grep -c ' end 0 (whole)' "$work/kernel")" -gt 1000 ] && ! grep -vE "$undescribed" "$work/lost"
}
ok "auto: kernel stacks are whole by ORC, but for those that meet a module" unwound
# With the modules' own files, put where kallsyms says that they lie, all go through: two thirds of all samples.
modules=(-s "$work/linux/tcrypt.ko" -s "$work/linux/sha512_generic.ko")
through_modules() {
	profile auto "${modules[@]}" --dump | grep ' kernel cpu ' > "$work/kernel"
	grep -v ' end 0 (whole)' "$work/kernel" | tee "$work/lost" | head -n 5
	echo "$(wc -l < "$work/lost") of $(wc -l < "$work/kernel") are not whole"
	[ "$(wc -l < "$work/kernel")" -gt 2400 ] && ! grep -vE "$undescribed" "$work/lost" &&
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
