#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The recorder's command line, on a simulated hypervisor (tests/sim/sim.c has its domains): errors, exit statuses, output.
# Time is simulated too: so the numbers are exact.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
record=$build/uniprof-record-sim work=$tmp/work
mkdir "$work" && cd "$work" || exit
# shellcheck source=tests/sim/clock.sh
. "$here/../sim/clock.sh"
# A pause takes 40 us, and nothing else takes time.
export UNIPROF_SIM_STOP_NS=10000 UNIPROF_SIM_READ_NS=20000 UNIPROF_SIM_RESUME_NS=10000

# is NAME STATUS COMMAND...: the exit status, and on standard error what comes on standard input ("-": anything).
is() {
	local name=$1 status=$2 want got

	shift 2
	want=$(cat)
	"$@" > out 2> err < /dev/null
	got=$?
	[ "$got" = "$status" ] && { [ "$want" = - ] || [ "$want" = "$(cat err)" ]; }
	ok $? "$name" "exit status $got, should be $status; standard error:
$(cat err)
should be:
$want"
}

# said NAME FILE PATTERN: the last command's out or err has a line like that.
said() {
	grep -q "$3" "$2"
	ok $? "$1" "$(cat "$2")"
}

is "help" 0 "$record" --help <<< ''
is "version" 0 "$record" -V <<< ''
is "no domain" 2 "$record" -o x.upf <<< 'uniprof-record: no domain: give one; --list shows them, --help shows more'
is "no output, no name" 2 "$record" --start true <<< 'uniprof-record: no output: give -o FILE'
is "no output for several traces" 2 "$record" --overwrite busy <<< 'uniprof-record: no output: give -o FILE'
mkdir named
cd named || exit
is "no -o" 0 "$record" -n 1 busy <<< -
said "... the trace has the domain's name" err '^written .* to busy\.upf$'
mv busy.upf busy.1.upf
ln -s nowhere busy.upf
is "no -o, and the names are taken" 0 "$record" -n 1 busy idle <<< -
said "... it has the next number" err '^written .* to busy\.2\.upf$'
is "no -o, but -f" 0 "$record" -f -n 1 1 <<< -
said "... a number is as good" err '^written .* to 1\.upf$'
is "a name that is a path" 4 "$record" -n 1 ../busy <<< - # no domain has it here
if [ "$(id -u)" = 0 ] && chown 1 busy.1.upf 2> /dev/null; then
	is "no -o, by sudo" 0 env SUDO_UID=1 SUDO_GID=2 "$record" -n 1 busy <<< -
	[ "$(stat -c '%u %g %a' busy.3.upf)" = "1 2 600" ]
	ok $? "... the trace is the user's" "$(ls -ln)"
	is "-o, by sudo" 0 env SUDO_UID=1 SUDO_GID=2 "$record" -n 1 -o given.upf busy <<< -
	[ "$(stat -c '%u %g %a' given.upf)" = "0 0 600" ]
	ok $? "... the trace is root's" "$(ls -ln)"
