/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/follow.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/say.h"
#include "record/sampling/sample.h"

#define RETRY_NS 1000000000ull       /* a domain that cannot be recorded is tried again after so long, */
#define RETRY_MAX_NS (16 * RETRY_NS) /* then after twice as long, and so on up to this */

static const char *target_name(const struct target *t)
{
	return t->name[0] ? t->name : "the domain";
}

/* From now on @info is domain @d. 0 or a negative errno; ECHILD: the watchdog is dead. */
static int take_up(struct session *s, uint32_t d, const struct guest_info *info)
{
	struct target *t = s->targets[d];
	const bool was_live = target_is_live(t);
	char how[256];
	int rc = watchdog_replace(s->watchdog, d, info);

	if (rc == 0)
		rc = target_reopen(t, s->x, info, s->options->some_vcpus ? s->options->vcpus : NULL);
	if (rc == 0)
		rc = t->ops->guest.settle(t->guest, how, sizeof(how));
	/* The capabilities that it took at first may be gone. */
	if (rc == 0 && was_live && !target_is_live(t)) {
		say("%s: memory: %s", target_name(t), how);
		record_stream_event(&s->records, d, session_time(s, clock_now()), UPF_EVENT_STOPS, 0);
	}
	return rc;
}

/* @info is back, but cannot be recorded; maybe it can be later. */
static void try_later(const struct session *s, struct target *t, const struct guest_info *info, uint64_t now,
                      int error)
{
	char why[256];

	if (t->comeback.wait_ns == 0) {
		target_explain(t->ops, s->x, info, error, why, sizeof(why));
		say("%s is back as domain %u, but cannot be recorded: %s; trying again", target_name(t), info->domid,
		    why);
	}
	t->comeback.wait_ns = t->comeback.wait_ns ? 2 * t->comeback.wait_ns : RETRY_NS;
	if (t->comeback.wait_ns > RETRY_MAX_NS)
		t->comeback.wait_ns = RETRY_MAX_NS;
	t->comeback.next_ns = now + t->comeback.wait_ns;
}

/* Taken up since the finder has seen that it is not. */
static bool is_recorded(const struct session *s, const struct guest_info *info)
{
	for (size_t d = 0; d < s->ntargets; d++)
		if (!s->targets[d]->ended && s->targets[d]->info.domid == info->domid)
			return true;
	return false;
}

/* Has the finder found domain @d, which ended, again? */
static void look_for(struct session *s, uint32_t d, uint64_t now)
{
	struct target *t = s->targets[d];
	struct domain_identity identity;
	struct guest_info info;
	int rc;

	if (now < t->comeback.next_ns)
		return;
	finder_recorded(s->finder, d, 0);
	if (!finder_found(s->finder, d, &info) || is_recorded(s, &info)) {
		memcpy(identity.uuid, t->info.uuid, sizeof(identity.uuid));
		memcpy(identity.name, t->name, sizeof(identity.name));
		identity.seen_ns = t->comeback.seen_ns;
		finder_look_for(s->finder, d, &identity);
		return;
	}
	rc = take_up(s, d, &info);
	t->ended = rc != 0;
	if (rc == -ESRCH || rc == -ECHILD)
		return; /* gone again; housekeeping() tells of the watchdog's death */
	if (rc != 0) {
		try_later(s, t, &info, now, -rc);
		return;
	}
	t->comeback = (struct comeback){.seen_ns = t->comeback.seen_ns};
	finder_recorded(s->finder, d, info.domid);
	if (!s->options->quiet)
		say("%s is back as domain %u", target_name(t), t->info.domid);
	record_stream_event(&s->records, d, session_time(s, now), UPF_EVENT_REBOOT, t->info.domid);
	sample_warm(t);
}

static void tell_awaited(const struct session *s, struct target *t)
{
	if (!t->comeback.awaited && !s->options->quiet)
		say("waiting for %s to come back", target_name(t));
	t->comeback.awaited = true;
}

void follow_look(struct session *s, uint64_t now)
{
	for (uint32_t d = 0; s->options->follow && d < s->ntargets; d++)
		if (s->targets[d]->ended) {
			tell_awaited(s, s->targets[d]);
			look_for(s, d, now);
		}
}
