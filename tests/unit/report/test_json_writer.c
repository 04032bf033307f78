/* SPDX-License-Identifier: BSD-2-Clause */
/* What is written is JSON, whatever names hold. */
#include "tests/unit/unit.h"

#include "report/output/json_writer.h"

#include <math.h>
#include <stdlib.h>

TEST(nested)
{
	char *text = NULL;
	size_t len;
	struct json j = {.out = open_memstream(&text, &len)};

	json_object(&j, NULL);
	json_uint(&j, "u", UINT64_MAX);
	json_array(&j, "a");
	json_int(&j, NULL, -1);
	json_real(&j, NULL, 0.1);
	json_real(&j, NULL, NAN);
	json_bool(&j, NULL, true);
	json_end(&j);
	json_object(&j, "o");
	json_end(&j);
	json_text(&j, "t", "");
	json_end(&j);
	fclose(j.out);
	assert_string_equal(text, "{\"u\":18446744073709551615,\"a\":[-1,0.1,null,true],\"o\":{},\"t\":\"\"}\n");
	free(text);
}

static void is_quoted(const char *given, const char *expected)
{
	char *text = NULL;
	size_t len;
	struct json j = {.out = open_memstream(&text, &len)};

	json_text(&j, NULL, given);
	fclose(j.out);
	assert_string_equal(text, expected);
	free(text);
}

TEST(texts)
{
	is_quoted("main", "\"main\"");
	is_quoted("a\"b\\c", "\"a\\\"b\\\\c\"");
	is_quoted("\n\x1b[31m\x7f", "\"\\u000a\\u001b[31m\\u007f\"");
	is_quoted("\xc2\x9b[31m\u00a0\u202e\u2069", "\"\\u009b[31m\u00a0\\u202e\\u2069\"");
	is_quoted("</script>&", "\"\\u003c/script\\u003e\\u0026\"");
	is_quoted("f\u00fcr \u20ac \U0001F600", "\"f\u00fcr \u20ac \U0001F600\"");
	is_quoted("\u2028\u2029", "\"\\u2028\\u2029\"");
	is_quoted("\xff"
	          "a\xc3",
	          "\"\\ufffda\\ufffd\"");
	is_quoted("\xc0\xaf", "\"\\ufffd\\ufffd\"");                       /* overlong */
	is_quoted("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* a surrogate */
	is_quoted("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* above U+10FFFF */
}
