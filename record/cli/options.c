/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"

#include "common/say.h"

#define DEFAULT_MAX_STACK 127 /* perf's */
#define DEFAULT_WINDOW 256    /* bytes */
#define DEFAULT_COPY 16384
#define DEFAULT_OVERHEAD 0.1
#define DEFAULT_CPU 0.5
#define DEFAULT_PAUSE_NS 100000000u
#define LEAST_PAUSE_NS 1000000u
#define MOST_PAUSE_NS 60000000000u
#define DEFAULT_PRIORITY 1
/* Above this share the recorder hardly ever sleeps, so the default is no real-time priority: dom0 has other work. */
#define MODEST_OVERHEAD 0.5
#define DEFAULT_MEMORY (64u << 20) /* bytes, of the flight recorder */
#define MOST_MEMORY (256u << 20)   /* when a time is given */
#define LEAST_MEMORY (4u << 20)
#define MAX_FILES 1000000u

#define APPLY(name) static int name(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)

static int fail(char *why, size_t size, const char *text)
{
	return failure(why, size, -1, "%s", text);
}

APPLY(set_output)
{
	(void)def;
	if (*value == '\0')
		return fail(why, size, "a file name is needed");
	((struct options *)ctx)->output.path = value;
	return 0;
}

APPLY(set_rate)
{
	(void)def;
	if (parse_rate(value, &((struct options *)ctx)->session.rate_mhz) == 0)
		return 0;
	return fail(why, size, "not a rate: samples a second above 0, up to 1 MHz, such as 99, 0.5 or 1k");
}

APPLY(set_duration)
{
	(void)def;
	if (parse_duration(value, &((struct options *)ctx)->session.duration_ns) == 0)
		return 0;
	return fail(why, size, "not a duration: a time above 0, such as 10, 0.5s, 2m or 1h");
}

APPLY(set_samples)
{
	(void)def;
	if (parse_u64(value, 1, UINT64_MAX, &((struct options *)ctx)->session.rounds) == 0)
		return 0;
	return fail(why, size, "not a number of samples: 1 or more");
}

APPLY(set_vcpus)
{
	struct options *o = ctx;

	(void)def;
	o->session.some_vcpus = true;
	if (parse_list(value, o->session.vcpus, UPF_VCPUS_MAX) == 0)
		return 0;
	return fail(why, size, "not a list of vCPUs: numbers and ranges such as 0,2-3");
}

APPLY(set_max_stack)
{
	uint64_t n;

	(void)def;
	if (parse_u64(value, 1, UPF_DEPTH_MAX, &n) != 0)
		return failure(why, size, -1, "not a number of frames from 1 to %u", UPF_DEPTH_MAX);
	((struct options *)ctx)->stack.max_frames = (uint32_t)n;
	return 0;
}

/* auto[,BYTES], fp[,BYTES] or dwarf[,BYTES]; the last two as in perf. */
APPLY(set_call_graph)
{
	static const struct {
		const char *name;
		uint32_t window, copy; /* bytes, by default */
	} modes[] = {
		{"auto", DEFAULT_WINDOW, DEFAULT_COPY},
		{"fp", DEFAULT_WINDOW, 0},
		{"dwarf", 0, DEFAULT_COPY},
	};
	struct stack_choice *stack = &((struct options *)ctx)->stack;
	size_t len = strcspn(value, ",");

	(void)def;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		bool copies = modes[i].copy != 0;
		uint64_t bytes = copies ? modes[i].copy : modes[i].window, least = copies ? UPF_WORD : 0;
		unsigned most = (copies ? UPF_COPY_MAX : UPF_WINDOW_MAX) * UPF_WORD;

		if (strlen(modes[i].name) != len || strncmp(modes[i].name, value, len) != 0)
			continue;
		if (value[len] && parse_u64(value + len + 1, least, most, &bytes) != 0)
			return failure(why, size, -1, "%s takes a size of %llu to %u bytes", modes[i].name,
			               (unsigned long long)least, most);
		bytes = (bytes + UPF_WORD - 1) / UPF_WORD;
		stack->window_words = copies ? modes[i].window / UPF_WORD : (uint32_t)bytes;
		stack->copy_words = copies ? (uint32_t)bytes : 0;
		return 0;
	}
	return fail(why, size, "must be auto, fp or dwarf, and may have a size in bytes: fp,256 or dwarf,16384");
}

