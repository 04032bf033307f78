/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of a guest without a stop: vCPUs that run are interrupted, and the program in the kernel reads them (live.h);
 * those that do not are read by us, and their schedule tells whether they have run meanwhile (vcpu_check_still()).
 */
#include "kvmif/backend/kvm_guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kvmif/memory/remote.h"

#define LIVE_WAIT_NS 20000 /* until a thread is interrupted: the kernel's least, and as much again; then twice that */
#define BUILD_ID_VALID 1   /* BPF_STACK_BUILD_ID_VALID of linux/bpf.h */
#define CHECKS 100         /* looks at a vCPU that has just stopped */
#define CHECKS_NS 2000000000u  /* in which a vCPU must have been found in KVM_RUN; on a busy host it waits for a CPU */
#define CHECK_WAIT_NS 1000000u /* between two */
#define SPACE_CHECKS 16        /* stops that must find one address space, where live samples do not tell it, */
#define SPACE_NS 1000000000u   /* and then one so often */

bool kvm_has_live(const struct guest *g)
{
	return g->live && !g->only_peeks;
}

bool kvm_is_live(const struct guest *g)
{
	return kvm_has_live(g) && !g->by_stops;
}

void kvm_peek_stopped(struct guest *g)
{
	int rc;

	if (!VCPU_STATE_IS_PEEKED || !g->live)
		return;
	rc = live_peek(g->live, 0, g->machine.vcpus);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		struct vcpu *v = &g->vcpus[i];

		if (v->held && !v->is_late && v->is_inside)
			v->is_inside =
				rc == 0 && live_registers(g->live, live_answer(g->live, i), &v->kept) == LIVE_FOUND;
	}
}

void kvm_set_look(struct guest *g, uint32_t i)
{
	const struct live_slot *s = live_answer(g->live, i);
	const bool is_asleep = s->thread == LIVE_ASLEEP;

	vcpu_set_look(&g->vcpus[i],
	              s->thread == LIVE_GONE                  ? VCPU_GONE
	              : is_asleep && s->place == LIVE_OUTSIDE ? VCPU_OUTSIDE
	              : is_asleep                             ? VCPU_HALTED
	                                                      : VCPU_RUNNING,
	              s->cpu_ns, s->arrivals, s->thread == LIVE_ON_CPU || s->thread == LIVE_TAKEN);
}

/* Where the thread's own frames begin. */
static uint32_t host_begin(const struct live_slot *s)
{
	uint32_t from = 0;

	while (s->host_from && from < s->host_depth && s->host[from] != s->host_from)
		from++;
	return from;
}

/* What the thread did outside the guest. */
static const struct host_stack *host_stack_of(struct guest *g, const struct live_slot *s)
{
	const uint32_t from = host_begin(s);
	const struct host_addresses a = {
		.kernel = s->host + from,
		.nkernel = s->host_depth - from,
		.monitor = g->machine.pid,
		.vmm_ip = s->vmm_ip,
		.build_id = s->vmm_at.build_id,
		.build_id_size = s->vmm_at.status == BUILD_ID_VALID ? sizeof(s->vmm_at.build_id) : 0,
		.offset = s->vmm_at.offset,
	};

	return g->x->host && s->thread == LIVE_ON_CPU ? host_stacks_find(g->x->host, &a) : NULL;
}

/* Memory that is paged out is not, nor more than one sample copies. */
static bool is_read_in_full(const struct guest *g, uint32_t i, const struct live_slot *s)
{
	return s->read == s->nruns && s->nruns == g->plans[i].nfrom;
}

/* How long the program has held the vCPU. What could not be read in full is no sample. */
static uint64_t take_answer(struct guest *g, uint32_t i)
{
	const struct live_slot *s = live_answer(g->live, i);
	struct vcpu *v = &g->vcpus[i];
	struct vcpu_state regs = v->kept;
	const enum live_found found = live_registers(g->live, s, &regs);
	const bool is_off = s->thread != LIVE_ON_CPU, is_known = v->was_inside || !live_lacks_sp(g->live);

	if (found != LIVE_NOT_FOUND && is_known && (is_off || is_read_in_full(g, i, s)))
		vcpu_take(v, &regs, is_off);
	v->is_away = s->place == LIVE_OUTSIDE;
	if (!is_off && s->cpu_ns > v->looked.cpu_ns)
		v->cpu_ns += s->cpu_ns - v->looked.cpu_ns;
	v->exit = live_exit(g->live, s, v->run);
	v->host = host_stack_of(g, s);
	return s->ended_ns - s->began_ns;
}

