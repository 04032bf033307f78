/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/finder.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/privileges.h"
#include "record/process/thread.h"

#define SOON_MS 100   /* between two searches at first: most guests come back soon or not at all */
#define SOON 100      /* this many searches are SOON_MS apart */
#define LATER_MS 1000 /* between two later searches */
#define MS 1000000ull /* ns */
#define IDLE 19       /* times the CPU time of a search, between this one and the next */

enum search_state { SEARCH_NONE, SEARCH_WANTED, SEARCH_FOUND };

/* Owned by the sampling thread in states NONE and FOUND, by the finder's thread in WANTED. */
struct search {
	_Atomic enum search_state state;
	struct domain_identity identity;
	struct guest_info found;
};

struct finder {
	const struct hypervisor_ops *ops;
	struct search *searches;
	_Atomic uint32_t *recorded; /* finder_recorded() */
	size_t n;
	int not_held;
	int wake; /* eventfd: there is something to look for, or it is time to end */
	atomic_bool ending;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t told;
	/* under the lock: */
	int started; /* errno of the start; -1: not known yet */
	bool done;
};

/* A paused domain may still be under construction. The domid may be the old one: a save that failed goes on. */
static bool is_running(const struct guest_info *info)
{
	return info->domid != 0 && !info->dying && !info->shutdown && !info->paused && info->vcpus > 0;
}

static bool has_identity(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info,
                         const struct domain_identity *identity)
{
	static const uint8_t none[sizeof(info->uuid)];
	char name[sizeof(identity->name)];

	if (memcmp(info->uuid, identity->uuid, sizeof(none)) == 0 && memcmp(info->uuid, none, sizeof(none)) != 0)
		return true;
	/* Both names end at the same length. */
	return identity->name[0] && ops->host.domain_name(x, info->domid, name, sizeof(name)) == 0 &&
	       strcmp(name, identity->name) == 0;
}

static bool is_among_domids(const _Atomic uint32_t *domids, size_t n, uint32_t domid)
{
	for (size_t i = 0; i < n; i++)
		if (atomic_load(&domids[i]) == domid)
			return true;
	return false;
}

int finder_search(const struct hypervisor_ops *ops, struct hypervisor *x, const struct domain_identity *identity,
                  const _Atomic uint32_t *recorded, size_t nrecorded, struct guest_info *info)
{
	struct guest_info *domains;
	size_t n;
	int rc = ops->host.list(x, identity, &domains, &n);

	if (rc != 0)
		return rc;
	rc = -ESRCH;
	for (size_t i = 0; rc != 0 && i < n; i++) {
		if (!is_running(&domains[i]) || is_among_domids(recorded, nrecorded, domains[i].domid) ||
		    !has_identity(ops, x, &domains[i], identity))
			continue;
		*info = domains[i];
		rc = 0;
	}
	free(domains);
	return rc;
}

/* True: something is still looked for. */
static bool search_all(struct finder *f, struct hypervisor *x)
{
	bool left = false;

	for (size_t i = 0; i < f->n; i++) {
		struct search *s = &f->searches[i];

		if (atomic_load(&s->state) != SEARCH_WANTED)
			continue;
		if (finder_search(f->ops, x, &s->identity, f->recorded, f->n, &s->found) == 0)
			atomic_store(&s->state, SEARCH_FOUND);
		else
			left = true;
	}
	return left;
}

/* Until the time of the next search; the last took @cost_ns of CPU time. True: it is the first one for something. */
static bool await_work(struct finder *f, bool left, unsigned searches, uint64_t cost_ns)
{
	const uint64_t pause_ns = (searches < SOON ? SOON_MS : LATER_MS) * MS, idle_ns = IDLE * cost_ns;
	struct pollfd p = {.fd = f->wake, .events = POLLIN};
	uint64_t count;

	if (clock_poll(&p, 1, !left ? CLOCK_NEVER : clock_now() + (pause_ns > idle_ns ? pause_ns : idle_ns)) <= 0)
		return false;
	if (read(f->wake, &count, sizeof(count)) < 0)
		errno = 0;
	return true;
}