fi
cd ..
rm -r named
is "unknown option" 2 "$record" --frequency=5 busy <<< 'uniprof-record: unknown option --frequency; try --help'
is "rate 0" 2 "$record" -F 0 -o x.upf busy <<< 'uniprof-record: -F 0: not a rate: samples a second above 0, up to 1 MHz, such as 99, 0.5 or 1k'
is "rate of nonsense" 2 "$record" --freq=fast -o x.upf busy <<< 'uniprof-record: --freq fast: not a rate: samples a second above 0, up to 1 MHz, such as 99, 0.5 or 1k'
is "negative duration" 2 "$record" -d -1 -o x.upf busy <<< 'uniprof-record: -d -1: not a duration: a time above 0, such as 10, 0.5s, 2m or 1h'
is "vCPUs of nonsense" 2 "$record" -C 1-x -o x.upf busy <<< 'uniprof-record: -C 1-x: not a list of vCPUs: numbers and ranges such as 0,2-3'
is "max-stack 0" 2 "$record" --max-stack 0 -o x.upf busy <<< 'uniprof-record: --max-stack 0: not a number of frames from 1 to 1024'
is "all registers without a stop" 2 "$record" --sampler live --registers -o x.upf busy <<< 'uniprof-record: --registers needs a stop: not with --sampler live'
is "a sampler of nonsense" 2 "$record" --sampler often -o x.upf busy <<< 'uniprof-record: --sampler often: must be auto, stop or live'
is "no stop, but no KVM" 2 "$record" --sampler live -o x.upf busy <<< 'uniprof-record: --sampler live is for KVM guests'
is "the host's side, but no KVM" 2 "$record" --host -o x.upf busy <<< 'uniprof-record: --host is for KVM guests'
is "the host's side by stops" 2 "$record" --host --sampler stop -o x.upf busy <<< 'uniprof-record: --host needs samples without a stop: not with --sampler stop'
is "the host's side with all registers" 2 "$record" --host --registers -o x.upf busy <<< 'uniprof-record: --host needs samples without a stop: not with --registers'
is "no Xen" 3 env UNIPROF_SIM_NO_XEN=1 "$record" -o x.upf busy <<< 'uniprof-record: this machine does not run on Xen: record in dom0 of a Xen host; uniprof-report works anywhere'
is "no such name" 4 "$record" -o x.upf web1 <<< 'uniprof-record: web1: no such domain; there are: busy (1), idle (2), paused (3), hvm (4), twins (5), twins (6), frameless (7), refused (8)'
is "no such domid" 4 "$record" -o x.upf 77 <<< 'uniprof-record: 77: no such domain; there are: busy (1), idle (2), paused (3), hvm (4), twins (5), twins (6), frameless (7), refused (8)'
is "its own domain" 4 "$record" -o x.upf Domain-0 <<< 'uniprof-record: Domain-0: this is the domain uniprof-record runs in'
is "two of one name" 4 "$record" -o x.upf twins <<< 'uniprof-record: twins: more than one domain has this name: use its number (--list shows them)'
is "a paused domain" 4 "$record" -o x.upf paused <<< 'uniprof-record: paused: it is paused: unpause it first (xl unpause); --dump shows it as it is'
is "another kind of guest" 4 "$record" -o x.upf refused <<< 'uniprof-record: refused: this build records only PV guests: build with XENIF=xencall'
is "no such vCPU" 4 "$record" -C 5 -o x.upf busy <<< 'uniprof-record: busy: it has vCPUs 0 to 1, none of those asked for'
is "a domain twice" 4 "$record" -o x.upf busy 1 <<< 'uniprof-record: 1: this domain is given twice'
is "a directory that is not there" 5 "$record" -o none/x.upf busy <<< 'uniprof-record: cannot write in none/: No such file or directory'
is "a directory" 5 "$record" -o . busy <<< 'uniprof-record: . is a directory: name a file in it'
echo precious > kept.upf
is "a file that exists" 5 "$record" -o kept.upf busy <<< 'uniprof-record: kept.upf exists: choose another name, or replace it with -f'
is "… is left as it was" 0 grep -qx precious kept.upf <<< ''
is "… is replaced with -f" 0 "$record" -q -f -n 5 -F 1k -o kept.upf busy <<< ''
is "… by a whole trace" 0 "$report" --verify kept.upf <<< -
is "nothing else was left behind" 0 test "$(ls -A | grep -vxE 'out|err' | tr '\n' ' ')" = 'kept.upf ' <<< ''

# "pulse" runs for 30 ms of each 100, but not in the 300 pauses then, of which 30 us stop it. Its CPU time is known from
# the first sample on, 6 ms after the beginning, and to a few units of 0.3 ms in each of three blocks.
pulses() {
	"$report" -q --dump pulse.upf | awk '/ (sample|repeated) domain / { n[$10]++; cpu += $13 }
		END { print n["running"], "running,", n["blocked"], "blocked,", cpu, "us"; exit n["running"] != 300 || n["blocked"] != 700 || cpu > 2985000 || cpu < 2975000 }'
}
is "a guest that runs for 3 of 10 seconds" 0 env UNIPROF_SIM_PULSE=1 "$record" -q -F 100 -d 10 -o pulse.upf pulse <<< ''
ok "… runs in so many samples, and its CPU time is what it ran" pulses
is "a number of samples" 0 "$record" -q -n 300 -F 1k -o busy.upf busy <<< ''
is "the trace is whole" 0 "$report" --verify busy.upf <<< -
"$report" -q --folded --weight samples --state all busy.upf | awk '{ n += $NF } END { print n }' > counted
is "… of every vCPU" 0 grep -qx 600 counted <<< ''
for mode in auto auto,8 fp fp,0 fp,4096 dwarf dwarf,8 dwarf,65536; do
	is "--call-graph $mode" 0 "$record" -q -n 50 -F 1k --call-graph $mode -f -o mode.upf busy idle <<< ''
	is "… whole" 0 "$report" --verify mode.upf <<< -
	"$report" --header mode.upf > header
	is "… and says so" 0 grep -q "^stacks *$(case $mode in auto*) echo 'by frame pointers, .* where these fail, copies' ;; fp,0) echo 'by frame pointers$' ;; fp*) echo 'by .* bytes at the top$' ;; *) echo 'copies' ;; esac)" header <<< ''
