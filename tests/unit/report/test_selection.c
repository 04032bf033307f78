/* SPDX-License-Identifier: BSD-2-Clause */
/* What counts: --time, --vcpu and --domain as they are written, and what they mean for a trace. */
#include "tests/unit/unit.h"

#include "report/input/scope.h"

#include <string.h>

#define SECOND 1000000000ull
#define LENGTH (200 * SECOND)

static const struct upf_domain domains[] = {{.id = 3, .name = "web"}, {.id = 9, .name = "a,b"}, {.id = 12}};
static const struct upf_session session = {.domains = domains, .ndomains = 3};

static struct scope scope_of(const struct selection *s)
{
	struct scope scope;
	char why[128];

	assert_int_equal(scope_make(&scope, s, &session, LENGTH, why, sizeof(why)), 0);
	return scope;
}

static void time_is(const char *text, uint64_t from_ns, uint64_t to_ns)
{
	struct selection s = {0};
	struct scope scope;
	char why[128];

	assert_int_equal(selection_time(&s, text, why, sizeof(why)), 0);
	scope = scope_of(&s);
	assert_int_equal(scope.from_ns, from_ns);
	assert_int_equal(scope.to_ns, to_ns);
}

TEST(times)
{
	time_is("1.5,3", 3 * SECOND / 2, 3 * SECOND);
	time_is("500ms,1m", SECOND / 2, 60 * SECOND);
	time_is("0,0.25", 0, SECOND / 4);
	time_is(",10", 0, 10 * SECOND);
	time_is("10,", 10 * SECOND, UINT64_MAX);
	time_is("10%,20%", 20 * SECOND, 40 * SECOND);
	time_is("0.5%,1%", SECOND, 2 * SECOND);
	time_is("90%,", 180 * SECOND, UINT64_MAX);
	time_is("50%,100%", 100 * SECOND, UINT64_MAX); /* the last record stands at the very end */
	time_is("10%/1", 0, 20 * SECOND);
	time_is("10%/2", 20 * SECOND, 40 * SECOND);
	time_is("50%/2", 100 * SECOND, UINT64_MAX);
	time_is("3,50%", 3 * SECOND, 100 * SECOND);
}

TEST(wrong_times)
{
	static const char *const wrong[] = {"",      ",",       "5",     "x,",     "1,x",   "5,2", "5,5",
	                                    "101%,", "20%,10%", "10%/0", "10%/11", "0%/1",  "5/2", "10%/",
	                                    "/2",    "-1,2",    "nan,",  "1,2,3",  "10%%,", "%,",  "10% ,20%"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct selection s = {0};
		char why[128] = "";

		if (selection_time(&s, wrong[i], why, sizeof(why)) == 0)
			fail_msg("--time '%s' is taken", wrong[i]);
		assert_true(why[0]);
	}
}

static bool has(const struct scope *scope, uint8_t kind, uint32_t domain, uint32_t vcpu, uint64_t time_ns)
{
	const struct upf_record rec = {.kind = kind, .domain = domain, .vcpu = vcpu, .time_ns = time_ns};

	return scope_has(scope, &rec);
}

TEST(records)
{
	struct selection s = {0};
	struct scope scope;
	char why[128];

	assert_int_equal(selection_time(&s, "1,2", why, sizeof(why)), 0);
	assert_int_equal(selection_vcpus(&s, "0,2-5", why, sizeof(why)), 0);
	assert_int_equal(selection_domains(&s, "web", why, sizeof(why)), 0);
	scope = scope_of(&s);
	assert_true(has(&scope, UPF_SAMPLE, 0, 0, SECOND));
	assert_false(has(&scope, UPF_SAMPLE, 0, 0, SECOND - 1));
	assert_false(has(&scope, UPF_SAMPLE, 0, 0, 2 * SECOND));
	assert_false(has(&scope, UPF_SAMPLE, 0, 1, SECOND));
	assert_true(has(&scope, UPF_SAMPLE, 0, 5, SECOND));
	assert_false(has(&scope, UPF_SAMPLE, 0, UINT32_MAX, SECOND));
	assert_false(has(&scope, UPF_SAMPLE, 1, 0, SECOND));
	assert_false(has(&scope, UPF_SAMPLE, UINT32_MAX, 0, SECOND));
	assert_true(has(&scope, UPF_LOST, 0, 1, SECOND)); /* of no vCPU: counts for all */
	assert_false(has(&scope, UPF_LOST, 1, 0, SECOND));
	selection_free(&s);
}

static void domain_is(const char *list, bool first, bool second, bool third)
{
	struct selection s = {0};
	struct scope scope;
	char why[128];

	assert_int_equal(selection_domains(&s, list, why, sizeof(why)), 0);
	scope = scope_of(&s);
	assert_int_equal(has(&scope, UPF_LOST, 0, 0, 0), first);
	assert_int_equal(has(&scope, UPF_LOST, 1, 0, 0), second);
	assert_int_equal(has(&scope, UPF_LOST, 2, 0, 0), third);
	selection_free(&s);
}

TEST(domains_by_name_and_number)
{
	struct selection s = {0};
	struct scope scope;
	char why[128];

	domain_is("web", true, false, false);
	domain_is("12,web", true, false, true);
	domain_is("a,b", false, true, false); /* a name with a comma in it */
	domain_is("9", false, true, false);
	assert_int_equal(selection_domains(&s, "", why, sizeof(why)), -1);
	assert_int_equal(selection_domains(&s, "web,nix", why, sizeof(why)), 0);
	assert_int_equal(scope_make(&scope, &s, &session, LENGTH, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "'nix'"));
	assert_true(has(&scope, UPF_LOST, 0, 0, 0)); /* the others count */
	selection_free(&s);
}
