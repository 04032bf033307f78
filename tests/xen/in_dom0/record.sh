# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of record.t: records guests whose stacks and times are known.

# record NAME ARGUMENT...: leaves NAME.upf, NAME.err and NAME.rc.
record() {
	name=$1
	shift
	uniprof-record -o "/out/$name.upf" "$@" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
}

for work in shares levels recursion; do
	guest_start $work 1 "work=$work"
	record $work -F 1000 -d 5 $work
	guest_end $work
done

# What is left of root's privileges while it samples: of every thread, and of the watchdog. It gives up the last ones when
# everything is at work, just before its first sample.
guest_start caps 1 "work=shares"
uniprof-record -v -r -F 100 -o /out/caps.upf caps 2> /out/caps.err &
recorder=$!
await has_samples /out/caps.upf 1
for task in /proc/$recorder/task/* /proc/$(cat /proc/$recorder/task/$recorder/children); do
	grep -E '^(Name|CapEff|CapPrm|NoNewPrivs)' $task/status
done > /out/caps
kill -INT $recorder
wait $recorder
echo $? > /out/caps.rc
guest_end caps

# At 1 % there are some 290 samples a second: for 20 s, 3 points are 4 standard errors.
guest_start held 1 "work=shares"
record held -F 100k -d 20 --max-overhead 1% held
guest_end held

# The same, measured by the guest's own clock: how long its vCPU has lived, and stood.
guest_start clock 1 "work=heartbeat"
onlooker words clock "$@" > /out/clock.words
record clock -F 100k -d 10 --max-overhead 1% clock
onlooker words clock "$@" >> /out/clock.words
guest_end clock

guest_start smp 2 "work=shares"
record smp -F 1000 -d 5 smp
record vcpu1 -F 100 -n 50 -C 1 "$(domid smp)"
uniprof-record -F 1000 -n 500 -q -o - smp | cat > /out/pipe.upf
guest_end smp

guest_start idle 2 "work=idle"
record idle -F 1000 -d 10 idle
guest_start idle2 1 "work=idle"
traced asleep idle idle2
guest_end idle
guest_end idle2

guest_start depth 1 "work=depth:16"
record depth -F 1000 -n 100 depth
xenctx -f "$(domid depth)" 0 > /out/xenctx.txt
traced strace depth
