#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# uniprof-report's views, options and errors, on traces from tests/tools/mktrace.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"

for kind in small killed idle empty domains lying linux registers; do
	"$mktrace" $kind >"$tmp/$kind.upf" || { echo "Bail out! mktrace $kind"; exit 1; }
done
size=$(stat -c %s "$tmp/small.upf")

# --- views
same flat 0 "$report" -s syms small.upf
same flat-unnamed 0 "$report" small.upf
same flat-rows 0 "$report" -q -n 2 -s syms small.upf
same flat-limit 0 "$report" -q --percent-limit 30 -s syms small.upf
same flat-idle 0 "$report" -s syms idle.upf
same flat-idle-all 0 "$report" --state all -s syms idle.upf
same flat-blocked 0 "$report" --state=blocked -s syms small.upf
same flat-empty 0 "$report" -s syms empty.upf
printf 'late 1\n0 0 3 0x1010\n' | "$mktrace" counted >"$tmp/late.upf"
"$report" -s "$tmp/syms" "$tmp/late.upf" | grep -q ' 1 deadline missed$'
ok $? 'one deadline'
same flat-killed 4 "$report" -s syms killed.upf
same flat-domains 0 "$report" -s syms domains.upf
same tree 0 "$report" --tree -s syms small.upf
same tree-domains 0 "$report" --tree -q -s syms domains.upf
same folded 0 "$report" --folded -s syms small.upf
same folded-idle 0 "$report" --folded -s syms idle.upf
same folded-domains 0 "$report" --folded -q -s syms domains.upf
same stacks 0 "$report" --stacks -s syms small.upf
# Read back as stackcollapse.pl reads it: three lines of head, frames up to a number, offsets cut off.
"$report" -q --stacks --state running,runnable -s "$tmp/syms" "$tmp/small.upf" | perl -ne '
	next if $. <= 3 || /^$/; chomp;
	if (/^[01]$/) { $n{join ";", @s}++; @s = (); next }
	s/\+[^+]*$//; s/;/:/; unshift @s, $_;
	END { print "$_ $n{$_}\n" for keys %n }' | LC_ALL=C sort >"$tmp/collapsed"
"$report" -q --folded -s "$tmp/syms" "$tmp/small.upf" | LC_ALL=C sort | cmp - "$tmp/collapsed"
ok $? 'the stacks, collapsed, are the folded ones'
same dump 0 "$report" --dump -s syms small.upf
same dump-domains 0 "$report" --dump -q domains.upf
same dump-registers 0 "$report" --dump -q registers.upf
same registers 0 "$report" --registers -s syms registers.upf
same registers-filtered 0 "$report" --registers -q --time 15ms, --vcpu 0 registers.upf
same registers-none 5 "$report" --registers small.upf
same header 0 "$report" --header small.upf
same header-domains 0 "$report" --header domains.upf
same dump-v1 0 "$report" --dump -s syms "$here/../unit/format/v1/small.upf"
same verify 0 "$report" --verify small.upf
same verify-killed 4 "$report" --verify killed.upf
same verify-lying 4 "$report" --verify lying.upf
same flat-linux 0 "$report" -s kallsyms linux.upf
same tree-linux 0 "$report" --tree -s kallsyms linux.upf
same folded-linux 0 "$report" --folded -s kallsyms linux.upf
same folded-linux-program 0 "$report" --folded -q -s kallsyms -s syms linux.upf
same help 0 "$report" --help
"$report" --version | grep -q '^uniprof-report [0-9]'
ok $? version
LC_ALL=C "$report" -s "$tmp/syms" "$tmp/small.upf" | LC_ALL=C grep -q '[^ -~]'
ok $((! $?)) 'plain ASCII where the locale is'

# --- input and output
"$report" -s "$tmp/syms" "$tmp/small.upf" >"$tmp/from-file"
"$report" -s "$tmp/syms" - <"$tmp/small.upf" | cmp - "$tmp/from-file"
ok $? 'standard input, a file'
# shellcheck disable=SC2002
cat "$tmp/small.upf" | "$report" -s "$tmp/syms" - | cmp - "$tmp/from-file"
ok $? 'standard input, a pipe'
"$report" -s <(cat "$tmp/syms") "$tmp/small.upf" | cmp - "$tmp/from-file"
ok $? 'symbols from a pipe'
echo old >"$tmp/there"; chmod 640 "$tmp/there"; ln -s there "$tmp/link"
"$report" -s "$tmp/syms" -o "$tmp/link" "$tmp/small.upf"
cmp "$tmp/there" "$tmp/from-file" && [ -L "$tmp/link" ] && [ "$(stat -c %a "$tmp/there")" = 640 ]
ok $? '-o replaces a file, through a link, with its mode'
"$report" -o "$tmp/new" -s "$tmp/syms" "$tmp/small.upf" && cmp "$tmp/new" "$tmp/from-file"
ok $? '-o makes a file'
[ -z "$(find "$tmp" -name 'new.*' -o -name 'there.*')" ]
ok $? 'nothing is left beside it'
while read -r ending view; do
	(cd "$tmp" && "$report" -q -s syms -o "by-name$ending" small.upf && "$report" -q "--$view" -s syms -o given small.upf &&
		cmp "by-name$ending" given)
	ok $? "-o FILE$ending is --$view"
