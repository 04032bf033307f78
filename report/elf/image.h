/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.h - what an ELF file holds at an address, and its sections. The file comes from a stranger: every size is
 * checked against the file, and nothing is handed out that does not lie in it whole.
 */
#ifndef REPORT_ELF_IMAGE_H
#define REPORT_ELF_IMAGE_H

#include "report/isa/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

struct image_section {
	uint64_t address;    /* 0 for sections that are not loaded */
	const uint8_t *data; /* lives as long as the image */
	size_t size;
};

/*
 * Has the ELF file at @path sections that tell of its frames? Of files that are not linked only modules of Linux
 * count.
 */
bool image_has_tables(const char *path);
/* NULL: one line in @why. Not every ELF file has code: a file of debug information alone is an image too. */
struct image *image_open(const char *path, char *why, size_t size);
void image_close(struct image *i); /* NULL is fine */
/*
 * The guest has it @bias higher than it was linked for: so are all addresses from now on. Before anything else is
 * asked.
 */
void image_move(struct image *i, uint64_t bias);
uint64_t image_bias(const struct image *i);
const struct isa *image_isa(const struct image *i); /* NULL: none that is known; ARM's: A32 */
/*
 * That of the code at @address: ARM's images have A32 and T32 code, as their mapping symbols tell ($a, $t), or their
 * functions' addresses, of which bit 0 is set for T32.
 */
const struct isa *image_isa_at(const struct image *i, uint64_t address);
/* Is it data between code, by mapping symbols ($d)? Only ARM's and AArch64's images have them. */
bool image_is_data(const struct image *i, uint64_t address);
bool image_is_linked(
	const struct image *i); /* false: a relocatable object, as Linux' modules are; nothing has an address */
uint64_t image_entry(const struct image *i);
/*
 * The executable bytes at @address up to the end of their section or segment: NULL and 0 if there are none in the
 * file.
 */
const uint8_t *image_code(const struct image *i, uint64_t address, size_t *left);
/* Any bytes loaded at @address, in the same way. */
const uint8_t *image_bytes(const struct image *i, uint64_t address, size_t *left);
/* A section by name, decompressed if need be; false if there is none with contents. */
bool image_section(const struct image *i, const char *name, struct image_section *s);
/* The address that Xen's ELF note HYPERCALL_PAGE names; false if there is none. */
bool image_hypercall_page(const struct image *i, uint64_t *address);

#endif
