/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of one recording: one, several, those of the flight recorder; and outputs that fail between two of them. */
#include "tests/unit/record/folder.h"
#include "tests/unit/format/trace.h"

#include <glob.h>

#include "record/output/trace_output.h"

#define SECOND 1000000000ull

struct output {
	struct output_options options;
	struct trace_output *t;
	struct upf_encoder *e;
	uint64_t now_ns; /* of the session */
};

static void begin(struct output *o, struct output_options options)
{
	memset(o, 0, sizeof(*o));
	o->options = options;
	o->t = trace_output_new(&o->options, &some_session);
	o->e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	assert_non_null(o->t);
	assert_non_null(o->e);
}

/* A block of about @rounds rounds that compress badly, a second long. */
static int put_rounds(struct output *o, enum block_action action, int rounds)
{
	struct block_info info = {.action = action, .time_ns = some_session.start_mono_ns + o->now_ns};
	uint64_t start = action == BLOCK_SWITCH ? 0 : o->now_ns, seed = o->now_ns;
	int rc;

	upf_encoder_reset(o->e, SECOND / 100);
	for (int i = 0; i < rounds; i++) {
		const uint64_t frames[] = {pseudo(&seed), pseudo(&seed), 0x1000};
		const struct upf_sample s = {.end = UPF_END_ROOT, .frames = frames, .depth = 3};

		assert_int_equal(upf_encode_round(o->e, 0, start + (uint64_t)i * 1000000, 1000, &s, 1), 0);
		info.totals.rounds++;
		info.totals.samples++;
	}
	rc = trace_output_block(o->t, o->e, &info);
	o->now_ns += SECOND;
	return rc;
}

static int put(struct output *o, enum block_action action)
{
	return put_rounds(o, action, 10);
}

static int finish(struct output *o)
{
	const struct upf_totals rest = {.late = 3};

	trace_output_set_end(o->t, &rest, some_session.start_mono_ns + o->now_ns, UPF_REASON_DURATION);
	return trace_output_finish(o->t);
}

static void end(struct output *o)
{
	trace_output_free(o->t);
	upf_encoder_free(o->e);
}

/* The samples of a trace that must be whole; SIZE_MAX: it is valid, but was cut. */
static size_t samples_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct outcome o;

	assert_true(fd >= 0);
	o = read_fd(fd);
	assert_int_equal(o.open, UPF_OK);
	assert_int_equal(o.broken, 0);
	return found(&o) ? SIZE_MAX : o.samples;
}

/* The names that match, in order. */
static glob_t matching(const char *pattern)
{
	glob_t g;
	int rc = glob(pattern, 0, NULL, &g);

	assert_true(rc == 0 || rc == GLOB_NOMATCH);
	return g;
}

