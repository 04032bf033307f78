/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decoder.c - reads the records of one samples block from its columns (FORMAT.md, "Samples blocks").
 *
 * A block is not trusted: every read is limited by its column, every number has a limit, and memory is limited by the
 * block's size, since a frame takes at least one byte in the file and one node here.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "format/samples/columns.h"
#include "format/samples/copies.h"
#include "format/samples/host_records.h"
#include "format/samples/more.h"
#include "format/samples/parameters.h"
#include "format/samples/register_list.h"
#include "format/upf.h"
#include "format/samples/windows.h"

#define COPIES_FROM (1u << 20) /* in a block with windows; it has less of those */

/* A sample as a SAME record will repeat it. */
struct kept {
	uint32_t vcpu, stack;
	uint8_t state, end, exit;
	uint32_t host; /* its host stack; 0: none */
	bool user;
	uint8_t tops;       /* enum upf_tops */
	uint32_t top;       /* WINDOW */
	uint32_t more_top;  /* what @top is with @more; 0: the same */
	uint32_t registers; /* their number among the block's, from 1, 0: none */
	uint64_t sp;
	struct more_values more;
};

struct domain_state {
	bool seen; /* had a round in this block */
	uint64_t round_tick, pause_ticks;
	uint32_t kept, nkept; /* the last round's samples */
};

struct upf_decoder {
	struct column_reader columns;
	enum upf_tops tops;   /* of every sample with registers in this block; MIXED: as the TOPS column says */
	bool plain;           /* no sample of this block has what tell_top() tells */
	uint32_t copies_from; /* copies' numbers in this block are above this */
	struct windows *windows;
	struct copies *copies;
	struct more *more;
	struct parameters parameters; /* its due: the last deadline */
	uint64_t first_tick, last_tick;
	uint64_t round_tick; /* of the last round of any domain */
	uint64_t period_0;   /* what is added to a period's number of the schedule: they count from time 0 */
	bool v1;
	uint32_t index; /* of the next record */
	bool broken;

	struct upf_node *nodes;
	uint32_t *children; /* each node's callee defined last, 0: none */
	uint32_t nnodes;
	size_t node_room, child_room;
	uint32_t *stacks; /* leaf's node of the k-th stack defined, from 1 */
	uint32_t nstacks;
	size_t stack_room;
	uint64_t run; /* stacks before the next new one; UINT64_MAX: there is no new one */
	uint32_t *branches;
	uint32_t nbranches;
	size_t branch_room;
	struct kept *kept; /* every round's samples, so never more than the block has bytes */
	uint32_t nkept;
	size_t kept_room;
	struct domain_state *domains;
	uint32_t ndomains;
	size_t domain_room;
	struct register_lists registers;
	struct host_reader host;

	/* where we are */
	uint32_t domain;
	bool in_round;
	uint64_t round_elapsed; /* ticks since the domain's round before, less that one's pause */
	uint64_t tick;
	size_t repeat; /* next of the kept samples to give out, while repeating */
	bool repeating;
};

struct upf_decoder *upf_decoder_new(void)
{
	struct upf_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->windows = windows_new(0);
	d->copies = copies_new(0, 0);
	d->more = more_new(0);
	if (d->windows && d->copies && d->more)
		return d;
	upf_decoder_free(d);
	return NULL;
}

void upf_decoder_free(struct upf_decoder *d)
{
	if (!d)
		return;
	windows_free(d->windows);
	copies_free(d->copies);
	more_free(d->more);
	free(d->kept);
	free(d->domains);
	register_lists_free(&d->registers);
	host_reader_free(&d->host);
	free(d->nodes);
	free(d->children);
	free(d->stacks);
	free(d->branches);
	free(d);
}

const struct upf_node *upf_decoder_nodes(const struct upf_decoder *d, uint32_t *n)
{
	*n = d->nnodes;
	return d->nodes;
}

static int add_stack_node(struct upf_decoder *d, uint32_t parent, uint32_t depth, uint64_t address)
{
	if (array_room(&d->children, &d->child_room, d->nnodes, sizeof(*d->children)) != 0)
		return -ENOMEM;
	d->children[parent] = d->nnodes;
	d->children[d->nnodes] = 0;
	return array_add(d->nodes, d->node_room, d->nnodes, (struct upf_node){address, parent, depth});
}