done
is "--registers" 0 "$record" -q -n 60 -F 1k --registers -o registers.upf busy idle <<< ''
is "… whole" 0 "$report" --verify registers.upf <<< -
# Each sample but the repeated ones, of which "idle" has all but one, has a copy of the stack, and frames to its root.
all_registers() {
	"$report" -q --dump "$1" > dump
	"$report" -q --registers "$1" > shown
	awk '/ sample / { n++; frames += / depth 4: / } / registers domain . vcpu . *: rip=0x[0-9a-f]* rflags=0x246 .* cr4=0x6f0 / { r++ }
		END { print n, r, frames; exit n != r || n != frames || n < 120 }' dump &&
		[ "$(grep -c 'rip 000000000000[0-9a-f]*$' shown)" = "$(grep -c ' sample ' dump)" ] && ! grep -q 'stored as 0' shown
}
ok "… all registers of every sample, with its stack" all_registers registers.upf
"$record" -q -n 60 -F 1k -o without.upf busy
"$report" -q --dump without.upf > dump
is "… and none without it" 1 grep -q ' registers ' dump <<< ''
is "with frame pointers alone" 0 "$record" -q -n 5 -F 1k --call-graph fp,0 --registers -f -o registers.upf busy <<< ''
"$report" -q --registers registers.upf > shown
said "… the stack by names, and no copy of it" shown '^  #3 '
is "… " 1 grep -q '^Memory' shown <<< ''
is "a paused domain, as it is" 0 "$record" -q -n 1 --registers -o paused.upf paused <<< ''
"$report" -q --registers paused.upf > shown
said "… is shown so" shown '^The domain was paused by another program'
said "… with its stack" shown '^  #3 '
"$record" -q -n 1 --registers -o - paused | "$report" -q --registers - | sed '1s/, [0-9.]* s:/:/' | cmp - <(sed '1s/, [0-9.]* s:/:/' shown)
is "… from a pipe alike" 0 test "${PIPESTATUS[*]}" = '0 0 0 0' <<< ''
is "… but not for longer" 4 "$record" -q -n 2 --registers -o none.upf paused <<< -
export UNIPROF_SIM_CRASHED=1
is "a crashed domain" 4 "$record" -q -n 1 -o none.upf crashed <<< 'uniprof-record: crashed: it has shut down; --dump shows it as it is'
is "… as it is" 0 "$record" -q -n 1 -F 0.5 --registers -o crashed.upf crashed <<< ''
"$report" -q --registers crashed.upf > shown
said "… is shown so" shown '^The domain had crashed'
said "… with its stack" shown '^  #3 '
is "… and the trace is whole" 0 "$report" --verify crashed.upf <<< -
is "-p and -g, as in perf" 0 "$record" -q -n 1 -g -p 1 -o pid.upf <<< ''
is "… and -i" 0 "$report" -q --folded --state all -i pid.upf <<< ''
is "-p without one" 2 "$record" -p <<< 'uniprof-record: -p needs an argument; try --help'
# Domains that are not named one by one.
domains() { # TRACE NAME...
	"$report" --header "$1" | sed -n 's/^name *//p' | sort | cmp - <(printf '%s\n' "${@:2}")
}
is "a pattern" 0 "$record" -q -n 1 'twin*' <<< ''
ok "… all domains that it matches, in a trace without its characters" domains twin_.upf twins twins
is "a pattern of a domain that is named, too" 0 "$record" -q -n 1 -o named.upf 'b[u]sy' busy 'id?e' <<< ''
ok "… which is there once" domains named.upf busy idle
is "a pattern that nothing matches" 4 "$record" 'nosuch*' <<< 'uniprof-record: nosuch*: no domain has such a name; --list shows them'
is "… of another hypervisor" 4 "$record" 'kvm:bus*' <<< 'uniprof-record: kvm:bus*: no domain has such a name; --list shows them'
is "… only one that cannot be recorded" 4 "$record" 'pause*' <<- END
	uniprof-record: paused (3) is not recorded: it is paused: unpause it first (xl unpause); --dump shows it as it is
	uniprof-record: pause*: no such domain can be recorded; --list shows why
END
is "--all" 0 "$record" -q -n 1 --all --exclude 'twin*' --exclude 'crash*' --exclude hvm <<- END
	uniprof-record: paused (3) is not recorded: it is paused: unpause it first (xl unpause); --dump shows it as it is
	uniprof-record: refused (8) is not recorded: this build records only PV guests: build with XENIF=xencall
