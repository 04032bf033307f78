# SPDX-License-Identifier: BSD-2-Clause
# What registers.t and arm_registers.t share: --registers beside xenctx, on guests that do not run.

# For xenctx: the functions of NAME.elf, and between which addresses they are.
add_symbols() { # NAME
	nm -n "$work/$1.elf" | grep -i ' t ' > "$work/$1.nm"
	{ sed -n '1s/ .*/ T _stext/p' "$work/$1.nm"; cat "$work/$1.nm"; sed -n '$s/ .*/ T _etext/p' "$work/$1.nm"
		printf 'ffffffffffff0000 T %s\n' _sinittext _einittext hypercall_page; } > "$work/${2:-$1.elf}.map"
	kernels+=(-f "$work/${2:-$1.elf}.map")
}

like_xenctx() { # NAME VCPU
	"$report" -q --registers --domain "$1" --vcpu "$2" -s "$guest" "$out/$1.upf" > "$work/ours"
	cat "$work/ours" "$out/$1.xenctx.$2"
	"$xen/like_xenctx" "$work/ours" "$out/$1.xenctx.$2"
}
one_pause() { # NAME
	cat "$out/$1.err"
	[ "$(cat "$out/$1.rc")" = 0 ] && grep -q '^paused   1 times' "$out/$1.err" && "$report" --verify "$out/$1.upf"
}
as_before() { # NAME
	cat "$out/$1.before" "$out/$1.after"
	cmp "$out/$1.before" "$out/$1.after"
}
says() { # NAME TEXT
	"$report" -q --registers --domain "$1" "$out/$1.upf" | tee "$work/ours" | grep -qF "$2"
}

# Reads rows of NAME ELF WHAT TEXT: WHAT the domain was, and what its first vCPU's mode is called.
check_registers() {
	local name elf what mode

	while read -r name elf what mode; do
		guest=$work/$elf.elf
		ok "$name: recorded while it is $what, in one pause" one_pause "$name"
		ok "$name: says so" says "$name" "The domain $([ "$what" = crashed ] && echo "had crashed." || echo "was paused by another program.")"
		ok "$name: its mode" says "$name" "$mode"
		ok "$name: vCPU 0 has all that xenctx shows" like_xenctx "$name" 0
		ok "$name: vCPU 1 has all that xenctx shows" like_xenctx "$name" 1
		ok "$name: the domain is left as it was" as_before "$name"
		[ "$what" = crashed ] || ok "$name: it runs on when whoever has paused it lets it" test -s "$out/$name.runs"
	done
}
