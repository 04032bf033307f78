/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * encoder.c - writes records to the columns of one block (FORMAT.md, "Samples blocks").
 */
#include "format/write/packer.h"

#include <errno.h>
#include <stdlib.h>

#include "format/samples/columns.h"
#include "format/samples/copies.h"
#include "format/samples/host_records.h"
#include "format/samples/more.h"
#include "format/samples/parameters.h"
#include "format/samples/windows.h"
#include "format/samples/register_list.h"
#include "format/write/stack_writer.h"

#define NREGS_DIFFER UINT32_MAX
/* The most bytes of a BUILD in EXT: length, domain, address, size of the build-id; these. */
#define BUILD_MAX (1 + 2 + VARINT_MAX + 1 + UPF_BUILD_ID_MAX)
#define TIMES_A_PERIOD 100 /* how exact times are, of a schedule */

struct domain_state {
	uint32_t generation; /* of the block it belongs to; others are from before */
	uint32_t samples;    /* in its last round */
	uint64_t round_tick, pause_ticks;
};

struct upf_encoder {
	struct column_writer columns;
	enum upf_tops tops;
	struct windows *windows; /* UPF_TOPS_WINDOW, _MIXED */
	struct copies *copies;   /* UPF_TOPS_COPY, _MIXED, and registers */
	struct more *more;
	struct host_writer *host; /* NULL: no sample has had a host stack yet */
	uint32_t nregs;           /* of all samples that have some; NREGS_DIFFER */
	uint64_t period_ticks, first_tick, last_tick, samples, lost;
	struct schedule_walk due;       /* if its rate_mhz is not 0 */
	uint64_t first_k;               /* due's when the block began */
	uint64_t round_tick;            /* of the last round of any domain */
	unsigned time_shift, cpu_shift; /* units of times in rounds, and of CPU times: 1 << that, ticks */
	int64_t *carry;                 /* by slot: ticks of CPU time still to be told, or told too much */
	uint32_t slots;
	uint32_t records, generation;
	int64_t carry_ns; /* of pauses: what is still to be told, or was told too much */
	struct domain_state *domains;
	struct stack_writer stacks;
};

static bool make_tops(struct upf_encoder *e, uint32_t slots, uint32_t copy_words)
{
	bool windows = e->tops == UPF_TOPS_WINDOW || e->tops == UPF_TOPS_MIXED;

	if (windows)
		e->windows = windows_new(STACK_NODES_MAX);
	if (slots)
		e->copies = copies_new(slots, copy_words);
	e->more = more_new(STACK_NODES_MAX);
	return e->more && (!windows || e->windows) && (!slots || e->copies);
}

struct upf_encoder *upf_encoder_new(enum upf_tops tops, uint32_t slots, uint32_t copy_words)
{
	struct upf_encoder *e = calloc(1, sizeof(*e));

	if (e) {
		e->tops = tops;
		e->slots = slots;
		e->carry = calloc(slots + 1, sizeof(*e->carry));
		e->domains = calloc(UPF_DOMAINS_MAX, sizeof(*e->domains));
	}
	if (!e || !e->carry || !e->domains || stack_writer_init(&e->stacks) != 0 || !columns_alloc(&e->columns) ||
	    !make_tops(e, slots, copy_words)) {
		upf_encoder_free(e);
		errno = ENOMEM;
		return NULL;
	}
	upf_encoder_reset(e, 0);
	return e;
}

void upf_encoder_free(struct upf_encoder *e)
{
	if (!e)
		return;
	columns_free(&e->columns);
	windows_free(e->windows);
	copies_free(e->copies);
	more_free(e->more);
	host_writer_free(e->host);
	free(e->carry);
	free(e->domains);
	stack_writer_free(&e->stacks);
	free(e);
}

void upf_encoder_reset(struct upf_encoder *e, uint64_t period_ns)
{
	columns_reset(&e->columns);
	stack_writer_reset(&e->stacks);
	e->period_ticks = period_ns / UPF_TICK_NS;
	e->first_tick = e->last_tick = e->samples = e->lost = 0;
	e->records = 0;
	e->nregs = 0;
	e->generation++;
	e->due.at.schedule.rate_mhz = 0;
	e->time_shift = e->cpu_shift = 0;
	memset(e->carry, 0, e->slots * sizeof(*e->carry));
	more_reset(e->more);
	host_writer_reset(e->host);
	if (e->windows)
		windows_reset(e->windows, false);
	if (e->copies)
		copies_reset(e->copies, false);
}

