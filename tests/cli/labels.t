#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Labels in assembly: a local one without type and size names nothing if there is a function around it.
set -u
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >asm.s <<'END'
	.text
	.local	before
before:	.fill	16, 1, 0x90		# nothing is around it
	.globl	_start
_start:	.fill	16, 1, 0x90		# as an entry point is often written: global, and no more
nofsgsbase:
	.fill	16, 1, 0x90
2:	.fill	16, 1, 0x90
again:	jmp	again
	.fill	14, 1, 0x90
	.globl	next
next:	.fill	16, 1, 0x90
	.type	typed, @function
typed:	.fill	16, 1, 0x90		# local, with a type
loop:	.fill	16, 1, 0x90
	.type	sized, @function
sized:	.fill	16, 1, 0x90
inside:	.fill	16, 1, 0x90
	.size	sized, . - sized
own:	.fill	16, 1, 0x90		# behind a function whose end is known
own2:	.fill	16, 1, 0x90
	.weak	weak
weak:	.fill	16, 1, 0x90
	.globl	global
global:	.fill	16, 1, 0x90
	.section other, "ax"
first:	.fill	16, 1, 0x90		# the first of another section
second:	.fill	16, 1, 0x90
END
gcc -nostdlib -static -no-pie -Wl,-Ttext=0x100000,--section-start=other=0x200000 -o asm asm.s || echo 'Bail out! no assembler'

# name ADDRESS SYMBOL: 8 bytes behind each symbol's beginning.
name() {
	local address=$1 want=$2 got
	printf '%x\n' $((address + 8)) | "$mktrace" stacks >run.upf
	got=$("$report" --folded -q -s asm run.upf)
	[ "$got" = "$want 1" ] || echo "# $got, not $want 1"
	[ "$got" = "$want 1" ]
	ok $? "0x$(printf %x "$address"): $want"
}
at=0x100000
for want in before _start _start _start _start next typed typed sized sized own own2 weak global; do
	name $at $want
	at=$((at + 16))
done
name 0x200000 first
name 0x200010 second
"$report" --flat -q -s <(nm asm) run.upf | grep -q second
ok $? 'a list of names does not tell labels from functions: all name'
done_testing
