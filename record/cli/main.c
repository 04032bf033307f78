/* SPDX-License-Identifier: BSD-2-Clause */
/* uniprof-record: samples the stacks of Xen and KVM guests into a trace. See docs/uniprof-record.1. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/completion.h"
#include "common/say.h"
#include "record/cli/connect.h"
#include "record/cli/describe.h"
#include "record/cli/list.h"
#include "record/cli/patterns.h"
#include "record/cli/recording.h"
#include "record/output/trace_file.h"
#include "record/process/signals.h"
#include "record/process/viewer.h"
#include "record/watchdog/pause_file.h"

static void print_help(void)
{
	static char all[16384]; /* one write, whose error is told */

	setvbuf(stdout, all, _IOFBF, sizeof(all));
	puts("Usage: uniprof-record [options] -o FILE DOMAIN... | --all\n"
	     "       uniprof-record [options] -o FILE --start COMMAND [DOMAIN]\n"
	     "       uniprof-record --dump | --top DOMAIN...\n"
	     "       uniprof-record --list\n"
	     "Samples the stacks of Xen and KVM guests, given by name, by pattern or by number\n"
	     "(on KVM the process ID of the monitor), until Ctrl-C or until the end of\n"
	     "--duration.\n");
	options_print(record_options, stdout, 80);
	puts("\nExamples:\n"
	     "  uniprof-record -o run.upf -d 10s web1        ten seconds of web1 at 99 Hz\n"
	     "  uniprof-record -o boot.upf --start 'xl create -p web1.cfg'\n"
	     "  uniprof-record -o - -F 1k 3 | uniprof-report -s web1.elf -\n\n"
	     "Exit status: 0 recorded; 1 an error ended it early; 2 usage; 3 hypervisor;\n"
	     "4 domain; 5 output; 6 the command of --start.");
}

/* What the options ask for, and what is missing for it. */
static int check_usage(const struct options *o, int operands)
{
	const bool named = operands > 0 || o->all;

	if (o->help || o->version || o->completion || ((o->list || o->resume) && !named))
		return 0;
	if (o->list)
		say("--list shows all domains: give no name");
	else if (o->resume)
		say("--resume-paused resumes what its file names: give no domain");
	else if (o->all && operands > 0)
		say("--all records all domains: give no name");
	else if (!named && !o->start)
		say("no domain: give one; --list shows them, --help shows more");
	else if (operands > 1 && o->start)
		say("--start records one domain: give at most one name");
	else if (o->sampler == SAMPLER_LIVE && o->stack.registers)
		say("%s needs a stop: not with --sampler live", o->dump ? "--dump" : "--registers");
	else if (o->host && (o->sampler == SAMPLER_STOP || o->stack.registers))
		say("--host needs samples without a stop: not with %s", o->sampler == SAMPLER_STOP ? "--sampler stop"
		                                                        : o->dump                  ? "--dump"
		                                                                                   : "--registers");
	else if (!o->output.path && (!named || o->output.switching || o->output.flight_recorder.on))
		say("no output: give -o FILE");
	else
		return 0;
	return EXIT_USAGE;
}

/* What a killed recorder has left of domain @i. False: it may still be paused. */
static bool undo_pause(struct pause_file *f, size_t i, const struct connection *c)
{
	uint32_t domid;
	enum pause_left left = pause_file_undo(f, i, c->ops, c->x, &domid);

	if (left == PAUSE_RESUMED)
		say("domain %u resumed: a recorder that was killed had left it paused", domid);
	else if (left == PAUSE_UNSURE)
		say("domain %u is paused, maybe by somebody else: the watchdog was killed while it resumed it", domid);
	else if (left == PAUSE_FAILED)
		say("domain %u is still paused: %s", domid, strerror(errno));
	return left == PAUSE_NONE || left == PAUSE_RESUMED;
}

/* Without the hypervisor the file stays, for another try. */
static int resume_paused(const char *path, const struct connection *all, size_t n)
{
	char why[1024];
	struct pause_file *f = pause_file_open(path, why, sizeof(why));
	const struct connection *c = NULL;
	bool done = true;

	if (!f && errno == ENOENT)
		return EXIT_RECORDED; /* a recorder that has ended removes it */
	for (size_t i = 0; f && i < n; i++)
		if (strcmp(all[i].ops->name, pause_file_backend(f)) == 0)
			c = &all[i];
	if (!c) {
		if (f)
			snprintf(why, sizeof(why), "%s: its hypervisor (%s) is not here", path, pause_file_backend(f));
		say("%s", why);
		pause_file_close(f, false);
		return EXIT_CUT_SHORT;
	}
	for (size_t i = 0; i < pause_file_domains(f); i++)
		done &= undo_pause(f, i, c);
	pause_file_close(f, done);
	return done ? EXIT_RECORDED : EXIT_CUT_SHORT;
}

/* 0, or the exit status. */
static int choose_sampler(const struct options *o, const struct connection *c)
{
	const bool must = o->sampler == SAMPLER_LIVE || o->host;
	char why[1024];

	if (must && !c->ops->host.sample_live) {
		say("%s is for KVM guests", o->host ? "--host" : "--sampler live");
		return EXIT_USAGE;
	}
	if (o->host && c->ops->host.record_host(c->x, why, sizeof(why)) != 0) {
		say("--host: %s", why);
		return EXIT_HYPERVISOR;
	}
	if (c->ops->host.sample_live && o->sampler != SAMPLER_STOP && !o->stack.registers)
		c->ops->host.sample_live(c->x, must, !o->stack.window_words && o->stack.copy_words);
	return 0;
}