/* --- columns ----------------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) uint64_t number(struct upf_decoder *d, enum column c)
{
	return column_number(&d->columns, c);
}

static inline __attribute__((always_inline)) int64_t difference(struct upf_decoder *d, enum column c)
{
	return column_difference(&d->columns, c);
}

/* --- start ------------------------------------------------------------------------------------------------------- */

/* What the block's samples come with; false: not clear. */
static bool find_tops(struct upf_decoder *d)
{
	bool windows = d->columns.there[COLUMN_TOP], copies = d->columns.there[COLUMN_COPY];

	d->tops = d->columns.there[COLUMN_TOPS] ? UPF_TOPS_MIXED
	          : windows                     ? UPF_TOPS_WINDOW
	          : copies                      ? UPF_TOPS_COPY
	                                        : UPF_TOPS_NONE;
	d->copies_from = windows && copies ? COPIES_FROM : 0;
	d->plain = d->tops == UPF_TOPS_NONE && !d->columns.there[COLUMN_MORE] && !d->columns.there[COLUMN_EXT];
	windows_reset(d->windows, d->v1);
	copies_reset(d->copies, d->v1);
	more_reset(d->more);
	return d->tops == UPF_TOPS_MIXED || !windows || !copies;
}

static void forget_stacks(struct upf_decoder *d)
{
	for (uint32_t i = 0; i < d->ndomains; i++)
		d->domains[i].seen = false;
	d->nnodes = d->nstacks = d->nbranches = d->nkept = d->index = d->domain = 0;
	d->broken = d->in_round = d->repeating = false;
	register_lists_reset(&d->registers);
	host_reader_reset(&d->host);
}

/* How many stacks come before the next new one. */
static int next_run(struct upf_decoder *d)
{
	d->run = d->nstacks == d->parameters.stacks ? UINT64_MAX : number(d, COLUMN_RUN);
	return d->columns.bad ? -EBADMSG : 0;
}

/* Periods are numbered alike in all blocks, and as those without a schedule are by their times. */
static uint64_t first_period(const struct upf_schedule *s)
{
	const __int128 ns_per_period = 1000000000000, from = (__int128)(int64_t)s->start_ns * s->rate_mhz;

	return (uint64_t)((from + (from < 0 ? -ns_per_period / 2 : ns_per_period / 2)) / ns_per_period);
}

enum upf_fault upf_decoder_start(struct upf_decoder *d, const struct upf_block *b)
{
	struct cursor c = cursor_of(b->payload, b->raw_size);

	d->v1 = b->v1;
	forget_stacks(d);
	if (add_stack_node(d, 0, 0, 0) != 0)
		return UPF_FAULT_MEMORY;
	d->first_tick = d->last_tick = d->tick = b->first_ns / UPF_TICK_NS;
	d->round_tick = d->first_tick;
	d->broken = !parameters_get(&d->parameters, &c, d->first_tick, d->v1) || !columns_get(&d->columns, &c, d->v1);
	d->period_0 = first_period(&d->parameters.due.schedule);
	d->broken = d->broken || !find_tops(d) || d->columns.unknown || (!d->v1 && next_run(d) != 0);
	return d->columns.unknown ? UPF_FAULT_FEATURE : d->broken ? UPF_FAULT_RECORD : UPF_OK;
}

uint32_t upf_decoder_unknown(const struct upf_decoder *d)
{
	return d->columns.unknown;
}

/* --- stacks ------------------------------------------------------------------------------------------------------ */

/* Where a new stack leaves those there are. */
static int get_branch(struct upf_decoder *d, uint32_t *node)
{
	uint64_t i = d->v1 ? 0 : number(d, COLUMN_BRANCH), back;

	if (d->columns.bad || i > d->nbranches)
		return -EBADMSG;
	if (i) {
		*node = d->branches[i - 1];
		return 0;
	}
	back = number(d, COLUMN_PARENT);
	if (d->columns.bad || back >= d->nnodes)
		return -EBADMSG;
	*node = d->nnodes - 1 - (uint32_t)back;
	return array_add(d->branches, d->branch_room, d->nbranches, *node);
}

