/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.h - what the report can show. A view is one file with one struct view; report/cli/views.c lists them, and
 * options, --help and main() follow from that list. Exporters and pages are views, too.
 *
 * A view reads what it is given, prints to r->out, and returns what it found; it knows nothing of the command line.
 */
#ifndef REPORT_VIEW_VIEW_H
#define REPORT_VIEW_VIEW_H

#include "report/fold/fold.h"
#include "report/fold/table.h"
#include "report/output/text.h"
#include "report/profile/recording.h"

/* The column Total, a function with everything that it called: by default, as the first key, or not at all. */
enum children { CHILDREN_DEFAULT, CHILDREN_FIRST, CHILDREN_NO };

/* What the command line asks of views, beside what counts. */
struct view_options {
	const struct patterns *pattern; /* the argument, of views with VIEW_PATTERN */
	struct keys keys;               /* --sort; none: the view's own */
	enum children children;
	const char *source_path; /* a directory of source files, for --annotate; NULL: none */
	double percent_limit;    /* tables leave out what is below; negative: the view's own default */
	uint32_t rows;           /* of --flat and --csv at most; 0: all */
	bool quiet;              /* no notes on quality */
};

/* What a view is given. */
struct report {
	const struct view_options *options;
	const struct selection *selection; /* what counts */
	struct recording *run;             /* opened; the view loads its profile */
	struct recording *old;             /* the run to compare with; NULL: none. Its names are its own */
	struct text_out out;
	struct progress *progress; /* for work that takes long */
};

/* What it found, beside what it printed. */
struct view_result {
	bool nothing;       /* its pattern matches nothing */
	const char *lacks;  /* the trace has nothing for it: what is not there, and how to get it; NULL: it has */
	bool mismatch;      /* the trace's own figures contradict each other */
	bool left;          /* before all was read, as the user wanted: nothing is wrong */
	const char *failed; /* what an error of run() is about; NULL: the trace */
};

/* Options that a view understands, beside those that all do. */
#define VIEW_PATTERN 1u     /* its argument is a regular expression */
#define VIEW_COMPARES 2u    /* shows r->old: --diff */
#define VIEW_KEYS 4u        /* has lines by keys: --sort, --children */
#define VIEW_TURNS 8u       /* has stacks that can begin at their leaves: --bottom-up */
#define VIEW_LIMITS 16u     /* leaves out what is below a share: --percent-limit */
#define VIEW_WHOLE 32u      /* needs all of one trace, and binaries: no filters */
#define VIEW_FILE 64u       /* is for other programs: no terminal shows it */
#define VIEW_GROUPS 128u    /* tells domains, vCPUs or address spaces apart: --by */
#define VIEW_SCREEN 512u    /* has the terminal to itself */
#define VIEW_NOISE 256u     /* says how far shares may be off by chance */
#define VIEW_CONFINED 1024u /* uniprof-record shows a guest by it, perhaps as root: it is confined (confine.h) */

struct view {
	const char *name;  /* --name */
	const char *alias; /* --alias means the same, but is not in --help; NULL: none */
	const char *arg;   /* the argument's name in --help; NULL: it takes none */
	const char *help;
	unsigned states; /* what --state means when it is not given */
	bool gzip;       /* the format is compressed by nature, whatever the file's name */
	/* `-o FILE` with a name that ends in one of these chooses this view if none is given; ends with NULL */
	const char *endings[2];
	unsigned takes; /* VIEW_... */
	/*
	 * One of these shows it: @table prints a table of the fold, which the notes on quality follow; @write writes
	 * other data of the fold, which is made for a page or not; @run loads and shows by itself. 0 or a negative
	 * errno: reading, writing or memory failed. What is wrong with the trace is in its health, and no error.
	 */
	int (*table)(const struct report *r, struct fold *fold, struct view_result *found);
	int (*write)(const struct report *r, struct fold *fold);
	bool page;
	int (*run)(const struct report *r, struct view_result *found);
};

/* Loads and shows. As the functions of struct view. */
int view_run(const struct view *view, const struct report *r, struct view_result *found);

/* --- for views --------------------------------------------------------------------------------------------------- */

/*
 * Loads all traces of r->run, and of r->old; hooks hear what counts, not of the old run. As load_trace(); -ENODATA: there
 * is nothing to compare, as no sample of the new run counts.
 */
int view_load(const struct report *r, const struct load_hooks *hooks);
/* What of the loaded traces is to be folded, and what it is compared with. */
struct fold_request view_request(const struct report *r);
/* The keys of a table's rows: --sort, or functions, and --by. */
struct keys view_keys(const struct report *r);
/* The least share that is shown: --percent-limit, or @otherwise percent. */
double view_limit(const struct view_options *options, double otherwise);
/* How many of @n rows are shown. */
static inline size_t view_rows(const struct view_options *options, size_t n)
{
	return options->rows && options->rows < n ? options->rows : n;
}
/*
 * Loads, as view_load(), and folds, for a page or not; then @show shows it. 0 or a negative errno, also what @show
 * returns.
 */
int view_fold(const struct report *r, const struct load_hooks *hooks, bool page,
              int (*show)(const struct report *r, struct fold *fold, void *ctx), void *ctx);
/*
 * Prints "name+0xoffset" or "0xaddress" for each frame of @c, leaf first, each followed by @separator; @restored is
 * printed after a frame that the report added.
 */
void view_frames(const struct report *r, const struct callchain *c, const char *restored, const char *separator);
/* Notes on quality for a view whose output is data: on standard error. @fold NULL: it has not folded anything. */
void view_notes(const struct report *r, const struct fold *fold);
/* The same, and before them, if @samples is 0, why there are none. */
void view_end(const struct report *r, const struct fold *fold, uint64_t samples);
/* The end of an exporter that has folded nothing, or has no use for names: the same notes if @rc is 0. Returns @rc. */
int view_exported(const struct report *r, int rc);

#endif