void upf_encoder_schedule(struct upf_encoder *e, const struct upf_schedule *s)
{
	e->due.at.schedule = *s;
	while (s->rate_mhz && e->period_ticks >> (e->time_shift + 1) >= TIMES_A_PERIOD)
		e->time_shift++;
	e->cpu_shift = e->slots && s->rate_mhz ? e->time_shift + 2 : 0;
}

bool upf_encoder_empty(const struct upf_encoder *e)
{
	return e->records == 0;
}

uint64_t upf_encoder_first_time(const struct upf_encoder *e)
{
	return e->first_tick * UPF_TICK_NS;
}

uint64_t upf_encoder_samples(const struct upf_encoder *e)
{
	return e->samples;
}

/*
 * A pause in whole ticks, at least one. What rounding adds or leaves out is carried to the next pause, so that their
 * sum is exact.
 */
static uint64_t pause_ticks(struct upf_encoder *e, uint64_t pause_ns)
{
	const int64_t tick = UPF_TICK_NS;
	uint64_t ticks = pause_ns / UPF_TICK_NS;

	if (pause_ns == 0)
		return 0;
	e->carry_ns += (int64_t)(pause_ns % UPF_TICK_NS);
	if (ticks == 0 || e->carry_ns >= tick / 2) {
		ticks++;
		e->carry_ns -= tick;
	} else if (e->carry_ns < -tick / 2 && ticks > 1) {
		ticks--;
		e->carry_ns += tick;
	}
	return ticks;
}

/* --- room -------------------------------------------------------------------------------------------------------- */

/* The most that a record or sample needs in all columns together, beside a sample's frames, words and registers. */
#define RECORD_BYTES (80 + BUILD_MAX)
#define SAMPLE_BYTES 128

/* What of its stack's memory is encoded with a sample. */
static enum upf_tops tops_of(const struct upf_encoder *e, const struct upf_sample *s)
{
	return s->end == UPF_END_NONE ? UPF_TOPS_NONE : e->tops == UPF_TOPS_MIXED ? s->tops : e->tops;
}

static uint32_t nregs_of(const struct upf_encoder *e, const struct upf_sample *s)
{
	if (s->end == UPF_END_NONE)
		return 0;
	return s->nregs == 0 && tops_of(e, s) == UPF_TOPS_COPY ? UPF_REGS : s->nregs;
}

/* For any record but a round's samples. */
static bool has_room(struct upf_encoder *e)
{
	return columns_fit(&e->columns, RECORD_BYTES);
}

/* Most recordings need none. 0 or -ENOMEM. */
static int make_host_writer(struct upf_encoder *e, const struct upf_sample *samples, size_t n)
{
	for (size_t i = 0; !e->host && i < n; i++) {
		e->host = samples[i].host ? host_writer_new() : NULL;
		if (samples[i].host && !e->host)
			return -ENOMEM;
	}
	return 0;
}

static bool has_room_for(struct upf_encoder *e, const struct upf_sample *samples, size_t n)
{
	size_t most = RECORD_BYTES + n * SAMPLE_BYTES, frames = 0, words = 0;

	for (size_t i = 0; i < n; i++) {
		const struct upf_sample *s = &samples[i];

		most += s->depth * VARINT_MAX + s->nwords * (VARINT_MAX + 1) + nregs_of(e, s) * VARINT_MAX;
		most += s->registers ? REGISTER_LIST_MAX : 0;
		frames += s->depth;
		words += tops_of(e, s) == UPF_TOPS_WINDOW ? s->nwords : 0;
	}
	return stack_writer_has_room(&e->stacks, frames) && more_has_room(e->more, n) &&
	       (!e->windows || windows_have_room(e->windows, n, words)) && columns_fit(&e->columns, most);
}

static int full(const struct upf_encoder *e)
{
	return e->records == 0 ? -E2BIG : -ENOSPC;
}

/* --- records ----------------------------------------------------------------------------------------------------- */

