/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/host/host_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_array.h"
#include "kvmif/host/kernel_symbols.h"

#define MAPPINGS 16
#define LAST (HOST_NUMBERS_MAX - 1)

/* For what is new when all other numbers are given away: its samples are seen to be the host's, but not where. */
static const struct host_function other_function = {.id = LAST, .name = "[too many host stacks]", .file = "kernel"};
static const struct host_stack other_stack = {.id = LAST, .depth = 1, .frames = {&other_function}};

struct known_function {
	uint64_t monitor; /* a process; 0: the kernel's */
	uint64_t start;   /* of the function; in a monitor the address itself */
	uint64_t has_id;  /* 1: in a monitor, with its file's build-id */
	struct host_function *function;
};

struct host_stacks {
	struct kernel_symbols *kernel;
	HASH_ARRAY(struct known_function, functions, nfunctions, by_start);
	struct host_stack **stacks;
	size_t nstacks, cap;
	struct hash_table index;
	struct mapping { /* the last ones that were looked for */
		pid_t monitor;
		uint64_t from, to;
		char *file; /* "": none */
	} mappings[MAPPINGS];
	unsigned next;
};

struct host_stacks *host_stacks_open(const char *kallsyms, char *why, size_t size)
{
	FILE *f = fopen(kallsyms, "re");
	struct host_stacks *h = calloc(1, sizeof(*h));

	if (h && f)
		h->kernel = kernel_symbols_read(f);
	if (!h || !h->kernel)
		snprintf(why, size, "%s: %s", kallsyms,
		         h && f && errno == EPERM ? "addresses are hidden (CAP_SYSLOG)" : strerror(errno));
	if (f)
		fclose(f);
	if (h && h->kernel)
		return h;
	free(h);
	return NULL;
}

void host_stacks_close(struct host_stacks *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nfunctions; i++) {
		if (h->functions[i].monitor)
			free((char *)h->functions[i].function->file);
		free(h->functions[i].function);
	}
	for (size_t i = 0; i < h->nstacks; i++)
		free(h->stacks[i]);
	for (unsigned i = 0; i < MAPPINGS; i++)
		free(h->mappings[i].file);
	kernel_symbols_free(h->kernel);
	hash_array_free(&h->by_start);
	hash_table_free(&h->index);
	free(h->stacks);
	free(h);
}

/* A path of /proc/PID/maps: of one that is too long the end, as a file that was replaced is called before that. */
static char *path_of(const char *text)
{
	static const char deleted[] = " (deleted)";
	size_t n = strcspn(text, "\n"), cut;

	if (n >= sizeof(deleted) && strncmp(text + n - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1) == 0)
		n -= sizeof(deleted) - 1;
	cut = n > HOST_TEXT_MAX ? n - HOST_TEXT_MAX : 0;
	return strndup(text + cut, n - cut);
}

/* Sets m->file to what m->from, an address of m->monitor, is mapped from, and the range. */
static void read_mapping(struct mapping *m)
{
	const uint64_t address = m->from;
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)m->monitor);
	f = fopen(path, "re");
	while (f && !m->file && getline(&line, &size, f) >= 0) {
		uint64_t from, to;
		int at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &from, &to, &at) != 2 || !at ||
		    address < from || address >= to)
			continue;
		m->from = from;
		m->to = to;
		m->file = path_of(line + at);
	}
	free(line);
	if (f)
		fclose(f);
}

/* The file that @address of process @monitor is mapped from, "" for none, until the next call. NULL: no memory. */
static const char *mapped_file(struct host_stacks *h, pid_t monitor, uint64_t address)
{
	struct mapping *m;

	for (unsigned i = 0; i < MAPPINGS; i++) {
		m = &h->mappings[i];
		if (m->file && m->monitor == monitor && address >= m->from && address < m->to)
			return m->file;
	}
	m = &h->mappings[h->next++ % MAPPINGS];
	free(m->file);
	*m = (struct mapping){.monitor = monitor, .from = address, .to = address + 1};
	read_mapping(m);
	if (!m->file)
		m->file = strdup("");
	return m->file;
}

