/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/symbols/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

/* A mangled name of a few hundred bytes can stand for more than fits in memory: it refers back to parts of itself. */
#define NAME_MAX_BYTES (64u << 10)

/* --- clones ------------------------------------------------------------------------------------------------------ */

/* What GCC and LLVM append; a number, or what else they tell clones apart by, may follow. */
static const char *const clones[] = {".cold", ".part",       ".constprop", ".isra",       ".lto_priv",
                                     ".llvm", ".localalias", ".clone",     ".specialized"};

static bool is_clone(const char *dot, size_t len)
{
	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		size_t n = strlen(clones[i]);

		if (len >= n && memcmp(dot, clones[i], n) == 0 && (len == n || dot[n] == '.'))
			return true;
	}
	return false;
}

static bool is_number(const char *dot, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (!isdigit((unsigned char)dot[i]))
			return false;
	return len > 1;
}

size_t demangle_base(const char *symbol, size_t len)
{
	size_t base = len;

	for (size_t end = len;;) {
		const char *dot = end > 1 ? memrchr(symbol + 1, '.', end - 1) : NULL;

		if (!dot)
			return base;
		if (is_clone(dot, end - (size_t)(dot - symbol)))
			base = (size_t)(dot - symbol);
		else if (!is_number(dot, end - (size_t)(dot - symbol)))
			return base;
		end = (size_t)(dot - symbol);
	}
}

/* --- C++ and Rust ------------------------------------------------------------------------------------------------ */

struct sink {
	struct buf *out;
	size_t start;
	jmp_buf stop;
};

static void collect_text(const char *text, size_t len, void *opaque)
{
	struct sink *s = opaque;

	if (s->out->len - s->start + len > NAME_MAX_BYTES || buf_add(s->out, text, len) != 0)
		longjmp(s->stop, 1);
}

static bool by_library(const char *symbol, struct sink *s)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (rust_demangle_callback(symbol, options, collect_text, s))
		return true;
	s->out->len = s->start;
	return cplus_demangle_v3_callback(symbol, options, collect_text, s);
}

/*
 * 1: appended; 0: it is none, or too long; -ENOMEM. The demanglers keep what they work with on their stack and know no
 * way to be stopped: they are left by a jump. A Rust name with punycode may then lose the few bytes of one identifier.
 */
static int demangle_itanium(const char *symbol, struct buf *out)
{
	struct sink s = {.out = out, .start = out->len};

	if (setjmp(s.stop) == 0 && by_library(symbol, &s))
		return 1;
	out->len = s.start;
	return out->failed ? -ENOMEM : 0;
}

/* --- any --------------------------------------------------------------------------------------------------------- */

static int demangle_base_name(const char *symbol, size_t len, struct buf *out)
{
	char *base;
	int rc = demangle_ocaml(symbol, len, out);

	if (rc != 0 || symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return rc;
	base = strndup(symbol, len);
	if (!base)
		return -ENOMEM;
	rc = demangle_itanium(base, out);
	free(base);
	return rc;
}

/* Where " [module]" begins, or the end. */
static size_t without_module(const char *symbol, size_t len)
{
	const char *space = len && symbol[len - 1] == ']' ? memrchr(symbol, ' ', len) : NULL;

	return space && space[1] == '[' ? (size_t)(space - symbol) : len;
}

int demangle(const char *symbol, struct buf *out)
{
	size_t len = strlen(symbol), name = without_module(symbol, len), base = demangle_base(symbol, name);
	int rc = demangle_base_name(symbol, base, out);

	if (rc == 0)
		buf_add(out, symbol, base);
	buf_add(out, symbol + name, len - name);
	return rc < 0 ? rc : buf_add(out, "", 1);
}