static int set_share(const char *value, double *share, char *why, size_t size)
{
	char *rest;
	double percent = strtod(value, &rest);

	if (rest == value || strcmp(rest, *rest == '%' ? "%" : "") != 0 || !(percent >= 0.001 && percent <= 100))
		return fail(why, size, "not a percentage from 0.001 to 100");
	*share = percent / 100;
	return 0;
}

APPLY(set_max_overhead)
{
	(void)def;
	return set_share(value, &((struct options *)ctx)->session.max_overhead, why, size);
}

APPLY(set_max_cpu)
{
	(void)def;
	return set_share(value, &((struct options *)ctx)->session.max_cpu, why, size);
}

APPLY(set_max_pause)
{
	uint64_t *ns = &((struct options *)ctx)->session.max_pause_ns;

	(void)def;
	if (parse_duration(value, ns) == 0 && *ns >= LEAST_PAUSE_NS && *ns <= MOST_PAUSE_NS)
		return 0;
	return fail(why, size, "not a time from 1ms to 60s");
}

APPLY(set_realtime)
{
	uint64_t priority = DEFAULT_PRIORITY;

	(void)def;
	if (value && parse_u64(value, 0, 99, &priority) != 0)
		return fail(why, size, "not a real-time priority: 1 to 99, or 0 for none");
	((struct options *)ctx)->priority = (int)priority;
	return 0;
}

/* A size must have a unit: a bare number is a time. */
static int size_or_time(const char *value, uint64_t *bytes, uint64_t *ns)
{
	*bytes = *ns = 0;
	if (parse_size(value, bytes) == 0)
		return 0;
	return parse_duration(value, ns);
}

APPLY(set_switch)
{
	struct options *o = ctx;
	uint64_t *bytes = &o->session.switching.bytes, *ns = &o->session.switching.ns;

	(void)def;
	o->session.switching.on = o->output.switching = true;
	*bytes = *ns = 0;
	if (!value || strcmp(value, "signal") == 0 || size_or_time(value, bytes, ns) == 0)
		return 0;
	return fail(why, size, "must be a size such as 100M, a time such as 1h, or signal");
}

APPLY(set_max_files)
{
	(void)def;
	if (parse_u64(value, 1, MAX_FILES, &((struct options *)ctx)->output.max_files) == 0)
		return 0;
	return failure(why, size, -1, "not a number of files: 1 to %u", MAX_FILES);
}

APPLY(set_flight_recorder)
{
	struct options *o = ctx;
	uint64_t *bytes = &o->output.flight_recorder.bytes, *ns = &o->output.flight_recorder.ns;

	(void)def;
	o->session.flight_recorder = o->output.flight_recorder.on = true;
	*bytes = DEFAULT_MEMORY;
	*ns = 0;
	if (value && size_or_time(value, bytes, ns) != 0)
		return fail(why, size, "must be a size such as 64M or a time such as 60s");
	if (*ns)
		*bytes = MOST_MEMORY;
	if (*bytes >= LEAST_MEMORY)
		return 0;
	return fail(why, size, "less than 4M of memory may not hold one block");
}

APPLY(set_image)
{
	struct options *o = ctx;

	(void)def;
	if (*value == '\0')
		return fail(why, size, "a file name is needed");
	if (o->nimages == IMAGES_MAX)
		return failure(why, size, -1, "%d images at most", IMAGES_MAX);
	o->images[o->nimages++] = value;
	return 0;
}

APPLY(set_start)
{
	(void)def;
	if (*value == '\0')
		return fail(why, size, "a command is needed, such as 'xl create -p web1.cfg'");
	((struct options *)ctx)->start = value;
	return 0;
}

