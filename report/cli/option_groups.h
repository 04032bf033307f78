/* SPDX-License-Identifier: BSD-2-Clause */
/* option_groups.h - all options but the views, in the groups of --help. Each table ends with a row of zeros. */
#ifndef REPORT_CLI_OPTION_GROUPS_H
#define REPORT_CLI_OPTION_GROUPS_H

#include "common/option_table.h"

extern const struct option_def options_naming[];  /* where names come from */
extern const struct option_def options_filters[]; /* what counts */
extern const struct option_def options_tables[];  /* tables and comparison */
extern const struct option_def options_general[]; /* output, help */

#endif
