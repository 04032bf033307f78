/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.h - the page in which a browser shows a profile: one HTML file that needs nothing else, no network and no
 * server.
 *
 * What the profile holds stands in it as JSON, its names as text that no script can come out of; a content security
 * policy lets no script run but the page's own.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/flame.h"
#include "report/page/heat.h"
#include "report/view/view.h"

/*
 * Writes to r->out. @fold is the same profile, for what is said of its names; @flame is finished; @heat, NULL or
 * finished too, adds a heat map. 0 or -ENOMEM.
 */
int page_write(const struct report *r, const struct fold *fold, const struct flame *flame, const struct heat *heat);
/* The flame graph of what has been loaded, finished; as flame_add() and flame_finish(). To be freed in any case. */
int page_flame_make(struct report *r, struct flame *flame, uint32_t *stack_of, uint32_t *moved);
/*
 * The whole of a view that is a flame graph and nothing else: loads, puts the flame graph together, writes it by
 * @write, says what it rests on. 0 or a negative errno.
 */
int page_flame(struct report *r, int (*write)(struct report *r, const struct fold *fold, const struct flame *flame));
/* The domains' names, safe, to be freed; NULL: out of memory. */
char *page_title(const struct upf_session *session);
/* Nothing is wrong with the traces. */
bool page_sound(const struct report *r);
/* What goes to standard error beside the page, as with every view that is not a table. */
void page_said(const struct report *r, const struct fold *fold);

#endif
