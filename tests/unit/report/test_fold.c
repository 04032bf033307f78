/* SPDX-License-Identifier: BSD-2-Clause */
/* Folding: names of callers, recursion, totals, run states, several domains. */
#include "tests/unit/unit.h"

#include "report/fold/fold.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct fixture {
	struct symbols symbols;
	struct resolver resolver;
	struct symbolizer names;
	struct profile profile;
	struct fold fold;
	struct upf_domain domains[2];
	struct upf_session session;
};

static void add_symbol(struct fixture *f, uint64_t start, const char *name)
{
	struct symbol symbol = {.start = start, .size = 0x100};

	assert_int_equal(symbols_add(&f->symbols, symbol, name, strlen(name)), 0);
}

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	add_symbol(f, 0x1000, "main");
	add_symbol(f, 0x1100, "work");
	add_symbol(f, 0x1200, "leaf");
	assert_int_equal(symbols_sort(&f->symbols), 0);
	f->resolver.symbols = &f->symbols;
	symbolizer_init(&f->names, &f->resolver);
	assert_int_equal(profile_init(&f->profile), 0);
	f->domains[0].name = "web1";
	f->domains[1].id = 7;
	f->session.domains = f->domains;
	f->session.ndomains = 1;
}

static void end(struct fixture *f)
{
	fold_free(&f->fold);
	profile_free(&f->profile);
	symbolizer_free(&f->names);
	symbols_free(&f->symbols);
}

/* @stack root first, 0 at its end; @n times. */
static void sample(struct fixture *f, uint32_t domain, uint8_t state, unsigned n, const uint64_t *stack)
{
	struct upf_record rec = {.kind = UPF_SAMPLE, .domain = domain, .state = state, .count = 1, .period = 1};
	uint32_t node = 0;

	for (; *stack; stack++)
		assert_int_equal(calltree_child(&f->profile.tree, node, *stack, 0, &node), 0);
	while (n-- > 0) {
		assert_int_equal(profile_sample(&f->profile, &rec, node, NULL), 0);
		counters_record(&f->profile.counters, &rec);
	}
}

#define STACK(...) ((const uint64_t[]){__VA_ARGS__, 0})

static void fold(struct fixture *f, unsigned states)
{
	const struct selection selection = {.states = states};
	const struct fold_request request = {.selection = &selection,
	                                     .run[FOLD_NEW] = {&f->profile, &f->names, &f->session}};

	assert_int_equal(fold_make(&f->fold, &request), 0);
}

static const struct fold_weights *function(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->fold.nfunctions; i++)
		if (strcmp(f->names.functions[i].name, name) == 0)
			return &f->fold.functions[i];
	fail_msg("no function %s", name);
	return NULL;
}

static void expect(const struct fixture *f, const char *name, uint64_t self, uint64_t total)
{
	assert_int_equal(function(f, name)->self[FOLD_NEW], self);
	assert_int_equal(function(f, name)->total[FOLD_NEW], total);
}

TEST(call_sites_merge)
{
	struct fixture f;

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 3, STACK(0x1010, 0x1110));
	sample(&f, 0, UPF_RUNNING, 2, STACK(0x1020, 0x1130));
	fold(&f, STATES_CPU);
	assert_int_equal(f.fold.n, 3); /* the root, main, work */
	assert_int_equal(f.fold.samples, 5);
	expect(&f, "main", 0, 5);
	expect(&f, "work", 5, 5);
	assert_int_equal(f.fold.unnamed, 0);
	end(&f);
}

/* 0x1100 as a return address is the end of main; as a leaf it is the beginning of work. */
TEST(call_at_the_end)
{
	struct fixture f;
	struct frame_name name;

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1100, 0x1200));
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1100));
	fold(&f, STATES_CPU);
	expect(&f, "main", 0, 1);
	expect(&f, "work", 1, 1);
	expect(&f, "leaf", 1, 1);
	assert_int_equal(symbolizer_find(&f.names, 0, 0x1100, true, &name), 0);
	assert_int_equal(name.offset, 0x100);
	end(&f);
}

TEST(recursion_counts_once)
{
	struct fixture f;

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 4, STACK(0x1010, 0x1110, 0x1110, 0x1110, 0x1210));
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1010, 0x1110, 0x1010, 0x1110));
	fold(&f, STATES_CPU);
	expect(&f, "main", 0, 5);
	expect(&f, "work", 1, 5);
	expect(&f, "leaf", 4, 4);
	end(&f);
}

TEST(states_are_left_out)
{
	struct fixture f;

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1010));
	sample(&f, 0, UPF_RUNNABLE, 2, STACK(0x1010));
	sample(&f, 0, UPF_BLOCKED, 4, STACK(0x1110));
	sample(&f, 0, UPF_OFFLINE, 8, STACK(0));
	fold(&f, STATES_CPU);
	assert_int_equal(f.fold.samples, 3);
	assert_int_equal(profile_count(&f.profile, STATES_CPU), 3);
	expect(&f, "main", 3, 3);
	fold_free(&f.fold);
	fold(&f, STATES_ALL);
	assert_int_equal(f.fold.samples, 15);
	expect(&f, "work", 4, 4);
	expect(&f, "[no stack]", 8, 8);
	end(&f);
}

TEST(without_names)
{
	struct fixture f;

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x9000, 0x1110, 0x9000));
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x9000, 0x8000));
	fold(&f, STATES_CPU);
	expect(&f, "0x9000", 1, 2);
	expect(&f, "0x8000", 1, 1);
	assert_int_equal(f.fold.unnamed, 2);
	assert_int_equal(f.fold.frames, 5);
	assert_int_equal(f.fold.unnamed_frames, 4);
	end(&f);
}

