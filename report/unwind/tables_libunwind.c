/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables_libunwind.c - libunwind's remote unwinding with accessors of our own: code and tables come from the image,
 * registers and stack from the caller.
 *
 * libunwind unwinds one frame at a time, from registers and memory that it asks for. To be quick, find_row() has it
 * do so once for each address, from made-up registers, and notes what it did with them: a CFI row, which holds for
 * every frame at that address. The few frames that need more than a row can say are stepped live, by step_live().
 *
 * The tables come from a stranger. libunwind reads them word by word through read_word(), which fails after a limited
 * number of words in one step: so an expression that loops for ever ends.
 */
#include "report/unwind/tables_reader.h"

#include "report/isa/x86.h"
#include "report/unwind/fde.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libunwind-x86_64.h>

/* Exported by libunwind, but in no header of it. */
int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
                                       int need_unwind_info, void *arg);

#define READS_MAX 4096          /* words in one step */
#define SCRATCH_BELOW 0x100000u /* a converted description is shown at this distance below its function */

/* Where read_word() finds a stack. */
enum source {
	SOURCE_MEMORY, /* in memory recorded with a sample */
	SOURCE_PROBE,  /* made up: each address has a different value */
};

struct unwinder {
	struct tables base;
	struct image *image;
	struct fde_index index;
	unw_addr_space_t space;

