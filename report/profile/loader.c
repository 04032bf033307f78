/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/loader.h"
#include "report/profile/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * A regular pattern compresses a hundredfold: no file of a few bytes may take all memory. Real ones need a few times
 * their size.
 */
#define MEMORY_FREE (512u << 20)
#define MEMORY_EACH 32u /* for a byte of the file */

#define FUNCTION_TEXT_MAX (2 * HOST_TEXT_MAX + 16)
_Static_assert(MONITOR_PLACE_MAX <= FUNCTION_TEXT_MAX, "either fits");

#define MILLI_NS_PER_S UINT64_C(1000000000000)

/* Limits the work for repeated samples that have to be counted one by one, not by multiplication. */
#define REPEATS_FREE (4u << 20)
#define REPEATS_EACH 512u /* for a byte of a block */

/* --- records ----------------------------------------------------------------------------------------------------- */

/* A record that is in the scope and counted. */
static int tell_hook(const struct loader *l, const struct upf_record *rec, uint32_t node)
{
	const struct load_hooks *hooks = l->options.hooks;

	return hooks && hooks->record ? hooks->record(hooks->ctx, l->block, rec, node) : 0;
}

/* Was its stack copied because frame pointers failed? With all registers it is copied each time. */
static bool had_to_be_copied(const struct loader *l, const struct upf_record *rec)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(l->decoder, &n);

	return rec->tops == UPF_TOPS_COPY && (!rec->registers || rec->stack >= n || nodes[rec->stack].depth < 2);
}

static int leave_out_by_name(const struct loader *l, const struct upf_record *rec)
{
	const struct load_hooks *hooks = l->options.hooks;

	int rc = profile_leave_out(l->profile, rec);

	return rc == 0 && hooks && hooks->left_out ? hooks->left_out(hooks->ctx, rec) : rc;
}

static void count_time(struct profile *p, const struct upf_record *rec, uint64_t squares)
{
	unsigned state = counters_state(rec->state);

	p->counters.time[state] += profile_time(p, rec);
	p->counters.cpu_ns[state] += rec->cpu_ns;
	p->counters.cpu_squares[state] += (unsigned __int128)rec->cpu_ns * rec->cpu_ns;
	p->counters.squares[state] += p->by_ns ? (unsigned __int128)squares * p->period_ns * p->period_ns : squares;
}

/*
 * rec->count samples of the stack @s. @squares is the sum of what each stands for squared. *@stack: their number in the
 * profile; GAP_NONE: they were left out.
 */
static int count_samples(struct loader *l, const struct upf_record *rec, const struct block_stack *s, uint64_t squares,
                         uint32_t *stack)
{
	struct profile *p = l->profile;
	unsigned state = counters_state(rec->state);
	int rc = p->filter ? filter_keeps(p->filter, &p->tree, s->node, rec->user && s->node) : 1;

	*stack = GAP_NONE;
	if (rc < 0)
		return rc;
	if (rc == 0)
		return leave_out_by_name(l, rec);
	rc = profile_sample(p, rec, s->node, stack);
	if (rc != 0)
		return rc;
	count_time(p, rec, squares);
	if (!rec->user) {
		p->counters.restored[state] += s->restored * rec->count;
		p->counters.uncertain[state] += s->uncertain * rec->count;
		p->counters.copied[state] += s->copied * rec->count;
	}
	counters_sample(&p->counters, rec);
	return tell_hook(l, rec, s->node);
}

/* Counts a repeated sample as gone through. */
static int walk_repeated(struct loader *l)
{
	return ++l->block_walked > REPEATS_FREE + REPEATS_EACH * (uint64_t)l->block->stored_size ? -EFBIG : 0;
}

/* What it stands for, and the CPU time of it; *@vcpu: for gaps_counted(). */
static int weigh_sample(struct loader *l, struct upf_record *rec, uint32_t *vcpu)
{
	rec->period = l->gaps.periods;
	return rec->repeated ? walk_repeated(l) : gaps_sample(&l->gaps, rec, vcpu);
}

/* That of a function of the VMM is looked up by its place when it is shown (report/symbols/monitor_names.h). */
static void name_host_function(char name[FUNCTION_TEXT_MAX], const struct upf_host_function *f)
{
	if (f->name_size == 0 && f->is_vmm)
		monitor_place(name, f->build_id, f->build_id_size, f->offset, f->file, f->file_size);
	else
		snprintf(name, FUNCTION_TEXT_MAX, "%.*s [host:%.*s]", f->name_size ? (int)f->name_size : 9,
		         f->name_size ? f->name : "[unknown]", (int)f->file_size, f->file);
}

