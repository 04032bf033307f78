/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * encoder.c - records into the columns of one block (FORMAT.md, "Samples blocks").
 *
 * The block's stacks are a tree, and a frame is looked for among the callees of its caller: what a block has seen once
 * is not written again.
 */
#include "format/encoder.h"

#include <errno.h>
#include <stdlib.h>

#include "format/columns.h"
#include "format/rice.h"
#include "format/wire.h"

#define NODES_MAX 65536
#define HEADS 8192 /* of hash chains, a power of two */
#define NUMBERS_MAX 65536 /* in one column */

/* Room for each column; all together below UPF_RAW_MAX. */
static const size_t capacity[COLUMNS] = {
	[COLUMN_KIND] = 64 << 10,  [COLUMN_DOMAIN] = 64 << 10, [COLUMN_TIME] = 96 << 10,  [COLUMN_PAUSE] = 64 << 10,
	[COLUMN_VCPU] = 64 << 10,  [COLUMN_STATE] = 64 << 10,  [COLUMN_CPU] = 112 << 10,  [COLUMN_STACK] = 48 << 10,
	[COLUMN_PARENT] = 48 << 10, [COLUMN_FRAME] = 256 << 10, [COLUMN_COUNT] = 16 << 10, [COLUMN_CODE] = 8 << 10,
	[COLUMN_PUSH] = 32 << 10,  [COLUMN_REST] = 48 << 10,
};

struct column_buffer {
	uint8_t *data;
	size_t len;
};

struct node {
	uint64_t address;
	uint32_t parent, next; /* next: in its hash chain */
	uint32_t child;        /* the callee defined last, 0: none */
	uint32_t stack;        /* number of the stack that ends here, from 1, 0: none */
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
	struct node *nodes;    /* 0: the empty stack */
	uint32_t *heads;
	uint32_t nnodes, nstacks;
	uint64_t *numbers;     /* of a column about to be coded */
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
		e->nodes = calloc(NODES_MAX, sizeof(*e->nodes));
		e->heads = calloc(HEADS, sizeof(*e->heads));
		e->numbers = calloc(NUMBERS_MAX, sizeof(*e->numbers));
		fine = e->domains && e->nodes && e->heads && e->numbers;
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
	free(e->domains);
	free(e->nodes);
	free(e->heads);
	free(e->numbers);
	free(e);
}

