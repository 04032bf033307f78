/* SPDX-License-Identifier: BSD-2-Clause */
/* option_groups.h - all options but the views, in the groups of --help. Each table ends with a row of zeros. */
#ifndef REPORT_CLI_OPTION_GROUPS_H
#define REPORT_CLI_OPTION_GROUPS_H

#include "common/option_table.h"

extern const struct option_def options_naming[];  /* where names come from */
extern const struct option_def options_filters[]; /* what counts */
extern const struct option_def options_tables[];  /* tables and comparison */
extern const struct option_def options_general[]; /* output, help */

/* The offset of a member of struct settings, for a row's id. */
#define AT(member) offsetof(struct settings, member)

/* For rows: adds the value to the struct file_names at the offset. */
int option_add_name(struct option_use *use);
/* For rows whose id is one of these: sets what the word stands for. */
enum { WORD_WEIGHT, WORD_PERCENTAGE, WORD_GROUP, WORD_COLOR };
int option_set_word(struct option_use *use);

#endif
