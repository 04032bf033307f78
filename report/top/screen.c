/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/top/screen.h"

#include "report/page/palette.h"
#include "report/view/quality.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>

#define HEAD_LINES 4 /* above the rows, with their titles */
#define KEY_WAIT_MS 200
#define LEAST_LINES 6
#define LEAST_COLUMNS 20
#define SHARES "%6.1f%% "
#define SHARES_COLUMNS 24 /* three of them */

enum { PLAIN_PAIR = 0, FIRST_PAIR = 1 };

static FILE *key_file;
static volatile sig_atomic_t signal_number;

/* --- the terminal ------------------------------------------------------------------------------------------------ */

/* The nearest of the 6x6x6 colours that terminals of 256 have. */
static short cube_colour(const char *rrggbb)
{
	unsigned long rgb = strtoul(rrggbb + 1, NULL, 16);
	unsigned r = (unsigned)(rgb >> 16 & 255), g = (unsigned)(rgb >> 8 & 255), b = (unsigned)(rgb & 255);

	return (short)(16 + 36 * ((r + 25) / 51) + 6 * ((g + 25) / 51) + (b + 25) / 51);
}

static void start_colours(void)
{
	static const short few[] = {COLOR_YELLOW, COLOR_GREEN, COLOR_CYAN, COLOR_MAGENTA, COLOR_RED, COLOR_WHITE};

	start_color();
	use_default_colors();
	for (unsigned i = 0; i < PALETTE_COLOURS && FIRST_PAIR + (int)i < COLOR_PAIRS; i++) {
		short colour = COLORS >= 256 ? cube_colour(palette_light(i)) : few[i % (sizeof(few) / sizeof(few[0]))];

		init_pair((short)(FIRST_PAIR + i), COLOR_BLACK, colour);
	}
}

static void on_signal(int number)
{
	signal_number = number;
}

int screen_signal(void)
{
	return signal_number;
}

/* The terminal is given back by who asks for screen_signal(): no handler can. Those that are ignored stay so. */
static void take_signals(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};
	const struct sigaction action = {.sa_handler = on_signal};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

int screen_open(struct screen *s, int keys)
{
	int copy = fcntl(keys, F_DUPFD_CLOEXEC, 0);

	key_file = copy >= 0 ? fdopen(copy, "r") : NULL;
	if (!key_file)
		return -errno;
	if (!newterm(NULL, stdout, key_file))
		return -ENOTTY;
	take_signals();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	timeout(KEY_WAIT_MS);
	set_escdelay(25);
	s->color = s->color && has_colors();
	if (s->color)
		start_colours();
	return 0;
}

void screen_close(void)
{
	if (stdscr && !isendwin())
		endwin();
}

