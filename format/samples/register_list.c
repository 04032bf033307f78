/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/register_list.h"

#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool register_list_acceptable(const struct register_set *set)
{
	if (!set)
		return true;
	for (uint32_t i = 0; i < set->n && set->n <= REGISTERS_MAX; i++)
		if (set->of[i].id > REGISTERS_ID_MAX)
			return false;
	return set->n <= REGISTERS_MAX && set->code_size <= REGISTERS_CODE && set->code_before <= set->code_size;
}

void register_list_put(struct column_writer *columns, uint32_t vcpu, const struct register_set *set)
{
	uint8_t item[REGISTER_LIST_MAX];
	size_t n = put_varint(item, vcpu);
	uint32_t last = 0;

	n += put_varint(item + n, set->n);
	for (uint32_t i = 0; i < set->n; i++) {
		n += put_varint(item + n, zigzag((int64_t)set->of[i].id - last));
		n += put_varint(item + n, set->of[i].value);
		last = set->of[i].id;
	}
	n += put_varint(item + n, set->code_before);
	n += put_varint(item + n, set->code_size);
	memcpy(item + n, set->code, set->code_size);
	add_item(columns, item, n + set->code_size);
}

static bool get_code(struct cursor *c, struct register_set *set)
{
	uint64_t before = get_varint(c), size = get_varint(c);
	const uint8_t *code = size <= REGISTERS_CODE && before <= size ? get_bytes(c, size) : NULL;

	if (!code)
		return false;
	memcpy(set->code, code, size);
	set->code_before = (uint8_t)before;
	set->code_size = (uint8_t)size;
	return true;
}

int register_list_get(const uint8_t *item, size_t size, uint32_t *vcpu, struct register_set *set)
{
	struct cursor c = cursor_of(item, size);
	uint64_t v = get_varint(&c), n = get_varint(&c), id = 0;

	set->n = 0;
	if (c.bad || v >= UPF_VCPUS_MAX || n > REGISTERS_MAX)
		return -EBADMSG;
	for (uint64_t i = 0; i < n; i++) {
		id += (uint64_t)get_zigzag(&c);
		if (id > REGISTERS_ID_MAX)
			return -EBADMSG;
		upf_registers_add(set, (uint32_t)id, get_varint(&c));
	}
	*vcpu = (uint32_t)v;
	return get_code(&c, set) && !c.bad ? 0 : -EBADMSG;
}

bool upf_record_registers(const struct upf_record *rec, struct register_set *set)
{
	uint32_t vcpu;

	return rec->registers && register_list_get(rec->registers, rec->registers_size, &vcpu, set) == 0;
}

/* --- decoding a block -------------------------------------------------------------------------------------------- */

void register_lists_free(struct register_lists *l)
{
	free(l->of);
}

void register_lists_reset(struct register_lists *l)
{
	l->n = 0;
	l->waiting = false;
}

int register_lists_get(struct register_lists *l, struct cursor item, struct upf_record *rec)
{
	const uint8_t *at = item.at;
	uint32_t size = (uint32_t)cursor_left(&item);
	struct register_set set;

	if (item.bad || register_list_get(at, size, &rec->vcpu, &set) != 0)
		return -EBADMSG;
	if (array_add(l->of, l->room, l->n, (struct register_list){.at = at, .size = size, .vcpu = rec->vcpu}) != 0)
		return -ENOMEM;
	l->waiting = true;
	register_lists_tell(l, l->n, rec);
	return 0;
}

int register_lists_take(struct register_lists *l, uint32_t vcpu, uint32_t *number)
{
	l->waiting = false;
	*number = l->n;
	return l->of[l->n - 1].vcpu == vcpu ? 0 : -EBADMSG;
}

void register_lists_tell(const struct register_lists *l, uint32_t number, struct upf_record *rec)
{
	rec->registers = l->of[number - 1].at;
	rec->registers_size = l->of[number - 1].size;
}