APPLY(set_pause_file)
{
	struct options *o = ctx;

	if (*value == '\0')
		return fail(why, size, "a file name is needed");
	*(def->id ? &o->resume : &o->pause_file) = value;
	return 0;
}

enum flag {
	FLAG_MISSED,
	FLAG_FORCE,
	FLAG_FOLLOW,
	FLAG_LIST,
	FLAG_QUIET,
	FLAG_VERBOSE,
	FLAG_VERSION,
	FLAG_HELP,
	FLAG_REGISTERS
};

APPLY(set_flag)
{
	struct options *o = ctx;
	bool *const flags[] = {
		[FLAG_MISSED] = &o->session.missed,     [FLAG_FORCE] = &o->output.replace,
		[FLAG_FOLLOW] = &o->session.follow,     [FLAG_LIST] = &o->list,
		[FLAG_QUIET] = &o->session.quiet,       [FLAG_VERBOSE] = &o->verbose,
		[FLAG_VERSION] = &o->version,           [FLAG_HELP] = &o->help,
		[FLAG_REGISTERS] = &o->stack.registers,
	};

	(void)value, (void)why, (void)size;
	*flags[def->id] = true;
	return 0;
}

const struct option_def record_options[] = {
	{'o', "output", "FILE", OPTION_ARG, "write the trace to FILE; - is standard output", set_output, 0},
	{'F', "freq", "HZ", OPTION_ARG, "sample HZ times a second, such as 99, 1k or max (99)", set_rate, 0},
	{'d', "duration", "TIME", OPTION_ARG, "stop after TIME: seconds, or 500ms, 10s, 2m, 1h (until Ctrl-C)",
         set_duration, 0},
	{'T', "time", "TIME", OPTION_ARG, NULL, set_duration, 0},
	{'n', "samples", "N", OPTION_ARG, "stop after N samples of each vCPU", set_samples, 0},
	{'C', "vcpu", "LIST", OPTION_ARG, "sample only these vCPUs, such as 0,2-3 (all)", set_vcpus, 0},
	{0, "max-stack", "N", OPTION_ARG, "record at most N frames of a stack (127)", set_max_stack, 0},
	{0, "call-graph", "MODE[,SIZE]", OPTION_ARG,
         "auto: follow frame pointers, and copy up to SIZE bytes of the stack where they fail (the default, auto,16384); "
         "fp: frame pointers only, with SIZE bytes at the top of the stack (fp,256); "
         "dwarf: copies only (dwarf,16384)",
         set_call_graph, 0},
	{0, "registers", NULL, OPTION_NO_ARG,
         "record all registers, too, and a copy of the stack each time; with -n 1 also of a domain that is paused or has "
         "crashed",
         set_flag, FLAG_REGISTERS},
	{0, "image", "[DOM=]FILE", OPTION_ARG,
         "the binary that the domain runs: store its path and build-id, so that uniprof-report can find and verify it",
         set_image, 0},
	{0, "max-overhead", "PERCENT", OPTION_ARG,
         "sample less often when a domain would be paused for more than PERCENT of the time (10)", set_max_overhead,
         0},
	{0, "max-pause", "TIME", OPTION_ARG, "have the watchdog end a pause that lasts longer than TIME (100ms)",
         set_max_pause, 0},
	{0, "pause-file", "FILE", OPTION_ARG,
         "keep in FILE, on a tmpfs such as /run, whether a guest is paused, for --resume-paused", set_pause_file, 0},
	{0, "resume-paused", "FILE", OPTION_ARG,
         "resume the guests that a recorder with --pause-file=FILE has left paused, as it was killed with its watchdog",
         set_pause_file, 1},
	{0, "max-cpu", "PERCENT", OPTION_ARG,
         "sample less often when sampling would use more than PERCENT of one CPU (50)", set_max_cpu, 0},
	{'r', "realtime", "PRIO", OPTION_OPTIONAL_NUMBER,
         "sample at real-time priority PRIO, with locked memory and on one CPU; -r0: at normal priority (1)",
         set_realtime, 0},
	{'M', "missed-deadlines", NULL, OPTION_NO_ARG, "report missed deadlines on standard error as they occur",
         set_flag, FLAG_MISSED},
	{0, "switch-output", "WHEN", OPTION_OPTIONAL_NUMBER,
         "begin a new trace, FILE.TIME, on SIGUSR2 (signal), or when the current one "
         "reaches a size such as 100M or an age such as 1h",
         set_switch, 0},
	{0, "switch-max-files", "N", OPTION_ARG,
         "keep only the newest N traces, those of earlier recordings to FILE included", set_max_files, 0},
	{0, "overwrite", "WHAT", OPTION_OPTIONAL_NUMBER,
         "keep only the newest samples, in memory: a time such as 60s or a size such as 64M (64M); SIGUSR2 writes "
         "them to FILE.TIME, the end of the recording to FILE",
         set_flight_recorder, 0},
	{0, "start", "COMMAND", OPTION_ARG,
         "run COMMAND, which creates the domain and leaves it paused, such as 'xl create -p web1.cfg'; then let the "
         "domain run, and record it from its first instruction",
         set_start, 0},
	{0, "follow", NULL, OPTION_NO_ARG, "continue when a domain comes back, after a reboot or a new start",
         set_flag, FLAG_FOLLOW},
	{'f', "force", NULL, OPTION_NO_ARG, "replace FILE if it exists", set_flag, FLAG_FORCE},
	{'l', "list", NULL, OPTION_NO_ARG, "list the domains and whether they can be recorded", set_flag, FLAG_LIST},
	{'q', "quiet", NULL, OPTION_NO_ARG, "print no status line and no summary", set_flag, FLAG_QUIET},
	{'v', "verbose", NULL, OPTION_NO_ARG, "print what is done, and what it cost the host", set_flag, FLAG_VERBOSE},
	{'V', "version", NULL, OPTION_NO_ARG, "print the version", set_flag, FLAG_VERSION},
	{'h', "help", NULL, OPTION_NO_ARG, "print this help", set_flag, FLAG_HELP},
	{0},
};

