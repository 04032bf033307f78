/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/progress.h"

#include "common/clock.h"
#include "common/say.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_NS 1000000000u
#define EVERY_NS 200000000u
#define NAME_MAX_SHOWN 50
#define CLEAR "\r\033[K"

void progress_init(struct progress *p)
{
	*p = (struct progress){.fd = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1};
}

void progress_free(struct progress *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

void progress_start(struct progress *p, const char *what)
{
	if (!p || p->fd < 0)
		return;
	if (!p->what)
		p->next_ns = clock_read(CLOCK_MONOTONIC_COARSE) + FIRST_NS;
	free(p->what);
	p->what = safe_text(what);
}

void progress_at(struct progress *p, uint64_t done, uint64_t whole)
{
	char line[160];
	uint64_t now;
	int n;

	if (!p || !p->what || (now = clock_read(CLOCK_MONOTONIC_COARSE)) < p->next_ns)
		return;
	if (whole)
		n = snprintf(line, sizeof(line), CLEAR "%.*s: %" PRIu64 "%%", NAME_MAX_SHOWN, p->what,
		             done < whole ? (uint64_t)((unsigned __int128)done * 100 / whole) : 100);
	else
		n = snprintf(line, sizeof(line), CLEAR "%.*s: %.1f MB", NAME_MAX_SHOWN, p->what, (double)done / 1e6);
	p->shown |= write(p->fd, line, (size_t)n) > 0;
	p->next_ns = now + EVERY_NS;
}

void progress_end(struct progress *p)
{
	if (!p || !p->what)
		return;
	if (p->shown && write(p->fd, CLEAR, strlen(CLEAR)) < 0)
		p->fd = -1;
	p->shown = false;
	free(p->what);
	p->what = NULL;
}