/* A function of the host's, by its number in the block, as a number of the call tree. */
static int host_function(struct loader *l, uint32_t number, uint32_t *function)
{
	const struct upf_host_function *f = upf_decoder_host_function(l->decoder, number);
	char name[FUNCTION_TEXT_MAX];
	int rc = 0;

	for (; rc == 0 && l->nfunctions <= number; l->nfunctions++) {
		rc = array_room(&l->functions, &l->functions_cap, l->nfunctions, sizeof(*l->functions));
		if (rc == 0)
			l->functions[l->nfunctions] = 0;
	}
	if (rc == 0 && !l->functions[number]) {
		name_host_function(name, f);
		rc = calltree_function(&l->profile->tree, name, function);
		if (rc == 0)
			l->functions[number] = *function + 1;
	}
	if (rc == 0)
		*function = l->functions[number] - 1;
	return rc;
}

/* Above the guest's stack: why the vCPU had left the guest, and who was at work then. */
static int go_outside(struct loader *l, const struct upf_record *rec, uint32_t *node)
{
	struct calltree *t = &l->profile->tree;
	const uint64_t where = rec->state == UPF_VMM ? CALLTREE_VMM : CALLTREE_HOST;
	int rc = calltree_child(t, *node, rec->exit, CALLTREE_OUTSIDE, node);
	const uint32_t *frames;
	uint32_t depth, function;

	if (rc == 0)
		rc = calltree_child(t, *node, where, CALLTREE_OUTSIDE, node);
	frames = upf_decoder_host_stack(l->decoder, rec->host, &depth);
	l->block_walked += depth;
	if (l->block_walked > REPEATS_FREE + REPEATS_EACH * (uint64_t)l->block->stored_size)
		return -EFBIG;
	for (uint32_t i = 0; rc == 0 && i < depth; i++) {
		rc = host_function(l, frames[i], &function);
		if (rc == 0)
			rc = calltree_child(t, *node, CALLTREE_FUNCTION + function, CALLTREE_OUTSIDE, node);
	}
	return rc;
}

static int load_sample(struct loader *l, struct upf_record *rec)
{
	uint64_t squares = l->gaps.periods * l->gaps.periods;
	struct block_stack stack;
	uint32_t vcpu, number = GAP_NONE;
	int rc = block_stacks_find(&l->stacks, rec, &stack);

	if (rc == 0 && rec->exit && stack.node)
		rc = go_outside(l, rec, &stack.node);
	if (rc == 0)
		rc = weigh_sample(l, rec, &vcpu);
	if (rc != 0)
		return rc;
	rec->end = stack.end;
	stack.copied = had_to_be_copied(l, rec);
	if (l->options.scope)
		scope_place(l->options.scope, rec);
	if (rec->repeated && l->repeats.learning)
		rc = repeats_add(&l->repeats, rec, &stack);
	if (rc == 0)
		rc = count_samples(l, rec, &stack, squares, &number);
	return rc == 0 && !rec->repeated && number != GAP_NONE ? gaps_counted(&l->gaps, rec, vcpu, number) : rc;
}

/* --- repeated samples -------------------------------------------------------------------------------------------- */

/* Does the hook want each sample by itself? */
static bool each_by_itself(const struct loader *l)
{
	const struct load_hooks *hooks = l->options.hooks;

	return hooks && hooks->record && !hooks->slot_ns;
}

static bool same_slot(const struct loader *l, uint64_t a, uint64_t b)
{
	uint64_t slot = l->options.hooks ? l->options.hooks->slot_ns : 0, quantum = l->profile->quantum_ns;

	return (!slot || a / slot == b / slot) && (!quantum || a / quantum == b / quantum);
}

/* A remembered sample, with the number of SAME records that repeated it. */
static int count_repeated(void *ctx, const struct upf_record *rec, const struct block_stack *stack)
{
	struct loader *l = ctx;
	uint32_t number;
	int rc = walk_repeated(l);

	return rc == 0 ? count_samples(l, rec, stack, l->repeats.squares, &number) : rc;
}

static int count_repeats(struct loader *l, struct domain_repeats *d)
{
	l->profile->counters.out_of_scope += d->times * d->left_out;
	l->repeats.squares = d->squares;
	return repeats_end(&l->repeats, d, count_repeated, l);
}

