/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * encoder.c - records into the columns of one block (FORMAT.md, "Samples blocks").
 *
 * A round's cost is a hash of each stack that differs from its vCPU's last one; a stack's frames are written only the
 * first time it is seen in a block.
 */
#include "format/encoder.h"

#include <errno.h>
#include <stdlib.h>

#include "format/checksum.h"
#include "format/columns.h"
#include "format/vcputab.h"
#include "format/wire.h"

#define ARENA_FRAMES 65536 /* of all stacks defined in a block */
#define STACKS_MAX 16384
#define HASH_SLOTS 32768 /* twice as many, a power of two */
#define VCPUS_MAX 4096   /* (domain, vCPU) pairs in one block */

/* Room for each column; all together below UPF_RAW_MAX. */
static const size_t capacity[COLUMNS] = {
	[COLUMN_KIND] = 64 << 10,  [COLUMN_DOMAIN] = 64 << 10, [COLUMN_TIME] = 96 << 10,  [COLUMN_PAUSE] = 64 << 10,
	[COLUMN_VCPU] = 64 << 10,  [COLUMN_STATE] = 64 << 10,  [COLUMN_CPU] = 128 << 10,  [COLUMN_STACK] = 96 << 10,
	[COLUMN_SHAPE] = 64 << 10, [COLUMN_FRAME] = 256 << 10, [COLUMN_COUNT] = 16 << 10, [COLUMN_CODE] = 8 << 10,
};

struct column_buffer {
	uint8_t *data;
	size_t len;
};

struct stack {
	uint32_t first, depth; /* in the arena, leaf first */
};

struct domain_state {
	uint32_t generation; /* of the block it belongs to; others are from before */
	uint32_t samples;    /* in its last round */
	uint64_t round_tick, pause_ticks;
};

struct upf_encoder {
	struct column_buffer column[COLUMNS];
	uint64_t period_ticks, first_tick, last_tick, samples, lost;
	uint32_t records, generation;
	struct domain_state *domains;
	struct vcputab vcpus; /* last: number of its last stack in this block, from 1 */
	uint64_t *arena;
	uint32_t arena_used, nstacks;
	struct stack *stacks;
	uint16_t *slots; /* stack number from 1, by hash */
};

struct upf_encoder *upf_encoder_new(void)
{
	struct upf_encoder *e = calloc(1, sizeof(*e));
	bool fine = e != NULL;

