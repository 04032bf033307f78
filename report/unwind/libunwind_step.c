/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libunwind_step.c - libunwind's remote unwinding with accessors of our own: code and tables come from the image,
 * registers and stack from the caller.
 *
 * The tables come from a stranger. libunwind reads them word by word through read_copied_word(), which fails after a
 * limited number of words in one step: so an expression that loops for ever ends.
 */
#include "report/unwind/libunwind_step.h"

#include "report/isa/x86.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libunwind-x86_64.h>

/* Exported by libunwind, but in no header of it. */
int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
                                       int need_unwind_info, void *arg);

#define READS_MAX 4096       /* words in one step */
#define TABLE_BELOW 0x80000u /* libunwind finds its search table at this distance below the function */

struct libunwind_step {
	struct image *image;
	const struct fde_index *index;
	unw_addr_space_t space;

	/* the current step */
	const struct fde *fde;
	struct registers regs;
	const struct memory *memory;
	unsigned reads;
	bool missing;      /* libunwind asked for stack that was not recorded */
	uint64_t entry_at; /* the search table of one entry that libunwind looks into */
	int32_t entry[2];
};

/* --- what libunwind asks for ------------------------------------------------------------------------------------- */

/* Copies those of the eight bytes at @address that are in [at, at + size). True if there is one. */
static bool overlay(uint64_t address, uint8_t *bytes, uint64_t at, const void *data, size_t size)
{
	bool any = false;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t offset = address + i - at;

		if (offset >= size)
			continue;
		bytes[i] = ((const uint8_t *)data)[offset];
		any = true;
	}
	return any;
}

static bool read_image(const struct libunwind_step *t, uint64_t address, uint8_t *bytes)
{
	bool any = false;

	for (unsigned i = 0; i < 8;) {
		size_t left;
		const uint8_t *at = image_bytes(t->image, address + i, &left);

		if (!at) {
			i++;
			continue;
		}
		for (; i < 8 && left; i++, left--)
			bytes[i] = *at++;
		any = true;
	}
	return any;
}

static int read_copied_word(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write, void *arg)
{
	struct libunwind_step *t = arg;
	uint8_t bytes[8] = {0};
	uint64_t word;

	(void)as;
	if (write || t->reads++ >= READS_MAX)
		return -UNW_EINVAL;
	if (overlay(address, bytes, t->entry_at, t->entry, sizeof(t->entry)) ||
	    overlay(address, bytes, t->index->eh.address, t->index->eh.data, t->index->eh.size)) {
		memcpy(value, bytes, sizeof(*value));
		return 0;
	}
	if (memory_word(t->memory, address, &word)) {
		*value = word;
		return 0;
	}
	if (read_image(t, address, bytes)) {
		memcpy(value, bytes, sizeof(*value));
		return 0;
	}
	t->missing = true;
	return -UNW_EINVAL;
}

static int read_register(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	struct libunwind_step *t = arg;

	(void)as;
	if (write)
		return -UNW_EREADONLYREG;
	if (reg == UNW_X86_64_RIP) {
		*value = t->regs.ip;
		return 0;
	}
	if (reg < 0 || reg >= X86_REGS || !(t->regs.known & 1u << reg))
		return -UNW_EBADREG;
	*value = t->regs.reg[reg];
	return 0;
}

/* libunwind trusts a CIE to define the CFA before anything else; it must not see others. */
static bool defines_frame(struct cursor c)
{
	uint8_t op;

	do
		op = get_u8(&c);
	while (!c.bad && op == DW_CFA_nop);
	return op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_expression;
}

static int find_description(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need_unwind_info, void *arg)
{
	struct libunwind_step *t = arg;
	const struct fde *fde = t->fde;
	uint64_t at = t->index->eh.address + fde->at;
	unw_dyn_info_t table = {0};
	struct fde_program p;

	/* Offsets in the search table are 32 bits wide. */
	if (ip < fde->start || ip >= fde->end || at - fde->start + INT32_MAX > UINT32_MAX ||
	    fde_program(t->index, fde, &p) != 0 || !defines_frame(p.common))
		return -UNW_ENOINFO;
	t->entry_at = (fde->start & ~(uint64_t)7) - TABLE_BELOW;
	t->entry[0] = 0;
	t->entry[1] = (int32_t)(at - fde->start);
	table.start_ip = fde->start;
	table.end_ip = fde->end;
	table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	table.u.rti.segbase = fde->start;
	table.u.rti.table_data = t->entry_at;
	table.u.rti.table_len = 1; /* in words: our one entry */
	memset(info, 0, sizeof(*info));
	return _Ux86_64_dwarf_search_unwind_table(as, ip, &table, info, need_unwind_info, arg);
}

