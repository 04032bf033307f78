/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/inputs.h"
#include "common/regular_file.h"
#include "common/say.h"
#include "report/elf/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- traces ------------------------------------------------------------------------------------------------------ */

const char *inputs_shown(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
	                                              : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

char *inputs_newest(void)
{
	struct stat newest = {0}, st;
	char *name = NULL;
	glob_t all;

	if (glob("*.upf", 0, NULL, &all) != 0)
		return NULL;
	for (size_t i = 0; i < all.gl_pathc; i++) {
		if (stat(all.gl_pathv[i], &st) != 0 || !S_ISREG(st.st_mode) || (name && !is_newer(&st, &newest)))
			continue;
		name = all.gl_pathv[i];
		newest = st;
	}
	name = name ? strdup(name) : NULL;
	globfree(&all);
	return name;
}

static int open_input(const char *path, int *fd)
{
	struct stat st;

	*fd = STDIN_FILENO;
	if (strcmp(path, "-") != 0)
		*fd = open(path, O_RDONLY | O_CLOEXEC);
	else if (isatty(STDIN_FILENO)) {
		say("standard input is a terminal: pipe a trace into it, as uniprof-record -o - does");
		return EXIT_USAGE;
	}
	if (*fd >= 0 && fstat(*fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(*fd);
		*fd = -1;
		errno = EISDIR;
	}
	if (*fd >= 0)
		return EXIT_DONE;
	say("%s: %s", inputs_shown(path), strerror(errno));
	return EXIT_ERROR;
}

/* What a file is that is no trace, and what to do with it. */
static const char *what_it_is(const char *path)
{
	unsigned char magic[2] = "";
	int fd = regular_file_open(path);

	if (fd >= 0 && read(fd, magic, sizeof(magic)) < 0)
		magic[0] = 0;
	if (fd >= 0)
		close(fd);
	if (elf_file_is(path))
		return ": an ELF binary is given by -s, as in uniprof-report -s guest.elf run.upf";
	if (magic[0] == 0x1f && magic[1] == 0x8b)
		return ": it is compressed; unpack it by gunzip first";
	return "; a file of symbols is given by -s";
}

static int say_fault(const char *path, enum upf_fault fault, const char *detail)
{
	const char *name = inputs_shown(path);

	switch (fault) {
	case UPF_FAULT_IO:
	case UPF_FAULT_MEMORY:
		say("%s: %s", name, strerror(fault == UPF_FAULT_IO ? errno : ENOMEM));
		return EXIT_ERROR;
	case UPF_FAULT_MAJOR:
	case UPF_FAULT_FEATURE:
		say("%s: %s (%s): a later uniprof-report is needed", name, upf_fault_text(fault), detail);
		return EXIT_NO_TRACE;
	default:
		say("%s: %s%s", name, upf_fault_text(fault), fault == UPF_FAULT_MAGIC ? what_it_is(path) : "");
		return EXIT_NO_TRACE;
	}
}

static int add_trace(struct traces *traces, const char *path)
{
	enum upf_fault fault = UPF_OK;
	struct upf_reader *reader;
	char detail[64] = "";
	int fd, rc = open_input(path, &fd);

	if (rc != EXIT_DONE)
		return rc;
	reader = upf_reader_open(fd, &fault, detail);
	if (!reader) {
		rc = say_fault(path, fault, detail);
		close(fd);
	} else if (traces_add(traces, path, fd, reader) != 0) {
		rc = say_fault(path, UPF_FAULT_MEMORY, "");
	}
	return rc;
}

static int add_traces(struct traces *traces, const struct inputs *s, const struct selection *selection)
{
	char why[256];
	int rc = EXIT_DONE, failed;

	for (size_t i = 0; rc == EXIT_DONE && i < s->ntraces; i++) {
		rc = add_trace(traces, s->traces[i]);
		failed = rc == EXIT_DONE ? trace_learn_builds(&traces->list[i]) : 0;
		if (failed) {
			say("%s: %s", inputs_shown(s->traces[i]), strerror(-failed));
			rc = EXIT_ERROR;
		}
	}
	if (rc == EXIT_DONE && traces_join(traces, selection, why, sizeof(why)) != 0) {
		say("%s", why);
		rc = EXIT_USAGE;
	}
	return rc;
}

/* --- what must not be replaced ----------------------------------------------------------------------------------- */

static bool is_same_file(const struct stat *a, dev_t device, ino_t inode)
{
	return S_ISREG(a->st_mode) && a->st_dev == device && a->st_ino == inode;
}

bool inputs_replaced(const struct recording *r, const struct inputs *inputs, const char *output)
{
	const char *what = NULL;
	struct stat out, in;

	if (!output || stat(output, &out) != 0)
		return false;
	for (size_t i = 0; i < r->traces.n; i++)
		if (is_same_file(&out, r->traces.list[i].device, r->traces.list[i].inode))
			what = "the trace";
	for (size_t i = 0; i < inputs->binaries.nfiles; i++) {
		struct binary_file file;

		if (binary_file_parse(inputs->binaries.files[i], &r->traces.session, &file) != 0)
			continue;
		if (stat(file.path, &in) == 0 && is_same_file(&out, in.st_dev, in.st_ino))
			what = "the symbol file";
		free(file.path);
	}
	if (what)
		say("-o %s: that is %s itself", output, what);
	return what != NULL;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

enum exit_code inputs_open(struct recording *r, const struct inputs *inputs, const struct selection *selection)
{
	int rc = add_traces(&r->traces, inputs, selection);
	char why[512];

	r->any_build = inputs->binaries.force;
	if (rc == EXIT_DONE) {
		int failed = binaries_load(&r->binaries, &r->traces, &inputs->binaries, why, sizeof(why));

		if (failed)
			say("%s", why);
		rc = failed == -EINVAL ? EXIT_USAGE : failed ? EXIT_ERROR : EXIT_DONE;
	}
	if (rc == EXIT_DONE && recording_prepare(r, selection, inputs->mangled, &inputs->binaries.debug) != 0) {
		say("%s", strerror(ENOMEM));
		rc = EXIT_ERROR;
	}
	return rc;
}
