/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/status_line.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/quantity.h"

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

void status_line_draw(const struct live_counters *live, uint64_t bytes)
{
	uint64_t elapsed = live->elapsed_ns, paused = live->paused_ns;
	char text[256], size[QUANTITY_SIZE];

	snprintf(text, sizeof(text), "%.1f s  %llu samples  %.1f Hz  missed %llu  lost %llu  paused %.3f%%  %s",
	         (double)elapsed / 1e9, (unsigned long long)live->samples, quantity_per_second(live->rounds, elapsed),
	         (unsigned long long)live->late, (unsigned long long)live->lost, quantity_percent(paused, elapsed),
	         quantity_bytes(size, bytes));
	fprintf(stderr, "%.*s", columns() - 1, text);
	fflush(stderr);
}