END
ok "… all that can be recorded" domains all.upf busy frameless idle
is "… and a name" 2 "$record" -a busy <<< 'uniprof-record: --all records all domains: give no name'
is "… and a command" 2 "$record" -a --start true <<< 'uniprof-record: --start records one domain: not with --all'
# One look, which uniprof-report shows: it is beside the recorder.
is "--dump of a crashed domain" 0 "$record" --dump crashed <<< ''
unset UNIPROF_SIM_CRASHED
said "… is shown so" out '^The domain had crashed'
files=$(ls)
is "--dump" 0 "$record" --dump busy paused <<< ''
said "… each vCPU's state" out '^busy (1, PV), vCPU 1, .* s: blocked, kernel mode, 64-bit code$'
said "… also of a paused domain" out '^The domain was paused by another program'
ok "… with their stacks" test "$(grep -cx '  #3   0000000000005030' out)" = 3
ok "… and no file" test "$(ls)" = "$files"
is "… -v: with what the recorder did" 0 "$record" -v --dump busy <<< -
said "… and the notes" err '^Stacks   all whole'
is "--dump with a file" 2 "$record" --dump -o x.upf busy <<< 'uniprof-record: --dump writes no trace: not with -o, --start, --switch-output or --overwrite'
is "--dump without a stop" 2 "$record" --dump --sampler live busy <<< 'uniprof-record: --dump needs a stop: not with --sampler live'
is "--dump of what is not there" 4 "$record" --dump 77 <<< -
said "… says only that" err '^uniprof-record: 77: no such domain; .*(8)$'
is "… and shows nothing" 1 test -s out <<< ''
cp "$record" alone
is "--dump without a report" 5 env PATH=/nowhere ./alone --dump busy <<< 'uniprof-record: cannot run uniprof-report: No such file or directory; record with -o FILE, and read that where it is installed'
is "--dump into a closed pipe" 0 bash -c '"$0" --dump busy | true' "$record" <<< -
# The report of a recorder under sudo or doas is the user's, and root's is nobody's: it may open what root may.
if [ "$(id -u)" = 0 ]; then
	mkdir sudo
	cp "$record" sudo
	printf '#!/bin/sh\nid -u; id -g; id -G; grep CapEff /proc/self/status; cat > /dev/null\n' > sudo/uniprof-report
	chmod 755 "$tmp" . sudo sudo/*
	is "--dump by sudo" 0 env SUDO_UID=12345 SUDO_GID=12346 sudo/"${record##*/}" --dump busy <<< ''
	ok "… the report runs as the user" cmp out <(printf '12345\n12346\n12346\nCapEff:\t0000000000000000\n')
	runs_as() { # USER CAPABILITIES
		diff <(id -u "$1"; id -g "$1"; id -G "$1" | xargs -n 1 | sort; printf 'CapEff:\t%016x\n' "$2") \
			<(head -n 2 out; sed -n 3p out | xargs -n 1 | sort; tail -n 1 out)
	}
	to_open=$(setpriv --dump | grep -q '^Capability bounding set:.*dac_read_search' && echo 4 || echo 2)
	is "--dump by doas" 0 env DOAS_USER=daemon sudo/"${record##*/}" --dump busy <<< ''
	ok "… the report runs as the user" runs_as daemon 0
	unset SUDO_UID DOAS_USER
	is "--dump by root" 0 sudo/"${record##*/}" --dump busy <<< ''
	ok "… the report runs as nobody, and opens files" runs_as nobody "$to_open"
	is "--dump by root, by sudo" 0 env SUDO_UID=0 SUDO_GID=0 sudo/"${record##*/}" --dump busy <<< ''
	ok "… the report runs as nobody, too" runs_as nobody "$to_open"
	is "--dump by root, as a user" 0 sudo/"${record##*/}" --viewer-user daemon --dump busy <<< ''
	ok "… the report runs as that one" runs_as daemon "$to_open"
	is "--dump by root, as root" 0 sudo/"${record##*/}" --viewer-user root --dump busy <<< ''
	ok "… the report runs as root, and opens files" runs_as root "$to_open"
	is "--dump as a user that is not there" 2 "$record" --viewer-user 'no one' --dump busy <<< 'uniprof-record: --viewer-user no one: there is no such user'
	mkdir -m 700 private
	install -m 600 "$here/report.syms" private/names
	is "--dump with root's own file" 0 "$record" --dump -s private/names busy <<< ''
	said "… has its names" out ' main+0x1$'
fi
# Each vCPU of "busy" has page tables of its own.
spaces() {
	"$report" -q --folded --by space --state all registers.upf | sed 's/;.*//' | sort -u | tee spaces
	[ "$(grep -c '^\[space 0x[1-9a-f][0-9a-f]*000\]$' spaces)" = 2 ]
}
ok "the trace tells address spaces apart" spaces
for mode in lbr auto,0 auto,65537 dwarf,0 dwarf,65537 fp,4097 fp,x ''; do
	is "--call-graph '$mode'" 2 "$record" --call-graph "$mode" -o none.upf busy <<< -
done
for percent in 0 101 x -1 ''; do
	is "--max-overhead '$percent'" 2 "$record" --max-overhead "$percent" -o none.upf busy <<< -
