/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boots.h - what each guest ran, and when. Within a trace, or from one to the next, a guest may be reset, go on with
 * another kernel (kexec) or be rebooted: the same kernel then lies elsewhere (KASLR), or it is another build. The
 * recorder writes down where its kernel's first handler is, and its build-id, whenever they have changed.
 */
#ifndef REPORT_INPUT_BOOTS_H
#define REPORT_INPUT_BOOTS_H

#include "report/input/traces.h"

/* From one change to the next. While a guest starts there are several: of its firmware, and of its kernel's stages. */
struct boot {
	uint32_t domain;      /* as all traces together number it */
	uint64_t from_ns;     /* by the time of all traces together; 0 for the domain's first one */
	uint64_t entry;       /* the address of the handler of the first exception; 0: it is not known, */
	bool has_none;        /* or there was none at first */
	struct upf_domain as; /* the domain, with the build that it ran then, as far as that is known */
	char *build_id;       /* as.build_id, if a record tells it */
};

/* Zero-initialise, boots_free() at the end. Valid as long as the traces. */
struct boots {
	struct boot *list; /* n of them, 1 or more: those of one domain in order of time, one domain after the other */
	size_t n, cap;
	size_t *first; /* by domain, where its own begin; ndomains + 1 of them */
	size_t ndomains;
};

/*
 * Of @t, which have been joined; as far as the traces can be read twice, else as far as the first block tells. Unless
 * @look is true, none is read, and each domain has one boot. 0 or a negative errno.
 */
int boots_find(struct boots *b, const struct traces *t, bool look);
void boots_free(struct boots *b);
/* The number of the boot that @domain was in. One that no trace names is taken for the first. */
static inline size_t boots_at(const struct boots *b, uint32_t domain, uint64_t time_ns)
{
	size_t i = domain < b->ndomains ? b->first[domain + 1] - 1 : 0;

	while (i > 0 && b->list[i].domain == domain && b->list[i].from_ns > time_ns)
		i--;
	return i;
}
/* Do samples of boot number @i count? */
bool boots_count(const struct boots *b, const struct traces *t, size_t i);

#endif