TEST(domains_stand_apart)
{
	struct fixture f;

	begin(&f);
	f.session.ndomains = 2;
	sample(&f, 1, UPF_RUNNING, 2, STACK(0x1010, 0x1110));
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1010, 0x1210));
	sample(&f, 9, UPF_RUNNING, 1, STACK(0x1010));
	fold(&f, STATES_CPU);
	expect(&f, "web1", 0, 1);
	expect(&f, "[domain 7]", 0, 2);
	expect(&f, "[unknown domain 9]", 0, 1);
	expect(&f, "main", 1, 4);
	end(&f);
}

static void is_node(const struct fixture *f, uint32_t n, uint32_t depth, const char *name)
{
	assert_string_equal(f->names.functions[f->fold.nodes[n].function].name, name);
	assert_int_equal(f->fold.nodes[n].depth, depth);
}

/* Depth first, with the same numbers of callers and of those below. */
TEST(order)
{
	struct fixture f;

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1110));
	sample(&f, 0, UPF_RUNNING, 5, STACK(0x1210));
	sample(&f, 0, UPF_RUNNING, 1, STACK(0x1010, 0x1110));
	sample(&f, 0, UPF_RUNNING, 4, STACK(0x1010, 0x1210));
	fold(&f, STATES_CPU);
	assert_int_equal(fold_sort(&f.fold, &f.names, FOLD_BY_TOTAL), 0);
	is_node(&f, 1, 1, "leaf");
	is_node(&f, 2, 1, "main");
	is_node(&f, 3, 2, "leaf");
	is_node(&f, 4, 2, "work");
	is_node(&f, 5, 1, "work");
	assert_int_equal(f.fold.nodes[0].below, 5);
	assert_int_equal(f.fold.nodes[2].below, 2);
	assert_int_equal(f.fold.nodes[4].parent, 2);
	assert_int_equal(fold_sort(&f.fold, &f.names, FOLD_BY_NAME), 0);
	is_node(&f, 2, 1, "main");
	is_node(&f, 3, 2, "leaf");
	end(&f);
}

/* For a page, what each vCPU has of a node; a stack that does not count has no number. */
TEST(weights_by_vcpu)
{
	const struct selection selection = {.states = STATES_CPU};
	struct fixture f;
	const struct fold_request request = {
		.selection = &selection, .run[FOLD_NEW] = {&f.profile, &f.names, &f.session}, .page = true};

	begin(&f);
	sample(&f, 0, UPF_RUNNING, 3, STACK(0x1110));
	sample(&f, 0, UPF_RUNNABLE, 1, STACK(0x1110));
	sample(&f, 0, UPF_BLOCKED, 1, STACK(0x1110));
	sample(&f, 0, UPF_RUNNING, 2, STACK(0x1010));
	assert_int_equal(fold_make(&f.fold, &request), 0);
	assert_int_equal(fold_sort(&f.fold, &f.names, FOLD_BY_NAME), 0);
	assert_int_equal(f.fold.nvcpus, 1);
	assert_int_equal(f.fold.nstacks, 2);
	assert_int_equal(f.fold.stacks[0].weight[FOLD_NEW], 2); /* main, before work */
	assert_int_equal(f.fold.stacks[1].weight[FOLD_NEW], 4);
	assert_int_equal(f.fold.nstack_of, 4);
	assert_int_equal(f.fold.stack_of[0], 1);
	assert_int_equal(f.fold.stack_of[1], 1);
	assert_int_equal(f.fold.stack_of[2], FOLD_NONE);
	assert_int_equal(f.fold.stack_of[3], 0);
	end(&f);
}

/* Names from strangers reach a terminal as text only. */
TEST(names_are_safe)
{
	struct fixture f;
	uint32_t function_id;

	begin(&f);
	assert_int_equal(symbolizer_function(&f.names, "a\x1b[31m\nb", &function_id), 0);
	assert_string_equal(f.names.functions[function_id].name, "a\\x1b[31m\\x0ab");
	end(&f);
}

/* Symbols of a few bytes may be demangled to 64 KiB each. */
TEST(names_take_limited_memory)
{
	struct frame_name name;
	struct fixture f;

	begin(&f);
	f.names.bytes = SYMBOLIZER_BYTES_MAX - 5;
	assert_int_equal(symbolizer_find(&f.names, 0, 0x1010, false, &name), 0);
	assert_string_equal(f.names.functions[name.function].name, "main");
	assert_int_equal(symbolizer_find(&f.names, 0, 0x1110, false, &name), 0);
	assert_string_equal(f.names.functions[name.function].name, "[too many names]");
	assert_int_equal(symbolizer_find(&f.names, 0, 0x1210, false, &name), 0);
	assert_string_equal(f.names.functions[name.function].name, "[too many names]");
	assert_int_equal(symbolizer_find(&f.names, 0, 0x1020, false, &name), 0);
	assert_string_equal(f.names.functions[name.function].name, "main");
	end(&f);
}

static bool in_one_file(const struct archive *archive, uint64_t address, struct resolution *out)
{
	(void)address;
	*out = (struct resolution){.n = 1, .frames = {{.file = (const char *)archive, .line = 1}}};
	return true;
}

/* Many addresses may be in a file with a long path: by CPU time, so that other work does not matter. */
TEST(paths_take_little_time)
{
	char path[65536];
	struct frame_name name;
	struct fixture f;
	clock_t began = clock();

	begin(&f);
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	f.resolver.archive = (const struct archive *)path;
	f.resolver.find_archived = in_one_file;
	for (uint64_t address = 0; address < 100000; address++) {
		assert_int_equal(symbolizer_find(&f.names, 0, address, false, &name), 0);
		assert_int_equal(strlen(name.at.file), sizeof(path) - 1);
	}
	assert_true(clock() - began < 4 * CLOCKS_PER_SEC);
	end(&f);
}