static int define_stack(struct upf_decoder *d, uint32_t *leaf)
{
	uint64_t push = number(d, COLUMN_PUSH);
	uint32_t node;
	int rc = get_branch(d, &node);

	if (rc != 0)
		return rc;
	if (d->columns.bad || push > UPF_DEPTH_MAX - d->nodes[node].depth)
		return -EBADMSG;
	for (; push; push--) {
		uint32_t near = d->children[node] ? d->children[node] : node;
		enum column column = push > 1 || near == node || d->v1 ? COLUMN_FRAME : COLUMN_LEAF;
		uint64_t address = d->nodes[near].address + (uint64_t)difference(d, column);

		if (d->columns.bad)
			return -EBADMSG;
		if (add_stack_node(d, node, d->nodes[node].depth + 1, address) != 0)
			return -ENOMEM;
		node = d->nnodes - 1;
	}
	*leaf = node;
	return 0;
}

static int get_sample_stack(struct upf_decoder *d, uint8_t state, uint32_t *leaf)
{
	enum column column = state == UPF_RUNNING ? COLUMN_STACK : COLUMN_REST;
	uint64_t k = 0;
	bool known;
	int rc;

	if (d->v1) {
		k = number(d, column);
		known = k != 0;
		k -= known;
	} else {
		known = d->run != 0;
		d->run -= known && d->run != UINT64_MAX;
		if (known && d->nstacks)
			k = number(d, column);
	}
	if (d->columns.bad || (known && k >= d->nstacks))
		return -EBADMSG;
	if (known) {
		*leaf = d->stacks[k];
		return 0;
	}
	rc = define_stack(d, leaf);
	if (rc == 0)
		rc = array_add(d->stacks, d->stack_room, d->nstacks, *leaf);
	return rc || d->v1 ? rc : next_run(d);
}

/* --- records ----------------------------------------------------------------------------------------------------- */

/* Makes room for the states of the first @n domains. */
static int add_domains(struct upf_decoder *d, uint32_t n)
{
	if (array_room_zeroed(&d->domains, &d->domain_room, n - 1, sizeof(*d->domains)) != 0)
		return -ENOMEM;
	d->ndomains = n;
	return 0;
}

static inline int enter_domain(struct upf_decoder *d)
{
	uint64_t domain = number(d, COLUMN_DOMAIN);

	if (d->columns.bad || domain >= UPF_DOMAINS_MAX)
		return -EBADMSG;
	d->domain = (uint32_t)domain;
	return domain < d->ndomains ? 0 : add_domains(d, (uint32_t)domain + 1);
}

/* The tick of a round that follows the schedule. */
static uint64_t due_time(struct upf_decoder *d)
{
	uint64_t step = number(d, COLUMN_STEP), from = d->round_tick;

	if (step == 1)
		schedule_step(&d->parameters.due);
	else if (step)
		schedule_seek(&d->parameters.due, d->parameters.due.k + step);
	if (step)
		from = schedule_tick(&d->parameters.due);
	d->round_tick = from + (number(d, COLUMN_LATE) << d->parameters.time_shift);
	if ((int64_t)(d->round_tick - d->first_tick) < 0)
		d->round_tick = d->first_tick;
	return d->round_tick;
}

/* The time of a ROUND or SAME; its domain's state moves on to it. */
static inline int round_time(struct upf_decoder *d)
{
	struct domain_state *s = &d->domains[d->domain];
	uint64_t before = s->seen ? s->round_tick : d->first_tick, elapsed;

	d->tick = d->last_tick = d->parameters.due.schedule.rate_mhz
	                                 ? due_time(d)
	                                 : before + (uint64_t)difference(d, COLUMN_TIME) + d->parameters.period_ticks;
	elapsed = d->tick - before;
	d->round_elapsed = s->seen ? elapsed > s->pause_ticks ? elapsed - s->pause_ticks : 0 : elapsed;
	s->round_tick = d->tick;
	return d->columns.bad || d->tick > UINT64_MAX / UPF_TICK_NS ? -EBADMSG : 0;
}

