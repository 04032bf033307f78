/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a function's name matches. */
enum { KNOWN = 1, FOCUS = 2, IGNORE = 4, HIDE = 8, SHOW_FROM = 16 };
/* What has been found of a stack. */
enum { NOT_JUDGED, KEPT, LEFT_OUT };

bool filter_needed(const struct selection *s)
{
	return s->focus.n || s->ignore.n || s->hide.n || s->show_from.n || s->max_stack || s->collapse_recursion;
}

void filter_free(struct filter *f)
{
	free(f->traits);
	free(f->verdicts);
	callchain_free(&f->chain);
	*f = (struct filter){0};
}

static int traits_of(struct filter *f, uint32_t function, unsigned *traits)
{
	const struct selection *s = f->selection;
	const char *name = f->names->functions[function].name;

	if (array_room_zeroed(&f->traits, &f->ntraits, function, sizeof(*f->traits)) != 0)
		return -ENOMEM;
	if (!f->traits[function])
		f->traits[function] = (uint8_t)(KNOWN | (patterns_match(&s->focus, name) ? FOCUS : 0) |
		                                (patterns_match(&s->ignore, name) ? IGNORE : 0) |
		                                (patterns_match(&s->hide, name) ? HIDE : 0) |
		                                (patterns_match(&s->show_from, name) ? SHOW_FROM : 0));
	*traits = f->traits[function];
	return 0;
}

/* --- frames ------------------------------------------------------------------------------------------------------ */

static void drop_outer(struct callchain *c, size_t n)
{
	memmove(c->frames, c->frames + n, (c->n - n) * sizeof(*c->frames));
	c->n -= n;
}

static int show_from(struct filter *f, struct callchain *c)
{
	for (size_t i = 0; i < c->n; i++) {
		unsigned traits;

		if (traits_of(f, c->frames[i].function, &traits) != 0)
			return -ENOMEM;
		if (traits & SHOW_FROM) {
			drop_outer(c, i);
			return 0;
		}
	}
	c->n = 0;
	return 0;
}

static int hide(struct filter *f, struct callchain *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		unsigned traits;

		if (traits_of(f, c->frames[i].function, &traits) != 0)
			return -ENOMEM;
		if (!(traits & HIDE))
			c->frames[kept++] = c->frames[i];
	}
	c->n = kept;
	return 0;
}

/* Of a function that calls itself the innermost frame stays: it has the line that was running. */
static void collapse(struct callchain *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (kept && c->frames[kept - 1].function == c->frames[i].function)
			kept--;
		c->frames[kept++] = c->frames[i];
	}
	c->n = kept;
}

/* [user] and [no stack] are matched like frames. */
static int special_traits(struct filter *f, const char *name, unsigned *traits)
{
	uint32_t function;
	int rc = symbolizer_function(f->names, name, &function);

	return rc == 0 ? traits_of(f, function, traits) : rc;
}

/* Takes those frames out of the whole chain @c that are not to be shown. */
static int trim(struct filter *f, struct callchain *c)
{
	const struct selection *s = f->selection;
	unsigned front = 0;
	int rc = c->user ? special_traits(f, "[user]", &front) : 0;

	if (rc == 0 && s->show_from.n && c->n && !(front & SHOW_FROM))
		rc = show_from(f, c);
	if (rc == 0 && s->hide.n)
		rc = hide(f, c);
	c->user = c->user && !(front & HIDE);
	if (rc == 0 && s->collapse_recursion)
		collapse(c);
	if (rc == 0 && s->max_stack && c->n > s->max_stack)
		drop_outer(c, c->n - s->max_stack);
	return rc;
}

int filter_callchain(struct callchain *c, const struct profile *p, struct symbolizer *names, uint32_t node, bool user)
{
	int rc = callchain_make(c, &p->tree, names, node);

	c->user = user && node != 0;
	return rc == 0 && p->filter ? trim(p->filter, c) : rc;
}

/* --- whole stacks ------------------------------------------------------------------------------------------------ */

static int judge_node(struct filter *f, const struct calltree *tree, uint32_t node, bool user, uint8_t *verdict)
{
	const struct selection *s = f->selection;
	unsigned traits, any = 0;
	int rc = callchain_make(&f->chain, tree, f->names, node);

	f->chain.user = user && node != 0;
	if (rc == 0 && (user || node == 0))
		rc = special_traits(f, node == 0 ? "[no stack]" : "[user]", &any);
	for (size_t i = 0; rc == 0 && i < f->chain.n; i++) {
		rc = traits_of(f, f->chain.frames[i].function, &traits);
		if (rc == 0)
			any |= traits;
	}
	if (rc == 0)
		rc = trim(f, &f->chain);
	if (rc != 0)
		return rc;
	*verdict = KEPT;
	if ((s->focus.n && !(any & FOCUS)) || (any & IGNORE) || (s->show_from.n && !(any & SHOW_FROM)) ||
	    (node != 0 && f->chain.n == 0 && !f->chain.user))
		*verdict = LEFT_OUT;
	return 0;
}

int filter_keeps(struct filter *f, const struct calltree *tree, uint32_t node, bool user)
{
	size_t which = (size_t)node * 2 + user;
	int rc = array_room_zeroed(&f->verdicts, &f->nverdicts, which, sizeof(*f->verdicts));

	if (rc == 0 && f->verdicts[which] == NOT_JUDGED)
		rc = judge_node(f, tree, node, user, &f->verdicts[which]);
	return rc != 0 ? rc : f->verdicts[which] == KEPT;
}