/* finder_start() and finder_stop() wait for it. */
static void tell(struct finder *f, int started, bool done)
{
	pthread_mutex_lock(&f->lock);
	f->started = started;
	f->done = done;
	clock_signal(&f->told);
	pthread_mutex_unlock(&f->lock);
}

static void *finder_thread(void *arg)
{
	struct finder *f = arg;
	struct hypervisor *x;
	char why[256];
	uint64_t cost_ns = 0;
	unsigned searches = 0;
	bool left = false;

	thread_begin(f->not_held);
	x = f->ops->host.open(why, sizeof(why));
	privileges_drop(f->ops->capabilities); /* best effort: the sampling thread reports it */
	tell(f, x ? 0 : EIO, !x);
	while (x && !atomic_load(&f->ending)) {
		uint64_t began_ns;

		searches = await_work(f, left, searches, cost_ns) ? 1 : searches + 1;
		began_ns = clock_cpu();
		left = search_all(f, x);
		cost_ns = clock_cpu() - began_ns;
	}
	if (!x)
		return NULL;
	f->ops->host.close(x);
	tell(f, 0, true);
	return NULL;
}

static int start_finder_thread(struct finder *f)
{
	int rc = thread_start(&f->thread, finder_thread, f);

	if (rc != 0)
		return rc;
	pthread_mutex_lock(&f->lock);
	while (f->started < 0)
		clock_await(&f->told, &f->lock, CLOCK_NEVER);
	pthread_mutex_unlock(&f->lock);
	if (f->started != 0)
		pthread_join(f->thread, NULL);
	return f->started;
}

static void release_finder(struct finder *f)
{
	if (f->wake >= 0)
		close(f->wake);
	free(f->searches);
	free(f->recorded);
	pthread_cond_destroy(&f->told);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

struct finder *finder_start(const struct hypervisor_ops *ops, size_t n, int not_held)
{
	struct finder *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return NULL;
	f->ops = ops;
	f->n = n;
	f->not_held = not_held;
	f->started = -1;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->told, NULL);
	f->searches = calloc(n, sizeof(*f->searches));
	f->recorded = calloc(n, sizeof(*f->recorded));
	f->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = !f->searches || !f->recorded || f->wake < 0 ? ENOMEM : start_finder_thread(f);
	if (rc == 0)
		return f;
	release_finder(f);
	errno = rc;
	return NULL;
}

void finder_stop(struct finder *f)
{
	uint64_t latest_ns = clock_now() + 1000000000;
	bool done;

	if (!f)
		return;
	atomic_store(&f->ending, true);
	clock_wake(f->wake);
	pthread_mutex_lock(&f->lock);
	while (!f->done && clock_await(&f->told, &f->lock, latest_ns) == 0)
		;
	done = f->done;
	pthread_mutex_unlock(&f->lock);
	/* A thread that hangs keeps what it uses; the process is about to end. */
	if (!done)
		return;
	pthread_join(f->thread, NULL);
	release_finder(f);
}

void finder_recorded(struct finder *f, size_t i, uint32_t domid)
{
	atomic_store(&f->recorded[i], domid);
}

void finder_look_for(struct finder *f, size_t i, const struct domain_identity *identity)
{
	struct search *s = &f->searches[i];

	if (atomic_load(&s->state) != SEARCH_NONE)
		return;
	s->identity = *identity;
	atomic_store(&s->state, SEARCH_WANTED);
	clock_wake(f->wake);
}

bool finder_found(struct finder *f, size_t i, struct guest_info *info)
{
	struct search *s = &f->searches[i];

	if (atomic_load(&s->state) != SEARCH_FOUND)
		return false;
	*info = s->found;
	atomic_store(&s->state, SEARCH_NONE);
	return true;
}