/* It is on no CPU. If its thread waits for ours, it goes on as soon as we wait for something: memory is copied now. */
static void take_still(struct guest *g, uint32_t i)
{
	struct planned_copy *p = &g->plans[i];

	take_answer(g, i);
	if (!g->vcpus[i].is_still || p->nfrom == 0)
		return;
	p->result = remote_read(g->machine.pid, &p->to, 1, p->from, p->nfrom);
	p->is_done = true;
	vcpu_check_still(&g->vcpus[i]);
}

/* Those that run are asked, and only these stay due. */
static int ask_all(struct guest *g)
{
	uint64_t off[MACHINE_VCPUS_MAX / 64] = {0};
	int asked = 0;

	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		if (!vcpu_is_in(g->due, i))
			continue;
		if (live_answer(g->live, i)->thread != LIVE_ON_CPU) {
			off[i / 64] |= 1ull << i % 64;
		} else if (live_ask(g->live, i) == 0) {
			asked++;
			continue;
		}
		g->due[i / 64] &= ~(1ull << i % 64);
	}
	for (uint32_t i = 0; i < g->machine.vcpus; i++)
		if (vcpu_is_in(off, i))
			take_still(g, i);
	return asked;
}

/*
 * It ran at the deadline, but was not interrupted in time. If it waits for a CPU now, it is read as it stands: not far
 * from where it was. If it has fallen asleep, it has no stack.
 */
static void look_again(struct guest *g, uint32_t i)
{
	enum live_thread thread;

	live_cancel(g->live, i);
	if (live_is_answered(g->live, i)) {
		take_answer(g, i);
		return;
	}
	live_plan(g->live, i, NULL, 0);
	if (live_look(g->live, i, 1, VCPU_TAKEN_NS) != 0)
		return;
	thread = (enum live_thread)live_answer(g->live, i)->thread;
	if (thread == LIVE_WAITING || thread == LIVE_TAKEN) {
		kvm_set_look(g, i);
		take_still(g, i);
		g->vcpus[i].on_cpu = true;
	}
}

static uint64_t await_answers(struct guest *g, uint64_t deadline_ns, int asked)
{
	uint64_t most_ns = 0, wait_ns = LIVE_WAIT_NS;
	bool late = false;

	while (asked > 0) {
		late = clock_now() >= deadline_ns;
		for (uint32_t i = 0; i < g->machine.vcpus; i++) {
			if (!vcpu_is_in(g->due, i))
				continue;
			if (live_is_answered(g->live, i)) {
				uint64_t ns = take_answer(g, i);

				most_ns = ns > most_ns ? ns : most_ns;
			} else if (late) {
				look_again(g, i);
			} else {
				continue;
			}
			g->due[i / 64] &= ~(1ull << i % 64);
			asked--;
		}
		if (asked > 0)
			clock_sleep(wait_ns);
		/* Where we share its CPU, it must come to run in between. */
		wait_ns *= 2;
	}
	return most_ns;
}

void kvm_ask(struct guest *g, struct pause_span *span)
{
	const uint64_t began_ns = clock_now();
	const uint64_t lost_ns = await_answers(g, began_ns + VCPU_STOP_NS, ask_all(g));

	*span = (struct pause_span){.until_ns = lost_ns ? began_ns + lost_ns : 0};
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

void kvm_plan_nothing(struct guest *g)
{
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		g->plans[i] = (struct planned_copy){0};
		live_plan(g->live, i, NULL, 0);
	}
}

/*
 * The pieces of a vCPU that does not run are as they were. Those that an interrupt did not find in memory are read
 * here, only to have them there the next time.
 */
int kvm_copy_planned(struct guest *g)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < g->machine.vcpus; i++) {
		const struct planned_copy *p = &g->plans[i];
		const struct live_slot *s = live_answer(g->live, i);

		if (p->nfrom == 0)
			continue;
		if (p->is_done)
			rc = p->result;
		else if (is_read_in_full(g, i, s))
			memcpy(p->to.iov_base, s->data, p->to.iov_len);
		else if (g->vcpus[i].is_still || s->read < s->nruns)
			rc = remote_read(g->machine.pid, &p->to, 1, p->from, p->nfrom);
	}
	return rc;
}

