/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks between two threads: order, a consumer that is slow, one that fails, one that cannot start. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "record/output/queue.h"

#define SEEN_MAX 64

/* A consumer that can be held; everything in it is under the lock. */
struct consumer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool held, busy, finished;
	uint64_t seen[SEEN_MAX]; /* the info's time of each block */
	unsigned n;
	int start_error, errors[SEEN_MAX], finish_error; /* what to return */
	int not_held;                                    /* a descriptor that must be closed here; -1: none */
	bool was_closed, leaves_signals;
	atomic_uint idle;
};

static int start(void *ctx)
{
	struct consumer *c = ctx;

	sigset_t blocked;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	c->leaves_signals = sigismember(&blocked, SIGCONT) && sigismember(&blocked, SIGURG);
	c->was_closed = c->not_held >= 0 && fcntl(c->not_held, F_GETFD) == -1 && errno == EBADF;
	return c->start_error;
}

static int consume(void *ctx, struct upf_encoder *e, const struct block_info *info)
{
	struct consumer *c = ctx;
	int rc;

	pthread_mutex_lock(&c->lock);
	c->busy = true;
	pthread_cond_broadcast(&c->changed);
	while (c->held)
		pthread_cond_wait(&c->changed, &c->lock);
	c->busy = false;
	rc = upf_encoder_empty(e) && !info->asked ? -EINVAL : c->errors[c->n];
	c->seen[c->n++] = info->time_ns;
	pthread_mutex_unlock(&c->lock);
	return rc;
}

static int finish(void *ctx)
{
	struct consumer *c = ctx;

	c->finished = true;
	return c->finish_error;
}

static void idle(void *ctx)
{
	struct consumer *c = ctx;

	atomic_fetch_add(&c->idle, 1);
}

static void hold(struct consumer *c, bool held)
{
	pthread_mutex_lock(&c->lock);
	c->held = held;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void await_busy(struct consumer *c)
{
	pthread_mutex_lock(&c->lock);
	while (!c->busy)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

static void init(struct consumer *c)
{
	memset(c, 0, sizeof(*c));
	c->not_held = -1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
}

static struct queue *start_queue(struct consumer *c)
{
	const struct queue_consumer consumer = {c, start, consume, finish, idle};
	const struct queue_blocks blocks = {.period_ns = 1000000, .tops = UPF_TOPS_NONE};

	return queue_start(&consumer, &blocks, c->not_held);
}

static void fill(struct queue *q)
{
	assert_non_null(queue_current(q));
	assert_int_equal(upf_encode_event(queue_current(q), 0, 0, UPF_EVENT_START, 0), 0);
}

static bool submit(struct queue *q, uint64_t number)
{
	const struct block_info info = {.time_ns = number};

	return queue_submit(q, &info);
}

TEST(in_order_and_all)
{
	struct consumer c;
	struct queue *q;

	init(&c);
	q = start_queue(&c);
	assert_non_null(q);
	for (uint64_t i = 0; i < 50; i++) {
		assert_non_null(queue_wait(q));
		assert_true(upf_encoder_empty(queue_current(q)));
		fill(q);
		assert_true(submit(q, i));
	}
	assert_int_equal(queue_error(q), 0);
	assert_int_equal(queue_finish(q), 0);
	assert_int_equal(c.n, 50);
	for (uint64_t i = 0; i < 50; i++)
		assert_int_equal(c.seen[i], i);
	assert_true(c.finished);
	assert_true(c.idle >= 50);
}

/* They are for the sampling thread, whichever thread would take them first. */
TEST(signals_of_the_sampling_thread)
{
	struct consumer c;

	init(&c);
	assert_int_equal(queue_finish(start_queue(&c)), 0);
	assert_true(c.leaves_signals);
}

TEST(an_empty_block_is_not_submitted)
{
	struct consumer c;
	struct queue *q;

	init(&c);
	q = start_queue(&c);
	assert_false(submit(q, 1));
	assert_non_null(queue_current(q));
	assert_false(submit(q, 1));
	assert_int_equal(queue_finish(q), 0);
	assert_int_equal(c.n, 0);
}

TEST(an_empty_block_is_handed_over_if_somebody_asks)
{
	const struct block_info dump = {.action = BLOCK_DUMP, .asked = true, .time_ns = 5};
	struct consumer c;
	struct queue *q;

	init(&c);
	q = start_queue(&c);
	assert_false(queue_submit(q, &dump));
	assert_non_null(queue_current(q));
	assert_true(queue_submit(q, &dump));
	assert_int_equal(queue_finish(q), 0);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.seen[0], 5);
}

/* The sampling thread is told at once that there is no block, and gets one as soon as one is written. */
TEST(a_slow_consumer)
{
	struct consumer c;
	struct queue *q;
	uint64_t n = 0;

	init(&c);
	hold(&c, true);
	q = start_queue(&c);
	while (queue_current(q)) {
		fill(q);
		assert_true(submit(q, n++));
		assert_true(n <= 16);
	}
	assert_int_equal(n, 4);
	await_busy(&c);
	assert_null(queue_current(q));
	assert_false(submit(q, n));
	hold(&c, false);
	assert_non_null(queue_wait(q));
	fill(q);
	assert_true(submit(q, n));
	assert_int_equal(queue_finish(q), 0);
	assert_int_equal(c.n, 5);
}

/* What comes after the first error is its consequence. */
TEST(the_first_error_counts)
{
	struct consumer c;
	struct queue *q;

	init(&c);
	c.errors[1] = -ENOSPC;
	c.errors[2] = -EPIPE;
	c.finish_error = -EIO;
	q = start_queue(&c);
	for (uint64_t i = 0; i < 6; i++) {
		queue_wait(q);
		fill(q);
		submit(q, i);
	}
	assert_int_equal(queue_finish(q), -ENOSPC);
	assert_int_equal(c.n, 6);
	assert_true(c.finished);

	init(&c);
	c.finish_error = -EIO;
	q = start_queue(&c);
	assert_int_equal(queue_finish(q), -EIO);
}

TEST(no_start)
{
	struct consumer c;

	init(&c);
	c.start_error = -1;
	assert_null(start_queue(&c));
	assert_int_equal(errno, ECANCELED);
	assert_false(c.finished);
}

/* Only the writer thread lets go of it. */
TEST(the_descriptor_not_to_be_held)
{
	struct consumer c;
	struct queue *q;

	init(&c);
	c.not_held = open("/dev/null", O_RDONLY);
	q = start_queue(&c);
	assert_true(c.was_closed);
	assert_true(fcntl(c.not_held, F_GETFD) >= 0);
	assert_int_equal(queue_finish(q), 0);
	close(c.not_held);
}