done <<'END'
.html flamegraph
.svg svg
.folded folded
.collapsed folded
.pb.gz pprof
.pprof pprof
.json json
.csv csv
.upf archive
.txt flat
html flat
.html.old flat
END
(cd "$tmp" && "$report" -q -s syms -o run.json.gz small.upf && "$report" -q --json -s syms -o run.json small.upf &&
	gunzip -c run.json.gz | cmp - run.json && "$report" -q -s syms -o run.pprof.gz small.upf &&
	cmp run.pprof.gz by-name.pprof && "$report" -q -s syms -o run.gz small.upf && gunzip -c run.gz | cmp - by-name.txt)
ok $? '-o FILE.json.gz is --json, compressed'
(cd "$tmp" && "$report" -q --folded -s syms -o given.html small.upf && "$report" -q --folded -s syms small.upf | cmp - given.html &&
	"$report" -q -s syms -o later.html --flat small.upf && "$report" -q -s syms small.upf | cmp - later.html)
ok $? 'a view that is given wins over the name, before and after it'
(cd "$tmp" && "$report" -q --sort sym,vcpu --state all -s syms -o sorted.csv small.upf &&
	"$report" -q --csv --sort sym,vcpu --state all -s syms small.upf | cmp - sorted.csv)
ok $? 'with the options of that view'
"$report" --dump "$tmp/small.upf" 2>"$tmp/err" | head -1 >"$tmp/out"
[ "${PIPESTATUS[0]}" -eq 0 ] && [ -s "$tmp/out" ]
ok $? 'a reader that goes away'
mkfifo "$tmp/pipe"
# interrupt COMMAND...: a report that reads a pipe whose writer is descriptor 5 is interrupted, then the command runs.
interrupt() {
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$report" -q -s "$tmp/syms" - <"$tmp/pipe" >"$tmp/out" &
	pid=$!
	exec 5>"$tmp/pipe"
	await takes "$pid" INT && kill -INT "$pid" && await seen && "$@"
	exec 5>&-
	wait "$pid"
}
seen() { # the signal: it is not pending any more
	grep -q '^SigPnd' "/proc/$pid/status" && ! grep -qE '^S(ig|hd)Pnd:.*[2367abef]$' "/proc/$pid/status"
}
send() { cat "$tmp/small.upf" >&5; }
again() { kill -INT "$pid"; }
interrupt send && grep -q leaf "$tmp/out"
ok $? 'Ctrl-C in a pipeline shows what came'
interrupt again
[ $? = 130 ]
ok $? 'a second one ends the report'

for name in run.pb run.pb.gz run.pprof; do
	(cd "$tmp" && "$report" -q -s syms -o $name small.upf && "$report" -q --pprof -s syms small.upf | cmp - $name)
	ok $? "-o $name is --pprof"
done
for name in run.perf run.perf.gz ./b/run.svgz; do
	mkdir -p "$tmp/b"
	(cd "$tmp" && "$report" -q -s syms -o $name small.upf 2>err)
	[ $? -eq 0 ] && [ "$(cat "$tmp/err")" = "uniprof-report: -o $name: no view has this ending: writing the text of --flat" ]
	ok $? "-o $name: it is said that this is text"
done
for name in run run.txt run.out .run b.c/run run.gz; do
	mkdir -p "$tmp/b.c"
	(cd "$tmp" && "$report" -q -s syms -o $name small.upf 2>&1) | cmp - /dev/null
	ok $? "-o $name: text is no surprise"
done
(cd "$tmp" && "$report" -q --tree -s syms -o run.perf small.upf 2>&1) | cmp - /dev/null
ok $? 'nor where the view is given'

