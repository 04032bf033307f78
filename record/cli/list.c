/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/list.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/say.h"
#include "record/cli/choose.h"

#define MIB (1u << 20)
#define CPU_NS 250000000u /* over which CPU time is measured: accounting by ticks needs some */
#define CRASHED 3

/* A line. */
struct listed {
	const struct connection *on;
	struct guest_info before, info; /* before: as the list had it */
	const char *obstacle;           /* NULL: none; maybe in @text */
	char text[OBSTACLE_SIZE];
	struct guest *guest; /* NULL: it cannot be attached */
	uint64_t looked_ns;
	double cpus; /* in use; negative: not known */
};

struct list {
	struct listed *all;
	size_t n, cap;
};

static int add_domains(struct list *l, const struct connection *c)
{
	struct guest_info *domains;
	size_t n;
	int rc = c->ops->host.list(c->x, NULL, &domains, &n);

	if (rc != 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = array_add(l->all, l->cap, l->n,
		               (struct listed){.on = c, .before = domains[i], .info = domains[i], .cpus = -1});
	free(domains);
	return rc;
}

static void look(struct listed *d)
{
	d->obstacle = choose_obstacle(d->on->ops, d->on->x, &d->info, false, d->text, &d->guest);
	d->looked_ns = clock_now();
}

static void measure(struct listed *d)
{
	struct guest_info now;
	uint64_t ns;

	if (!d->guest)
		return;
	if (d->on->ops->guest.info(&d->guest, 1, &now) == 0) {
		ns = clock_now() - d->looked_ns;
		d->cpus = (double)(now.cpu_ns - d->info.cpu_ns) / (double)ns;
	}
	d->on->ops->guest.detach(d->guest);
}

static const char *state_of(const struct listed *d)
{
	const struct guest_info *info = &d->info;

	if (info->dying)
		return "dying";
	if (info->shutdown)
		return info->shutdown_code == CRASHED ? "crashed" : "shut down";
	if (info->paused)
		return "paused";
	return d->cpus < 0 ? "-" : d->cpus < 0.0005 ? "idle" : "running";
}

/* One of the table's columns. */
static void print_column(const char *text, int width)
{
	int n = (int)strlen(text);

	print_safe(stdout, text);
	printf("%*s ", n < width ? width - n : 0, "");
}

static void print_domain(const struct listed *d)
{
	const struct guest_info *info = &d->info;
	char name[64], memory[32] = "-", cpu[16] = "-";

	if (info->pages)
		snprintf(memory, sizeof(memory), "%" PRIu64, (info->pages * GUEST_PAGE_SIZE + MIB - 1) / MIB);
	if (d->cpus >= 0)
		snprintf(cpu, sizeof(cpu), "%.1f%%", 100 * d->cpus);
	printf("%7" PRIu32 "  ", info->domid);
	print_column(choose_name(d->on->ops, d->on->x, info->domid, name, sizeof(name)), 24);
	printf("%-4s %5" PRIu32 " %7s %-9s %7s  ", upf_kind_text(info->kind), info->vcpus, memory, state_of(d), cpu);
	print_column(d->before.monitor[0] ? d->before.monitor : "-", 15);
	if (d->obstacle)
		printf(" no: %s\n", d->obstacle);
	else
		puts(info->kind == GUEST_KVM && !info->pages ? " maybe: its memory must be searched first" : " yes");
}

static void print_kernel(const struct listed *d)
{
	char path[PATH_MAX];

	if (d->on->ops->host.kernel(d->on->x, d->info.domid, path, sizeof(path)) != 0)
		return;
	printf("%9s", "");
	print_safe(stdout, path);
	putchar('\n');
}

static void print_list(struct list *l, bool kernels)
{
	bool attached = false;

	for (size_t i = 0; i < l->n; i++) {
		look(&l->all[i]);
		attached |= l->all[i].guest != NULL;
	}
	if (attached)
		clock_sleep(CPU_NS);
	for (size_t i = 0; i < l->n; i++)
		measure(&l->all[i]);
	printf("%7s  %-24s %-4s %5s %7s %-9s %7s  %-15s  %s\n", "ID", "NAME", "KIND", "VCPUS", "MIB", "STATE", "CPU",
	       "VMM", "CAN BE RECORDED");
	for (size_t i = 0; i < l->n; i++) {
		print_domain(&l->all[i]);
		if (kernels)
			print_kernel(&l->all[i]);
	}
}

int list_domains(const struct connection *all, size_t n, bool kernels)
{
	const struct guest_info none = {0};
	struct list l = {0};
	char why[256];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = add_domains(&l, &all[i]);
		if (rc != 0) {
			all[i].ops->host.explain(all[i].x, NULL, &none, -rc, why, sizeof(why));
			say("cannot list the domains: %s", why);
		}
	}
	print_list(&l, kernels);
	free(l.all);
	return rc == 0 ? EXIT_RECORDED : EXIT_HYPERVISOR;
}
