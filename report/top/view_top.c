/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_top.c - a screen that shows a trace while it is written, and answers to keys: `uniprof-record -o - DOMAIN |
 * uniprof-report --top -`. A thread of its own loads the trace, and holds the lock but while it waits for more.
 */
#include "report/top/screen.h"

#include "common/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>

#define REFRESH_NS 1000000000u
#define WINDOW_NS UINT64_C(10000000000) /* what is recent */
#define MARK_NS 1000000000u             /* of the trace, and of the clock: more would cost more than they tell */
#define LAST_WAIT_S 2                   /* for a reader that has got half a block */

struct top {
	const struct report *r;
	struct screen screen;
	pthread_mutex_t lock;
	int quit[2];        /* a pipe: a byte ends the loading */
	uint64_t changes;   /* blocks loaded */
	uint64_t marked_ns; /* time of the trace at the last mark */
	uint64_t marked_at; /* clock */
	bool loaded;
	int rc; /* of the loading */
};

/* --- loading ----------------------------------------------------------------------------------------------------- */

static int mark(struct top *t)
{
	const struct profile *p = &t->r->run->profile;
	uint64_t now = clock_now();

	if (t->screen.frozen || p->counters.last_ns < t->marked_ns + MARK_NS || now < t->marked_at + MARK_NS / 2)
		return 0;
	t->marked_ns = p->counters.last_ns;
	t->marked_at = now;
	return window_mark(&t->screen.shown.window, p, t->marked_ns);
}

