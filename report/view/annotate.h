/* SPDX-License-Identifier: BSD-2-Clause */
/* annotate.h - one function of --annotate: its source, or its instructions. */
#ifndef REPORT_VIEW_ANNOTATE_H
#define REPORT_VIEW_ANNOTATE_H

#include "report/view/source.h"
#include "report/fold/annotation.h"
#include "report/fold/extents.h"
#include "report/view/view.h"

/* Zero-initialise but the first two. */
struct annotate {
	const struct report *r;
	const struct fold *fold;
	struct annotation annotation;
	struct extents extents;
	struct source source;    /* the file read last */
	const char *source_file; /* its name */
	bool has_source;
};

/* Prints the function in those files that are here: 1; 0: there is none; or a negative errno. */
int annotate_source(struct annotate *a, uint32_t function);
/* Prints its instructions, where there is no code the sampled addresses. 0 or a negative errno. */
int annotate_code(struct annotate *a, uint32_t function);

#endif