done
is "--max-overhead holds back" 0 "$record" -F 100k -d 1.5 --max-overhead 0.2% -o slow2.upf busy <<< -
# Of 150,000; the last wait, for another pause, ends after the recording.
said "… and says so" err '^throttled 150198 deadlines skipped to stay under --max-overhead 0.2%$'
said "… and keeps to it: 3 of 1500 ms" err '^paused   75 times, 3.0 ms in all, 0.2% of the time; p50 40 us, p99 40 us, max 40 us$'
"$report" -q --dump slow2.upf > dump
said "… and the trace knows" dump 'event domain 0 7 (rate)'
# The allowance of 0.1 s may be saved up: 10 ms of pause. A pause of 15 ms in each 20 is 5 too long, for 50 ms or so.
short=$(printf '0,%.0s' {1..19})
is "… unless it has been saved up" 0 env UNIPROF_SIM_READ_NS="${short}9900000" "$record" -F 100 -n 60 -o saved.upf busy <<< -
is "… when nothing is throttled" 1 grep -q '^throttled' err <<< ''
is "… no more than that" 0 env UNIPROF_SIM_READ_NS="${short}15000000" "$record" -f -F 100 -n 60 -o saved.upf busy <<< -
said "… which is told" err '^throttled 13 deadlines skipped to stay under --max-overhead 10%$'
# rounds NAME NUMBER OPTION...: in two seconds at the highest rate.
rounds() {
	"$record" -f -d 2 -F max -o cpu.upf "${@:3}" 2> err
	said "$1" err "^samples .* ($2 rounds, .* missed 0, lost 0$"
}
# Half of the time for 16 us, as a question of 2 us that finds nothing to sample counts eight times; then for pauses.
UNIPROF_SIM_ASK_NS=2000 UNIPROF_SIM_STOP_NS=0 UNIPROF_SIM_READ_NS=0 UNIPROF_SIM_RESUME_NS=0 rounds "an idle guest at the highest rate leaves the CPU to others" 62501 idle
rounds "… so does a busy one, less so" 25000 --max-overhead 100 busy
rounds "… by --max-cpu" 2500 --max-cpu 5 --max-overhead 100 busy
hundred_idle() {
	# shellcheck disable=SC2046
	UNIPROF_SIM_IDLE=100 on_clock "$record" -d 2 -o hundred.upf $(seq 101 200)
	go_on
	wait $!
}
is "a hundred idle guests" 0 hundred_idle <<< -
said "… are paused once each" err '^paused   100 times'
ok "… and wake the recorder once a deadline, and at the end" test "$(simclock waits)" = $((2 * 99 + 1))
# In 100 s the sampling thread looks twice a second, and goes on from there to each of ten deadlines; the writer thread
# looks twice a second. The watchdog looks ten times after a pause, of which there are two at most.
sleeps() {
	on_clock "$record" -q -F 0.1 -d 100 -o sleeps.upf idle
	go_on
	wait $! && [ "$(simclock waits)" = 206 ] && [ "$(simclock steps)" -ge 406 ] && [ "$(simclock steps)" -le 430 ]
}
ok "a recorder of an idle guest sleeps" sleeps
# "born" is away from 1 s to 5.2 s.
comes_back() {
	UNIPROF_SIM_BORN=born on_clock "$record" -v -F 1k --follow -o back.upf --start 'touch born'
	go_to 1
	rm born
	go_to 1.01
	cp err away
	before=$(simclock waits)
	go_to 5.2
	while_away=$(($(simclock waits) - before))
	touch born
	go_to 6
	ended_by INT
}
back_soon() { # The search looks every 100 ms, and the sampling thread twice a second what it has found.
	"$report" -q --dump back.upf | awk '/ event domain 0 [0-9] [(]reboot/ { back = $4 } / sample domain 0 / { n[$4 > 1.001 && $4 < back ? "away" : $4 <= 1 ? "before" : "after"]++ }
		END { print n["before"], "before,", n["away"] + 0, "while away, back at", back; exit !(n["before"] == 1000 && !n["away"] && back > 5.5 && back < 5.501 && n["after"] == 500) }'
}
is "a guest that ends, and comes back, with --follow" 0 comes_back <<< -
said "… is waited for" away '^uniprof-record: waiting for born to come back$'
said "… is recorded again" err '^uniprof-record: born is back as domain 9$'
ok "… from when it is back" back_soon
ok "… wakes the recorder twice a second only while it is away" test "$while_away" = 8
said "… when no deadline is missed" err '^samples .*; missed 0, lost 0$'
is "--max-cpu is told" 0 "$record" -f -d 0.5 -F max --max-cpu 2.5% --max-overhead 100 -o cpu.upf busy <<< -
said "… by the deadlines it cost" err '^throttled 500875 deadlines skipped to stay under --max-cpu 2.5%$'
is "… and limits nothing at 100" 0 "$record" -f -d 0.5 -F 1k --max-cpu 100 -o cpu.upf busy <<< -
is "… of which nothing is told" 1 grep -q 'max-cpu' err <<< ''
# The rate that the trace has last, against the samples in the second before it was recorded.
one_ends() {
	touch alive
	UNIPROF_SIM_ASK_NS=40000 UNIPROF_SIM_ALIVE=alive on_clock "$record" -F 10k --max-cpu 1 -d 4.5 -o rate.upf busy idle
	go_to 1.5
	rm alive
	go_on
	wait $!
}
true_rate() {
	"$report" -q --dump rate.upf | awk '/ sample domain 0 vcpu 0 / { at[n++] = $4 }
		/ event domain 0 7 / { rate = $NF / 1000; said = $4 }
		END { for (i = 0; i < n; i++) found += at[i] > said - 1 && at[i] <= said
		print rate, "Hz recorded,", found, "samples"; exit !(said > 1.5 && found && rate > found - 2 && rate < found + 2) }'
}
is "where one of two domains ends" 0 one_ends <<< -
ok "… the trace knows the rate of the other one" true_rate
never_in_full() {
	"$report" -q --dump held-off.upf | awk '/ event domain 0 7 / { n++; full += $NF >= 100000 } END { print n, "rates,", full, "in full"; exit n != 5 || full }'
}
is "a limit that holds sampling off for seconds" 0 "$record" -F 100 --max-overhead 0.001% -d 20 -o held-off.upf busy <<< -
said "… and keeps to it" err '^paused   5 times, 200 us in all, 0.001% of the time'
ok "… the trace says so once for each round, and never that the rate is kept" never_in_full
for percent in 0 101 x -1 ''; do
	is "--max-cpu '$percent'" 2 "$record" --max-cpu "$percent" -o none.upf busy <<< -
