/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/options.h"

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

static int set_rate(struct option_use *use)
{
	if (parse_rate(use->value, option_place(use)) == 0)
		return 0;
	return option_refuse(use, "not a rate: samples a second above 0, up to 1 MHz, such as 99, 0.5 or 1k");
}

static int set_duration(struct option_use *use)
{
	if (parse_duration(use->value, option_place(use)) == 0)
		return 0;
	return option_refuse(use, "not a duration: a time above 0, such as 10, 0.5s, 2m or 1h");
}

static int set_samples(struct option_use *use)
{
	if (parse_u64(use->value, 1, UINT64_MAX, option_place(use)) == 0)
		return 0;
	return option_refuse(use, "not a number of samples: 1 or more");
}

static int set_vcpus(struct option_use *use)
{
	struct options *o = use->to;

	o->session.some_vcpus = true;
	if (parse_list(use->value, o->session.vcpus, UPF_VCPUS_MAX) == 0)
		return 0;
	return option_refuse(use, "not a list of vCPUs: numbers and ranges such as 0,2-3");
}

static int set_max_stack(struct option_use *use)
{
	uint64_t n;

	if (parse_u64(use->value, 1, UPF_DEPTH_MAX, &n) != 0)
		return option_refuse(use, "not a number of frames from 1 to %u", UPF_DEPTH_MAX);
	*(uint32_t *)option_place(use) = (uint32_t)n;
	return 0;
}

/* auto[,BYTES], fp[,BYTES] or dwarf[,BYTES]; the last two as in perf. */
static int set_call_graph(struct option_use *use)
{
	static const struct {
		const char *name;
		uint32_t window, copy; /* bytes, by default */
	} modes[] = {
		{"auto", DEFAULT_WINDOW, DEFAULT_COPY},
		{"fp", DEFAULT_WINDOW, 0},
		{"dwarf", 0, DEFAULT_COPY},
	};
	struct stack_choice *stack = &((struct options *)use->to)->stack;
	const char *value = use->value;
	size_t len = strcspn(value, ",");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		bool copies = modes[i].copy != 0;
		uint64_t bytes = copies ? modes[i].copy : modes[i].window, least = copies ? UPF_WORD : 0;
		unsigned most = (copies ? UPF_COPY_MAX : UPF_WINDOW_MAX) * UPF_WORD;

		if (strlen(modes[i].name) != len || strncmp(modes[i].name, value, len) != 0)
			continue;
		if (value[len] && parse_u64(value + len + 1, least, most, &bytes) != 0)
			return option_refuse(use, "%s takes a size of %llu to %u bytes", modes[i].name,
			                     (unsigned long long)least, most);
		bytes = (bytes + UPF_WORD - 1) / UPF_WORD;
		stack->window_words = copies ? modes[i].window / UPF_WORD : (uint32_t)bytes;
		stack->copy_words = copies ? (uint32_t)bytes : 0;
		return 0;
	}
	return option_refuse(use, "must be auto, fp or dwarf, and may have a size in bytes: fp,256 or dwarf,16384");
}

static int set_sampler(struct option_use *use)
{
	static const char *const names[] = {[SAMPLER_AUTO] = "auto", [SAMPLER_STOP] = "stop", [SAMPLER_LIVE] = "live"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(use->value, names[i]) == 0) {
			*(enum sampler *)option_place(use) = (enum sampler)i;
			return 0;
		}
	return option_refuse(use, "must be auto, stop or live");
}

static int set_share(struct option_use *use)
{
	char *rest;
	double percent = strtod(use->value, &rest);

	if (rest == use->value || strcmp(rest, *rest == '%' ? "%" : "") != 0 || !(percent >= 0.001 && percent <= 100))
		return option_refuse(use, "not a percentage from 0.001 to 100");
	*(double *)option_place(use) = percent / 100;
	return 0;
}

static int set_max_pause(struct option_use *use)
{
	uint64_t *ns = option_place(use);

	if (parse_duration(use->value, ns) == 0 && *ns >= LEAST_PAUSE_NS && *ns <= MOST_PAUSE_NS)
		return 0;
	return option_refuse(use, "not a time from 1ms to 60s");
}