/* Of all domains. */
static int count_all_repeats(struct loader *l)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->repeats.ndomains; i++)
		rc = count_repeats(l, &l->repeats.domains[i]);
	return rc;
}

/* A ROUND of @domain: its samples are others from now on. */
static int begin_round(struct loader *l, uint32_t domain)
{
	if (domain >= l->repeats.ndomains) /* had no SAME yet */
		return 0;
	l->repeats.domains[domain].known = false;
	return count_repeats(l, &l->repeats.domains[domain]);
}

/* A SAME of @domain, which is in the scope, at its place in time. */
static int load_same(struct loader *l, const struct upf_record *rec, uint32_t domain)
{
	struct domain_repeats *d;
	int rc = 0;

	if (each_by_itself(l))
		return 0;
	d = repeats_of(&l->repeats, domain);
	if (!d)
		return -ENOMEM;
	if (!d->known) {
		repeats_learn(&l->repeats, d);
		return 0;
	}
	upf_decoder_pass_repeated(l->decoder);
	if (d->times && !same_slot(l, d->time_ns, rec->time_ns))
		rc = count_repeats(l, d);
	d->time_ns = rec->time_ns;
	d->times++;
	d->periods += l->gaps.periods;
	d->squares += l->gaps.periods * l->gaps.periods;
	return rc;
}

/* A record that does not count: only its samples are counted, as left out. */
static int leave_out(struct loader *l, const struct upf_record *rec)
{
	if (rec->kind != UPF_SAMPLE && rec->kind != UPF_SAME)
		return 0;
	*(l->options.scope->ncovered && scope_is_covered(l->options.scope, rec)
	          ? &l->profile->counters.covered
	          : &l->profile->counters.out_of_scope) += rec->count;
	if (rec->kind == UPF_SAME)
		upf_decoder_pass_repeated(l->decoder);
	else if (rec->repeated && l->repeats.learning)
		l->repeats.learning->left_out++;
	return 0;
}

/* Records tell what samples stand for whether they count themselves or not. */
static int measure_time(struct loader *l, const struct upf_record *rec, bool counted)
{
	if (rec->kind == UPF_ROUND || rec->kind == UPF_SAME)
		return gaps_round(&l->gaps, rec, l->rate_mhz, counted, l->profile);
	if (rec->kind == UPF_EVENT && rec->code == UPF_EVENT_RATE && counted && rec->count < l->rate_mhz)
		l->profile->counters.throttled++;
	return gaps_note(&l->gaps, rec);
}

static int load_record(struct loader *l, struct upf_record *rec)
{
	bool counted = !l->options.scope || scope_has(l->options.scope, rec);
	uint32_t domain = rec->domain;
	int rc = 0;

	if (!rec->repeated)
		l->repeats.learning = NULL;
	if (rec->kind == UPF_ROUND)
		rc = begin_round(l, domain);
	if (rc == 0 && rec->kind != UPF_SAMPLE)
		rc = measure_time(l, rec, counted);
	if (rc != 0)
		return rc;
	if (!counted)
		return leave_out(l, rec);
	if (rec->kind == UPF_SAMPLE)
		return load_sample(l, rec);
	if (l->options.scope)
		scope_place(l->options.scope, rec);
	if (rec->kind == UPF_SAME)
		rc = load_same(l, rec, domain);
	counters_record(&l->profile->counters, rec);
	return rc == 0 ? tell_hook(l, rec, 0) : rc;
}

/* A block that breaks the format midway costs its rest. */
static int broken_block(struct loader *l, const struct upf_block *b, uint32_t index)
{
	const struct load_hooks *hooks = l->options.hooks;

	l->broken = true;
	l->profile->counters.bad_blocks++;
	return hooks && hooks->broken ? hooks->broken(hooks->ctx, b, index) : 0;
}

int loader_block_done(struct loader *l, uint64_t walked, uint64_t stored)
{
	l->walked += walked;
	l->stored += stored;
	return l->walked > REPEATS_FREE + REPEATS_EACH * l->stored ? -EFBIG : 0;
}

