/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/more.h"
#include "common/hash_array.h"
#include "common/hash_chains.h"

#include <errno.h>

#define CHAIN_BITS 10
#define ROOTS_MAX 8192 /* in an encoder's block */

struct root {
	uint64_t value;
	uint32_t next; /* in its chain of by_value */
};

struct top {
	uint64_t link;
	uint32_t top, mode;
};

struct more {
	bool fixed;
	struct root *roots; /* 0: none */
	uint32_t nroots;
	size_t root_room;
	uint64_t *links; /* by leaf: the link register it last came with, 0: none yet */
	uint32_t nlinks;
	size_t link_room;
	struct hash_chains by_value; /* encoder: the roots */
	struct hash_array tops;      /* decoder */
};

struct more *more_new(uint32_t nodes)
{
	struct more *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->fixed = nodes != 0;
	if (m->fixed) {
		m->roots = calloc(m->root_room = ROOTS_MAX, sizeof(*m->roots));
		m->links = calloc(m->link_room = nodes, sizeof(*m->links));
		if (!m->roots || !m->links || hash_chains_init(&m->by_value, CHAIN_BITS) != 0) {
			more_free(m);
			return NULL;
		}
	}
	return m;
}

void more_free(struct more *m)
{
	if (!m)
		return;
	free(m->roots);
	free(m->links);
	hash_array_free(&m->tops);
	hash_chains_free(&m->by_value);
	free(m);
}

void more_reset(struct more *m)
{
	if (m->fixed && m->nroots)
		hash_chains_clear(&m->by_value);
	m->nroots = m->nlinks = 0;
	hash_array_clear(&m->tops);
}

/* The link register that this leaf last came with, or what there is to guess it by. NULL: no memory. */
static uint64_t *last_link(struct more *m, uint32_t leaf, uint64_t address)
{
	if (!m->fixed && array_room(&m->links, &m->link_room, leaf, sizeof(*m->links)) != 0)
		return NULL;
	if (leaf >= m->nlinks) {
		memset(m->links + m->nlinks, 0, (leaf + 1 - m->nlinks) * sizeof(*m->links));
		m->nlinks = leaf + 1;
	}
	if (m->links[leaf] == 0)
		m->links[leaf] = address;
	return &m->links[leaf];
}

/* --- encoding ---------------------------------------------------------------------------------------------------- */

bool more_has_room(const struct more *m, size_t samples)
{
	return samples < ROOTS_MAX - m->nroots;
}

static void put_root(struct more *m, struct column_writer *columns, uint64_t value)
{
	uint32_t *head = hash_chain(&m->by_value, value * UINT64_C(0x9e3779b97f4a7c15)), i = *head;

	while (i && m->roots[i].value != value)
		i = m->roots[i].next;
	add_varint(columns, COLUMN_ROOT, i);
	if (i)
		return;
	add_zigzag(columns, COLUMN_SPACE, value - m->roots[m->nroots].value);
	m->roots[++m->nroots] = (struct root){.value = value, .next = *head};
	*head = m->nroots;
}

void more_put(struct more *m, struct column_writer *columns, uint32_t leaf, uint64_t address,
              const struct more_values *v)
{
	uint8_t byte = (uint8_t)((v->mode & MORE_MODE_MASK) | (v->root ? MORE_ROOT : 0) | (v->link ? MORE_LINK : 0) |
	                         (v->has_regs ? MORE_REGS : 0));
	uint64_t *link;

	add_u8(columns, COLUMN_MORE, byte);
	if (v->root)
		put_root(m, columns, v->root);
	if (v->link) {
		link = last_link(m, leaf, address);
		add_zigzag(columns, COLUMN_LINK, v->link - *link);
		*link = v->link;
	}
}

/* --- decoding ---------------------------------------------------------------------------------------------------- */

static int get_root(struct more *m, struct column_reader *columns, uint64_t *value)
{
	uint64_t i = column_number(columns, COLUMN_ROOT);

	if (columns->bad || i > m->nroots)
		return -EBADMSG;
	if (i == 0) {
		if (array_room(&m->roots, &m->root_room, m->nroots + 1, sizeof(*m->roots)) != 0)
			return -ENOMEM;
		m->roots[0].value = 0;
		i = m->nroots + 1;
		m->roots[i].value = m->roots[m->nroots].value + (uint64_t)column_difference(columns, COLUMN_SPACE);
		m->nroots++;
	}
	*value = m->roots[i].value;
	return columns->bad ? -EBADMSG : 0;
}

static int get_link(struct more *m, struct column_reader *columns, uint32_t leaf, uint64_t address, uint64_t *value)
{
	uint64_t *link = last_link(m, leaf, address);

	if (!link)
		return -ENOMEM;
	*value = *link += (uint64_t)column_difference(columns, COLUMN_LINK);
	return columns->bad ? -EBADMSG : 0;
}

int more_get(struct more *m, struct column_reader *columns, uint32_t leaf, uint64_t address, struct more_values *v)
{
	uint8_t byte = column_byte(columns, COLUMN_MORE);
	int rc = 0;

	if (columns->bad || (byte & MORE_RESERVED))
		return -EBADMSG;
	v->mode = byte & MORE_MODE_MASK;
	v->has_regs = byte & MORE_REGS;
	if (byte & MORE_ROOT)
		rc = get_root(m, columns, &v->root);
	if (rc == 0 && (byte & MORE_LINK))
		rc = get_link(m, columns, leaf, address, &v->link);
	return rc;
}

int more_top(struct more *m, uint32_t top, const struct more_values *v, uint32_t *number)
{
	int rc = hash_array_add(&m->tops, number, mode, &(struct top){v->link, top, v->mode});

	if (rc == 0)
		*number += MORE_TOPS_FROM;
	return rc;
}
