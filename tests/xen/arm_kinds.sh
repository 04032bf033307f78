# SPDX-License-Identifier: BSD-2-Clause
# What arm.t and arm_kinds.t share: ARM64 and ARM32 guests on Xen on ARM, recorded at once in one trace by the recorder built for
# its ARM64 dom0; the trace is read here.
. "$xen/kinds.sh"
. "$xen/arm.sh"

# A guest in user mode: what is asked of Xen goes through its kernel, where the second vCPU sleeps.
in_user_mode() { # NAME
	"$report" --vcpu 0 --domain "$1" -s "$guest" "$out/all.upf" | tee "$work/profile"
	grep -qE '^User .*, 100\.0%, below \[user\]' "$work/profile" && grep -q 'all of their stacks whole' "$work/profile" &&
		folded_of "$1" --vcpu 0 | grep -q '^\[user\];'
}
user_shares() { # NAME WORK
	folded_of "$1" --vcpu 0 --weight cpu | sed 's/^\[user\];//' > "$work/shares"
	shares_of "$work/shares" "$xen/guests/truth/$2.txt"
}

# Standard input lists guests: NAME ELF ARCH WORK. They share one processor: of five, each has some 7,000 samples at work,
# and 3 points are 5 standard errors.
check_arm() {
	local name elf arch what

	cat > "$work/kinds"
	while read -r name elf arch what; do
		case $elf in
		clang-*) add_guest "$elf" "${elf#clang-}" frames clang ;;
		*) add_guest "$elf" "$elf" ;;
		esac
	done < "$work/kinds"
	options=(-f "$work/kinds")
	lab_arm "$xen/in_dom0/arm.sh"
	ok "recorded" recorded all
	check_kinds < <(awk '$2 !~ /-user$/ { print $1, $2, "ARM", $3, $4 }' "$work/kinds")
	while read -r name elf arch what; do
		guest=$work/$elf.elf
		ok "$name: in the trace as ARM, $arch" head_says "$name" ARM "$arch"
		ok "$name: every sample is in user mode, every stack whole" in_user_mode "$name"
		ok "$name: every stack is the guest's, every share of time within 3 points" user_shares "$name" "$what"
	done < <(awk '$2 ~ /-user$/' "$work/kinds")
}