static struct domain_state *domain_state(struct upf_encoder *e, uint32_t domain)
{
	struct domain_state *d = &e->domains[domain];

	if (d->generation != e->generation)
		*d = (struct domain_state){.generation = e->generation, .round_tick = e->first_tick};
	return d;
}

/* Writes the time of a round. The tick that it will be read as. */
static uint64_t encode_time(struct upf_encoder *e, const struct domain_state *d, uint64_t tick)
{
	uint64_t from = e->round_tick, step, late;

	if (!e->due.at.schedule.rate_mhz) {
		add_zigzag(&e->columns, COLUMN_TIME, tick - d->round_tick - e->period_ticks);
		return tick;
	}
	step = schedule_follow(&e->due, tick * UPF_TICK_NS + UPF_TICK_NS - 1);
	if (step)
		from = schedule_tick(&e->due.at);
	late = (tick - from) >> e->time_shift;
	add_varint(&e->columns, COLUMN_STEP, step);
	add_varint(&e->columns, COLUMN_LATE, late);
	e->round_tick = from + (late << e->time_shift);
	if ((int64_t)(e->round_tick - e->first_tick) < 0)
		e->round_tick = e->first_tick;
	return e->round_tick;
}

/* Writes the beginning of every record. */
static void begin_optional(struct upf_encoder *e, uint8_t kind, uint64_t tick)
{
	if (e->records++ == 0) {
		e->first_tick = e->last_tick = e->round_tick = tick;
		if (e->due.at.schedule.rate_mhz)
			schedule_start(&e->due, tick * UPF_TICK_NS);
		e->first_k = e->due.at.k;
	}
	add_u8(&e->columns, COLUMN_KIND, kind);
}

static void begin_record(struct upf_encoder *e, uint8_t kind, uint32_t domain, uint64_t tick)
{
	begin_optional(e, kind, tick);
	add_varint(&e->columns, COLUMN_DOMAIN, domain);
}

/* What comes with a stack that ends in @leaf. */
static void encode_rest(struct upf_encoder *e, const struct upf_sample *s, uint32_t leaf)
{
	enum upf_tops tops = tops_of(e, s);
	uint32_t nregs = nregs_of(e, s);
	bool tell_regs = nregs != (tops == UPF_TOPS_COPY ? UPF_REGS : 0);

	more_put(e->more, &e->columns, leaf, e->stacks.nodes[leaf].address,
	         &(struct more_values){s->root, s->link, s->mode, tell_regs});
	if (nregs)
		e->nregs = e->nregs == 0 || e->nregs == nregs ? nregs : NREGS_DIFFER;
	if (nregs)
		copies_put_regs(e->copies, &e->columns, s, nregs, tell_regs);
	if (s->end == UPF_END_NONE)
		return;
	if (e->tops == UPF_TOPS_MIXED)
		add_u8(&e->columns, COLUMN_TOPS, (uint8_t)tops);
	if (tops == UPF_TOPS_WINDOW)
		windows_put(e->windows, &e->columns, e->stacks.nodes[leaf].parent, s);
	if (tops == UPF_TOPS_COPY)
		copies_put(e->copies, &e->columns, s);
}

/* CPU times are rounded so that they differ from what is expected by whole units; their sum stays right. */
static void encode_cpu(struct upf_encoder *e, const struct upf_sample *s, uint64_t expected)
{
	int64_t *carry = &e->carry[s->slot < e->slots ? s->slot : e->slots];
	int64_t want = (int64_t)(s->cpu_ns / UPF_TICK_NS) + *carry, unit = INT64_C(1) << e->cpu_shift;
	int64_t off = (int64_t)expected - want;
	int64_t units = off > -unit && off < unit && unit > 1 ? 0 : (off + unit / 2) >> e->cpu_shift;
	int64_t told = (int64_t)expected - units * unit;

	for (; unit > 1 && told <= -unit; units--)
		told += unit;
	if (unit > 1 && told < 0)
		told = 0; /* it is read so */
	*carry = want - told;
	add_zigzag(&e->columns, COLUMN_CPU, (uint64_t)units);
}

