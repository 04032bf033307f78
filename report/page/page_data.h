/* SPDX-License-Identifier: BSD-2-Clause */
/* page_data.h - what a page shows, as the JSON that its scripts read. */
#ifndef REPORT_PAGE_PAGE_DATA_H
#define REPORT_PAGE_PAGE_DATA_H

#include "report/fold/fold.h"
#include "report/page/flame.h"
#include "report/page/heat.h"
#include "report/profile/recording.h"

struct page_content {
	const struct recording *run, *old; /* loaded; @old NULL: there is nothing to compare with */
	const struct selection *selection;
	const struct fold *fold;   /* the same profile, for the notes on its names */
	const struct flame *flame; /* finished */
	/* Finished, adds a heat map; NULL: none. Stack number flame->nstacks: what filters by name leave out. */
	const struct heat *heat;
	bool quiet; /* no notes on quality */
};

/* @title is safe; @notes on quality, NULL: none. */
void page_data(FILE *out, const struct page_content *content, const char *title, const char *notes);

#endif
