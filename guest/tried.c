/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/tried.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int tried(struct tried *t, int rc, const char *what, ...)
{
	va_list arguments;

	if (rc >= 0)
		return rc;
	t->error = -rc;
	va_start(arguments, what);
	vsnprintf(t->what, sizeof(t->what), what, arguments);
	va_end(arguments);
	return rc;
}

void tried_explain(const struct tried *t, int error, char *why, size_t size)
{
	const bool known = error == t->error;

	snprintf(why, size, "%s%s%s", known ? t->what : "", known ? ": " : "", strerror(error));
}