done
# Whoever may not have it is told once, and records all the same. Root here gives up what it would need. Then it may not
# enter the folder of the build.
chmod 755 "$tmp" .
cp "$record" recorder
unprivileged() {
	if [ "$(id -u)" = 0 ]; then setpriv --bounding-set=-all --inh-caps=-all --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
}
is "no real-time priority" 0 unprivileged ./recorder -n 10 -F 1k -o /dev/null busy <<< -
said "… is told once" err '^uniprof-record: continuing without real-time priority (Operation not permitted)'
is "… unless it was not asked for" 0 unprivileged ./recorder -n 10 -F 1k -r0 -o /dev/null busy <<< -
is "… or may be missing" 1 grep -q 'real-time' err <<< ''
is "an argument that may be a domain" 2 "$record" -n 1 -o none.upf -r 2 busy <<< 'uniprof-record: -r 2 is ambiguous: write -r2, or put 2 before -r'
is "… a time" 2 "$record" -n 1 -o none.upf --overwrite 60s busy <<< 'uniprof-record: --overwrite 60s is ambiguous: write --overwrite=60s, or put 60s before --overwrite'
is "a priority that there is not" 2 "$record" -r100 -o none.upf busy <<< 'uniprof-record: -r 100: not a real-time priority: 1 to 99, or 0 for none'
is "several domains" 0 "$record" -q -n 50 -F 1k -o two.upf busy idle <<< ''
is "… whole" 0 "$report" --verify two.upf <<< -
is "duration is time, whatever the rate" 0 "$record" -d 0.5 -F 0.01 -o slow.upf busy <<< -
said "… exactly" err '^samples  0 in 0.50 s (0 rounds'
# One of the two is away for a while, and still gets as many.
one_is_away() {
	touch alive
	UNIPROF_SIM_ALIVE=alive on_clock "$record" -F 1k --max-overhead 100 --follow -n 1500 -o each.upf busy idle
	go_to 0.5
	rm alive
	go_to 1
	touch alive
	go_on
	wait $!
}
each_has() { # SAMPLES: those of each vCPU
	"$report" -q --dump each.upf | awk -v want="$1" '/ (sample|repeated) domain / { n[$6 " " $7 " " $8 " " $9]++ }
		END { for (v in n) { print v, n[v]; wrong += n[v] != want; vcpus++ } exit wrong || vcpus != 3 }'
}
is "-n with a guest that is away for a while" 0 one_is_away <<< -
ok "… has so many samples of each vCPU" each_has 1500
"$record" -q -n 100 -F 1k -o - busy | "$report" -q --folded --weight samples --state all - | awk '{ n += $NF } END { print n }' > piped
is "through a pipe" 0 grep -qx 200 piped <<< ''
# At 1 MHz a pause takes 40 periods.
is "missed deadlines are told" 0 "$record" -M -F 1000000 -d 0.1 --max-overhead 100 --max-cpu 100 -o missed.upf busy <<< -
ok "… one line each" test "$(grep -c '^uniprof-record: 39 deadlines missed at 0\.[0-9]* s$' err)" = 2498
is "a full device" 5 "$record" -q -n 100 -F 1k -o /dev/full busy <<< -
said "… is said" err 'No space left on device'
# It reads the beginning, and has gone when the next block is written.
mkfifo pipe
head -c 10 < pipe > /dev/null &
reader=$!
on_clock "$record" -q -F 1k -o - busy > pipe 2> pipe.err
wait $reader
go_to 3
wait $!
echo $? > pipe.status
is "a reader that goes away ends the recording" 0 grep -qx 5 pipe.status <<< ''
is "… and is said" 0 grep -q ': standard output: its reader went away' pipe.err <<< ''
is "the list" 0 "$record" --list <<< ''
said "… knows the kinds, and what can be recorded" out '^ *1  busy  *PV  *2  *[0-9-]* \(idle\|running\)  *[0-9.]*%  -  *yes$'
is "… is of all" 2 "$record" --list busy <<< 'uniprof-record: --list shows all domains: give no name'
# To clear a huge page takes longer than a period. Linux before 5.0 does not say whether there are any.
no_huge_pages() {
	grep -h THP_enabled /proc/self/status "/proc/$!/status" | tee thp
	[ ! -s thp ] || [ "$(tail -n 1 thp)" = $'THP_enabled:\t0' ]
}
on_clock "$record" -F 1k -o int.upf busy 2> int.err
go_to 1.5
ok "the recorder uses no huge pages" no_huge_pages
ended_by INT
echo $? > int.status
is "SIGINT completes the trace" 0 grep -qx 0 int.status <<< ''
is "… whole" 0 "$report" --verify int.upf <<< -
said "… with all until then" int.err '^samples  3000 in 1.50 s (1500 rounds, 1000.0 Hz of 1000.0 Hz requested); missed 0, lost 0$'
on_clock "$record" -q -F 1k -o alone.upf busy 2> alone.err
go_to 0.5
kill -KILL "$(cat /proc/$!/task/$!/children)"
go_on
wait $!
echo $? > alone.status
is "without its watchdog it ends" 0 grep -qx 1 alone.status <<< ''
is "… and says so" 0 grep -qx 'uniprof-record: the watchdog process was killed; without it a pause could be left behind' alone.err <<< ''
is "… and the trace is whole" 0 "$report" --verify alone.upf <<< -
ok "… it looks for it every second" test "$("$report" -q --dump alone.upf | grep -c ' sample domain 0 vcpu 0 ')" = 1002
# --pause-file and --resume-paused. What they do for a guest is shown by tests/unit/record/test_pause_file.c and the Xen lab.
is "nothing to resume" 0 "$record" --resume-paused "$work/none" <<< ''
is "… also where there is no hypervisor" 0 env UNIPROF_SIM_NO_XEN=1 "$record" --resume-paused "$work/none" <<< ''
is "… and no domain" 2 "$record" --resume-paused "$work/none" busy <<< 'uniprof-record: --resume-paused resumes what its file names: give no domain'
if [ "$(stat -f -c %T /dev/shm 2> /dev/null)" = tmpfs ]; then
	pauses=/dev/shm/uniprof-record-t.$$
	on_clock "$record" -q -F 1k --pause-file "$pauses" -o with-pauses.upf busy 2> pauses.err
	go_to 0.1
	is "a pause file is there while the recorder is" 0 test -s "$pauses" <<< ''
	is "… which nobody else may use" 1 "$record" --resume-paused "$pauses" <<< "uniprof-record: $pauses: a recorder that uses it is still there"
	is "… no other recorder either" 1 "$record" -q -n 1 --pause-file "$pauses" -o none.upf busy <<< "uniprof-record: $pauses: a recorder that uses it is still there"
	ended_by INT
	is "… and no longer" 1 test -e "$pauses" <<< ''
	echo nonsense > "$pauses"
	is "a file of something else" 1 "$record" --resume-paused "$pauses" <<< "uniprof-record: $pauses: no recorder has written this since the host booted, or one of another version"
	is "… is not replaced" 1 "$record" -q -n 1 --pause-file "$pauses" -o none.upf busy <<< "uniprof-record: $pauses: is not a pause file: remove it, or give another name"
	rm "$pauses"
