/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as their authors wrote them, and names made to do harm. */
#include "tests/unit/unit.h"

#include "report/symbols/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *symbol, const char *name)
{
	struct buf out = {0};

	assert_int_equal(demangle(symbol, &out), 0);
	assert_int_equal(out.len, strlen((const char *)out.data) + 1);
	assert_string_equal((const char *)out.data, name);
	buf_free(&out);
}

TEST(plain)
{
	expect("main", "main");
	expect("", "");
	expect("_Z", "_Z");
	expect("_start", "_start");
	expect("a.out", "a.out");
	expect("do_IRQ [virtio]", "do_IRQ [virtio]");
	expect("[no stack]", "[no stack]");
}

TEST(cplusplus)
{
	expect("_ZN3foo3barEi", "foo::bar(int)");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)");
	expect("_ZNK4pairssERKS_", "pair::operator<=>(pair const&) const");
	expect("_ZN3foo3barEi [module]", "foo::bar(int) [module]");
}

TEST(rust)
{
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	expect("_RNvMs_NtC4core3numm3pow.llvm.123456", "<u32>::pow");
}

TEST(ocaml)
{
	expect("camlLwt__return_1319", "Lwt.return");
	expect("camlStdlib__List__map_12", "Stdlib.List.map");
	expect("camlStdlib__List.map_12", "Stdlib.List.map"); /* OCaml 5.1 */
	expect("camlStdlib$__$40_199", "Stdlib$.@");
	expect("camlStdlib__$5e_45", "Stdlib.^");
	expect("camlDune__exe__Main__entry", "Dune.exe.Main.entry");
	expect("camlMirage_net__fun_1234", "Mirage_net.fun_1234"); /* two closures are not one function */
	expect("camlMirage_net.fun_1234", "Mirage_net.fun_1234");
	expect("camlMirage__Net__fun_12", "Mirage.Net.fun_12");
	expect("camlMirage_net__my_fun_1234", "Mirage_net.my_fun");
	expect("camlMirage_net__fund_1234", "Mirage_net.fund");
	expect("camlFoo__12", "Foo.12");
	expect("caml_startup__code_begin", "caml_startup__code_begin");
	expect("caml_alloc_small_dispatch", "caml_alloc_small_dispatch");
	expect("camlFoo__$00_1", "Foo.$00"); /* no NUL gets in */
	expect("caml", "caml");
	expect("camlA", "A");
}

TEST(clones)
{
	expect("foo.cold", "foo");
	expect("foo.part.0", "foo");
	expect("foo.constprop.0.isra.0", "foo");
	expect("foo.isra.0.cold", "foo");
	expect("foo.part.0 [btrfs]", "foo [btrfs]");
	expect("_ZN3foo3barEi.cold", "foo::bar(int)");
	expect("foo.cold.12", "foo");
	expect("counter.0", "counter.0"); /* a static variable's, not a clone's */
	expect("foo.coldest", "foo.coldest");
	expect("x._omp_fn.0", "x._omp_fn.0"); /* a function of its own: the loop's body */
	expect(".cold", ".cold");
}

/* Each level stands twice in the next: as many as @levels are 2^levels names. */
static void doubled(char *symbol, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	symbol += sprintf(symbol, "_Z1f1a");
	for (int i = 0; i < levels; i++) {
		char number[3] = {0};

		if (i > 36)
			number[0] = '1';
		if (i > 0)
			number[i > 36] = digits[(i - 1) % 36];
		symbol += sprintf(symbol, "FvS%s_S%s_E", number, number);
	}
}

TEST(exponential)
{
	struct buf out = {0};
	char symbol[1000];

	doubled(symbol, 8);
	assert_int_equal(demangle(symbol, &out), 0);
	assert_true(out.len > 1000); /* of about 100 bytes */
	doubled(symbol, 60);
	expect(symbol, symbol);
	buf_free(&out);
}

/* As deep as can be: no stack overflow. */
TEST(deep)
{
	static const char *const parts[] = {"P", "FP", "N1a", "I1aI", "RR", "A1_", "M1a"};
	const size_t len = 200000;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *symbol = malloc(len + 16);
		struct buf out = {0};
		size_t n = strlen(parts[i]);

		for (int v0 = 0; v0 < 2; v0++) {
			strcpy(symbol, v0 ? "_RC" : "_Z1f");
			for (size_t at = strlen(symbol); at < len; at += n)
				memcpy(symbol + at, parts[i], n + 1);
			out.len = 0;
			assert_int_equal(demangle(symbol, &out), 0);
		}
		buf_free(&out);
		free(symbol);
	}
}
