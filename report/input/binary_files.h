/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binary_files.h - which files give names to which domains: those of -s, or else the images that the traces name, if
 * they still exist.
 *
 * All is by boot (boots.h). A file of -s DOMAIN=FILE is for that domain, but for those of its boots that ran another
 * build, if one of them ran this. Any other one is for the domains whose recorded build it is; otherwise
 * for those that no file is for by these two rules; otherwise for all. A domain without a file has the image that the
 * trace names. No domain gets an ELF file by itself whose code it cannot run.
 */
#ifndef REPORT_INPUT_BINARY_FILES_H
#define REPORT_INPUT_BINARY_FILES_H

#include "format/file/identity.h"
#include "report/elf/debug_file.h"
#include "report/symbols/symbols.h"
#include "report/input/kernel_entry.h"
#include "report/input/traces.h"

/* A binary that some guests may run, by the configuration: it is not taken for one that cannot have run it. */
struct known_binary {
	char *domain; /* its name, or a pattern */
	char *path;
};

/* What the command line asks for. */
struct binary_request {
	const char *const *files; /* of -s: [DOMAIN=]FILE, with @ADDRESS or @+OFFSET */
	size_t nfiles;
	const struct known_binary *known; /* the last one that fits counts */
	size_t nknown;
	bool other_run; /* they were given for another run: ignore those of a DOMAIN that is not in this one */
	struct debug_search debug; /* symfs: a directory with the guest's files, images too */
	bool no_repair;            /* stacks stay as recorded: no unwind tables */
	bool no_inline;            /* no DWARF: neither inlined functions nor lines */
	bool force;                /* whichever build it is */
};

struct binary_file {
	char *path;         /* to open; of one that was packed, the unpacked copy's */
	char *packed;       /* then the name of what was given; NULL: nothing was unpacked */
	int fd;             /* of that copy */
	const char *domain; /* of -s DOMAIN=FILE: @domain_len bytes of it. NULL: none */
	size_t domain_len;
	bool image;            /* that traces name, not given by -s */
	bool moved, by_offset; /* to @where: an address for its lowest one, or an offset to all */
	uint64_t where;
	bool is_elf, is_linked;       /* modules are not linked, nor are lists of names */
	uint64_t lowest, highest;     /* what of it is loaded, as it was linked */
	const struct isa *isa;        /* of an ELF file; NULL: none that is known */
	char identity[IDENTITY_SIZE]; /* "": not known, or not needed */
	struct kernel_symbols kernel; /* of an image whose symbols have been read */
	bool was_read;
	struct symbols symbols; /* then: a pipe can be read only once, and several programs may have the file */
};

/* Zero-initialise, binary_files_free() at the end. */
struct binary_files {
	struct binary_file *list;
	size_t n, cap;
	const struct boots *boots; /* 1 or more */
	bool *chosen;              /* [boot * n + file] */
};

/*
 * Chooses from what @request asks for, for the @boots in @traces that have been joined; they outlive it. 0; -EINVAL:
 * the request is wrong; or -1; both with one line in @why. Unless it is forced, a file that is not the build that a
 * domain ran is refused, too.
 */
int binary_files_choose(struct binary_files *f, const struct traces *t, const struct boots *boots,
                        const struct binary_request *request, char *why, size_t size);
/* Is file number @file for boot number @boot? */
bool binary_files_for(const struct binary_files *f, size_t boot, size_t file);
bool binary_files_any(const struct binary_files *f, size_t boot); /* is any file? */
/* Reads file->symbols once. As symbols_add_file(). */
int binary_file_read(struct binary_file *file, const struct debug_search *where, char *why, size_t size);
void binary_files_free(struct binary_files *f);

/* The file's name for messages. */
static inline const char *binary_file_name(const struct binary_file *file)
{
	return file->packed ? file->packed : file->path;
}

/*
 * Takes a -s apart: what precedes a "=" is a domain if @session has it; where a file has the whole of the rest as its
 * name, "@" is part of that. 0 or -ENOMEM. free() file->path.
 */
int binary_file_parse(const char *text, const struct upf_session *session, struct binary_file *file);

#endif