static int record_guests(const struct options *o, const struct connection *all, size_t nall, const char *command,
                         char **operands, size_t n)
{
	char why[1024];
	const struct connection *c = connect_choose(all, nall, operands, n, why, sizeof(why));
	int rc;

	if (!c) {
		say("%s", why);
		return EXIT_DOMAIN;
	}
	rc = choose_sampler(o, c);
	return rc != 0 ? rc : recording_run(o, c->ops, c->x, command, operands, n);
}

static int record_matching(const struct options *o, const struct connection *all, size_t nall, const char *command,
                           char *const *operands, size_t n)
{
	struct names names = {0};
	char why[1024], **named;
	int rc = patterns_expand(&names, o, all, nall, operands, n, why, sizeof(why));

	if (rc != 0) {
		say("%s", why);
		names_free(&names);
		return rc;
	}
	named = malloc((names.n + 1) * sizeof(*named)); /* of which prefixes are taken off */
	for (size_t i = 0; named && i < names.n; i++)
		named[i] = names.of[i];
	if (named) {
		rc = record_guests(o, all, nall, command, named, names.n);
	} else {
		say("out of memory");
		rc = EXIT_CUT_SHORT;
	}
	free(named);
	names_free(&names);
	return rc;
}

static int list_or_record(const struct options *o, const char *command, char **operands, size_t n)
{
	char why[1024];
	struct connection all[CONNECTIONS_MAX];
	size_t nall;
	int rc;

	if (o->resume && access(o->resume, F_OK) != 0 && errno == ENOENT)
		return EXIT_RECORDED; /* as resume_paused(), also where there is no hypervisor */
	nall = connect_all(all, why, sizeof(why));
	if (nall == 0) {
		say("%s", why);
		return EXIT_HYPERVISOR;
	}
	if (o->resume)
		rc = resume_paused(o->resume, all, nall);
	else
		rc = o->list ? list_domains(all, nall, o->verbose)
		             : record_matching(o, all, nall, command, operands, n);
	connect_close(all, nall);
	return rc;
}

/* Without -o the trace has the first domain's name. */
static int list_or_record_by_name(struct options *o, const char *command, char **operands, size_t n)
{
	char *name = NULL;
	int rc;

	if (!o->output.path && (n > 0 || o->all)) {
		name = trace_file_name(o->all ? "all" : operands[0], o->output.replace);
		o->output.path = name;
		o->output.is_default = true;
		if (!name) {
			say("out of memory");
			return EXIT_CUT_SHORT;
		}
	}
	rc = list_or_record(o, command, operands, n);
	free(name);
	return rc;
}

/* The recorder does not read the guest's binary: the report does, with no privileges. */
static int show_guests(struct options *o, const char *command, char **operands, size_t n)
{
	char *report[5 + 2 * REPEATS_MAX] = {"uniprof-report", o->top ? "--top" : "--last"};
	struct viewer viewer;
	size_t words = 2;
	int rc;

	for (size_t i = 0; i < o->nsymbols; i++) {
		report[words++] = "-s";
		report[words++] = (char *)o->symbols[i];
	}
	if (!o->verbose)
		report[words++] = "-q";
	report[words] = "-";
	if (o->top && !isatty(STDOUT_FILENO)) {
		say("--top shows a screen: standard output must be a terminal");
		return EXIT_USAGE;
	}
	rc = viewer_account(&viewer, o->viewer_user);
	if (rc != 0) {
		say("--viewer-user %s: %s", o->viewer_user,
		    rc == -EPERM ? "only root can run it as another user" : "there is no such user");
		return EXIT_USAGE;
	}
	rc = viewer_start(&viewer, report, o->top);
	if (rc != 0) {
		say("cannot start uniprof-report: %s", strerror(-rc));
		return EXIT_CUT_SHORT;
	}
	rc = list_or_record(o, command, operands, n);
	if (o->top && rc == EXIT_OUTPUT)
		rc = EXIT_RECORDED; /* the user has left the screen */
	return viewer_end(&viewer, rc != EXIT_RECORDED || o->verbose) != 0 && rc == EXIT_RECORDED ? EXIT_OUTPUT : rc;
}

static int print_completion(const char *shell)
{
	const struct completion c = {.programs = "uniprof-record uniprof-top",
	                             .operands = "uniprof-record --list 2> /dev/null | awk 'NR > 1 { print $2 }'",
	                             .table = record_options};

	if (completion_print(stdout, shell, &c) == 0)
		return EXIT_RECORDED;
	say("--completion %s: bash and zsh are known", shell);
	return EXIT_USAGE;
}

static int run_command(int argc, char **argv, const char *command)
{
	struct options o;
	char why[1024];
	int n = record_options_parse(&o, argc, argv, why, sizeof(why)), rc;

	if (n < 0) {
		say("%s", why);
		return EXIT_USAGE;
	}
	rc = check_usage(&o, n);
	if (rc != 0)
		return rc;
	if (o.help)
		print_help();
	else if (o.version)
		puts("uniprof-record " UNIPROF_VERSION);
	else if (o.completion)
		return print_completion(o.completion);
	else if (o.dump || o.top)
		return show_guests(&o, command, argv, (size_t)n);
	else
		return list_or_record_by_name(&o, command, argv, (size_t)n);
	return EXIT_RECORDED;
}

int main(int argc, char **argv)
{
	char *command;
	int rc, status;

	say_name("uniprof-record");
	signals_reset();
	rc = standard_streams_open();
	if (rc != 0) {
		say("cannot open /dev/null: %s", strerror(-rc));
		return EXIT_CUT_SHORT;
	}
	command = describe_command(argc, argv);
	status = run_command(argc, argv, command);
	free(command);
	rc = standard_output_flush();
	if (rc == 0)
		return status;
	say("standard output: %s", strerror(-rc));
	return status == EXIT_RECORDED ? EXIT_OUTPUT : status;
}