void kvm_plan(struct guest *g, uint32_t vcpu, const struct iovec *to, const struct iovec *from, size_t nfrom)
{
	if (!kvm_is_live(g))
		return;
	g->plans[vcpu] = (struct planned_copy){.to = *to, .from = from, .nfrom = nfrom};
	if (vcpu_is_in(g->due, vcpu) && live_answer(g->live, vcpu)->thread == LIVE_ON_CPU)
		g->needs_more |= !live_plan(g->live, vcpu, from, nfrom);
}

bool kvm_is_copied(const struct guest *g, uint32_t i)
{
	return g->plans && g->plans[i].is_done;
}

bool kvm_is_planned(const struct guest *g, const struct iovec *from)
{
	for (uint32_t i = 0; g->plans && i < g->machine.vcpus; i++)
		if (g->plans[i].from == from)
			return true;
	return false;
}

/* --- attaching --------------------------------------------------------------------------------------------------- */

void kvm_sample_live(struct hypervisor *x, bool must, bool needs_sp)
{
	x->wants_live = true;
	x->only_live = must;
	x->needs_sp = needs_sp;
}

int kvm_record_host(struct hypervisor *x, char *why, size_t size)
{
	x->host = host_stacks_open("/proc/kallsyms", why, size);
	return x->host ? 0 : -EIO;
}

static int sample_by_stops(struct guest *g, const char *why)
{
	snprintf(g->why_not_live, sizeof(g->why_not_live), "%s", why);
	snprintf(g->x->why_not_live, sizeof(g->x->why_not_live), "%s", why);
	free(g->plans);
	g->plans = NULL;
	g->only_peeks = VCPU_STATE_IS_PEEKED && g->live;
	if (g->only_peeks) {
		kvm_set_timers(g);
	} else {
		live_close(g->live);
		g->live = NULL;
	}
	g->refused_live = g->x->only_live || (VCPU_STATE_IS_PEEKED && !g->live) ? -ENOEXEC : 0;
	return g->refused_live;
}

void kvm_stop_instead(struct guest *g, const char *why)
{
	if (g->live)
		sample_by_stops(g, why);
}

/* vCPUs that are not to be sampled have no timer, which would cost at each switch of their threads. */
int kvm_set_timers(struct guest *g)
{
	int result = 0;

	for (uint32_t i = 0; g->live && i < g->machine.vcpus; i++) {
		int rc = live_set_vcpu(g->live, i, g->layout.vcpus[i],
		                       !g->only_peeks && vcpu_is_in(g->wanted, i) ? g->layout.threads[i] : 0);

		if (rc != 0 && rc != -ESRCH)
			result = rc;
	}
	return result;
}

static int sample_without_timers(struct guest *g, int error)
{
	char why[sizeof(g->why_not_live)];

	snprintf(why, sizeof(why), "no perf events for its threads: %s",
	         error == EACCES ? "CAP_SYS_ADMIN, or kernel.perf_event_paranoid of at most 2" : strerror(error));
	return sample_by_stops(g, why);
}

static int open_to_peek(struct guest *g)
{
	g->live = live_open(g->machine.vcpus, false, g->x->why_not_live, sizeof(g->x->why_not_live));
	g->only_peeks = true;
	return g->live ? kvm_set_timers(g) : -ENOEXEC;
}

/* Only what the kernel itself tells will do: a vCPU's address in it, and where memory is. */
int kvm_open_live(struct guest *g)
{
	char why[sizeof(g->why_not_live)];
	int rc;

	if (!g->x->wants_live && !VCPU_STATE_IS_PEEKED)
		return 0;
	if (g->search)
		return sample_by_stops(g, g->x->why);
	if (!g->x->wants_live)
		return open_to_peek(g);
	g->plans = calloc(g->machine.vcpus, sizeof(*g->plans));
	if (!g->plans)
		return -ENOMEM;
	g->live = live_open(g->machine.vcpus, g->x->needs_sp, why, sizeof(why));
	if (!g->live)
		return sample_by_stops(g, why);
	if (g->x->host)
		live_read_host(g->live);
	rc = kvm_set_timers(g);
	return rc == 0 ? 0 : sample_without_timers(g, -rc);
}