/* Completes a new function. False: no memory. */
static bool describe(struct host_stacks *h, struct host_function *to, const struct known_function *key,
                     const struct host_addresses *a)
{
	struct kernel_function f;
	const char *file;

	if (!key->monitor) {
		f = kernel_symbols_find(h->kernel, key->start);
		to->name = f.start ? f.name : "";
		to->file = f.start ? f.module : "kernel";
		return true;
	}
	to->is_vmm = true;
	to->name = "";
	file = mapped_file(h, (pid_t)key->monitor, key->start);
	to->file = file ? strdup(file) : NULL;
	to->build_id_size = (uint8_t)a->build_id_size;
	memcpy(to->build_id, a->build_id, a->build_id_size);
	to->offset = a->offset;
	return to->file != NULL;
}

static const struct host_function *find_function(struct host_stacks *h, struct known_function key,
                                                 const struct host_addresses *a)
{
	const size_t n = h->nfunctions;
	struct host_function *f;
	uint32_t id;

	if (hash_array_find(&h->by_start, &id, has_id, &key))
		return h->functions[id].function;
	if (n == LAST)
		return &other_function;
	f = calloc(1, sizeof(*f));
	if (!f || !describe(h, f, &key, a)) {
		free(f);
		return NULL;
	}
	f->id = (uint32_t)n;
	key.function = f;
	if (hash_array_add(&h->by_start, &id, has_id, &key) == 0)
		return f;
	if (key.monitor)
		free((char *)f->file);
	free(f);
	return NULL;
}

static bool is_same(const struct host_stack *a, const struct host_stack *b)
{
	return a->depth == b->depth && memcmp(a->frames, b->frames, a->depth * sizeof(*a->frames)) == 0;
}

static const struct host_stack *find_stack(struct host_stacks *h, struct host_stack *s)
{
	uint32_t hash, id;
	size_t size;

	if (hash_table_reserve(&h->index) != 0)
		return NULL;
	hash = hash_table_hash_text(&h->index, (const char *)s->frames, s->depth * sizeof(*s->frames));
	for (size_t at = hash_table_first(&h->index, hash); hash_table_id(&h->index, &at, hash, &id);
	     at = hash_table_next(&h->index, at))
		if (is_same(h->stacks[id], s))
			return h->stacks[id];
	if (h->nstacks == LAST)
		return &other_stack;
	if (array_room(&h->stacks, &h->cap, h->nstacks, sizeof(*h->stacks)) != 0)
		return NULL;
	s->id = (uint32_t)h->nstacks;
	size = offsetof(struct host_stack, frames) + s->depth * sizeof(*s->frames);
	h->stacks[s->id] = malloc(size);
	if (!h->stacks[s->id])
		return NULL;
	memcpy(h->stacks[s->id], s, size);
	hash_table_add(&h->index, hash, s->id);
	return h->stacks[h->nstacks++];
}

const struct host_stack *host_stacks_find(struct host_stacks *h, const struct host_addresses *a)
{
	const uint32_t room = HOST_DEPTH_MAX - (a->vmm_ip != 0);
	struct host_stack s = {0};

	for (uint32_t i = 0; i < a->nkernel && s.depth < room; i++) {
		/* A return address follows the call, which may be the last instruction of its function. */
		const uint64_t start = kernel_symbols_find(h->kernel, a->kernel[i] - (i > 0)).start;

		s.frames[s.depth] = find_function(h, (struct known_function){.start = start}, a);
		if (!s.frames[s.depth++])
			return NULL;
	}
	if (a->vmm_ip) {
		s.frames[s.depth] = find_function(
			h, (struct known_function){(uint64_t)a->monitor, a->vmm_ip, a->build_id_size != 0, NULL}, a);
		if (!s.frames[s.depth++])
			return NULL;
	}
	return s.depth ? find_stack(h, &s) : NULL;
}