/* The kernel sends SIGHUP to the session's leader alone, and that may be the recorder. */
static bool is_terminal_gone(void)
{
	struct pollfd p = {.fd = fileno(key_file), .events = POLLIN};

	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int screen_key(void)
{
	int key = getch();

	if (key == ERR && is_terminal_gone())
		signal_number = SIGHUP;
	return key == ERR ? -1 : key;
}

int screen_room(void)
{
	return LINES > HEAD_LINES + 1 ? LINES - HEAD_LINES - 1 : 1;
}

/* --- text -------------------------------------------------------------------------------------------------------- */

static const char *separator(const struct screen *s)
{
	return s->utf8 ? " \u00b7 " : " | ";
}

/* @text in at most @columns of the line, cut with an ellipsis. How many it takes. */
static int put_text(const struct screen *s, int y, int x, const char *text, int columns)
{
	int all = text_columns(text), n = 0;
	size_t bytes = 0;

	if (columns <= 0)
		return 0;
	while (text[bytes] && (n < columns - (all > columns) || (text[bytes] & 0xc0) == 0x80))
		n += (text[bytes++] & 0xc0) != 0x80;
	mvaddnstr(y, x, text, (int)bytes);
	if (all > columns)
		addstr(s->utf8 ? "\u2026" : "~");
	return all > columns ? columns : all;
}

static bool is_found(const struct screen *s, uint32_t function)
{
	return s->search.n && patterns_match(&s->search, shown_name(&s->shown, function));
}

/* --- the head ---------------------------------------------------------------------------------------------------- */

static void append(char *text, size_t size, const char *between, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s", len ? between : "", more);
}

static void tell_guests(const struct screen *s, char *text, size_t size)
{
	const struct upf_session *session = &s->shown.r->run->traces.session;
	char name[128];

	for (uint32_t d = 0; d < session->ndomains; d++) {
		if (s->request.domain != SHOWN_ALL && s->request.domain != d)
			continue;
		domain_text(session, d, name, sizeof(name));
		append(text, size, ", ", name);
	}
}

static void draw_title(const struct screen *s)
{
	const struct upf_session *session = &s->shown.r->run->traces.session;
	char text[512] = "", more[64];

	tell_guests(s, text, sizeof(text));
	if (s->request.vcpu != SHOWN_ALL) {
		snprintf(more, sizeof(more), "vCPU %u only", s->request.vcpu);
		append(text, sizeof(text), separator(s), more);
	}
	snprintf(more, sizeof(more), "%g Hz", (double)session->rate_mhz / 1000);
	append(text, sizeof(text), separator(s), more);
	snprintf(more, sizeof(more), "%s %s", s->shown.since_start ? "all" : "last", text_time(s->shown.span_ns).s);
	append(text, sizeof(text), separator(s), more);
	if (s->frozen || s->ended)
		append(text, sizeof(text), separator(s), s->ended ? "ended" : "frozen");
	attron(A_REVERSE);
	mvhline(0, 0, ' ', COLS);
	put_text(s, 0, 1, text, COLS - 2);
	attroff(A_REVERSE);
}

static void draw_quality(const struct screen *s)
{
	const struct recording *run = s->shown.r->run;
	const struct counters *c = &run->profile.counters;
	const struct quality_stacks stacks = quality_stacks(c, s->shown.r->selection->states);
	uint64_t all = stacks.whole + stacks.truncated + stacks.broken, time = recording_guest_time(run);
	char text[512] = "", more[128];

	snprintf(more, sizeof(more), "%s samples", text_count(c->samples).s);
	append(text, sizeof(text), separator(s), more);
	snprintf(more, sizeof(more), "%s lost", text_count(counters_lost(c)).s);
	append(text, sizeof(text), separator(s), more);
	snprintf(more, sizeof(more), "%s whole", text_share(stacks.whole, all).s);
	append(text, sizeof(text), separator(s), more);
	if (c->pause.count) {
		snprintf(more, sizeof(more), "sampling cost %.2f%%, p50 %s",
		         time ? 100.0 * (double)c->pause.sum_ns / (double)time : 0.0,
		         text_time(upf_hist_quantile(&c->pause, 500)).s);
		append(text, sizeof(text), separator(s), more);
	}
	put_text(s, 1, 1, text, COLS - 2);
}

/* How long each vCPU was at work in what is shown. */
static void draw_vcpus(const struct screen *s)
{
	struct vcpu_list list;
	char text[1024] = "vCPUs", more[64];

	if (s->shown.folded && profile_vcpus(&s->shown.recent, &list) == 0) {
		for (size_t i = 0; i < list.n; i++) {
			const struct vcpu_states *v = &list.v[i];
			uint64_t all = 0;

			for (unsigned state = 0; state < COUNTERS_STATES; state++)
				all += v->time[state];
			if (!all)
				continue;
			snprintf(more, sizeof(more), " %u: %.0f%%", v->vcpu,
			         100.0 * (double)v->time[UPF_RUNNING] / (double)all);
			append(text, sizeof(text), i ? "," : "", more);
		}
		append(text, sizeof(text), " ", "running");
		put_text(s, 2, 1, text, COLS - 2);
	}
	if (s->shown.folded)
		hash_array_free(&list.by_vcpu);
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static void draw_titles(const struct screen *s)
{
	static const char *const orders[] = {"Self", "Total", "Change", "Function"};
	const char *columns[] = {"Self", "Total", "Change"};

	attron(A_BOLD);
	for (int i = 0; i < 3; i++)
		mvprintw(HEAD_LINES - 1, 8 * i, "%7s", columns[i]);
	mvaddstr(HEAD_LINES - 1, SHARES_COLUMNS + 1, "Function");
	attroff(A_BOLD);
	if (s->request.as == SHOWN_TABLE)
		printw("  (by %s)", orders[s->request.order]);
	else if (s->request.as == SHOWN_CALLS)
		addstr(": callers, itself, callees");
}

static void draw_row(const struct screen *s, int y, const struct shown_row *row, bool selected)
{
	int x = SHARES_COLUMNS + 1, room = COLS - x - 12;
	int indent = 2 * (int)row->indent < room ? 2 * (int)row->indent : room > 0 ? room : 0;
	char sign[16] = "";

	if (s->shown.fold.total[FOLD_OLD])
		snprintf(sign, sizeof(sign), "%+.1f", 100 * row->change);
	if (selected)
		attron(A_REVERSE);
	if (is_found(s, row->function))
		attron(A_BOLD | A_UNDERLINE);
	mvhline(y, 0, ' ', COLS);
	mvprintw(y, 0, SHARES SHARES "%7s", 100 * row->self, 100 * row->total, sign);
	if (row->mark != ' ')
		mvaddch(y, x + indent, (chtype)row->mark);
	x += indent + (row->mark != ' ' || s->request.as == SHOWN_TREE ? 2 : 0);
	put_text(s, y, x, shown_name(&s->shown, row->function), COLS - x);
	attrset(A_NORMAL);
}

/* The selected row is where its function is now, or else where it was. */
static void find_selected(struct screen *s)
{
	size_t room = (size_t)screen_room(), n = s->shown.nrows;

	for (size_t i = 0; s->selected && i < n; i++)
		if (s->shown.rows[i].key == s->selected)
			s->at = i;
	if (s->at >= n)
		s->at = n ? n - 1 : 0;
	if (s->at < s->first)
		s->first = s->at;
	if (s->at >= s->first + room)
		s->first = s->at - room + 1;
}

static void draw_rows(struct screen *s)
{
	find_selected(s);
	draw_titles(s);
	for (int y = 0; y < screen_room() && s->first + (size_t)y < s->shown.nrows; y++)
		draw_row(s, HEAD_LINES + y, &s->shown.rows[s->first + (size_t)y], s->first + (size_t)y == s->at);
	if (s->shown.nrows == 0)
		mvaddstr(HEAD_LINES, 1, s->ended ? "No sample counts." : "Waiting for samples.");
}

/* --- the flame graph --------------------------------------------------------------------------------------------- */

static void draw_block(const struct screen *s, int y, int x, int columns, uint32_t n)
{
	const struct fold_node *node = &s->shown.fold.nodes[n];
	const char *name = n ? shown_name(&s->shown, node->function) : "all";
	bool selected = s->shown.paths[n] == s->selected, found = n && is_found(s, node->function);

	if (s->color && !selected)
		attron(COLOR_PAIR(found ? PLAIN_PAIR : FIRST_PAIR + (int)palette_colour(name, node->kind)));
	if (selected || (found && s->color))
		attron(A_REVERSE | A_BOLD);
	mvhline(y, x, ' ', columns);
	if (s->color)
		put_text(s, y, x, name, columns > 1 ? columns - 1 : columns);
	else if (columns > 2)
		put_text(s, y, x + 1, name, columns - 2);
	if (!s->color) {
		mvaddch(y, x, found ? '*' : '[');
		if (columns > 1)
			mvaddch(y, x + columns - 1, ']');
	}
	attrset(A_NORMAL);
}

/* What is below a node, each part as wide as its weight. */
static void draw_below(const struct screen *s, uint32_t n, int y, double x, double columns, int first)
{
	const struct fold_node *nodes = s->shown.fold.nodes;
	double all = (double)nodes[n].w.total[FOLD_NEW];

	for (uint32_t c = n + 1; y < HEAD_LINES - 1 + first + screen_room() + 1 && c <= n + nodes[n].below;
	     c += nodes[c].below + 1) {
		double part = all > 0 ? columns * (double)nodes[c].w.total[FOLD_NEW] / all : 0;
		int from = (int)(x + 0.5), to = (int)(x + part + 0.5);

		if (to > from && y >= HEAD_LINES - 1 + first)
			draw_block(s, y - first, from, to - from, c);
		if (to > from)
			draw_below(s, c, y + 1, x, part, first);
		x += part;
	}
}

static uint32_t ancestor(const struct fold_node *nodes, uint32_t n, uint32_t depth)
{
	while (nodes[n].depth > depth)
		n = nodes[n].parent;
	return n;
}

static void draw_flame(struct screen *s)
{
	const struct shown *shown = &s->shown;
	uint32_t zoomed, selected;
	int first;

	if (!shown->folded || shown->fold.total[FOLD_NEW] == 0) {
		mvaddstr(HEAD_LINES, 1, s->ended ? "No sample counts." : "Waiting for samples.");
		return;
	}
	zoomed = shown_node(shown, s->zoomed);
	selected = shown_node(shown, s->selected);
	if (selected == 0)
		s->selected = shown->paths[0];
	first = (int)shown->fold.nodes[selected].depth - screen_room() + 1;
	first = first > 0 ? first : 0;
	for (uint32_t d = 0; d <= shown->fold.nodes[zoomed].depth; d++)
		if ((int)d >= first && (int)d - first <= screen_room())
			draw_block(s, HEAD_LINES - 1 + (int)d - first, 0, COLS,
			           ancestor(shown->fold.nodes, zoomed, d));
	draw_below(s, zoomed, HEAD_LINES + (int)shown->fold.nodes[zoomed].depth, 0, COLS, first);
}

/* The neighbour of @n that has some weight, or @n. */
static uint32_t neighbour(const struct fold_node *nodes, uint32_t n, bool after)
{
	uint32_t parent = nodes[n].parent, last = n;

	if (n == 0)
		return n;
	for (uint32_t c = parent + 1; c <= parent + nodes[parent].below; c += nodes[c].below + 1) {
		if (nodes[c].w.total[FOLD_NEW] == 0)
			continue;
		if (!after && c == n)
			return last;
		if (after && last != n && c > n)
			return c;
		if (after && c > n)
			return c;
		last = c;
	}
	return n;
}

static uint32_t heaviest_below(const struct fold_node *nodes, uint32_t n)
{
	uint32_t best = n;
	uint64_t weight = 0;

	for (uint32_t c = n + 1; c <= n + nodes[n].below; c += nodes[c].below + 1) {
		if (nodes[c].w.total[FOLD_NEW] > weight) {
			weight = nodes[c].w.total[FOLD_NEW];
			best = c;
		}
	}
	return best;
}

void screen_walk(struct screen *s, enum screen_way way)
{
	const struct fold_node *nodes = s->shown.fold.nodes;
	uint32_t n;

	if (!s->shown.folded)
		return;
	n = shown_node(&s->shown, s->selected);
	if (way == SCREEN_UP)
		n = n ? nodes[n].parent : 0;
	else if (way == SCREEN_DOWN)
		n = heaviest_below(nodes, n);
	else
		n = neighbour(nodes, n, way == SCREEN_RIGHT);
	s->selected = s->shown.paths[n];
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static void draw_help(void)
{
	static const char *const lines[] = {
		"1  functions        2  call tree        3  flame graph      Tab  the next one",
		"Enter      callers and callees; of the tree: open, close; of the flame graph: zoom",
		"Backspace  back, or out of the zoom",
		"arrows, PgUp, PgDn, Home, End   select",
		"s  sort by self, total, change, name",
		"w  the last 10 s, or all since the beginning",
		"v  each vCPU alone  g  each guest alone",
		"/  search, by a regular expression      n  the next one found",
		"Space, f  freeze    h, ?  this help     q  quit",
		"",
		"Change: by how much the share has grown since the 10 s before, in points.",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		mvaddnstr(HEAD_LINES + (int)i, 1, lines[i], COLS - 2);
}

/* Of the flame graph what is selected, as blocks may be too narrow for its name. */
static void draw_foot(const struct screen *s)
{
	char text[512] = "1 functions  2 tree  3 flame graph  Enter callers  / search  h help  q quit";
	uint32_t n;

	if (s->message) {
		snprintf(text, sizeof(text), "%s", s->message);
	} else if (s->request.as == SHOWN_FLAME && s->shown.folded) {
		const struct fold *f = &s->shown.fold;

		n = shown_node(&s->shown, s->selected);
		snprintf(text, sizeof(text), "%.1f%% total, %.1f%% self: %s",
		         100 * fold_share(f, f->nodes[n].w.total[FOLD_NEW]),
		         100 * fold_share(f, f->nodes[n].w.self[FOLD_NEW]),
		         n ? shown_name(&s->shown, f->nodes[n].function) : "all");
	}
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	put_text(s, LINES - 1, 1, text, COLS - 2);
	attroff(A_REVERSE);
}

void screen_draw(struct screen *s)
{
	erase();
	if (LINES < LEAST_LINES || COLS < LEAST_COLUMNS) {
		mvaddnstr(0, 0, "too small", COLS);
		refresh();
		return;
	}
	draw_title(s);
	draw_quality(s);
	draw_vcpus(s);
	if (s->help)
		draw_help();
	else if (s->request.as == SHOWN_FLAME)
		draw_flame(s);
	else
		draw_rows(s);
	draw_foot(s);
	refresh();
}

bool screen_ask(struct screen *s, const char *prompt, char *text, size_t size)
{
	size_t len = strlen(text);
	char line[SCREEN_SEARCH + 32];
	int key = 0;

	while (key != '\r' && key != '\n' && key != KEY_ENTER) {
		snprintf(line, sizeof(line), "%s%s_", prompt, text);
		s->message = line;
		draw_foot(s);
		refresh();
		key = screen_key();
		if (key == 27 || signal_number)
			break;
		if ((key == KEY_BACKSPACE || key == 127 || key == 8) && len > 0)
			text[--len] = '\0';
		else if (key >= ' ' && key < 256 && key != 127 && len + 1 < size)
			text[len++] = (char)key, text[len] = '\0';
	}
	s->message = NULL;
	return key == '\r' || key == '\n' || key == KEY_ENTER;
}
