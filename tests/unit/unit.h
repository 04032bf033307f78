/* SPDX-License-Identifier: BSD-2-Clause */
/* unit.h - what every unit test includes: cmocka and the headers it wants before it. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#endif
