/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/choose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/say.h"
#include "format/upf.h"

const char *choose_name(const struct hypervisor_ops *ops, struct hypervisor *x, uint32_t domid, char *name,
                        size_t size)
{
	if (ops->host.domain_name(x, domid, name, size) != 0)
		snprintf(name, size, "-");
	return name;
}

/* Why a domain in this state cannot be recorded; NULL if it can. With @look, it may be paused or shut down. */
static const char *obstacle_of_state(const struct hypervisor_ops *ops, const struct guest_info *info, bool look)
{
	const bool has_registers = !ops->watch.ends_with_recorder; /* where its VMM has it, there are none */

	if (info->dying)
		return "it is being destroyed";
	if (info->shutdown && !has_registers)
		return "it has crashed: reset it first";
	if (info->shutdown && !look)
		return "it has shut down; --dump shows it as it is";
	if (info->vcpus == 0)
		return "it is still being built";
	if (info->paused && !has_registers)
		return "it is paused: let it run first";
	if (info->paused && !look)
		return "it is paused: unpause it first (xl unpause); --dump shows it as it is";
	return NULL;
}

const char *choose_obstacle(const struct hypervisor_ops *ops, struct hypervisor *x, struct guest_info *info, bool look,
                            char text[OBSTACLE_SIZE], struct guest **attached)
{
	const char *reason = obstacle_of_state(ops, info, look);
	struct guest_info now;
	struct guest *g;
	int rc;

	if (info->domid == ops->host.own_domid(x))
		return "this is the domain uniprof-record runs in";
	if (reason)
		return reason;
	g = ops->guest.attach(x, info, NULL, ATTACH_TO_SAMPLE);
	if (!g) {
		target_explain(ops, x, info, errno, text, OBSTACLE_SIZE);
		return text;
	}
	rc = ops->guest.info(&g, 1, &now);
	if (rc == 0 && attached)
		*attached = g;
	else
		ops->guest.detach(g);
	if (rc == -ESRCH)
		return "it has just ended";
	if (rc != 0)
		return NULL;
	*info = now;
	/* Where only its VMM knows, list() could not tell. */
	return ops->watch.ends_with_recorder ? obstacle_of_state(ops, info, look) : NULL;
}

/* The names and numbers of all domains but our own, for a message. */
static void list_names(const struct hypervisor_ops *ops, struct hypervisor *x, char *text, size_t size)
{
	struct guest_info *domains = NULL;
	size_t n = 0, used = 0;

	text[0] = '\0';
	if (ops->host.list(x, NULL, &domains, &n) != 0)
		return;
	for (size_t i = 0; used < size && i < n; i++) {
		uint32_t domid = domains[i].domid;
		char name[64];

		if (domid == ops->host.own_domid(x))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s (%" PRIu32 ")", used ? ", " : "",
		                         choose_name(ops, x, domid, name, sizeof(name)), domid);
	}
	free(domains);
}

static int open_found(const struct hypervisor_ops *ops, struct hypervisor *x, const char *operand,
                      struct guest_info *info, const struct options *o, struct target **target, char *why, size_t size)
{
	char text[OBSTACLE_SIZE];
	const char *reason = choose_obstacle(ops, x, info, o->look, text, NULL);

	if (reason)
		return failure(why, size, EXIT_DOMAIN, "%s: %s", operand, reason);
	if (o->stack.registers && !ops->pause.registers)
		return failure(why, size, EXIT_DOMAIN,
		               "%s: this build does not read all registers: build with XENIF=xencall", operand);
	*target = target_open(ops, x, info, o->session.some_vcpus ? o->session.vcpus : NULL, &o->stack);
	if (*target) {
		(*target)->look = o->look;
		return 0;
	}
	if (errno == E2BIG)
		return failure(why, size, EXIT_DOMAIN, "%s: too many vCPUs to %s: select some with -C%s", operand,
		               o->stack.registers ? "record their registers" : "copy their stacks",
		               o->stack.registers ? "" : ", or use --call-graph fp");
	target_explain(ops, x, info, errno, text, sizeof(text));
	return failure(why, size, EXIT_DOMAIN, "%s: %s", operand, text);
}

static int open_operand(const struct hypervisor_ops *ops, struct hypervisor *x, const char *operand,
                        const struct options *o, struct target **target, char *why, size_t size)
{
	struct guest_info info = {0};
	char names[512], text[OBSTACLE_SIZE];
	int rc = target_find(ops, x, operand, &info);

	if (rc == -EINVAL)
		return failure(why, size, EXIT_DOMAIN,
		               "%s: more than one domain has this name: use its number (--list shows them)", operand);
	if (rc == -EACCES || rc == -EPERM) {
		target_explain(ops, x, &info, -rc, text, sizeof(text));
		return failure(why, size, EXIT_DOMAIN, "%s: %s", operand, text);
	}
	if (rc != 0) {
		list_names(ops, x, names, sizeof(names));
		ops->host.explain(x, operand, &info, -rc, text, sizeof(text));
		return failure(why, size, EXIT_DOMAIN, "%s: no such domain; %s%s%s%s", operand, text,
		               text[0] ? "; " : "", names[0] ? "there are: " : "this host has no guests", names);
	}
	return open_found(ops, x, operand, &info, o, target, why, size);
}

int choose_targets(const struct hypervisor_ops *ops, struct hypervisor *x, char *const *operands, size_t n,
                   const struct options *o, struct target **targets, char *why, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		int rc = open_operand(ops, x, operands[i], o, &targets[i], why, size);

		if (rc != 0)
			return rc;
		for (size_t j = 0; j < i; j++) {
			if (targets[j]->info.domid != targets[i]->info.domid)
				continue;
			return failure(why, size, EXIT_DOMAIN, "%s: this domain is given twice", operands[i]);
		}
	}
	return 0;
}

int choose_started(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *started,
                   const struct options *o, struct target **target, char *why, size_t size)
{
	struct guest_info info = *started;
	char name[64];
	int rc;

	info.paused = false;
	rc = open_found(ops, x, choose_name(ops, x, info.domid, name, sizeof(name)), &info, o, target, why, size);
	if (rc == 0)
		(*target)->held = started->paused;
	return rc;
}
