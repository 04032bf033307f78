/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/isa/disassembly.h"
#include "report/isa/isa.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct disassembly {
	csh handle;
	cs_insn *insn;
};

struct disassembly *disassembly_new(const struct isa *isa)
{
	struct disassembly *d = isa ? calloc(1, sizeof(*d)) : NULL;
	int rc = !isa ? -ENOTSUP : d ? 0 : -ENOMEM;

	if (rc == 0 && cs_open((cs_arch)isa->decoder, (cs_mode)isa->mode, &d->handle) != CS_ERR_OK)
		rc = -ENOMEM;
	if (rc == 0) {
		cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
		cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT); /* fails where there is one syntax only */
		d->insn = cs_malloc(d->handle);
		rc = d->insn ? 0 : -ENOMEM;
	}
	if (rc == 0)
		return d;
	disassembly_free(d);
	errno = -rc;
	return NULL;
}

void disassembly_free(struct disassembly *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	if (d->handle)
		cs_close(&d->handle);
	free(d);
}

/* A constant is all there is in the operand then. */
static void find_target(const struct disassembly *d, struct instruction *i)
{
	const char *operand = d->insn->op_str + (d->insn->op_str[0] == '#');
	char *end;

	if (!cs_insn_group(d->handle, d->insn, CS_GRP_CALL) && !cs_insn_group(d->handle, d->insn, CS_GRP_JUMP))
		return;
	i->target = strtoull(operand, &end, 16);
	i->has_target = end != operand && *end == '\0';
}

struct instruction disassembly_at(struct disassembly *d, const uint8_t *code, size_t left, uint64_t address)
{
	struct instruction i = {.size = 1};
	uint8_t byte = code[0];

	if (!cs_disasm_iter(d->handle, &code, &left, &address, d->insn)) {
		snprintf(i.text, sizeof(i.text), "%-7s 0x%02" PRIx8, ".byte", byte);
		return i;
	}
	i.size = (uint8_t)d->insn->size;
	if (d->insn->op_str[0])
		snprintf(i.text, sizeof(i.text), "%-7s %s", d->insn->mnemonic, d->insn->op_str);
	else
		snprintf(i.text, sizeof(i.text), "%s", d->insn->mnemonic);
	find_target(d, &i);
	return i;
}
