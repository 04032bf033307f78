#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Packed binaries for -s: the kernel in a boot image of Linux on x86 (vmlinuz), and files compressed as a whole.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit

"$mktrace" small >small.upf
cat >guest.s <<'S'
	.globl main, work, leaf
	.text
	.type main, @function
main:	.fill 0x100, 1, 0x90
	.size main, . - main
	.type work, @function
work:	.fill 0x100, 1, 0x90
	.size work, . - work
	.type leaf, @function
leaf:	.fill 0x40, 1, 0x90
	.size leaf, . - leaf
	.section .data
	.incbin "noise"
S
head -c 300000 /dev/urandom >noise # longer than the buffers, and not to be compressed
gcc -c -o guest.o guest.s && ld -Ttext=0x1000 -Tdata=0x400000 -e main -o guest guest.o || exit
"$report" -q --force --folded -s guest small.upf >want
grep -q 'main;work;leaf' want
ok $? 'names of the plain binary'

# boot_image PACKED: on standard output, a boot image of protocol 2.15 with this payload, and its size behind it.
boot_image() {
	perl -e '
		my ($packed, $size) = @ARGV;
		open(my $in, "<:raw", $packed) or die; local $/; my $payload = <$in> . pack("V", $size);
		my $image = "\0" x (3 * 512 + 0x300);
		substr($image, 0x1f1, 1) = "\x02";
		substr($image, 0x1fe, 2) = "\x55\xaa";
		substr($image, 0x202, 6) = "HdrS\x0f\x02";
		substr($image, 0x248, 8) = pack("VV", 0x300, length $payload);
		print $image, $payload, "behind it" x 100;
	' "$1" "$(stat -c %s guest)"
}

# same_names NAME FILE
same_names() {
	"$report" -q --force --folded -s "$2" small.upf >out 2>err && cmp out want
	ok $? "$1" "$(cat err)"
}

packers=(gzip 'xz --check=crc32 --x86 --lzma2=dict=128MiB' 'zstd -q -19' 'zstd -q --ultra -22 --long=27' 'lz4 -q -l -9')
for packer in "${packers[@]}"; do
	if ! command -v "${packer%% *}" >/dev/null; then
		ok 0 "${packer%% *} # SKIP not here"
		continue
	fi
	# shellcheck disable=SC2086
	$packer -c <guest >packed
	boot_image packed >vmlinuz
	same_names "$packer: a boot image" vmlinuz
	same_names '... a file' packed
	head -c $(($(stat -c %s packed) / 2)) packed >half
	fails '... cut off' 1 "half: packed by ${packer%% *}, and cut off" "$report" -s half small.upf
	boot_image half >half.vmlinuz
	"$report" -q --force -s half.vmlinuz small.upf >out 2>err
	[ $? -eq 1 ] && grep -qE '^uniprof-report: half.vmlinuz: packed by [a-z0-9]+, and (cut off|damaged)$' err && [ ! -s out ]
	ok $? '... cut off in a boot image' "$(cat err)"
done

# --- what goes wrong
: >none
printf 'BZh9' >packed
boot_image packed >vmlinuz
fails 'another format' 1 'vmlinuz: a boot image that is not packed by gzip, xz, zstd or lz4: the vmlinux in it' "$report" -s vmlinuz small.upf
gzip -c <guest >packed
boot_image packed >vmlinuz
printf '\xff\xff\xff\xff' | dd of=vmlinuz bs=1 seek=$((0x24c)) conv=notrunc 2>/dev/null
fails 'a length beyond the end' 1 'cut off' "$report" -s vmlinuz small.upf
printf '\xff\xff\xff\xff' | dd of=vmlinuz bs=1 seek=$((0x248)) conv=notrunc 2>/dev/null
fails 'a place beyond the end' 1 'cut off' "$report" -s vmlinuz small.upf
echo 'hello world' | gzip >hello.gz
fails 'packed text that is no list of names' 1 'hello.gz: neither an ELF' "$report" -s hello.gz small.upf
nm guest >names
gzip -k names
"$report" -q --folded -s names.gz small.upf | cmp - <("$report" -q --folded -s names small.upf)
ok $? 'a packed list of names'
# A gigabyte and more of zeros in a megabyte: what is made ends, in time and room.
if [ "$(df --output=avail -k /tmp | tail -1)" -gt 3000000 ]; then
	head -c 1200000000 /dev/zero | gzip -1 >zeros.gz
	fails 'more than a gigabyte' 1 'zeros.gz: packed by gzip, and larger than 1 GiB' "$report" -s zeros.gz small.upf
else
	ok 0 'more than a gigabyte # SKIP no room in /tmp'
fi
aarch64-linux-gnu-gcc -nostdlib -Wl,-e,0 -o arm -x c - <<<'void f(void) {}' && gzip -k arm &&
	fails 'a message has the name that was given' 1 'arm.gz: not what web1 ran' "$report" -s arm.gz small.upf &&
	fails '... of another machine, too' 1 'arm.gz: is for' "$report" --force -s arm.gz small.upf

# Bytes changed: always an answer, never a signal.
# shellcheck disable=SC2016
for packer in gzip xz 'zstd -q' 'lz4 -q -l'; do
	command -v "${packer%% *}" >/dev/null || continue
	head -c 3000 guest >part
	# shellcheck disable=SC2086
	$packer -c <part >packed
	boot_image packed >good
	perl -e '
		my ($report) = @ARGV;
		open(my $in, "<:raw", "good") or die; local $/; my $good = <$in>;
		my $step = int(length($good) / 150) + 1;
		for my $i (0x1f1, 0x206, 0x248 .. 0x24f, map { 1536 + 0x300 + $_ * $step } 0 .. 100) {
			next if $i >= length $good;
			my $bad = $good; substr($bad, $i, 1) ^= "\x41";
			open(my $out, ">:raw", "bad") or die; print $out $bad; close $out;
			system("$report -q --force -s bad small.upf >out 2>err");
			my ($signal, $code) = ($? & 127, $? >> 8);
			if ($signal || $code > 1) { print "# byte $i: signal $signal, exit $code\n"; exit 1 }
		}' "$report"
	ok $? "${packer%% *}: bytes changed"
done
done_testing