fi
if [ "$(stat -f -c %T .)" != tmpfs ]; then
	is "a pause file on a disk" 1 "$record" -q -n 1 --pause-file "$work/pauses" -o none.upf busy <<< "uniprof-record: $work/pauses: must be on a tmpfs, such as /run"
	is "… leaves none there" 1 test -e "$work/pauses" <<< ''
fi
# The guest "busy" has its recorder stopped inside the hundredth pause; it is let go on two seconds later.
freezes() {
	UNIPROF_SIM_FREEZE=100 on_clock "$record" -F 1k -n 500 --max-overhead 100 -o frozen.upf busy
	go_to 2.1
	kill -CONT $!
	go_on
	wait $!
}
is "stopped inside a pause it goes on" 0 freezes <<< -
said "… the watchdog has undone the pause" err '^overrun  1 pause ended by the watchdog, longer than --max-pause 100 ms$'
said "… when it had lasted for so long" err '^paused   501 times, 120.0 ms in all, .* max 100.0 ms; 1 longer than 1 ms$'
said "… and only that sample is lost, and no deadline uncounted" err '^samples  1000 in 2.50 s (500 rounds, .*; missed 1999, lost 2$'
"$report" -q --dump frozen.upf > dump
said "… its sample is void" dump 'lost domain 0 count 2, reason 3 (our pause was undone)$'
is "… and the trace is whole" 0 "$report" --verify frozen.upf <<< -
# Between two pauses the watchdog goes to sleep, and is woken.
is "--max-pause 200ms, and three pauses of which one would last for 300 ms, again and again" 0 env UNIPROF_SIM_READ_NS=20000,20000,300000000 "$record" -F 0.2 -n 10 --max-pause 200ms --max-overhead 100 --max-cpu 100 -o longer.upf busy <<< -
said "… such pauses are ended" err '^paused   14 times, 800.4 ms in all, .*, max 200.0 ms; 4 longer than 1 ms$'
said "… and counted" err '^overrun  4 pauses ended by the watchdog, longer than --max-pause 200 ms$'
UNIPROF_SIM_WIDE=1 "$record" -v -n 1 --call-graph dwarf,65536 -o wide.upf wide 2> wide.err
said "many vCPUs: less of each stack" wide.err 'wide: 8 vCPUs: of each stack at most 0 frames, 0 bytes at its top, and 65152 bytes of a copy$'
UNIPROF_SIM_WIDE=1 "$record" -v -n 1 -o fits.upf wide 2> fits.err
is "… not where all of it fits" 1 grep -q 'of each stack' fits.err <<< ''
# Without --switch-output and --overwrite it means nothing.
on_clock "$record" -F 1k -n 500 -o usr2.upf busy 2> usr2.err
go_to 0.2
kill -USR2 $!
go_on
wait $!
is "SIGUSR2 is ignored" 0 test $? = 0 <<< ''
is "… and the trace is complete" 0 "$report" --verify usr2.upf <<< -
is "--max-pause is a time" 2 "$record" --max-pause 0.5ms -o none.upf busy <<< 'uniprof-record: --max-pause 0.5ms: not a time from 1ms to 60s'
is "… of which there is a most" 2 "$record" --max-pause 61 -o none.upf busy <<< 'uniprof-record: --max-pause 61: not a time from 1ms to 60s'
is "the summary tells the cost" 0 grep -q '^paused .* times, .* in all, .*% of the time; p50 .*, p99 .*, max ' int.err <<< ''
is "… and what to type next" 0 grep -q 'uniprof-report -s GUEST.elf int.upf' int.err <<< ''
# An address in the kernel that tells where it was loaded: in each trace, and in what is kept.
entries() {
	for trace; do
		"$report" --dump -q "$trace" | awk '$1 == "block" { n++ } n == 1 && / entry domain 0 vcpu 0 0xffffffff81800b20$/ { found = 1 }
			END { exit !found }' || { echo "none in the first block of $trace"; return 1; }
	done
}
is "a guest whose kernel's entry is known" 0 "$record" -q -F 1k -n 20 -o entry.upf frameless <<< ''
ok "the trace has it" entries entry.upf
# Started again: there is none for a while, then another one. Each is told once, and before the next second.
is "a guest that is reset" 0 env UNIPROF_SIM_RESET=60 "$record" -q -F 1k -n 200 -o reset.upf frameless <<< ''
told_anew() {
	"$report" --dump -q reset.upf | awk '/ entry / { printf "%s ", $NF }' | tee told
	[ "$(cat told)" = '0xffffffff81800b20 0 0xffffffff9a800b20 ' ]
}
ok "its new entry is told, and that there was none before" told_anew
is "… with several traces" 0 "$record" -q -F 1k -n 300 --max-overhead 100 --switch-output=100ms -o entries.upf frameless <<< ''
ok "each has it" entries entries.upf.*
is "… with a flight recorder" 0 "$record" -q -F 1k -d 3 --overwrite=1s -o last.upf frameless <<< ''
ok "what is kept has it" entries last.upf

done_testing