/* Until there is more of a pipe, or the user quits. Reading a file does not wait. */
static int await_more(struct top *t)
{
	struct pollfd p[] = {{.fd = t->quit[0], .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
	const struct traces *traces = &t->r->run->traces;
	bool stream = traces->n == 1 && strcmp(traces->list[0].path, "-") == 0;

	while (poll(p, stream ? 2 : 1, stream ? -1 : 0) < 0 && errno == EINTR)
		;
	return p[0].revents ? -ECANCELED : 0;
}

static int wait_for_block(void *ctx, bool begins)
{
	struct top *t = ctx;
	int rc;

	if (!begins) {
		pthread_mutex_lock(&t->lock);
		return 0;
	}
	rc = mark(t);
	t->changes++;
	pthread_mutex_unlock(&t->lock);
	return rc != 0 ? rc : await_more(t);
}

static void *load(void *ctx)
{
	struct top *t = ctx;
	const struct load_hooks hooks = {.ctx = t, .waits = wait_for_block};

	pthread_mutex_lock(&t->lock);
	t->rc = recording_load(t->r->run, &hooks, NULL);
	t->changes++;
	t->loaded = true;
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Signals are the screen's. 0 or a negative errno. */
static int start_loading(struct top *t, pthread_t *thread)
{
	sigset_t all, old;
	int rc;

	if (pipe2(t->quit, O_CLOEXEC) != 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = -pthread_create(thread, NULL, load, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* The program ends at once if the trace's writer has stopped in the middle of a block. */
static void end_loading(struct top *t, pthread_t thread)
{
	struct timespec until;

	if (write(t->quit[1], "", 1) < 0)
		_exit(1);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LAST_WAIT_S;
	if (pthread_timedjoin_np(thread, NULL, &until) != 0)
		_exit(0);
	close(t->quit[0]);
	close(t->quit[1]);
}

/* --- keys -------------------------------------------------------------------------------------------------------- */

static void show_as(struct screen *s, enum shown_as as)
{
	s->request.as = as;
	s->selected = s->zoomed = 0;
	s->at = s->first = 0;
}

static void select_row(struct screen *s, long to)
{
	long n = (long)s->shown.nrows;

	to = to >= n ? n - 1 : to;
	s->at = to > 0 ? (size_t)to : 0;
	s->selected = s->at ? s->shown.rows[s->at].key : 0;
}

/* True: it was one that moves. */
static bool move_by(struct screen *s, int key)
{
	const long page = screen_room() - 1, at = (long)s->at;
	const struct {
		int key;
		long to;
		enum screen_way way;
	} moves[] = {{KEY_UP, at - 1, SCREEN_UP},       {'k', at - 1, SCREEN_UP},
	             {KEY_DOWN, at + 1, SCREEN_DOWN},   {'j', at + 1, SCREEN_DOWN},
	             {KEY_PPAGE, at - page, SCREEN_UP}, {KEY_NPAGE, at + page, SCREEN_DOWN},
	             {KEY_HOME, 0, SCREEN_UP},          {KEY_END, (long)s->shown.nrows - 1, SCREEN_DOWN},
	             {KEY_LEFT, at, SCREEN_LEFT},       {KEY_RIGHT, at, SCREEN_RIGHT}};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].key != key)
			continue;
		if (s->request.as == SHOWN_FLAME)
			screen_walk(s, moves[i].way);
		else
			select_row(s, moves[i].to);
		return true;
	}
	return false;
}

static int enter(struct screen *s)
{
	const struct shown_row *row = s->at < s->shown.nrows ? &s->shown.rows[s->at] : NULL;

	if (s->request.as == SHOWN_FLAME) {
		s->zoomed = s->selected;
	} else if (row && s->request.as == SHOWN_TREE) {
		s->selected = row->key;
		return shown_turn(&s->shown, row->key);
	} else if (row && row->function != FOLD_NONE) {
		show_as(s, SHOWN_CALLS);
		s->request.function = row->function;
		s->selected = UINT64_MAX; /* itself */
	}
	return 0;
}

static void go_back(struct screen *s)
{
	if (s->request.as == SHOWN_CALLS) {
		show_as(s, SHOWN_TABLE);
		s->selected = s->request.function;
	} else if (s->request.as == SHOWN_FLAME) {
		s->zoomed = 0;
	}
	s->help = false;
}

static void search_next(struct screen *s)
{
	const struct shown *shown = &s->shown;

	for (size_t i = 1; s->search.n && i <= shown->nrows; i++) {
		size_t at = (s->at + i) % shown->nrows;

		if (patterns_match(&s->search, shown_name(shown, shown->rows[at].function))) {
			select_row(s, (long)at);
			return;
		}
	}
}

/* Without the lock: it waits for keys. */
static void ask_search(struct screen *s)
{
	static char why[256];

	if (!screen_ask(s, "Search (regular expression): ", s->wanted, sizeof(s->wanted)))
		return;
	patterns_free(&s->search);
	s->search = (struct patterns){0};
	if (s->wanted[0] && patterns_add(&s->search, s->wanted, why, sizeof(why)) != 0)
		s->message = why;
}

/* All, then one after the other: of @n. */
static uint32_t next_one(uint32_t now, uint32_t n)
{
	if (n < 2)
		return SHOWN_ALL;
	return now == SHOWN_ALL ? 0 : now + 1 < n ? now + 1 : SHOWN_ALL;
}

static uint32_t vcpus_of(const struct top *t)
{
	const struct profile *p = &t->r->run->profile;
	uint32_t n = 0, domain = t->screen.request.domain;

	for (size_t i = 0; i < p->nstacks; i++)
		if ((domain == SHOWN_ALL || p->stacks[i].domain == domain) && p->stacks[i].vcpu >= n)
			n = p->stacks[i].vcpu + 1u;
	return n;
}

static int freeze(struct top *t)
{
	struct screen *s = &t->screen;
	const struct profile *p = &t->r->run->profile;

	s->frozen = !s->frozen;
	s->request.until = s->frozen ? &s->until : NULL;
	return s->frozen ? window_note(&s->until, p, p->counters.last_ns) : 0;
}

/* 1: the user quits; 0; -ENOMEM. */
static int obey(struct top *t, int key)
{
	struct screen *s = &t->screen;

	s->message = NULL;
	if (key == 'h' || key == '?')
		s->help = !s->help;
	else if (key == 'q')
		return 1;
	else if (key == '1' || key == '2' || key == '3')
		show_as(s, key == '1' ? SHOWN_TABLE : key == '2' ? SHOWN_TREE : SHOWN_FLAME);
	else if (key == '\t')
		show_as(s, s->request.as == SHOWN_TABLE  ? SHOWN_TREE
		           : s->request.as == SHOWN_TREE ? SHOWN_FLAME
		                                         : SHOWN_TABLE);
	else if (key == '\r' || key == '\n' || key == KEY_ENTER)
		return enter(s);
	else if (key == KEY_BACKSPACE || key == 127 || key == 27 || key == 'u')
		go_back(s);
	else if (key == 's')
		s->request.order = (s->request.order + 1) % SHOWN_ORDERS;
	else if (key == 'w')
		s->request.last_ns = s->request.last_ns ? 0 : WINDOW_NS;
	else if (key == 'v')
		s->request.vcpu = next_one(s->request.vcpu, vcpus_of(t));
	else if (key == 'g')
		s->request.domain = next_one(s->request.domain, (uint32_t)t->r->run->traces.session.ndomains);
	else if (key == 'f' || key == ' ')
		return freeze(t);
	else if (key == 'n')
		search_next(s);
	else if (!move_by(s, key))
		return 0;
	if (key != KEY_RESIZE)
		s->help &= key == 'h' || key == '?';
	return 0;
}

/* --- the screen -------------------------------------------------------------------------------------------------- */

/* What has changed is folded once a second, and what a key has asked for at once. 0 or a negative errno. */
static int refresh_screen(struct top *t, int key, uint64_t *shown, uint64_t *next_ns)
{
	struct screen *s = &t->screen;
	uint64_t now = clock_now();
	int rc = 0;

	s->ended = t->loaded;
	if (key != -1 || (t->changes != *shown && !s->frozen && now >= *next_ns)) {
		rc = shown_make(&s->shown, &s->request);
		*shown = t->changes;
		*next_ns = now + REFRESH_NS;
	}
	if (rc == 0)
		screen_draw(s);
	return rc;
}

static int show(struct top *t)
{
	uint64_t shown = 0, next_ns = 0;
	int key = 0, rc = 0;

	while (rc == 0 && !screen_signal()) {
		pthread_mutex_lock(&t->lock);
		rc = t->loaded && t->rc != 0 ? 1 : refresh_screen(t, key, &shown, &next_ns);
		pthread_mutex_unlock(&t->lock);
		if (rc != 0)
			break;
		key = screen_key();
		if (key == '/') {
			ask_search(&t->screen);
			continue;
		}
		if (key == -1)
			continue;
		pthread_mutex_lock(&t->lock);
		rc = obey(t, key);
		pthread_mutex_unlock(&t->lock);
	}
	return rc < 0 ? rc : 0;
}

static int run_top(const struct report *r, struct view_result *found)
{
	struct top t = {.r = r,
	                .screen = {.shown = {.r = r},
	                           .request = {.last_ns = WINDOW_NS, .domain = SHOWN_ALL, .vcpu = SHOWN_ALL},
	                           .color = r->out.color,
	                           .utf8 = r->out.utf8},
	                .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = screen_open(&t.screen, r->out.keys);
	pthread_t thread;

	found->failed = "the terminal";
	if (rc == 0)
		rc = start_loading(&t, &thread);
	if (rc == 0) {
		rc = show(&t);
		screen_close();
		end_loading(&t, thread);
		found->failed = NULL;
		found->left = t.rc == -ECANCELED;
		rc = rc == 0 && !found->left ? t.rc : rc;
	}
	screen_close();
	shown_free(&t.screen.shown);
	patterns_free(&t.screen.search);
	free(t.screen.until.of);
	if (screen_signal() && screen_signal() != SIGINT) {
		signal(screen_signal(), SIG_DFL);
		raise(screen_signal());
	}
	return rc;
}

const struct view view_top = {
	.name = "top",
	.help = "a screen that shows a trace while it is recorded; keys sort, search, zoom; h for help",
	.states = STATES_CPU,
	.takes = VIEW_SCREEN | VIEW_CONFINED,
	.run = run_top,
};