void upf_encoder_reset(struct upf_encoder *e, uint64_t period_ns)
{
	for (int c = 0; c < COLUMNS; c++)
		e->column[c].len = 0;
	memset(e->heads, 0, HEADS * sizeof(*e->heads));
	memset(e->nodes, 0, sizeof(*e->nodes));
	e->period_ticks = period_ns / UPF_TICK_NS;
	e->first_tick = e->last_tick = e->samples = e->lost = 0;
	e->records = e->nstacks = 0;
	e->nnodes = 1;
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
	       room(e, COLUMN_CPU) >= VARINT_MAX * n && room(e, COLUMN_STACK) >= 3 * n && room(e, COLUMN_REST) >= 3 * n &&
	       room(e, COLUMN_PARENT) >= 3 * n && room(e, COLUMN_PUSH) >= 2 * n &&
	       room(e, COLUMN_FRAME) / VARINT_MAX >= frames && NODES_MAX - e->nnodes >= frames;
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

static uint32_t *chain(const struct upf_encoder *e, uint32_t parent, uint64_t address)
{
	uint64_t h = (address + parent * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

	return &e->heads[h >> 51];
}

static uint32_t find_node(const struct upf_encoder *e, uint32_t parent, uint64_t address)
{
	uint32_t i = e->nodes[parent].child;

	if (i && e->nodes[i].address == address)
		return i;
	i = *chain(e, parent, address);
	while (i && (e->nodes[i].address != address || e->nodes[i].parent != parent))
		i = e->nodes[i].next;
	return i;
}

/* A frame differs least from the callee its caller had last, otherwise from its caller. */
static uint32_t add_node(struct upf_encoder *e, uint32_t parent, uint64_t address)
{
	uint32_t *head = chain(e, parent, address), i = e->nnodes++;
	uint32_t near = e->nodes[parent].child ? e->nodes[parent].child : parent;

	add_zigzag(e, COLUMN_FRAME, address - e->nodes[near].address);
	e->nodes[i] = (struct node){.address = address, .parent = parent, .next = *head};
	e->nodes[parent].child = *head = i;
	return i;
}

static void encode_stack(struct upf_encoder *e, const struct upf_sample *s)
{
	enum column column = s->state == UPF_RUNNING ? COLUMN_STACK : COLUMN_REST;
	uint32_t node = 0, callee, left = s->depth;

	for (; left && (callee = find_node(e, node, s->frames[left - 1])) != 0; left--)
		node = callee;
	if (left == 0 && e->nodes[node].stack) {
		add_varint(e, column, e->nodes[node].stack);
		return;
	}
	add_varint(e, column, 0);
	add_varint(e, COLUMN_PARENT, e->nnodes - 1 - node);
	add_varint(e, COLUMN_PUSH, left);
	for (; left; left--)
		node = add_node(e, node, s->frames[left - 1]);
	e->nodes[node].stack = ++e->nstacks;
}

static void encode_sample(struct upf_encoder *e, const struct upf_sample *s, uint64_t expected_cpu)
{
	uint64_t predicted = s->state == UPF_RUNNING ? expected_cpu : 0;

	add_u8(e, COLUMN_KIND, UPF_SAMPLE);
	add_varint(e, COLUMN_VCPU, s->vcpu);
	add_u8(e, COLUMN_STATE, (uint8_t)((s->state & STATE_RUN_MASK) | (s->user ? STATE_USER : 0) |
	                                  (s->end & STATE_END_MASK) << STATE_END_SHIFT));
	add_zigzag(e, COLUMN_CPU, predicted - s->cpu_ns / UPF_TICK_NS);
	encode_stack(e, s);
	e->records++;
	e->samples++;
}

static bool acceptable(uint32_t domain, const struct upf_sample *samples, size_t n)
{
	if (domain >= UPF_DOMAINS_MAX || n > UPF_VCPUS_MAX)
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
		encode_sample(e, &samples[i], elapsed);
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

/* Numbers random enough for Rice codes; other columns repeat, which LZ4 sees best in whole bytes. */
static bool is_random(int c)
{
	return c == COLUMN_TIME || c == COLUMN_PAUSE || c == COLUMN_CPU || c == COLUMN_STACK || c == COLUMN_PARENT ||
	       c == COLUMN_PUSH;
}

/* A column to @at, in the shorter of its forms; the bytes used. */
static size_t put_column(const struct upf_encoder *e, int c, uint8_t *at, uint8_t *form)
{
	const struct column_buffer *column = &e->column[c];
	struct cursor from = cursor_of(column->data, column->len);
	size_t n = 0;

	*form = FORM_BYTES;
	if (is_random(c)) {
		while (cursor_left(&from) && n < NUMBERS_MAX)
			e->numbers[n++] = get_varint(&from);
		n = cursor_left(&from) ? 0 : rice_encode(at, column->len, e->numbers, n);
	}
	if (n) {
		*form = FORM_RICE;
		return n;
	}
	memcpy(at, column->data, column->len);
	return column->len;
}

struct encoded encoder_payload(const struct upf_encoder *e, uint8_t *at)
{
	uint8_t head[2 * VARINT_MAX + COLUMNS * (2 + VARINT_MAX)], *body = at + sizeof(head);
	size_t n = put_varint(head, e->period_ticks), total = 0, columns = 0;

	for (int c = 0; c < COLUMNS; c++)
		columns += e->column[c].len != 0;
	n += put_varint(head + n, columns);
	for (int c = 0; c < COLUMNS; c++) {
		size_t len;

		if (!e->column[c].len)
			continue;
		head[n++] = (uint8_t)c;
		len = put_column(e, c, body + total, &head[n++]);
		n += put_varint(head + n, len);
		total += len;
	}
	memcpy(at, head, n);
	memmove(at + n, body, total);
	n += total;
	return (struct encoded){
		.first_ns = e->first_tick * UPF_TICK_NS,
		.last_ns = e->last_tick * UPF_TICK_NS,
		.samples = clamp(e->samples),
		.lost = clamp(e->lost),
		.size = n,
	};
}