# --- what goes wrong
mkdir "$tmp/none" "$tmp/some"
fails 'no trace' 2 'no trace given, and none (*.upf) here' env -C "$tmp/none" "$report"
cp "$tmp/small.upf" "$tmp/some/new.upf"
cp "$tmp/small.upf" "$tmp/some/.hidden.upf"
echo nonsense > "$tmp/some/old.upf"
touch -d '1 hour ago' "$tmp/some/old.upf"
mkdir "$tmp/some/folder.upf"
[ "$(cd "$tmp/some" && "$report" --folded 2>&1)" = "uniprof-report: new.upf: the newest trace here
$("$report" --folded "$tmp/small.upf" 2>&1)" ]
ok $? 'no trace given: the newest one in this folder, which is named'
fails 'standard input twice' 2 'given twice' "$report" - small.upf -
fails 'unknown option' 2 '--nonsense' "$report" --nonsense small.upf
fails 'two views' 2 'one view at a time' "$report" --tree --folded small.upf
fails 'bad state' 2 'running, runnable, vmm, blocked, offline or all' "$report" --state asleep small.upf
fails 'no rows' 2 'a number, 1 or more' "$report" --rows 0 small.upf
fails 'rows of a picture' 2 '--rows cannot be used with --svg' "$report" -n 3 --svg small.upf
fails 'bad limit' 2 'from 0 to 100' "$report" --percent-limit x small.upf
fails 'missing file' 1 'No such file' "$report" nowhere.upf
fails 'directory' 1 'directory' "$report" .
: >"$tmp/nothing"
fails 'empty file' 3 'empty' "$report" nothing
fails 'not a trace' 3 'not a uniprof trace; a file of symbols is given by -s' "$report" syms
fails 'a binary for a trace' 3 'an ELF binary is given by -s, as in uniprof-report -s guest.elf run.upf' "$report" "$report"
fails '... beside a trace' 3 'an ELF binary is given by -s' "$report" small.upf "$report"
(cd "$tmp" && gzip -k small.upf)
fails 'a compressed trace' 3 'it is compressed; unpack it by gunzip' "$report" small.upf.gz
head -c 40 "$tmp/small.upf" >"$tmp/short"
fails 'a cut header' 3 'short: ' "$report" short
fails 'missing symbols' 1 'No such file' "$report" -s nowhere small.upf
echo 'hello world' >"$tmp/hello"
fails 'bad symbols' 1 'neither an ELF' "$report" -s hello small.upf
fails 'symbols from a trace' 1 'neither an ELF' "$report" -s small.upf small.upf
fails 'unwritable -o' 1 'No such file' "$report" -o nowhere/out small.upf
fails 'the trace as -o' 2 'the trace itself' "$report" -o small.upf small.upf
fails 'an option that the view of -o has not' 2 '--sort cannot be used with --json (chosen by the name of -o FILE)' \
	"$report" --sort sym -o run.json small.upf
fails 'a filter for an archive by -o' 2 'when you read the archive (chosen by the name of -o FILE)' "$report" --vcpu 0 -s syms -o kept.upf small.upf
fails 'an archive by -o, without names' 2 'give it by -s FILE' "$report" -o kept.upf small.upf
fails 'the symbols as -o' 2 'the symbol file itself' "$report" -o syms -s syms small.upf
fails 'a full disk, -o' 1 'No space left' "$report" -q -o /dev/full small.upf
(cd "$tmp" && "$report" -q small.upf >/dev/full 2>err)
[ $? -eq 1 ] && grep -q 'standard output: No space left' "$tmp/err"
ok $? 'a full disk, standard output'
(cd "$tmp" && "$report" --help >/dev/full 2>err)
[ $? -eq 1 ] && grep -q 'No space left' "$tmp/err"
ok $? 'a full disk, --help'

# --- damage
head -c $((size - 5)) "$tmp/small.upf" >"$tmp/cut"
(cd "$tmp" && "$report" --folded -s syms cut >out 2>err)
[ $? -eq 4 ] && cmp "$tmp/out" <("$report" -q --folded -s "$tmp/syms" "$tmp/small.upf") && grep -q '^Trace' "$tmp/err"
ok $? 'a cut footer costs no sample'
(cd "$tmp" && "$report" -q --folded -s syms cut >out 2>err)
[ $? -eq 4 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok $? 'damage is said even when quiet'
offset=$("$report" --dump "$tmp/small.upf" 2>/dev/null | sed -n 's/^block \([0-9]*\) .* samples:.*/\1/p' | sed -n 2p)
stored=$("$report" --dump "$tmp/small.upf" 2>/dev/null | sed -n "s/^block $offset .* \([0-9]*\) bytes stored.*/\1/p")
next=$("$report" --dump "$tmp/small.upf" 2>/dev/null | sed -n 's/^block \([0-9]*\) .* samples:.*/\1/p' | sed -n 3p)
cp "$tmp/small.upf" "$tmp/damaged.upf"
printf '\xff\xfe\xfd' | dd of="$tmp/damaged.upf" bs=1 seek=$((next - stored / 2)) conv=notrunc 2>/dev/null
same dump-damaged 4 "$report" --dump -q damaged.upf
same verify-damaged 4 "$report" --verify damaged.upf
same flat-damaged 4 "$report" -s syms damaged.upf

# Every byte of a trace changed, one at a time: always an answer, never a signal, never exit 0 with other figures.
# shellcheck disable=SC2016
perl -e '
	my ($report, $trace, $tmp) = @ARGV;
	open(my $in, "<:raw", $trace) or die; local $/; my $good = <$in>;
	my $want = `$report -q --folded $trace`;
	my %seen;
	for (my $i = 0; $i < length $good; $i += 3) {
		my $bad = $good; substr($bad, $i, 1) ^= "\x41";
		open(my $out, ">:raw", "$tmp/flip") or die; print $out $bad; close $out;
		my $got = `$report -q --folded $tmp/flip 2>/dev/null`;
		my ($signal, $code) = ($? & 127, $? >> 8);
		$seen{$code}++;
		if ($signal || $code > 4 || $code == 2 || ($code == 0 && $got ne $want)) {
			print "# byte $i: signal $signal, exit $code\n"; exit 1;
		}
	}
	print "# exit statuses: ", join(", ", map { "$_: $seen{$_} times" } sort keys %seen), "\n";
' "$report" "$tmp/small.upf" "$tmp"
ok $? 'every third byte changed'
done_testing