static inline uint64_t round_period(const struct upf_decoder *d)
{
	const struct schedule_at *due = &d->parameters.due;

	return due->schedule.rate_mhz ? due->k + d->period_0 : UPF_PERIOD_NONE;
}

static int get_round(struct upf_decoder *d, struct upf_record *r)
{
	struct domain_state *s;
	uint64_t ticks;
	int rc = enter_domain(d);

	if (rc == 0)
		rc = round_time(d);
	if (rc != 0)
		return rc;
	s = &d->domains[d->domain];
	ticks = number(d, COLUMN_PAUSE);
	if (d->columns.bad || ticks > UINT64_MAX / UPF_TICK_NS)
		return -EBADMSG;
	s->pause_ticks = ticks;
	s->seen = true;
	s->kept = d->nkept;
	s->nkept = 0;
	d->in_round = true;
	r->pause_ns = ticks * UPF_TICK_NS;
	r->period = round_period(d);
	return 0;
}

/* Room for the next sample, which is kept when it is found sound. */
static int keep_room(struct upf_decoder *d)
{
	if (d->domains[d->domain].nkept == UPF_VCPUS_MAX)
		return -EBADMSG;
	return array_room(&d->kept, &d->kept_room, d->nkept, sizeof(*d->kept));
}

/* What comes with the stack. */
static int get_sample_top(struct upf_decoder *d, struct kept *k)
{
	struct cursor *tops = &d->columns.column[COLUMN_TOPS];
	int rc = 0;

	if (d->columns.there[COLUMN_MORE])
		rc = more_get(d->more, &d->columns, k->stack, d->nodes[k->stack].address, &k->more);
	if (k->end != UPF_END_NONE)
		k->tops = d->tops == UPF_TOPS_MIXED ? get_u8(tops) : (uint8_t)d->tops;
	if (rc != 0 || tops->bad || k->tops > UPF_TOPS_COPY)
		return rc ? rc : -EBADMSG;
	if (k->more.has_regs || k->tops == UPF_TOPS_COPY)
		rc = copies_get_regs(d->copies, &d->columns, d->domain, k->vcpu, k->more.has_regs ? 0 : UPF_REGS);
	if (rc == 0 && k->tops == UPF_TOPS_COPY)
		rc = copies_get(d->copies, &d->columns, d->domain, k->vcpu);
	if (rc == 0 && k->tops == UPF_TOPS_WINDOW)
		rc = windows_get(d->windows, &d->columns, d->nodes, k->stack, &k->top, &k->sp);
	if (rc == 0 && k->tops != UPF_TOPS_COPY && (k->more.link || k->more.mode))
		rc = more_top(d->more, k->top, &k->more, &k->more_top);
	return rc;
}

static void tell_top(const struct upf_decoder *d, struct upf_record *r, const struct kept *k)
{
	r->mode = k->more.mode;
	r->root = k->more.root;
	r->link = k->more.link;
	r->tops = k->tops;
	if (k->registers)
		register_lists_tell(&d->registers, k->registers, r);
	if (k->tops == UPF_TOPS_WINDOW)
		windows_tell(d->windows, k->top, k->sp, r);
	if (k->tops == UPF_TOPS_COPY || k->more.has_regs)
		copies_tell(d->copies, d->domain, k->vcpu, r);
	if (k->tops == UPF_TOPS_COPY)
		r->top += d->copies_from;
	if (k->more_top)
		r->top = k->more_top;
}

static inline void fill_record(const struct upf_decoder *d, struct upf_record *r, const struct kept *k)
{
	r->count = 1;
	r->vcpu = k->vcpu;
	r->stack = k->stack;
	r->state = k->state;
	r->end = k->end;
	r->exit = k->exit;
	r->host = k->host;
	r->user = k->user;
	if (!d->plain)
		tell_top(d, r, k);
}