	/* the current step */
	enum source source;
	struct registers regs;
	const struct memory *memory;
	uint64_t probe; /* which set of made-up values */
	unsigned reads;
	bool missing;      /* libunwind asked for stack that was not recorded */
	uint64_t entry_at; /* the search table of one entry that libunwind looks into */
	int32_t entry[2];
	uint64_t scratch_at; /* a description converted from .debug_frame */
	struct buf scratch;
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

static bool read_image(const struct unwinder *t, uint64_t address, uint8_t *bytes)
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

/* Made-up memory and registers: far from anything, and different in each probe. */
static uint64_t probe_word(uint64_t probe, uint64_t address)
{
	return (address * UINT64_C(0x9e3779b97f4a7c15) ^ probe * UINT64_C(0xd6e8feb86659fd93)) | UINT64_C(1) << 62;
}

static uint64_t probe_register(uint64_t probe, unsigned r)
{
	return UINT64_C(0x1100000000000000) + ((uint64_t)r << 40) + (probe << 36) + (probe * (r + 3) << 20);
}

static int read_word(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write, void *arg)
{
	struct unwinder *t = arg;
	uint8_t bytes[8] = {0};
	uint64_t word;

	(void)as;
	if (write || t->reads++ >= READS_MAX)
		return -UNW_EINVAL;
	if (overlay(address, bytes, t->entry_at, t->entry, sizeof(t->entry)) ||
	    overlay(address, bytes, t->scratch_at, t->scratch.data, t->scratch.len) ||
	    overlay(address, bytes, t->index.eh.address, t->index.eh.data, t->index.eh.size)) {
		memcpy(value, bytes, sizeof(*value));
		return 0;
	}
	if (t->source == SOURCE_PROBE) {
		*value = probe_word(t->probe, address);
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
	struct unwinder *t = arg;

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

static int find_description(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need_unwind_info, void *arg)
{
	struct unwinder *t = arg;
	const struct fde *fde = fde_find(&t->index, ip);
	unw_dyn_info_t table = {0};
	uint64_t at;
	size_t offset;

	if (!fde)
		return -UNW_ENOINFO;
	at = t->index.eh.address + fde->at;
	if (fde->debug) {
		if (fde_as_eh(&t->index, fde, &t->scratch, &offset) != 0)
			return -UNW_ENOMEM;
		t->scratch_at = (fde->start & ~(uint64_t)7) - SCRATCH_BELOW;
		at = t->scratch_at + offset;
	}
	/* Offsets in the search table are 32 bits wide. */
	if (at - fde->start + INT32_MAX > UINT32_MAX)
		return -UNW_ENOINFO;
	t->entry_at = (fde->start & ~(uint64_t)7) - SCRATCH_BELOW / 2;
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
	.access_mem = read_word,
	.access_reg = read_register,
	.access_fpreg = no_float,
	.resume = no_resume,
};

/* --- one step ---------------------------------------------------------------------------------------------------- */

/* Unwinds one frame from t->regs: the cursor is then at the caller's frame. Negative: it failed. */
static int step(struct unwinder *t, unw_cursor_t *cursor)
{
	int rc;

	t->reads = 0;
	t->missing = false;
	t->scratch.len = 0;
	t->entry_at = t->scratch_at = 0;
	rc = unw_init_remote(cursor, t->space, t);
	return rc < 0 ? rc : unw_step(cursor);
}

/* Where a register's value is: in which memory, or which register. */
static enum cfi_where find_saved(unw_cursor_t *cursor, unsigned r, uint64_t *address)
{
	unw_save_loc_t loc;

	if (unw_get_save_loc(cursor, (int)r, &loc) != 0 || loc.type == UNW_SLT_NONE)
		return CFI_LOST;
	if (loc.type == UNW_SLT_REG)
		return loc.u.regnum == (unw_regnum_t)r ? CFI_SAME : CFI_LOST;
	*address = loc.u.addr;
	return CFI_SAVED;
}

/* Has the frame no caller? Its return address is nowhere then. */
static bool is_root(unw_cursor_t *cursor)
{
	unw_save_loc_t loc;

	return unw_get_save_loc(cursor, UNW_X86_64_RIP, &loc) != 0 || loc.type == UNW_SLT_NONE;
}

/* --- CFI rows ---------------------------------------------------------------------------------------------------- */

/* What one probe found. */
struct finding {
	bool root;
	uint64_t cfa, ra;
	uint8_t where[X86_REGS];
	uint64_t saved[X86_REGS];
};

/* Those that calls preserve; others are lost. */
static const uint8_t preserved[] = {X86_RBX, X86_FP, X86_R12, X86_R13, X86_R14, X86_R15};

static int probe(struct unwinder *t, uint64_t address, uint64_t number, struct finding *f)
{
	unw_cursor_t cursor;
	unw_word_t cfa;
	int rc;

	t->source = SOURCE_PROBE;
	t->probe = number;
	t->regs.ip = address;
	t->regs.known = UINT32_MAX;
	for (unsigned r = 0; r < X86_REGS; r++)
		t->regs.reg[r] = probe_register(number, r);
	rc = step(t, &cursor);
	if (rc < 0)
		return -EBADMSG;
	memset(f, 0, sizeof(*f));
	f->root = is_root(&cursor);
	if (f->root)
		return 0;
	if (find_saved(&cursor, UNW_X86_64_RIP, &f->ra) != CFI_SAVED)
		return -ENOTSUP;
	if (unw_get_reg(&cursor, UNW_X86_64_CFA, &cfa) != 0)
		return -EBADMSG;
	f->cfa = cfa;
	for (size_t i = 0; i < sizeof(preserved); i++)
		f->where[preserved[i]] = (uint8_t)find_saved(&cursor, preserved[i], &f->saved[preserved[i]]);
	f->where[X86_SP] = (uint8_t)find_saved(&cursor, UNW_X86_64_RSP, &f->saved[X86_SP]);
	return 0;
}

/* Is the difference the same in both probes, and small enough for a row? */
static bool offset_of(uint64_t a, uint64_t base_a, uint64_t b, uint64_t base_b, int32_t *offset)
{
	int64_t d = (int64_t)(a - base_a);

	*offset = (int32_t)d;
	return a - base_a == b - base_b && d == *offset;
}

static bool find_base(const struct finding *a, const struct finding *b, struct cfi_row *row)
{
	for (unsigned r = 0; r < X86_REGS; r++) {
		row->cfa_base = (uint8_t)r;
		if (offset_of(a->cfa, probe_register(1, r), b->cfa, probe_register(2, r), &row->cfa_offset))
			return true;
	}
	return false;
}

/* The two probes as a row; false: a row cannot say what they found. */
static bool make_row(const struct finding *a, const struct finding *b, struct cfi_row *row)
{
	memset(row, 0, sizeof(*row));
	row->kind = a->root ? CFI_ROOT : CFI_CALLER;
	if (a->root || b->root)
		return a->root == b->root;
	for (unsigned r = 0; r < X86_REGS; r++)
		row->reg[r].where = CFI_LOST;
	row->reg[X86_SP].where = CFI_VALUE;
	/* A stack pointer that comes out of memory: a signal's or an interrupt's frame. */
	if (a->where[X86_SP] == CFI_SAVED || !find_base(a, b, row) ||
	    !offset_of(a->ra, a->cfa, b->ra, b->cfa, &row->ra_offset))
		return false;
	for (size_t i = 0; i < sizeof(preserved); i++) {
		unsigned r = preserved[i];

		row->reg[r].where = a->where[r];
		if (a->where[r] != b->where[r] ||
		    (a->where[r] == CFI_SAVED &&
		     !offset_of(a->saved[r], a->cfa, b->saved[r], b->cfa, &row->reg[r].offset)))
			return false;
	}
	return true;
}

static int find_row(struct tables *tables, uint64_t address, struct cfi_row *row)
{
	struct unwinder *t = (struct unwinder *)tables;
	struct finding a, b;
	int rc;

	if (!fde_find(&t->index, address))
		return -ENOENT;
	rc = probe(t, address, 1, &a);
	if (rc == 0)
		rc = probe(t, address, 2, &b);
	if (rc != 0)
		return rc;
	return make_row(&a, &b, row) ? 0 : -ENOTSUP;
}

/* --- live -------------------------------------------------------------------------------------------------------- */

static void take_register(unw_cursor_t *cursor, unsigned r, struct registers *to)
{
	unw_word_t value;

	if (unw_get_reg(cursor, (int)r, &value) != 0)
		return;
	to->reg[r] = value;
	to->known |= 1u << r;
}

static int step_live(struct tables *tables, uint64_t address, struct registers *r, const struct memory *m)
{
	struct unwinder *t = (struct unwinder *)tables;
	struct registers up = {0};
	unw_cursor_t cursor;
	uint64_t saved;
	unw_word_t value;
	int rc;

	t->source = SOURCE_MEMORY;
	t->memory = m;
	t->regs = *r;
	t->regs.ip = address;
	rc = step(t, &cursor);
	if (rc < 0)
		return t->missing ? -EFAULT : -EBADMSG;
	if (is_root(&cursor))
		return 1;
	if (unw_get_reg(&cursor, UNW_X86_64_RIP, &value) != 0 ||
	    unw_get_reg(&cursor, UNW_X86_64_CFA, &up.reg[X86_SP]) != 0)
		return t->missing ? -EFAULT : -EBADMSG;
	up.ip = value;
	up.known = 1u << X86_SP;
	/* libunwind takes the CFA for the stack pointer even where that was saved. */
	if (find_saved(&cursor, UNW_X86_64_RSP, &saved) == CFI_SAVED && !memory_word(m, saved, &up.reg[X86_SP]))
		return -EFAULT;
	for (size_t i = 0; i < sizeof(preserved); i++)
		take_register(&cursor, preserved[i], &up);
	*r = up;
	return 0;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static void close_tables(struct tables *tables)
{
	struct unwinder *t = (struct unwinder *)tables;

	if (t->space)
		unw_destroy_addr_space(t->space);
	fde_free(&t->index);
	buf_free(&t->scratch);
	free(t);
}

struct tables *tables_new_libunwind(struct image *image)
{
	static const struct tables_reader reader = {find_row, step_live, close_tables};
	struct unwinder *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return NULL;
	t->base.reader = &reader;
	t->image = image;
	rc = fde_index(&t->index, image);
	if (rc == 0 && t->index.n == 0)
		rc = -ENOENT;
	if (rc == 0) {
		t->space = unw_create_addr_space(&accessors, 0);
		rc = t->space ? 0 : -ENOMEM;
	}
	if (rc != 0) {
		close_tables(&t->base);
		errno = -rc;
		return NULL;
	}
	/* The caller of find_row() caches. */
	unw_set_caching_policy(t->space, UNW_CACHE_NONE);
	return &t->base;
}
