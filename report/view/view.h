/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.h - what the report can show. A view is one file with one struct view; views.c lists them, and options, --help
 * and main() follow from that list.
 */
#ifndef REPORT_VIEW_VIEW_H
#define REPORT_VIEW_VIEW_H

#include "report/archive/archive.h"
#include "report/profile/filter.h"
#include "report/profile/fold.h"
#include "report/binary/symbolizer.h"
#include "report/profile/profile.h"
#include "report/profile/table.h"
#include "report/profile/traces.h"

#include <stdio.h>

/* Whether tables tell of what functions called, too. */
enum children { CHILDREN_DEFAULT, CHILDREN_FIRST, CHILDREN_NO };

/* What views are given: one run of the program. */
struct report {
	struct traces traces;
	const struct upf_session *session; /* of all traces together */
	struct symbols symbols;
	struct symbolizer names;
	struct cfi *rows;     /* NULL: stacks are shown as recorded */
	struct lines **lines; /* nlines of them: of files that may have DWARF */
	size_t nlines;
	struct archive *archive; /* what the trace itself has of names; NULL: nothing, or images are at hand */
	struct filter filter;
	struct profile profile; /* empty until the view loads it */
	struct report *old;     /* the run to compare with; NULL: none. Its names are its own */

	const struct selection *selection;
	unsigned states;         /* run states that count: the selection's */
	const char *argument;    /* of the view */
	struct patterns pattern; /* the argument, of views that need one */
	struct keys keys;        /* --sort; none: the view's own */
	enum children children;
	const char *source_path; /* a directory of source files, for --list; NULL: none */
	double percent_limit;    /* tables leave out what is below; negative: the view's own default */
	bool quiet;
	bool no_repair;      /* stacks stay as recorded */
	bool has_symbols;    /* names are known, by -s or otherwise */
	bool has_images;     /* from files, be it of names alone */
	bool several_images; /* the domains ran different ones, so that none was taken by itself */
	bool nothing;        /* set by a view whose pattern matches nothing */
	const char
		*failed; /* what an error of run() is about, if not the trace: set by the view, for main()'s message */
	bool mismatch;   /* set by a view that found the trace's own figures to contradict each other */

	FILE *out;
	struct progress *progress; /* for work that takes long */
	bool color;
	bool utf8; /* the terminal or file takes it */
	int width; /* columns of the terminal, 0: no limit */
};

/* Options that a view understands, beside those that all do. */
#define VIEW_PATTERN 1u  /* its argument is a regular expression */
#define VIEW_COMPARES 2u /* shows r->old: --diff */
#define VIEW_KEYS 4u     /* has lines by keys: --sort, --children */
#define VIEW_TURNS 8u    /* has stacks that can begin at their leaves: --bottom-up */
#define VIEW_LIMITS 16u  /* leaves out what is cheap: --percent-limit */
#define VIEW_WHOLE 32u   /* needs all of one trace, and what images say: no filters */
#define VIEW_BINARY 64u  /* makes no text */

struct view {
	const char *name; /* --name */
	const char *arg;  /* the argument's name in --help; NULL: it takes none */
	const char *help;
	unsigned states; /* what --state means when it is not given */
	bool gzip;       /* the format is compressed by nature, whatever the file's name */
	unsigned takes;  /* VIEW_... */
	/* Loads, shows. 0 or a negative errno: reading, writing or memory failed. What is wrong with the trace is in
	 * its health, and no error. */
	int (*run)(struct report *r);
};

extern const struct view *const views[]; /* the first is the default; ends with NULL */

extern const struct view view_flat, view_tree, view_peek, view_list, view_folded, view_stacks;
extern const struct view view_dump, view_header, view_verify;
extern const struct view view_flamegraph, view_svg, view_heatmap;                     /* report/page/ */
extern const struct view view_perf_script, view_pprof, view_firefox, view_speedscope; /* report/export/ */
extern const struct view view_callgrind, view_csv, view_json;
extern const struct view view_archive; /* report/archive/ */

/* Loads all traces into r->profile, and r->old's; hooks hear what counts, not of the old ones. As load_trace(). */
int view_load(struct report *r, const struct load_hooks *hooks);
/* What of the loaded traces is to be folded, and what it is compared with. */
struct fold_request view_request(const struct report *r);
/* What a table's rows are told apart by: --sort, or functions with --by as columns. */
struct keys view_keys(const struct report *r);
/* Loads and folds: 0 or a negative errno, then nothing is to be freed. */
int view_fold(struct report *r, struct fold *fold);
int view_fold_loaded(struct report *r, struct fold *fold); /* the same when all is loaded already */
/* Says why no sample was counted, and what would show some. That it was for filters main() says. */
void view_no_samples(const struct report *r, FILE *out);
/*
 * The whole of a view that is a table: loads, folds, prints by @print, says what it rests on. 0 or a negative errno.
 */
int view_table(struct report *r, int (*print)(struct report *r, struct fold *fold));

#endif
