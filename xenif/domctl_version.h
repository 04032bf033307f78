/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * domctl_version.h - the versions of Xen's domctl interface that can be used, and how the running one is found.
 *
 * Xen refuses a call of any version but its own with EACCES before it does anything else, so trying is harmless.
 */
#ifndef XENIF_DOMCTL_VERSION_H
#define XENIF_DOMCTL_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct domctl_version {
	uint32_t interface;   /* XEN_DOMCTL_INTERFACE_VERSION of xen/include/public/domctl.h */
	const char *releases; /* the Xen releases that have it */
	/* getdomaininfo on a number without a domain answers with the next higher domain; else with ESRCH. */
	bool finds_next;
};

/* Newest first. */
extern const struct domctl_version domctl_versions[];
extern const size_t domctl_version_count;

/* Makes a call of version @interface: 0 or a negative errno. */
typedef int domctl_try(void *ctx, uint32_t interface);
/*
 * The first version that @try does not refuse, in *@found. 0; -EACCES: all are refused; else the error of a call whose
 * version was right.
 */
int domctl_version_find(domctl_try *try, void *ctx, const struct domctl_version **found);
/* Explains in one line for the user why domctl_version_find() failed with @rc on the Xen that is called @version. */
void domctl_version_explain(const char *version, int rc, char *why, size_t size);

#endif
