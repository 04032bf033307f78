/* SPDX-License-Identifier: BSD-2-Clause */
/* view_svg.c - the flame graph as a picture, for documents and mail: no scripts; names and figures are tooltips. */
#include "common/utf8.h"
#include "report/page/page.h"
#include "report/page/palette.h"
#include "report/output/text.h"
#include "report/view/quality.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. */
#define WIDTH 1200.0
#define ROW 18
#define MARGIN 12
#define HEAD 58
#define SEEN_FROM 0.3  /* narrower frames are left out */
#define TEXT_FROM 24.0 /* narrower ones bear no name */
#define LETTER 7.0     /* of the font below */

struct svg {
	const struct report *report;
	const struct fold *fold;
	FILE *out;
	uint64_t *next; /* by depth: samples left of the next frame */
	uint32_t deepest;
};

/* --- where frames lie -------------------------------------------------------------------------------------------- */

static double pixels(const struct svg *s, uint64_t weight)
{
	return (WIDTH - 2 * MARGIN) * (double)weight / (double)s->fold->total[FOLD_NEW];
}

/* Calls @visit for each frame that is wide enough, callers first; @left: samples left of it. */
static void each_frame(struct svg *s, void (*visit)(struct svg *s, const struct fold_node *node, uint64_t left))
{
	s->next[0] = 0;
	for (size_t i = 0; i < s->fold->n; i++) {
		const struct fold_node *node = &s->fold->nodes[i];
		uint64_t weight = node->w.total[FOLD_NEW], left = s->next[node->depth];

		s->next[node->depth] += weight;
		s->next[node->depth + 1] = left;
		if (pixels(s, weight) >= SEEN_FROM)
			visit(s, node, left);
		else
			i += node->below;
	}
}

static void note_depth(struct svg *s, const struct fold_node *node, uint64_t left)
{
	(void)left;
	if (node->depth > s->deepest)
		s->deepest = node->depth;
}

/* --- drawing ----------------------------------------------------------------------------------------------------- */

/* As many letters as the frame has room for; whole characters of UTF-8. */
static void put_frame_label(const struct svg *s, const char *name, double width)
{
	size_t room = (size_t)((width - 8) / LETTER), bytes = 0, letters = 0;
	size_t all = (size_t)text_columns(name);

	for (; name[bytes] && letters < (all <= room ? all : room - 1); letters++)
		do
			bytes++;
		while (utf8_is_continuation(name[bytes]));
	text_xml(s->out, name, bytes);
	if (all > room)
		fputs("\u2026", s->out);
}

static void put_figures(const struct svg *s, uint64_t weight)
{
	const char *one = s->fold->unit == UNIT_PERIODS ? "period" : "sample";

	if (s->fold->unit == UNIT_CPU || s->fold->unit == UNIT_TIME)
		fputs(text_time(weight).s, s->out);
	else
		fprintf(s->out, "%s %s%s", text_count(weight).s, one, weight == 1 ? "" : "s");
	fprintf(s->out, ", %s", text_share(weight, s->fold->whole[FOLD_NEW]).s);
}

static void draw_frame(struct svg *s, const struct fold_node *node, uint64_t left)
{
	bool all = node->function == FOLD_NONE;
	const char *name = all ? "all" : s->report->run->names.functions[node->function].name;
	uint64_t weight = node->w.total[FOLD_NEW];
	double x = MARGIN + pixels(s, left), width = pixels(s, weight);
	uint32_t y = HEAD + (s->deepest - node->depth) * ROW;

	fputs("<g><title>", s->out);
	text_xml(s->out, name, strlen(name));
	fputs(": ", s->out);
	put_figures(s, weight);
	fprintf(s->out, "</title><rect x=\"%.2f\" y=\"%" PRIu32 "\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", x, y,
	        width - (width > 2 ? 0.5 : width / 4), ROW - 1,
	        palette_light(palette_colour(name, all ? FOLD_GROUP : node->kind)));
	if (width >= TEXT_FROM) {
		fprintf(s->out, "<text x=\"%.2f\" y=\"%" PRIu32 "\">", x + 4, y + 13);
		put_frame_label(s, name, width);
		fputs("</text>", s->out);
	}
	fputs("</g>\n", s->out);
}

static void draw_head(struct svg *s, const char *title, uint32_t height)
{
	const struct counters *t = &s->report->run->profile.counters;
	uint64_t wall = recording_duration(s->report->run);
	uint64_t samples = profile_count(&s->report->run->profile, s->report->selection->states);
	const struct quality_stacks stacks = quality_stacks(t, s->report->selection->states);

	fprintf(s->out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%" PRIu32
	        "\" viewBox=\"0 0 %.0f %" PRIu32
	        "\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, monospace\" "
	        "font-size=\"11.5\" fill=\"#1b1f24\">\n<title>",
	        WIDTH, height, WIDTH, height);
	text_xml(s->out, title, strlen(title));
	fprintf(s->out,
	        "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
	        "<text x=\"%d\" y=\"26\" font-size=\"17\" "
	        "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-weight=\"bold\">",
	        MARGIN);
	text_xml(s->out, title, strlen(title));
	fprintf(s->out,
	        "</text>\n<text x=\"%d\" y=\"46\" fill=\"#5b6470\" "
	        "font-family=\"system-ui, 'DejaVu Sans', sans-serif\">"
	        "%s samples, "
	        "%s recorded, %s lost, ",
	        MARGIN, text_count(samples).s, text_time(wall).s, text_count(counters_lost(t)).s);
	fprintf(s->out, "%s of stacks broken, %s paused%s</text>\n",
	        text_share(stacks.broken, stacks.whole + stacks.truncated + stacks.broken).s,
	        text_time(t->pause.sum_ns).s, recording_sound(s->report->run) ? "" : "; the trace is incomplete");
}

static void draw_svg(struct svg *s, const char *title)
{
	bool any = s->fold->total[FOLD_NEW] > 0;

	if (any)
		each_frame(s, note_depth);
	draw_head(s, title, HEAD + (s->deepest + 1) * ROW + MARGIN);
	if (any)
		each_frame(s, draw_frame);
	else
		fprintf(s->out, "<text x=\"%d\" y=\"%d\">No samples were counted.</text>\n", MARGIN, HEAD + 13);
	fputs("</svg>\n", s->out);
}

static int write_svg(const struct report *r, struct fold *fold)
{
	struct svg s = {.report = r, .fold = fold, .out = r->out.file};
	char *title = page_title(&r->run->traces.session);
	uint32_t most = 0;
	int rc = -ENOMEM;

	for (size_t i = 0; i < fold->n; i++)
		most = fold->nodes[i].depth > most ? fold->nodes[i].depth : most;
	s.next = calloc(most + 2, sizeof(*s.next));
	if (title && s.next) {
		draw_svg(&s, title);
		view_end(r, fold, fold->samples);
		rc = 0;
	}
	free(title);
	free(s.next);
	return rc;
}

const struct view view_svg = {
	.name = "svg",
	.help = "flame graph as an SVG picture, without scripts",
	.endings = {".svg"},
	.states = STATES_CPU,
	.takes = VIEW_GROUPS | VIEW_FILE,
	.write = write_svg,
	.page = true,
};
