/* SPDX-License-Identifier: BSD-2-Clause */
/* What a hook of struct hypervisor_ops does in a backend that has nothing of its own to do there. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "guest/hypervisor.h"

bool hook_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error, char *why,
                  size_t size)
{
	(void)x, (void)info;
	if (!operand && error == ENOTSUP)
		snprintf(why, size, "this build records only PV guests: build with XENIF=xencall");
	else
		snprintf(why, size, "%s", operand ? "" : strerror(error));
	return false;
}

int hook_settle(struct guest *g, char *how, size_t size)
{
	(void)g;
	snprintf(how, size, "%s", "");
	return 0;
}

int hook_run(struct guest *g, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns)
{
	(void)g, (void)cpu_ns;
	work(ctx);
	return 0;
}

void hook_let_go(struct guest *g)
{
	(void)g;
}