static int get_sample(struct upf_decoder *d, struct upf_record *r)
{
	uint64_t vcpu = number(d, COLUMN_VCPU), host = number(d, COLUMN_HOST), predicted, cpu;
	uint8_t state = column_byte(&d->columns, COLUMN_STATE);
	int64_t off = difference(d, COLUMN_CPU);
	struct kept *k;
	int rc = d->in_round ? keep_room(d) : -EBADMSG;

	if (rc != 0)
		return rc;
	if (d->columns.bad || vcpu >= UPF_VCPUS_MAX || host > d->host.nstacks ||
	    ((state & STATE_VMM) && (state & STATE_RUN_MASK)))
		return -EBADMSG;
	k = &d->kept[d->nkept];
	if (!d->plain)
		*k = (struct kept){0};
	k->vcpu = (uint32_t)vcpu;
	k->state = (state & STATE_RUN_MASK) | (state & STATE_VMM ? UPF_VMM : 0);
	k->user = state & STATE_USER;
	k->exit = column_byte(&d->columns, COLUMN_EXIT);
	k->host = (uint32_t)host;
	k->end = state >> STATE_END_SHIFT & STATE_END_MASK;
	predicted = k->state == UPF_RUNNING ? d->round_elapsed : 0;
	cpu = predicted - ((uint64_t)off << d->parameters.cpu_shift);
	if (d->parameters.cpu_shift && -cpu < UINT64_C(1) << d->parameters.cpu_shift)
		cpu = 0;
	if (cpu > UINT64_MAX / UPF_TICK_NS)
		return -EBADMSG;
	rc = get_sample_stack(d, k->state, &k->stack);
	if (rc == 0 && !d->plain)
		rc = get_sample_top(d, k);
	if (rc == 0 && d->registers.waiting)
		rc = register_lists_take(&d->registers, k->vcpu, &k->registers);
	if (rc != 0)
		return rc;
	d->nkept++;
	d->domains[d->domain].nkept++;
	fill_record(d, r, k);
	r->cpu_ns = cpu * UPF_TICK_NS;
	return 0;
}

static int get_same(struct upf_decoder *d, struct upf_record *r)
{
	int rc = enter_domain(d);

	if (rc != 0)
		return rc;
	if (!d->domains[d->domain].seen)
		return -EBADMSG;
	d->in_round = false;
	d->repeating = true;
	d->repeat = 0;
	r->count = d->domains[d->domain].nkept;
	rc = round_time(d);
	r->period = round_period(d);
	d->domains[d->domain].pause_ticks = 0;
	return rc;
}

/* LOST, LATE, EVENT and ENTRY. */
static int get_note(struct upf_decoder *d, struct upf_record *r)
{
	uint64_t vcpu = 0;
	int rc = enter_domain(d);

	if (rc != 0)
		return rc;
	d->in_round = false;
	d->tick = d->last_tick += (uint64_t)difference(d, COLUMN_TIME);
	r->count = number(d, COLUMN_COUNT);
	if (r->kind == UPF_LOST || r->kind == UPF_EVENT)
		r->code = column_byte(&d->columns, COLUMN_CODE);
	if (r->kind == UPF_ENTRY)
		vcpu = number(d, COLUMN_VCPU);
	r->vcpu = (uint32_t)vcpu;
	return d->columns.bad || vcpu >= UPF_VCPUS_MAX || d->tick > UINT64_MAX / UPF_TICK_NS ? -EBADMSG : 0;
}

static int get_build(struct upf_decoder *d, struct upf_record *r)
{
	struct cursor item = column_item(&d->columns);
	uint64_t domain = get_varint(&item), size;

	d->in_round = false;
	r->count = get_varint(&item);
	size = get_varint(&item);
	if (item.bad || domain >= UPF_DOMAINS_MAX || size < UPF_BUILD_ID_MIN || size > UPF_BUILD_ID_MAX)
		return -EBADMSG;
	r->domain = (uint32_t)domain;
	r->registers_size = (uint32_t)size;
	r->build_id = get_bytes(&item, size);
	return item.bad ? -EBADMSG : 0;
}