/* Nothing to free: libunwind keeps it in its own pool. */
static void put_description(unw_addr_space_t as, unw_proc_info_t *info, void *arg)
{
	(void)as, (void)info, (void)arg;
}

static int no_dynamic_info(unw_addr_space_t as, unw_word_t *address, void *arg)
{
	(void)as, (void)address, (void)arg;
	return -UNW_ENOINFO;
}

static int no_float(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)as, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_description,
	.put_unwind_info = put_description,
	.get_dyn_info_list_addr = no_dynamic_info,
	.access_mem = read_copied_word,
	.access_reg = read_register,
	.access_fpreg = no_float,
	.resume = no_resume,
};

/* --- one step ---------------------------------------------------------------------------------------------------- */

/* Those that calls preserve; others are lost. */
static const uint8_t preserved[] = {X86_RBX, X86_FP, X86_R12, X86_R13, X86_R14, X86_R15};

/* Has the frame no caller? Its return address is nowhere then. */
static bool has_no_caller(unw_cursor_t *cursor)
{
	unw_save_loc_t loc;

	return unw_get_save_loc(cursor, UNW_X86_64_RIP, &loc) != 0 || loc.type == UNW_SLT_NONE;
}

static void take_register(unw_cursor_t *cursor, unsigned r, struct registers *to)
{
	unw_word_t value;

	if (unw_get_reg(cursor, (int)r, &value) != 0)
		return;
	to->reg[r] = value;
	to->known |= 1u << r;
}

/* libunwind takes the CFA for the stack pointer even where the frame has saved that: an interrupt's. */
static bool take_saved_sp(unw_cursor_t *cursor, const struct memory *m, struct registers *to)
{
	unw_save_loc_t loc;

	return unw_get_save_loc(cursor, UNW_X86_64_RSP, &loc) != 0 || loc.type != UNW_SLT_MEMORY ||
	       memory_word(m, loc.u.addr, &to->reg[X86_SP]);
}

static int take_registers(unw_cursor_t *cursor, const struct memory *m, struct registers *r)
{
	struct registers up = {.known = 1u << X86_SP};
	unw_word_t value;

	if (unw_get_reg(cursor, UNW_X86_64_RIP, &value) != 0 ||
	    unw_get_reg(cursor, UNW_X86_64_CFA, &up.reg[X86_SP]) != 0)
		return -EBADMSG;
	up.ip = value;
	if (!take_saved_sp(cursor, m, &up))
		return -EFAULT;
	for (size_t i = 0; i < sizeof(preserved); i++)
		take_register(cursor, preserved[i], &up);
	*r = up;
	return 0;
}

int libunwind_step(struct libunwind_step *t, const struct fde *fde, uint64_t address, struct registers *r,
                   const struct memory *m)
{
	unw_cursor_t cursor;
	int rc;

	t->fde = fde;
	t->memory = m;
	t->regs = *r;
	t->regs.ip = address;
	t->reads = 0;
	t->missing = false;
	t->entry_at = 0;
	rc = unw_init_remote(&cursor, t->space, t);
	if (rc >= 0)
		rc = unw_step(&cursor);
	if (rc >= 0 && has_no_caller(&cursor))
		return 1;
	rc = rc < 0 ? -EBADMSG : take_registers(&cursor, m, r);
	return rc == -EBADMSG && t->missing ? -EFAULT : rc;
}

void libunwind_step_free(struct libunwind_step *t)
{
	if (t)
		unw_destroy_addr_space(t->space);
	free(t);
}

struct libunwind_step *libunwind_step_new(struct image *image, const struct fde_index *index)
{
	struct libunwind_step *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->image = image;
	t->index = index;
	t->space = unw_create_addr_space(&accessors, 0);
	if (!t->space) {
		free(t);
		errno = ENOMEM;
		return NULL;
	}
	/* Steps of other images use other address spaces, and a step is rare. */
	unw_set_caching_policy(t->space, UNW_CACHE_NONE);
	return t;
}