static void encode_registers(struct upf_encoder *e, const struct upf_sample *s)
{
	add_u8(&e->columns, COLUMN_KIND, UPF_REGISTERS);
	register_list_put(&e->columns, s->vcpu, s->registers);
	e->records++;
}

static void encode_sample(struct upf_encoder *e, const struct upf_sample *s, uint64_t expected_cpu)
{
	if (s->registers)
		encode_registers(e, s);
	add_u8(&e->columns, COLUMN_KIND, UPF_SAMPLE);
	add_varint(&e->columns, COLUMN_VCPU, s->vcpu);
	add_u8(&e->columns, COLUMN_STATE,
	       (uint8_t)((s->state & STATE_RUN_MASK) | (s->state & UPF_VMM ? STATE_VMM : 0) |
	                 (s->user ? STATE_USER : 0) | (s->end & STATE_END_MASK) << STATE_END_SHIFT));
	add_u8(&e->columns, COLUMN_EXIT, s->exit);
	add_varint(&e->columns, COLUMN_HOST, host_writer_number(e->host, s->host));
	encode_cpu(e, s, s->state == UPF_RUNNING ? expected_cpu : 0);
	encode_rest(e, s, stack_writer_put(&e->stacks, &e->columns, s));
	e->records++;
	e->samples++;
}

static bool acceptable_rest(const struct upf_encoder *e, const struct upf_sample *s)
{
	enum upf_tops tops = tops_of(e, s);
	uint32_t nregs = nregs_of(e, s);

	if (s->mode > MORE_MODE_MASK || tops > UPF_TOPS_COPY || (tops == UPF_TOPS_COPY && !nregs))
		return false;
	if (nregs && (!e->copies || upf_regs_sp(nregs) < 0 || !copies_fit(e->copies, s, tops == UPF_TOPS_COPY)))
		return false;
	return tops != UPF_TOPS_WINDOW || s->nwords <= UPF_WINDOW_MAX;
}