	for (int c = 0; fine && c < COLUMNS; c++)
		if (capacity[c])
			fine = (e->column[c].data = malloc(capacity[c])) != NULL;
	if (fine) {
		e->domains = calloc(UPF_DOMAINS_MAX, sizeof(*e->domains));
		e->arena = calloc(ARENA_FRAMES, sizeof(*e->arena));
		e->stacks = calloc(STACKS_MAX, sizeof(*e->stacks));
		e->slots = calloc(HASH_SLOTS, sizeof(*e->slots));
		fine = e->domains && e->arena && e->stacks && e->slots && vcputab_init(&e->vcpus, 2 * VCPUS_MAX) == 0;
	}
	if (!fine) {
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
	for (int c = 0; c < COLUMNS; c++)
		free(e->column[c].data);
	vcputab_free(&e->vcpus);
	free(e->domains);
	free(e->arena);
	free(e->stacks);
	free(e->slots);
	free(e);
}

void upf_encoder_reset(struct upf_encoder *e, uint64_t period_ns)
{
	for (int c = 0; c < COLUMNS; c++)
		e->column[c].len = 0;
	if (e->nstacks)
		memset(e->slots, 0, HASH_SLOTS * sizeof(*e->slots));
	if (e->vcpus.used)
		vcputab_clear(&e->vcpus);
	e->period_ticks = period_ns / UPF_TICK_NS;
	e->first_tick = e->last_tick = e->samples = e->lost = 0;
	e->records = e->arena_used = e->nstacks = 0;
	e->generation++;
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

/* --- columns: the caller has made sure of the room ------------------------------------------------------------------- */

static size_t room(const struct upf_encoder *e, enum column c)
{
	return capacity[c] - e->column[c].len;
}

static void add_u8(struct upf_encoder *e, enum column c, uint8_t v)
{
	e->column[c].data[e->column[c].len++] = v;
}

static void add_varint(struct upf_encoder *e, enum column c, uint64_t v)
{
	e->column[c].len += put_varint(e->column[c].data + e->column[c].len, v);
}

/* A pause is rounded up: it is never told shorter than it was, nor as none. */
static uint64_t pause_ticks(uint64_t pause_ns)
{
	return pause_ns / UPF_TICK_NS + (pause_ns % UPF_TICK_NS != 0);
}

static void add_zigzag(struct upf_encoder *e, enum column c, uint64_t difference)
{
	add_varint(e, c, zigzag((int64_t)difference));
}

/* Enough for any record but a round's samples. */
static bool has_room(const struct upf_encoder *e)
{
	return room(e, COLUMN_KIND) >= 1 && room(e, COLUMN_DOMAIN) >= VARINT_MAX && room(e, COLUMN_TIME) >= VARINT_MAX &&
	       room(e, COLUMN_PAUSE) >= VARINT_MAX && room(e, COLUMN_COUNT) >= VARINT_MAX && room(e, COLUMN_CODE) >= 1;
}

static bool has_room_for(const struct upf_encoder *e, const struct upf_sample *samples, size_t n)
{
	size_t frames = 0;

	for (size_t i = 0; i < n; i++)
		frames += samples[i].depth;
	return has_room(e) && room(e, COLUMN_KIND) > n && room(e, COLUMN_VCPU) >= 2 * n && room(e, COLUMN_STATE) >= n &&
	       room(e, COLUMN_CPU) >= VARINT_MAX * n && room(e, COLUMN_STACK) >= 3 * n && room(e, COLUMN_SHAPE) >= 4 * n &&
	       room(e, COLUMN_FRAME) / VARINT_MAX >= frames && ARENA_FRAMES - e->arena_used >= frames &&
	       STACKS_MAX - e->nstacks > n && VCPUS_MAX - e->vcpus.used >= n;
}

static int full(const struct upf_encoder *e)
{
	return e->records == 0 ? -E2BIG : -ENOSPC;
}

/* --- records --------------------------------------------------------------------------------------------------------- */

static struct domain_state *domain_state(struct upf_encoder *e, uint32_t domain)
{
	struct domain_state *d = &e->domains[domain];

	if (d->generation != e->generation)
		*d = (struct domain_state){.generation = e->generation, .round_tick = e->first_tick};
	return d;
}

/* What every record begins with. */
static void begin(struct upf_encoder *e, uint8_t kind, uint32_t domain, uint64_t tick)
{
	if (e->records++ == 0)
		e->first_tick = e->last_tick = tick;
	add_u8(e, COLUMN_KIND, kind);
	add_varint(e, COLUMN_DOMAIN, domain);
}

/* A time that lies before the last one, which a monotonic clock does not give, would still be told right. */
static void end(struct upf_encoder *e, uint64_t tick)
{
	e->last_tick = tick;
}

static bool is_stack(const struct upf_encoder *e, const struct stack *k, const struct upf_sample *s)
{
	/* An empty stack may come without frames, which memcmp() must not be given. */
	return k->depth == s->depth &&
	       (s->depth == 0 || memcmp(e->arena + k->first, s->frames, s->depth * sizeof(*s->frames)) == 0);
}

/* The number of a stack defined in this block, or 0; *slot is where it belongs. */
static uint32_t find_stack(const struct upf_encoder *e, const struct upf_sample *s, size_t *slot)
{
	size_t i = hash_words(s->frames, s->depth) & (HASH_SLOTS - 1);

	for (; e->slots[i]; i = (i + 1) & (HASH_SLOTS - 1))
		if (is_stack(e, &e->stacks[e->slots[i] - 1], s))
			return e->slots[i];
	*slot = i;
	return 0;
}

/* Writes a new stack as what differs from the vCPU's last one. */
static void write_stack(struct upf_encoder *e, const struct upf_sample *s, const struct stack *last)
{
	const uint64_t *old = last ? e->arena + last->first : NULL;
	uint32_t old_depth = last ? last->depth : 0, shared = 0;
	uint64_t below = 0;

	while (shared < old_depth && shared < s->depth &&
	       old[old_depth - 1 - shared] == s->frames[s->depth - 1 - shared])
		shared++;
	add_varint(e, COLUMN_SHAPE, old_depth - shared);
	add_varint(e, COLUMN_SHAPE, s->depth - shared);
	if (shared)
		below = s->frames[s->depth - shared];
	for (uint32_t i = shared; i < s->depth; i++) {
		uint64_t frame = s->frames[s->depth - 1 - i];

		add_zigzag(e, COLUMN_FRAME, frame - (i < old_depth ? old[old_depth - 1 - i] : below));
		below = frame;
	}
}

static uint32_t define_stack(struct upf_encoder *e, const struct upf_sample *s, const struct stack *last, size_t slot)
{
	struct stack *k = &e->stacks[e->nstacks];

	write_stack(e, s, last);
	*k = (struct stack){.first = e->arena_used, .depth = s->depth};
	if (s->depth)
		memcpy(e->arena + k->first, s->frames, s->depth * sizeof(*s->frames));
	e->arena_used += s->depth;
	e->slots[slot] = (uint16_t)++e->nstacks;
	return e->nstacks;
}

static void encode_stack(struct upf_encoder *e, uint32_t domain, const struct upf_sample *s)
{
	struct vcpu_slot *vcpu = vcputab_get(&e->vcpus, domain, s->vcpu);
	const struct stack *last = vcpu->last ? &e->stacks[vcpu->last - 1] : NULL;
	uint32_t number = vcpu->last;
	size_t slot = 0;

	if (!last || !is_stack(e, last, s))
		number = find_stack(e, s, &slot);
	add_varint(e, COLUMN_STACK, number);
	vcpu->last = number ? number : define_stack(e, s, last, slot);
}

static void encode_sample(struct upf_encoder *e, uint32_t domain, const struct upf_sample *s, uint64_t expected_cpu)
{
	uint64_t predicted = s->state == UPF_RUNNING ? expected_cpu : 0;

	add_u8(e, COLUMN_KIND, UPF_SAMPLE);
	add_varint(e, COLUMN_VCPU, s->vcpu);
	add_u8(e, COLUMN_STATE, (uint8_t)((s->state & STATE_RUN_MASK) | (s->user ? STATE_USER : 0) |
	                                  (s->end & STATE_END_MASK) << STATE_END_SHIFT));
	add_zigzag(e, COLUMN_CPU, predicted - s->cpu_ns / UPF_TICK_NS);
	encode_stack(e, domain, s);
	e->records++;
	e->samples++;
}

static bool acceptable(uint32_t domain, const struct upf_sample *samples, size_t n)
{
	if (domain >= UPF_DOMAINS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (samples[i].vcpu >= UPF_VCPUS_MAX || samples[i].depth > UPF_DEPTH_MAX)
			return false;
	return true;
}

int upf_encode_round(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t pause_ns,
                     const struct upf_sample *samples, size_t n)
{
	uint64_t tick = time_ns / UPF_TICK_NS, elapsed;
	struct domain_state *d;

	if (!acceptable(domain, samples, n))
		return -EINVAL;
	if (!has_room_for(e, samples, n))
		return full(e);
	begin(e, UPF_ROUND, domain, tick);
	d = domain_state(e, domain);
	elapsed = tick - d->round_tick;
	add_zigzag(e, COLUMN_TIME, elapsed - e->period_ticks);
	add_varint(e, COLUMN_PAUSE, pause_ticks(pause_ns));
	elapsed = elapsed > d->pause_ticks ? elapsed - d->pause_ticks : 0;
	for (size_t i = 0; i < n; i++)
		encode_sample(e, domain, &samples[i], elapsed);
	d->round_tick = tick;
	d->pause_ticks = pause_ticks(pause_ns);
	d->samples = (uint32_t)n;
	end(e, tick);
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
	begin(e, UPF_SAME, domain, tick);
	add_zigzag(e, COLUMN_TIME, tick - d->round_tick - e->period_ticks);
	d->round_tick = tick;
	d->pause_ticks = 0;
	e->samples += d->samples;
	end(e, tick);
	return 0;
}

/* LOST, LATE and EVENT. */
static int encode_note(struct upf_encoder *e, uint8_t kind, uint32_t domain, uint64_t time_ns, uint64_t count)
{
	uint64_t tick = time_ns / UPF_TICK_NS;

	if (domain >= UPF_DOMAINS_MAX)
		return -EINVAL;
	if (!has_room(e))
		return full(e);
	begin(e, kind, domain, tick);
	add_zigzag(e, COLUMN_TIME, tick - e->last_tick);
	add_varint(e, COLUMN_COUNT, count);
	end(e, tick);
	return 0;
}

int upf_encode_lost(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t count, enum upf_lost why)
{
	int rc = encode_note(e, UPF_LOST, domain, time_ns, count);

	if (rc != 0)
		return rc;
	add_u8(e, COLUMN_CODE, (uint8_t)why);
	e->lost += count;
	return 0;
}

int upf_encode_late(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t missed)
{
	return encode_note(e, UPF_LATE, domain, time_ns, missed);
}

int upf_encode_event(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, enum upf_event_code code, uint64_t value)
{
	int rc = encode_note(e, UPF_EVENT, domain, time_ns, value);

	if (rc == 0)
		add_u8(e, COLUMN_CODE, (uint8_t)code);
	return rc;
}

/* --- payload --------------------------------------------------------------------------------------------------------- */

static uint32_t clamp(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct encoded encoder_payload(const struct upf_encoder *e, uint8_t *at)
{
	size_t n = put_varint(at, e->period_ticks), columns = 0;

	for (int c = 0; c < COLUMNS; c++)
		columns += e->column[c].len != 0;
	n += put_varint(at + n, columns);
	for (int c = 0; c < COLUMNS; c++) {
		if (!e->column[c].len)
			continue;
		n += put_varint(at + n, (uint64_t)c);
		n += put_varint(at + n, e->column[c].len);
	}
	for (int c = 0; c < COLUMNS; c++) {
		if (e->column[c].len)
			memcpy(at + n, e->column[c].data, e->column[c].len);
		n += e->column[c].len;
	}
	return (struct encoded){
		.first_ns = e->first_tick * UPF_TICK_NS,
		.last_ns = e->last_tick * UPF_TICK_NS,
		.samples = clamp(e->samples),
		.lost = clamp(e->lost),
		.size = n,
	};
}