FOLDER_TEST(one_trace)
{
	struct output o;

	begin(&o, (struct output_options){.path = "run.upf"});
	assert_int_equal(trace_output_open(o.t), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(finish(&o), 0);
	assert_int_equal(trace_output_count(o.t), 1);
	assert_string_equal(trace_output_last(o.t), "run.upf");
	assert_string_equal(trace_output_problem(o.t), "");
	assert_int_equal(samples_of("run.upf"), 30);
	end(&o);
	assert_int_equal(entries_of("."), 1);
}

FOLDER_TEST(no_first_trace)
{
	struct output o;

	begin(&o, (struct output_options){.path = "none/run.upf"});
	assert_int_equal(trace_output_open(o.t), -1);
	assert_string_equal(trace_output_problem(o.t), "cannot write in none/: No such file or directory");
	end(&o);
	begin(&o, (struct output_options){.path = "run.upf"});
	limit_files(0);
	assert_int_equal(trace_output_open(o.t), -1);
	limit_files(RLIM_INFINITY);
	assert_string_equal(trace_output_problem(o.t), "run.upf: File too large");
	assert_int_equal(trace_output_count(o.t), 0);
	end(&o);
	assert_int_equal(entries_of("."), 0);
}

FOLDER_TEST(several_traces)
{
	struct output o;
	glob_t g;

	begin(&o, (struct output_options){.path = "run.upf", .switching = true, .max_files = 2});
	assert_int_equal(trace_output_open(o.t), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(put(&o, BLOCK_SWITCH), 0);
		assert_int_equal(put(&o, BLOCK_APPEND), 0);
	}
	assert_int_equal(finish(&o), 0);
	assert_int_equal(trace_output_count(o.t), 4);
	g = matching("run.upf.*");
	assert_int_equal(g.gl_pathc, 2);
	assert_string_equal(trace_output_last(o.t), g.gl_pathv[1]);
	for (size_t i = 0; i < g.gl_pathc; i++)
		assert_int_equal(samples_of(g.gl_pathv[i]), 20);
	globfree(&g);
	end(&o);
	assert_int_equal(entries_of("."), 2);
}

/* --- outputs that fail ------------------------------------------------------------------------------------------- */

static void nothing_after(struct output *o, int rc)
{
	assert_int_equal(put(o, BLOCK_APPEND), rc);
	assert_int_equal(put(o, BLOCK_SWITCH), rc);
	assert_int_equal(put(o, BLOCK_APPEND), rc);
	assert_true(finish(o) < 0);
}

/* The next trace cannot be created: its folder is gone. */
FOLDER_TEST(a_switch_in_a_folder_that_vanished)
{
	struct output o;
	glob_t g;

	assert_int_equal(mkdir("folder", 0777), 0);
	begin(&o, (struct output_options){.path = "folder/run.upf", .switching = true});
	assert_int_equal(trace_output_open(o.t), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(rename("folder", "moved"), 0);
	assert_int_equal(put(&o, BLOCK_SWITCH), -EIO);
	nothing_after(&o, -EIO);
	assert_string_equal(trace_output_problem(o.t), "cannot write in folder/: No such file or directory");
	assert_int_equal(trace_output_count(o.t), 1);
	assert_int_equal(strncmp(trace_output_last(o.t), "folder/run.upf.", 15), 0);
	end(&o);
	g = matching("moved/*");
	assert_int_equal(g.gl_pathc, 1);
	assert_int_equal(samples_of(g.gl_pathv[0]), 10);
	globfree(&g);
}

/* The footer of the last trace does not fit. */
FOLDER_TEST(a_switch_on_a_full_disk)
{
	struct output o;
	glob_t g;

	begin(&o, (struct output_options){.path = "run.upf", .switching = true});
	assert_int_equal(trace_output_open(o.t), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	limit_files(trace_output_bytes(o.t) + 1);
	assert_int_equal(put(&o, BLOCK_SWITCH), -EFBIG);
	nothing_after(&o, -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_string_equal(trace_output_problem(o.t), "");
	g = matching("run.upf.*");
	assert_int_equal(g.gl_pathc, 1);
	assert_string_equal(trace_output_last(o.t), g.gl_pathv[0]);
	assert_int_equal(samples_of(g.gl_pathv[0]), SIZE_MAX);
	globfree(&g);
	end(&o);
	assert_int_equal(entries_of("."), 1);
}

/* The last trace is complete, and the next one cannot get its name: its folder has become a file. */
FOLDER_TEST(a_switch_to_a_name_that_is_taken)
{
	struct output o;
	glob_t g;

	assert_int_equal(mkdir("folder", 0777), 0);
	begin(&o, (struct output_options){.path = "folder/run.upf", .switching = true});
	assert_int_equal(trace_output_open(o.t), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(rename("folder", "moved"), 0);
	write_text("folder", "no folder");
	assert_int_equal(put(&o, BLOCK_SWITCH), -EIO);
	nothing_after(&o, -EIO);
	assert_string_equal(trace_output_problem(o.t), "cannot write in folder/: Not a directory");
	end(&o);
	g = matching("moved/*");
	assert_int_equal(g.gl_pathc, 1);
	assert_int_equal(samples_of(g.gl_pathv[0]), 10);
	globfree(&g);
	assert_true(has_text("folder", "no folder"));
}

FOLDER_TEST(a_disk_that_fills_up_within_a_trace)
{
	struct output o;

	begin(&o, (struct output_options){.path = "run.upf"});
	assert_int_equal(trace_output_open(o.t), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	limit_files(trace_output_bytes(o.t) + 10);
	assert_int_equal(put(&o, BLOCK_APPEND), -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_int_equal(put(&o, BLOCK_APPEND), -EFBIG);
	assert_int_equal(finish(&o), -EFBIG);
	end(&o);
	assert_int_equal(samples_of("run.upf"), SIZE_MAX);
	assert_int_equal(entries_of("."), 1);
}

/* --- the flight recorder ----------------------------------------------------------------------------------------- */

static const struct output_options flight = {.path = "run.upf", .flight_recorder = {true, 4 << 20, 0}};

/* Ten samples are kept. */
static void begin_flight(struct output *o)
{
	begin(o, flight);
	assert_int_equal(trace_output_open(o->t), 0);
	assert_int_equal(put(o, BLOCK_APPEND), 0);
	assert_int_equal(entries_of("."), 0);
}

FOLDER_TEST(dumps)
{
	struct output o;
	glob_t g;

	begin_flight(&o);
	assert_int_equal(put(&o, BLOCK_DUMP), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(finish(&o), 0);
	assert_int_equal(trace_output_count(o.t), 2);
	assert_string_equal(trace_output_last(o.t), "run.upf");
	g = matching("run.upf.*");
	assert_int_equal(g.gl_pathc, 1);
	assert_int_equal(samples_of(g.gl_pathv[0]), 20);
	assert_int_equal(samples_of("run.upf"), 30);
	globfree(&g);
	end(&o);
}

/* Nothing is new since the last block, as with a guest that has ended. */
FOLDER_TEST(dumps_by_empty_blocks)
{
	struct output o;
	glob_t g;

	begin_flight(&o);
	for (int i = 0; i < 2; i++)
		assert_int_equal(put_rounds(&o, BLOCK_DUMP, 0), 0);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(finish(&o), 0);
	g = matching("run.upf.*");
	assert_int_equal(g.gl_pathc, 2);
	for (size_t i = 0; i < g.gl_pathc; i++)
		assert_int_equal(samples_of(g.gl_pathv[i]), 10);
	globfree(&g);
	assert_int_equal(samples_of("run.upf"), 20);
	end(&o);
}

/* Neither descriptors nor files of failed dumps are left, and later ones have everything. */
FOLDER_TEST(dumps_that_fail)
{
	struct output o;
	unsigned before;
	glob_t g;

	assert_int_equal(mkdir("folder", 0777), 0);
	begin(&o, flight);
	o.options.path = "folder/run.upf";
	trace_output_free(o.t);
	o.t = trace_output_new(&o.options, &some_session);
	assert_int_equal(trace_output_open(o.t), 0);
	before = open_descriptors();
	limit_files(0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(&o, BLOCK_DUMP), 0);
	assert_int_equal(entries_of("folder"), 0);
	limit_files(RLIM_INFINITY);
	assert_int_equal(rename("folder", "moved"), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(&o, BLOCK_DUMP), 0);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(trace_output_count(o.t), 0);
	assert_int_equal(rename("moved", "folder"), 0);
	assert_int_equal(put(&o, BLOCK_DUMP), 0);
	assert_int_equal(finish(&o), 0);
	g = matching("folder/run.upf.*");
	assert_int_equal(g.gl_pathc, 1);
	assert_int_equal(samples_of(g.gl_pathv[0]), 70);
	assert_int_equal(samples_of("folder/run.upf"), 70);
	globfree(&g);
	end(&o);
}

/* The header fits, what follows does not: what is there is valid, and the recording goes on. */
FOLDER_TEST(a_dump_that_is_cut)
{
	struct output o;
	glob_t g;

	begin(&o, flight);
	assert_int_equal(trace_output_open(o.t), 0);
	limit_files(600);
	for (int i = 0; i < 4; i++)
		assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(put(&o, BLOCK_DUMP), 0);
	limit_files(RLIM_INFINITY);
	assert_int_equal(put(&o, BLOCK_APPEND), 0);
	assert_int_equal(finish(&o), 0);
	g = matching("run.upf.*");
	assert_int_equal(g.gl_pathc, 1);
	assert_int_equal(samples_of(g.gl_pathv[0]), SIZE_MAX);
	assert_int_equal(samples_of("run.upf"), 60);
	globfree(&g);
	end(&o);
	assert_int_equal(entries_of("."), 2);
}

FOLDER_TEST(the_last_dump_fails)
{
	struct output o;

	begin_flight(&o);
	limit_files(0);
	assert_int_equal(finish(&o), -EIO);
	limit_files(RLIM_INFINITY);
	assert_string_equal(trace_output_problem(o.t), "run.upf: File too large");
	assert_int_equal(trace_output_count(o.t), 0);
	end(&o);
	assert_int_equal(entries_of("."), 0);
}