/* Checks combinations of options. 0, or -1 and @why. */
static int check_together(const struct options *o, char *why, size_t size)
{
	const bool several = o->output.switching || o->output.flight_recorder.on;

	if (o->output.switching && o->output.flight_recorder.on &&
	    (o->session.switching.bytes || o->session.switching.ns))
		return fail(why, size, "--switch-output with a size or time cannot be combined with --overwrite");
	if (o->output.max_files && !several)
		return fail(why, size, "--switch-max-files is for --switch-output or --overwrite");
	if (several && o->output.path && strcmp(o->output.path, "-") == 0)
		return fail(why, size, "--switch-output and --overwrite need a file to write to: give -o FILE");
	return 0;
}

int record_options_parse(struct options *o, int argc, char **argv, char *why, size_t size)
{
	int n;

	*o = (struct options){
		.session = {.rate_mhz = 99000,
	                    .max_overhead = DEFAULT_OVERHEAD,
	                    .max_cpu = DEFAULT_CPU,
	                    .max_pause_ns = DEFAULT_PAUSE_NS},
		.stack = {.max_frames = DEFAULT_MAX_STACK,
	                  .window_words = DEFAULT_WINDOW / UPF_WORD,
	                  .copy_words = DEFAULT_COPY / UPF_WORD},
		.priority = -1,
	};
	n = options_parse(record_options, argc, argv, o, why, size);
	o->output.verbose = o->verbose;
	o->look = o->stack.registers && o->session.rounds == 1;
	if (o->priority < 0)
		o->priority = o->session.max_overhead <= MODEST_OVERHEAD ? DEFAULT_PRIORITY : 0;
	return n >= 0 && check_together(o, why, size) != 0 ? -1 : n;
}
