/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold/display_stack.h"
#include "report/input/scope.h"
#include "report/isa/isa.h"
#include "report/profile/filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void display_stacks_free(struct display_stacks *r)
{
	callchain_free(&r->chain);
	callchain_free(&r->whole);
	free(r->translated);
	*r = (struct display_stacks){0};
}

/* --- frames that stand for no code ------------------------------------------------------------------------------- */

static int push_name(struct display_stacks *r, const char *name)
{
	struct callchain_frame frame = {.caller = true};
	int rc = symbolizer_function(r->common, name, &frame.function);

	return rc == 0 ? callchain_push(&r->chain, &frame) : rc;
}

enum { DOMAIN, VCPU, SPACE };

void space_text(uint64_t space, char *text, size_t size)
{
	snprintf(text, size, space ? "%#" PRIx64 : "[unknown]", space);
}

static int push_number(struct display_stacks *r, int what, uint64_t number)
{
	char text[256];
	int rc;

	if (r->last[what].known && r->last[what].number == number)
		return callchain_push(&r->chain,
		                      &(struct callchain_frame){.function = r->last[what].function, .caller = true});
	if (what == DOMAIN)
		domain_text(r->session, (uint32_t)number, text, sizeof(text));
	else if (what == VCPU)
		snprintf(text, sizeof(text), "[vcpu %" PRIu64 "]", number);
	else
		snprintf(text, sizeof(text), number ? "[space %#" PRIx64 "]" : "[unknown space]", number);
	rc = push_name(r, text);
	if (rc != 0)
		return rc;
	r->last[what].known = true;
	r->last[what].number = number;
	r->last[what].function = r->chain.frames[r->chain.n - 1].function;
	return 0;
}

static int push_root(struct display_stacks *r, const struct stack *s)
{
	int rc = 0;

	if (r->domains)
		rc = push_number(r, DOMAIN, s->domain);
	if (rc == 0 && r->vcpus)
		rc = push_number(r, VCPU, s->vcpu);
	if (rc == 0 && r->spaces)
		rc = push_number(r, SPACE, s->space);
	return rc;
}

/* --- its frames -------------------------------------------------------------------------------------------------- */

static int translate(struct display_stacks *r, uint32_t *function)
{
	uint32_t from = *function;
	int rc = 0;

	if (r->names == r->common)
		return 0;
	if (array_room_zeroed(&r->translated, &r->ntranslated, from, sizeof(*r->translated)) != 0)
		return -ENOMEM;
	*function = r->translated[from] - 1;
	if (r->translated[from] == 0)
		rc = symbolizer_like(r->common, &r->names->functions[from], function);
	if (rc == 0)
		r->translated[from] = *function + 1;
	return rc;
}

/*
 * Below [user], frames without a name are not shown: [user] stands for them, as a guest may run many programs. An
 * address from @kernel on is an accident there: the program's stack has no frame pointers.
 */
static bool is_hidden(const struct display_stacks *r, uint64_t kernel, const struct callchain_frame *frame)
{
	return frame->address >= kernel || !r->names->functions[frame->function].named;
}

/* Where the kernel's addresses begin. */
static uint64_t kernel_from(const struct display_stacks *r, const struct stack *s)
{
	const struct isa *isa =
		s->domain < r->session->ndomains ? isa_of_arch(r->session->domains[s->domain].arch) : NULL;

	return isa ? isa->kernel_from : UINT64_MAX;
}

static int push_frames(struct display_stacks *r, const struct stack *s)
{
	uint64_t kernel = kernel_from(r, s);
	int rc = filter_callchain(&r->whole, r->profile, r->names, s->node, s->user);

	if (rc == 0 && r->whole.user)
		rc = push_name(r, "[user]");
	for (size_t i = 0; rc == 0 && i < r->whole.n; i++) {
		struct callchain_frame frame = r->whole.frames[i];

		if (r->whole.user && is_hidden(r, kernel, &frame))
			continue;
		r->unnamed += !r->names->functions[frame.function].named;
		rc = translate(r, &frame.function);
		if (rc == 0)
			rc = callchain_push(&r->chain, &frame);
	}
	return rc;
}

int display_stack_make(struct display_stacks *r, const struct stack *s)
{
	int rc;

	r->chain.n = 0;
	r->unnamed = 0;
	rc = push_root(r, s);
	if (rc != 0)
		return rc;
	return s->node == 0 ? push_name(r, "[no stack]") : push_frames(r, s);
}