static int set_realtime(struct option_use *use)
{
	uint64_t priority = DEFAULT_PRIORITY;

	if (use->value && parse_u64(use->value, 0, 99, &priority) != 0)
		return option_refuse(use, "not a real-time priority: 1 to 99, or 0 for none");
	*(int *)option_place(use) = (int)priority;
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

static int set_switch(struct option_use *use)
{
	struct options *o = use->to;
	uint64_t *bytes = &o->session.switching.bytes, *ns = &o->session.switching.ns;

	o->session.switching.on = o->output.switching = true;
	*bytes = *ns = 0;
	if (!use->value || strcmp(use->value, "signal") == 0 || size_or_time(use->value, bytes, ns) == 0)
		return 0;
	return option_refuse(use, "must be a size such as 100M, a time such as 1h, or signal");
}

static int set_max_files(struct option_use *use)
{
	if (parse_u64(use->value, 1, MAX_FILES, option_place(use)) == 0)
		return 0;
	return option_refuse(use, "not a number of files: 1 to %u", MAX_FILES);
}

static int set_flight_recorder(struct option_use *use)
{
	struct options *o = use->to;
	uint64_t *bytes = &o->output.flight_recorder.bytes, *ns = &o->output.flight_recorder.ns;

	o->session.flight_recorder = o->output.flight_recorder.on = true;
	*bytes = DEFAULT_MEMORY;
	*ns = 0;
	if (use->value && size_or_time(use->value, bytes, ns) != 0)
		return option_refuse(use, "must be a size such as 64M or a time such as 60s");
	if (*ns)
		*bytes = MOST_MEMORY;
	if (*bytes >= LEAST_MEMORY)
		return 0;
	return option_refuse(use, "less than 4M of memory may not hold one block");
}

static int add_file(struct option_use *use, const char **files, size_t *n)
{
	if (*use->value == '\0')
		return option_refuse(use, "a file name is needed");
	if (*n == REPEATS_MAX)
		return option_refuse(use, "%d files at most", REPEATS_MAX);
	files[(*n)++] = use->value;
	return 0;
}

static int set_image_option(struct option_use *use)
{
	struct options *o = use->to;

	return add_file(use, o->images, &o->nimages);
}

static int set_symbols_option(struct option_use *use)
{
	struct options *o = use->to;

	return add_file(use, o->symbols, &o->nsymbols);
}

static int set_exclude(struct option_use *use)
{
	struct options *o = use->to;

	if (o->nexcluded == REPEATS_MAX)
		return option_refuse(use, "%d patterns at most", REPEATS_MAX);
	o->excluded[o->nexcluded++] = use->value;
	return 0;
}

static int set_start(struct option_use *use)
{
	if (*use->value == '\0')
		return option_refuse(use, "a command is needed, such as 'xl create -p web1.cfg'");
	return option_set_name(use);
}

#define AT(member) offsetof(struct options, member)

const struct option_def record_options[] = {
	{'o', "output", "FILE", OPTION_ARG,
         "write the trace to FILE; - is standard output (DOMAIN.upf, or DOMAIN.1.upf and so on where that exists)",
         option_set_name, AT(output.path)},
	{'F', "freq", "HZ", OPTION_ARG, "sample HZ times a second, such as 99, 1k or max (99)", set_rate,
         AT(session.rate_mhz)},
	{'d', "duration", "TIME", OPTION_ARG, "stop after TIME: seconds, or 500ms, 10s, 2m, 1h (until Ctrl-C)",
         set_duration, AT(session.duration_ns)},
	{'T', "time", "TIME", OPTION_ARG, NULL, set_duration, AT(session.duration_ns)},
	{'n', "samples", "N", OPTION_ARG, "stop after N samples of each vCPU", set_samples, AT(session.rounds)},
	{'p', "pid", "PID", OPTION_OPERAND, NULL, NULL, 0},
	{'g', NULL, NULL, OPTION_NO_ARG, NULL, option_ignore, 0},
	{'C', "vcpu", "LIST", OPTION_ARG, "sample only these vCPUs, such as 0,2-3 (all)", set_vcpus, 0},
	{0, "max-stack", "N", OPTION_ARG, "record at most N frames of a stack (127)", set_max_stack,
         AT(stack.max_frames)},
	{0, "call-graph", "MODE[,SIZE]", OPTION_ARG,
         "auto: follow frame pointers, and copy up to SIZE bytes of the stack where they fail (the default, auto,16384); "
         "fp: frame pointers only, with SIZE bytes at the top of the stack (fp,256); "
         "dwarf: copies only (dwarf,16384)",
         set_call_graph, 0},
	{0, "registers", NULL, OPTION_NO_ARG,
         "record all registers, too, and a copy of the stack each time; with -n 1 also of a domain that is paused or has "
         "crashed",
         option_set_true, AT(stack.registers)},
	{0, "sampler", "HOW", OPTION_ARG,
         "stop: stop the guest for each sample; live: do not stop it, but have a BPF program read registers and memory "
         "while the vCPU is interrupted (KVM); auto: live where that is possible (auto)",
         set_sampler, AT(sampler)},
	{0, "host", NULL, OPTION_NO_ARG,
         "record also what the host does while a vCPU is not in the guest: the stack of its thread in the kernel, and "
         "where it is in the VMM (KVM, live)",
         option_set_true, AT(host)},
	{0, "image", "[DOM=]FILE", OPTION_ARG,
         "the binary that the domain runs: store its path and build-id, so that uniprof-report can find and verify it",
         set_image_option, 0},
	{0, "max-overhead", "PERCENT", OPTION_ARG,
         "sample less often when a domain would be paused for more than PERCENT of the time (10)", set_share,
         AT(session.max_overhead)},
	{0, "max-pause", "TIME", OPTION_ARG, "have the watchdog end a pause that lasts longer than TIME (100ms)",
         set_max_pause, AT(session.max_pause_ns)},
	{0, "pause-file", "FILE", OPTION_ARG,
         "keep in FILE, on a tmpfs such as /run, whether a guest is paused, for --resume-paused", option_set_name,
         AT(pause_file)},
	{0, "resume-paused", "FILE", OPTION_ARG,
         "resume the guests that a recorder with --pause-file=FILE has left paused, as it was killed with its watchdog",
         option_set_name, AT(resume)},
	{0, "max-cpu", "PERCENT", OPTION_ARG,
         "sample less often when sampling would use more than PERCENT of one CPU (50)", set_share,
         AT(session.max_cpu)},
	{'r', "realtime", "PRIO", OPTION_OPTIONAL_NUMBER,
         "sample at real-time priority PRIO, with locked memory and on one CPU; -r0: at normal priority (1)",
         set_realtime, AT(priority)},
	{'M', "missed-deadlines", NULL, OPTION_NO_ARG, "report missed deadlines on standard error as they occur",
         option_set_true, AT(session.missed)},
	{0, "switch-output", "WHEN", OPTION_OPTIONAL_NUMBER,
         "begin a new trace, FILE.TIME, on SIGUSR2 (signal), or when the current one "
         "reaches a size such as 100M or an age such as 1h",
         set_switch, 0},
	{0, "switch-max-files", "N", OPTION_ARG,
         "keep only the newest N traces, those of earlier recordings to FILE included", set_max_files,
         AT(output.max_files)},
	{0, "overwrite", "WHAT", OPTION_OPTIONAL_NUMBER,
         "keep only the newest samples, in memory: a time such as 60s or a size such as 64M (64M); SIGUSR2 writes "
         "them to FILE.TIME, the end of the recording to FILE",
         set_flight_recorder, 0},
	{'a', "all", NULL, OPTION_NO_ARG, "record all domains that can be recorded", option_set_true, AT(all)},
	{0, "exclude", "PATTERN", OPTION_ARG,
         "of --all, and of patterns, leave out the domains with such a name, such as 'test*'", set_exclude, 0},
	{0, "start", "COMMAND", OPTION_ARG,
         "run COMMAND, which creates the domain and leaves it paused, such as 'xl create -p web1.cfg'; then let the "
         "domain run, and record it from its first instruction",
         set_start, AT(start)},
	{0, "follow", NULL, OPTION_NO_ARG, "continue when a domain comes back, after a reboot or a new start",
         option_set_true, AT(session.follow)},
	{'f', "force", NULL, OPTION_NO_ARG, "replace FILE if it exists", option_set_true, AT(output.replace)},
	{0, "dump", NULL, OPTION_NO_ARG,
         "show what each vCPU does now, also of a domain that is paused or has crashed: its state and its stack; no "
         "trace is written",
         option_set_true, AT(dump)},
	{0, "top", NULL, OPTION_NO_ARG,
         "show on a screen, by uniprof-report --top, where the domains spend their time now; no trace is written",
         option_set_true, AT(top)},
	{'s', "symbols", "[DOM=]FILE", OPTION_ARG, "for --top and --dump: the domain's binary, as uniprof-report's -s",
         set_symbols_option, 0},
	{0, "viewer-user", "USER", OPTION_ARG,
         "for --top and --dump as root: the user as whom uniprof-report runs (who has called sudo or doas, or nobody)",
         option_set_name, AT(viewer_user)},
	{'l', "list", NULL, OPTION_NO_ARG, "list the domains and whether they can be recorded", option_set_true,
         AT(list)},
	{'q', "quiet", NULL, OPTION_NO_ARG, "print no status line and no summary", option_set_true, AT(session.quiet)},
	{'v', "verbose", NULL, OPTION_NO_ARG, "print what is done, and what it cost the host", option_set_true,
         AT(verbose)},
	{'V', "version", NULL, OPTION_NO_ARG, "print the version", option_set_true, AT(version)},
	{'h', "help", NULL, OPTION_NO_ARG, "print this help", option_set_true, AT(help)},
	{0, "completion", "SHELL", OPTION_ARG, NULL, option_set_name, AT(completion)},
	{0},
};

/* Checks combinations of options. 0, or -1 and @why. */
static int check_together(const struct options *o, char *why, size_t size)
{
	const bool several = o->output.switching || o->output.flight_recorder.on;

	if (o->output.switching && o->output.flight_recorder.on &&
	    (o->session.switching.bytes || o->session.switching.ns))
		return failure(why, size, -1,
		               "--switch-output with a size or time cannot be combined with --overwrite");
	if (o->dump && o->top)
		return failure(why, size, -1, "--top cannot be combined with --dump");
	if (o->top && o->session.missed)
		return failure(why, size, -1, "--top holds messages back to its end: not with --missed-deadlines");
	if ((o->dump || o->top) && (several || o->output.path || o->start))
		return failure(why, size, -1,
		               "--%s writes no trace: not with -o, --start, --switch-output or --overwrite",
		               o->dump ? "dump" : "top");
	if (o->nsymbols && !o->dump && !o->top)
		return failure(
			why, size, -1,
			"-s is for --top and --dump: the binary of a trace is given to uniprof-report, or by --image");
	if (o->viewer_user && !o->dump && !o->top)
		return failure(why, size, -1, "--viewer-user is for --top and --dump");
	if (o->all && o->start)
		return failure(why, size, -1, "--start records one domain: not with --all");
	if (o->output.max_files && !several)
		return failure(why, size, -1, "--switch-max-files is for --switch-output or --overwrite");
	if (several && o->output.path && strcmp(o->output.path, "-") == 0)
		return failure(why, size, -1, "--switch-output and --overwrite need a file to write to: give -o FILE");
	return 0;
}

/* 0, or -1 and @why. */
static int read_seed(struct options *o, char *why, size_t size)
{
	const char *text = getenv("UNIPROF_SEED");

	o->seeded = text && *text;
	if (o->seeded && parse_u64(text, 0, UINT64_MAX, &o->seed) != 0)
		return failure(why, size, -1, "UNIPROF_SEED=%s: not a number from 0 to %llu", text,
		               (unsigned long long)UINT64_MAX);
	return 0;
}

int record_options_parse(struct options *o, int argc, char **argv, char *why, size_t size)
{
	const char *slash = strrchr(argv[0], '/');
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
		.top = strcmp(slash ? slash + 1 : argv[0], "uniprof-top") == 0,
	};
	n = options_parse(record_options, argc, argv, o, why, size);
	o->output.verbose = o->verbose;
	if (n >= 0 && (check_together(o, why, size) != 0 || read_seed(o, why, size) != 0))
		return -1;
	if (o->top) {
		o->session.quiet = true;
		o->output.path = "-";
	}
	if (o->dump) {
		o->stack.registers = o->session.quiet = true;
		o->session.rounds = 1;
		o->output.path = "-";
	}
	o->look = o->stack.registers && o->session.rounds == 1;
	if (o->priority < 0)
		o->priority = o->session.max_overhead <= MODEST_OVERHEAD ? DEFAULT_PRIORITY : 0;
	return n;
}