/* What a stop has found, and what is read of the same vCPU. */
static bool is_read(const struct guest *g, const struct vcpu *v, const struct live_slot *s)
{
	struct vcpu_state read = v->kept;

	return live_registers(g->live, s, &read) == LIVE_FOUND &&
	       state_is_same(&read, &v->kept, live_lacks_sp(g->live)) && state_is_same_space(&read, &v->kept);
}

/* Where live samples do not tell it: is it the address space and the mode of all stops before? */
static bool is_known_space(struct guest *g, const struct vcpu *v)
{
	if (!live_lacks_space(g->live))
		return true;
	if (!g->space_is_known)
		g->space = v->kept;
	g->space_is_known = true;
	return state_is_same_space(&g->space, &v->kept);
}

/* A thread that has just stopped leaves its CPU a moment later. */
static void look_at_stopped(struct guest *g)
{
	bool is_leaving = true;

	for (int i = 0; is_leaving && i < CHECKS; i++) {
		is_leaving = false;
		live_look(g->live, 0, g->machine.vcpus, 0);
		for (uint32_t v = 0; v < g->machine.vcpus; v++)
			is_leaving |= g->vcpus[v].held && live_answer(g->live, v)->thread == LIVE_ON_CPU;
	}
}

/* What KVM itself tells of its vCPUs that are stopped, beside what the program reads. */
static void compare_stopped(void *guest)
{
	struct guest *g = guest;
	int compared = 0, wrong = 0, other = 0, rc;
	struct pause_span span;

	g->stopped = g->x->ops->pause.stop(g, &span);
	if (g->stopped != 0)
		return;
	look_at_stopped(g);
	for (uint32_t i = 0; i < g->machine.vcpus; i++) {
		const struct vcpu *v = &g->vcpus[i];

		/* A guest of the guest, of which KVM may not tell, has registers of its own. */
		if (!v->held || !v->is_inside || live_answer(g->live, i)->thread == LIVE_ON_CPU ||
		    live_answer(g->live, i)->foreign)
			continue;
		compared++;
		wrong += !is_read(g, v, live_answer(g->live, i));
		other += !is_known_space(g, v);
	}
	rc = g->x->ops->pause.resume(g);
	g->stopped = rc != 0 ? rc : wrong ? -ENOEXEC : other ? -EXDEV : compared ? 0 : -EAGAIN;
}

static int compare_once(struct guest *g)
{
	int rc;

	g->by_stops = true;
	g->x->ops->pause.prepare(g, NULL);
	rc = kvm_stop_by(g, compare_stopped);
	g->by_stops = false;
	g->checked_ns = clock_now();
	return rc;
}

static int judge_checks(struct guest *g, int rc)
{
	if (rc == -ENOEXEC)
		return sample_by_stops(g, "what is read of this kernel's memory are not the vCPU's registers");
	if (rc == -EXDEV)
		return sample_by_stops(g, "it uses several address spaces or modes, which KVM does not tell here");
	return rc;
}

int kvm_check_live(struct guest *g)
{
	const int wanted = live_lacks_space(g->live) ? SPACE_CHECKS : 1;
	const uint64_t began_ns = clock_now();
	int rc, compared = 0;

	for (;;) {
		rc = compare_once(g);
		compared += rc == 0;
		if (compared == wanted || (rc != 0 && rc != -EAGAIN) || clock_now() - began_ns > CHECKS_NS)
			break;
		clock_sleep(CHECK_WAIT_NS);
	}
	if (rc == -EAGAIN && compared == 0)
		return sample_by_stops(g, "no vCPU could be stopped to compare what is read with its registers");
	return judge_checks(g, rc == -EAGAIN ? 0 : rc);
}

void kvm_check_again(struct guest *g)
{
	if (g->needs_more)
		sample_by_stops(g, "a live sample copies 64 KiB at most, and its stacks need more (--call-graph)");
	else if (g->no_timers)
		sample_without_timers(g, g->no_timers);
	else if (live_lacks_space(g->live) && clock_now() - g->checked_ns >= SPACE_NS)
		judge_checks(g, compare_once(g));
}