int loader_block(struct loader *l, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(l->decoder, b);
	struct upf_record rec = {0};
	int rc, last;

	l->block = b;
	l->block_walked = 0;
	l->broken = false;
	l->nfunctions = 0;
	repeats_reset(&l->repeats);
	block_stacks_start(&l->stacks);
	if (fault == UPF_FAULT_MEMORY)
		return -ENOMEM;
	if (fault != UPF_OK)
		return broken_block(l, b, 0);
	while ((rc = upf_decoder_next(l->decoder, &rec)) > 0) {
		rc = load_record(l, &rec);
		if (rc != 0)
			break;
	}
	last = rc == 0 || rc == -EBADMSG ? count_all_repeats(l) : 0;
	if (last != 0)
		return last;
	return rc == -EBADMSG ? broken_block(l, b, rec.index) : rc;
}

static bool out_of_proportion(const struct loader *l, const struct upf_reader *r)
{
	uint64_t allowed = (l->options.memory ? l->options.memory : MEMORY_FREE) + MEMORY_EACH * upf_reader_bytes(r);

	return profile_bytes(l->profile) > l->bytes_before + allowed;
}

int loader_next(struct loader *l, struct upf_reader *r, struct upf_block *b)
{
	int rc = out_of_proportion(l, r) ? -EFBIG : upf_reader_next(r, b);

	if (rc <= 0)
		return rc;
	l->hole |= b->fault != UPF_OK || b->seq != l->next_seq;
	l->next_seq = b->seq + 1;
	progress_at(l->options.progress, upf_reader_bytes(r), l->options.size);
	return rc;
}

static int load_archived(struct loader *l, const struct upf_block *b)
{
	int rc = archive_stacks_add(&l->stacks.archived, b);

	return rc == -EBADMSG ? broken_block(l, b, 0) : rc;
}

static int load_any(struct loader *l, const struct upf_block *b)
{
	int rc;

	if (b->type == UPF_BLOCK_STACKS && l->options.archived)
		return load_archived(l, b);
	if (b->type != UPF_BLOCK_SAMPLES)
		return 0;
	archive_stacks_of(&l->stacks.archived, b);
	if (l->hole)
		gaps_cut(&l->gaps);
	l->gaps.block++;
	rc = loader_block(l, b);
	l->hole = l->broken;
	return rc == 0 ? loader_block_done(l, l->block_walked, b->stored_size) : rc;
}

/* As loader_next(), or what a hook returned, negative. */
static int next_for_hooks(struct loader *l, struct upf_reader *r, struct upf_block *b)
{
	const struct load_hooks *hooks = l->options.hooks;
	int rc = hooks && hooks->waits ? hooks->waits(hooks->ctx, true) : 0, ended;

	if (rc == 0)
		rc = loader_next(l, r, b);
	ended = hooks && hooks->waits ? hooks->waits(hooks->ctx, false) : 0;
	return ended != 0 ? ended : rc;
}

int loader_blocks(struct loader *l, struct upf_reader *r)
{
	const struct load_hooks *hooks = l->options.hooks;
	struct upf_block b;
	int rc;

	while ((rc = next_for_hooks(l, r, &b)) > 0) {
		rc = hooks && hooks->block ? hooks->block(hooks->ctx, &b) : 0;
		if (rc == 0 && hooks && hooks->flushed && fflush(hooks->flushed) != 0)
			rc = -EIO; /* outfile.h knows why */
		if (rc == 0 && b.fault == UPF_OK)
			rc = load_any(l, &b);
		if (rc != 0)
			break;
	}
	return rc;
}

int loader_open(struct loader *l, struct profile *p, const struct upf_session *session,
                const struct load_options *options)
{
	*l = (struct loader){.profile = p, .bytes_before = profile_bytes(p), .decoder = upf_decoder_new()};
	if (options)
		l->options = *options;
	l->rate_mhz = session->rate_mhz;
	p->period_ns = session->rate_mhz ? MILLI_NS_PER_S / session->rate_mhz : 0;
	p->period_ns += p->period_ns == 0;
	l->stacks.tree = &p->tree;
	l->stacks.session = session;
	l->stacks.decoder = l->decoder;
	l->stacks.binaries = l->options.binaries;
	l->stacks.scope = l->options.scope;
	l->stacks.is_archive = l->options.archived;
	l->stacks.archived.by_program = session->by_program;
	return l->decoder ? 0 : -ENOMEM;
}

void loader_close(struct loader *l)
{
	upf_decoder_free(l->decoder);
	block_stacks_free(&l->stacks);
	repeats_free(&l->repeats);
	gaps_free(&l->gaps);
	free(l->functions);
}
