/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_ocaml.c - OCaml's symbols: "caml", the unit, a separator, the function, "_" and a number that makes it
 * unique. The separator is "__" up to OCaml 5.0 and "." later; "__" parts the modules of a unit, too. "$" and two
 * hexadecimal digits are a byte (asmcomp/compilenv.ml, Compilenv.make_symbol, and asmcomp/emitaux.ml, emit_symbol, of
 * OCaml's source).
 */
#include "report/symbols/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define PREFIX "caml"

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Is "fun" all that stands behind the last separator? Functions without a name are all called so. */
static bool is_closure(const char *name, size_t len)
{
	return len > 4 && memcmp(name + len - 3, "fun", 3) == 0 &&
	       (name[len - 4] == '.' || (name[len - 4] == '_' && name[len - 5] == '_'));
}

/* "_1319" at the end; what is nothing but that stays, as in camlUnit__1319, and what tells closures apart. */
static size_t without_stamp(const char *name, size_t len)
{
	size_t n = len;

	while (n > 0 && isdigit((unsigned char)name[n - 1]))
		n--;
	if (n == len || n < 2 || name[n - 1] != '_' || name[n - 2] == '_' || name[n - 2] == '.')
		return len;
	return is_closure(name, n - 1) ? len : n - 1;
}

/* The next piece of @len bytes at @at: what it stands for in *c, how long it is. */
static size_t take_piece(const char *at, size_t len, char *c)
{
	*c = *at;
	if (len > 2 && at[0] == '_' && at[1] == '_') {
		*c = '.';
		return 2;
	}
	if (len > 2 && at[0] == '$' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
		*c = (char)(hex_digit(at[1]) << 4 | hex_digit(at[2]));
		if (*c != '\0')
			return 3;
		*c = '$';
	}
	return 1;
}

int demangle_ocaml(const char *symbol, size_t len, struct buf *out)
{
	const size_t prefix = strlen(PREFIX);
	size_t end;

	if (len <= prefix || memcmp(symbol, PREFIX, prefix) != 0 || !isupper((unsigned char)symbol[prefix]))
		return 0;
	end = without_stamp(symbol, len);
	for (size_t i = prefix; i < end;) {
		char c;

		i += take_piece(symbol + i, end - i, &c);
		buf_add(out, &c, 1);
	}
	return out->failed ? -ENOMEM : 1;
}