const uint32_t *upf_decoder_host_stack(const struct upf_decoder *d, uint32_t number, uint32_t *depth)
{
	const uint32_t begin = number > 1 ? d->host.ends[number - 2] : 0;

	*depth = number ? d->host.ends[number - 1] - begin : 0;
	return number ? d->host.frames + begin : NULL;
}

const struct upf_host_function *upf_decoder_host_function(const struct upf_decoder *d, uint32_t number)
{
	return &d->host.functions[number];
}

static int get_host_stack(struct upf_decoder *d)
{
	d->in_round = false;
	return host_reader_get(&d->host, column_item(&d->columns));
}

static inline int get_record(struct upf_decoder *d, struct upf_record *r)
{
	if (d->registers.waiting && r->kind != UPF_SAMPLE)
		return -EBADMSG;
	switch (r->kind) {
	case UPF_ROUND:
		return get_round(d, r);
	case UPF_SAMPLE:
		return get_sample(d, r);
	case UPF_SAME:
		return get_same(d, r);
	case UPF_LOST:
	case UPF_LATE:
	case UPF_EVENT:
	case UPF_ENTRY:
		return get_note(d, r);
	case UPF_REGISTERS:
		if (!d->v1)
			return d->in_round ? register_lists_get(&d->registers, column_item(&d->columns), r) : -EBADMSG;
		break;
	case UPF_BUILD:
		if (!d->v1)
			return get_build(d, r);
		break;
	case UPF_HOST:
		if (!d->v1)
			return get_host_stack(d);
		break;
	}
	return column_item(&d->columns).bad ? -EBADMSG : 0; /* of a later version */
}

/* The next sample that a SAME repeats; false when all are given out. */
static bool next_repeated(struct upf_decoder *d, struct upf_record *r)
{
	const struct domain_state *s = &d->domains[d->domain];

	d->repeating = d->repeat < s->nkept;
	if (!d->repeating)
		return false;
	r->kind = UPF_SAMPLE;
	r->repeated = true;
	fill_record(d, r, &d->kept[s->kept + d->repeat++]);
	return true;
}

bool upf_decoder_has(const struct upf_decoder *d, enum upf_record_kind kind)
{
	const struct cursor *kinds = &d->columns.column[COLUMN_KIND];

	return cursor_left(kinds) > 0 && memchr(kinds->at, kind, cursor_left(kinds)) != NULL;
}

void upf_decoder_pass_repeated(struct upf_decoder *d)
{
	d->repeating = false;
}

/* Every column must end with the last record: anything else was not written by this encoding. */
static bool all_consumed(const struct upf_decoder *d)
{
	for (int i = 0; i < COLUMNS; i++)
		if (!column_done(&d->columns, (enum column)i))
			return false;
	return true;
}

/* In pieces, as compilers clear a larger one by a slow instruction. */
static inline void clear_record(struct upf_record *rec)
{
	const size_t second = offsetof(struct upf_record, index), third = offsetof(struct upf_record, count);

	static_assert(sizeof(*rec) - offsetof(struct upf_record, count) <= 64, "the last piece");
	memset(rec, 0, second);
	memset((uint8_t *)rec + second, 0, third - second);
	memset((uint8_t *)rec + third, 0, sizeof(*rec) - third);
}

int upf_decoder_next(struct upf_decoder *d, struct upf_record *rec)
{
	int rc = 0;

	clear_record(rec);
	if (d->broken)
		return -EBADMSG;
	rec->index = d->repeating ? d->index - 1 : d->index;
	if (!d->repeating || !next_repeated(d, rec)) {
		rec->index = d->index;
		if (cursor_left(&d->columns.column[COLUMN_KIND]) == 0) {
			d->broken = d->registers.waiting || !all_consumed(d);
			return d->broken ? -EBADMSG : 0;
		}
		rec->kind = get_u8(&d->columns.column[COLUMN_KIND]);
		rc = get_record(d, rec);
		d->index++;
	}
	if (rc != 0) {
		d->broken = true;
		return rc;
	}
	if (rec->kind != UPF_BUILD)
		rec->domain = d->domain;
	rec->time_ns = d->tick * UPF_TICK_NS;
	return 1;
}