static bool acceptable(const struct upf_encoder *e, uint32_t domain, const struct upf_sample *samples, size_t n)
{
	if (domain >= UPF_DOMAINS_MAX || n > UPF_VCPUS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (samples[i].vcpu >= UPF_VCPUS_MAX || samples[i].depth > UPF_DEPTH_MAX ||
		    !acceptable_rest(e, &samples[i]) || !register_list_acceptable(samples[i].registers) ||
		    !host_writer_acceptable(samples[i].host))
			return false;
	return true;
}

/*
 * The host's stacks that are new in this block. 0; -ENOSPC: it is full, and has what was written. A round that begins a
 * block goes without those that do not fit.
 */
static int encode_host_stacks(struct upf_encoder *e, uint64_t tick, const struct upf_sample *samples, size_t n)
{
	const bool is_first = e->records == 0;

	for (size_t i = 0; i < n; i++) {
		const size_t need = host_writer_need(e->host, samples[i].host);

		if (need && columns_fit(&e->columns, need)) {
			begin_optional(e, UPF_HOST, tick);
			host_writer_put(e->host, &e->columns, samples[i].host);
		} else if (need && !is_first) {
			return -ENOSPC;
		}
	}
	return 0;
}

int upf_encode_round(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t pause_ns,
                     const struct upf_sample *samples, size_t n)
{
	uint64_t tick = time_ns / UPF_TICK_NS, elapsed, pause;
	struct domain_state *d;

	if (!acceptable(e, domain, samples, n))
		return -EINVAL;
	if (make_host_writer(e, samples, n) != 0)
		return -ENOMEM;
	if (!has_room_for(e, samples, n))
		return full(e);
	if (encode_host_stacks(e, tick, samples, n) != 0)
		return -ENOSPC;
	begin_record(e, UPF_ROUND, domain, tick);
	d = domain_state(e, domain);
	tick = encode_time(e, d, tick);
	elapsed = tick - d->round_tick;
	pause = pause_ticks(e, pause_ns);
	add_varint(&e->columns, COLUMN_PAUSE, pause);
	elapsed = elapsed > d->pause_ticks ? elapsed - d->pause_ticks : 0;
	for (size_t i = 0; i < n; i++)
		encode_sample(e, &samples[i], elapsed);
	d->round_tick = tick;
	d->pause_ticks = pause;
	d->samples = (uint32_t)n;
	e->last_tick = tick;
	return 0;
}

int upf_encode_same(struct upf_encoder *e, uint32_t domain, uint64_t time_ns)
{
	uint64_t tick = time_ns / UPF_TICK_NS;
	struct domain_state *d;

	if (domain >= UPF_DOMAINS_MAX)
		return -EINVAL;
	d = &e->domains[domain];
	if (d->generation != e->generation)
		return -ENOENT;
	if (!has_room(e))
		return full(e);
	begin_record(e, UPF_SAME, domain, tick);
	tick = encode_time(e, d, tick);
	d->round_tick = tick;
	d->pause_ticks = 0;
	e->samples += d->samples;
	e->last_tick = tick;
	return 0;
}

/* LOST, LATE, EVENT and ENTRY. */
static int encode_note(struct upf_encoder *e, uint8_t kind, uint32_t domain, uint64_t time_ns, uint64_t count)
{
	uint64_t tick = time_ns / UPF_TICK_NS;

	if (domain >= UPF_DOMAINS_MAX)
		return -EINVAL;
	if (!has_room(e))
		return full(e);
	begin_record(e, kind, domain, tick);
	add_zigzag(&e->columns, COLUMN_TIME, tick - e->last_tick);
	add_varint(&e->columns, COLUMN_COUNT, count);
	e->last_tick = tick;
	return 0;
}

int upf_encode_lost(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t count, enum upf_lost why)
{
	int rc = encode_note(e, UPF_LOST, domain, time_ns, count);

	if (rc != 0)
		return rc;
	add_u8(&e->columns, COLUMN_CODE, (uint8_t)why);
	e->lost += count;
	return 0;
}

int upf_encode_late(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t missed)
{
	return encode_note(e, UPF_LATE, domain, time_ns, missed);
}

int upf_encode_event(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, enum upf_event_code code,
                     uint64_t value)
{
	int rc = encode_note(e, UPF_EVENT, domain, time_ns, value);

	if (rc == 0)
		add_u8(&e->columns, COLUMN_CODE, (uint8_t)code);
	return rc;
}

int upf_encode_entry(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint32_t vcpu, uint64_t address)
{
	int rc = vcpu < UPF_VCPUS_MAX ? encode_note(e, UPF_ENTRY, domain, time_ns, address) : -EINVAL;

	if (rc == 0)
		add_varint(&e->columns, COLUMN_VCPU, vcpu);
	return rc;
}

int upf_encode_build(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t address, const uint8_t *id,
                     size_t size)
{
	uint8_t item[BUILD_MAX];
	size_t n;

	if (domain >= UPF_DOMAINS_MAX || size < UPF_BUILD_ID_MIN || size > UPF_BUILD_ID_MAX)
		return -EINVAL;
	if (!has_room(e))
		return full(e);
	begin_optional(e, UPF_BUILD, time_ns / UPF_TICK_NS);
	n = put_varint(item, domain);
	n += put_varint(item + n, address);
	n += put_varint(item + n, size);
	memcpy(item + n, id, size);
	add_item(&e->columns, item, n + size);
	return 0;
}

/* --- payload ----------------------------------------------------------------------------------------------------- */

static uint32_t clamp(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct block_header encoder_payload(const struct upf_encoder *e, struct upf_packer *packer, uint8_t *at)
{
	struct parameters p = {
		.period_ticks = e->period_ticks,
		.stacks = e->stacks.nstacks,
		.time_shift = e->time_shift,
		.cpu_shift = e->cpu_shift,
		.due = e->due.at,
	};
	size_t n;

	if (p.due.schedule.rate_mhz)
		schedule_seek(&p.due, e->first_k);
	n = parameters_put(&p, e->first_tick, at);
	n += forms_put(packer, &e->columns, e->nregs == NREGS_DIFFER ? 0 : e->nregs, at + n);
	return (struct block_header){
		.type = UPF_BLOCK_SAMPLES,
		.first_ns = e->first_tick * UPF_TICK_NS,
		.last_ns = e->last_tick * UPF_TICK_NS,
		.samples = clamp(e->samples),
		.lost = clamp(e->lost),
		.raw_size = (uint32_t)n,
	};
}
