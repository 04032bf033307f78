/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.c - ELF by its public layout (System V gABI, chapter 4 and 5), 32- or 64-bit, either endian. The file is a
 * stranger's: nothing is read that does not lie in it, and as many headers as one file can reasonably have.
 */
#include "format/file/identity.h"
#include "format/bytes/wire.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_PREFIX "xxh3:"
#define HEADERS_MAX 4096
#define NOTES_MAX (64u << 10) /* bytes of one piece of notes */
#define CHUNK (64u << 10)
#define ID_MAX 64

struct file {
	int fd;
	uint64_t size;
	bool wide, big; /* 64-bit; big-endian */
};

/* A piece of the file, of a program header or a section. */
struct piece {
	uint32_t type, flags;
	uint64_t offset, address, size;
};

static bool read_at(const struct file *f, uint64_t offset, void *data, size_t len)
{
	return len <= f->size && offset <= f->size - len && pread(f->fd, data, len, (off_t)offset) == (ssize_t)len;
}

static uint64_t number(const struct file *f, const uint8_t *at, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value |= (uint64_t)at[f->big ? len - 1 - i : i] << 8 * i;
	return value;
}

/* What is an address, offset or size, 8 bytes at @wide in a 64-bit file, 4 bytes at @narrow in a 32-bit one. */
static uint64_t word(const struct file *f, const uint8_t *at, size_t wide, size_t narrow)
{
	return f->wide ? number(f, at + wide, 8) : number(f, at + narrow, 4);
}

/* Where the table of @sections, or of segments, lies in the file, and how long and many its entries are. */
static void find_header_table(const struct file *f, const uint8_t *header, bool sections, uint64_t *offset,
                              size_t *entry, size_t *n)
{
	const uint8_t *sizes = header + (f->wide ? 54 : 42) + (sections ? 4 : 0);

	*offset = sections ? word(f, header, 40, 32) : word(f, header, 32, 28);
	*entry = (size_t)number(f, sizes, 2);
	*n = (size_t)number(f, sizes + 2, 2);
	if (*n > HEADERS_MAX)
		*n = HEADERS_MAX;
}

static struct piece segment_notes(const struct file *f, const uint8_t *at)
{
	return (struct piece){(uint32_t)number(f, at, 4), (uint32_t)number(f, at + (f->wide ? 4 : 24), 4),
	                      word(f, at, 8, 4), word(f, at, 16, 8), word(f, at, 32, 16)};
}

static struct piece section(const struct file *f, const uint8_t *at)
{
	return (struct piece){(uint32_t)number(f, at + 4, 4), 0, word(f, at, 24, 16), word(f, at, 16, 12),
	                      word(f, at, 32, 20)};
}

/* Calls @each with every segment or section until it returns true. */
static bool any_piece(const struct file *f, const uint8_t *header, bool sections,
                      bool (*each)(void *ctx, const struct file *f, const struct piece *p), void *ctx)
{
	const size_t least = sections ? (f->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr))
	                              : (f->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	uint8_t bytes[sizeof(Elf64_Shdr)];
	uint64_t offset;
	size_t entry, n;

	find_header_table(f, header, sections, &offset, &entry, &n);
	for (size_t i = 0; entry >= least && i < n; i++, offset += entry) {
		struct piece p;

		if (!read_at(f, offset, bytes, least))
			return false;
		p = sections ? section(f, bytes) : segment_notes(f, bytes);
		if (each(ctx, f, &p))
			return true;
	}
	return false;
}

/* --- the build-id ------------------------------------------------------------------------------------------------ */

struct note {
	uint8_t id[ID_MAX];
	size_t len;
	uint32_t type; /* of the pieces that have notes: PT_NOTE or SHT_NOTE */
};

static bool find_id(void *ctx, const struct file *f, const struct piece *p)
{
	size_t len = p->size < NOTES_MAX ? (size_t)p->size : NOTES_MAX, at = 0;
	struct note *note = ctx;
	uint8_t *data;
	bool found = false, is_there;

	if (p->type != note->type || !(data = malloc(len + 1)))
		return false;
	is_there = read_at(f, p->offset, data, len);
	while (is_there && !found && len - at >= 12) {
		uint64_t name = number(f, data + at, 4), desc = number(f, data + at + 4, 4),
			 padded = (name + 3) & ~3ull;

		at += 12;
		if (padded > len - at || desc > len - at - padded)
			break;
		found = number(f, data + at - 4, 4) == NT_GNU_BUILD_ID && name == 4 &&
		        memcmp(data + at, "GNU", 4) == 0 && desc && desc <= ID_MAX;
		if (found) {
			note->len = (size_t)desc;
			memcpy(note->id, data + at + padded, note->len);
		}
		at += (size_t)padded;
		at = ((desc + 3) & ~3ull) > len - at ? len : at + (size_t)((desc + 3) & ~3ull);
	}
	free(data);
	return found;
}

/* --- a hash ------------------------------------------------------------------------------------------------------ */

struct hashing {
	XXH3_state_t *state;
	uint64_t headers_end; /* what strip changes at the file's beginning */
	uint64_t left;        /* segments together are no longer than the file, or something is wrong with them */
	bool any, failed;
};

static bool hash_bytes(struct hashing *h, const struct file *f, uint64_t offset, uint64_t size)
{
	uint8_t *chunk = malloc(CHUNK);

	while (chunk && size > 0) {
		size_t len = size < CHUNK ? (size_t)size : CHUNK;

		if (!read_at(f, offset, chunk, len))
			break;
		XXH3_128bits_update(h->state, chunk, len);
		offset += len;
		size -= len;
	}
	free(chunk);
	return size == 0;
}

/* Code as it is loaded: stripping the file does not change it. */
static bool hash_code(void *ctx, const struct file *f, const struct piece *p)
{
	struct hashing *h = ctx;
	uint64_t skip = p->offset < h->headers_end ? h->headers_end - p->offset : 0;
	uint8_t head[16];

	if (p->type != PT_LOAD || !(p->flags & PF_X) || p->size <= skip)
		return false;
	put_u64(head, p->address);
	put_u64(head + 8, p->size);
	XXH3_128bits_update(h->state, head, sizeof(head));
	h->failed |= p->size > h->left || !hash_bytes(h, f, p->offset + skip, p->size - skip);
	h->left -= h->failed ? 0 : p->size;
	h->any = true;
	return h->failed;
}

static void print_hash(XXH3_state_t *state, char *text)
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	put_hex(stpcpy(text, HASH_PREFIX), canonical.digest, sizeof(canonical.digest));
}

static int hash_file(const struct file *f, const uint8_t *header, char *text)
{
	struct hashing h = {.state = XXH3_createState(), .left = f->size};
	uint64_t offset;
	size_t entry, n;
	int rc = 0;

	if (!h.state)
		return -ENOMEM;
	XXH3_128bits_reset(h.state);
	if (header) {
		find_header_table(f, header, false, &offset, &entry, &n);
		h.headers_end = offset <= f->size ? offset + n * entry : 0;
		any_piece(f, header, false, hash_code, &h);
	}
	if (h.failed || !h.any) {
		XXH3_128bits_reset(h.state);
		rc = hash_bytes(&h, f, 0, f->size) ? 0 : -EIO;
	}
	print_hash(h.state, text);
	XXH3_freeState(h.state);
	return rc;
}

/* --- either ------------------------------------------------------------------------------------------------------ */

static bool read_elf_header(struct file *f, uint8_t header[sizeof(Elf64_Ehdr)])
{
	memset(header, 0, sizeof(Elf64_Ehdr));
	if (!read_at(f, 0, header, sizeof(Elf32_Ehdr)) || memcmp(header, ELFMAG, SELFMAG) != 0)
		return false;
	f->wide = header[EI_CLASS] == ELFCLASS64;
	f->big = header[EI_DATA] == ELFDATA2MSB;
	return !f->wide || read_at(f, 0, header, sizeof(Elf64_Ehdr));
}

int identity_of_fd(int fd, char text[IDENTITY_SIZE])
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	struct note note = {.type = SHT_NOTE};
	struct file f = {.fd = fd};
	struct stat st;
	bool elf, found;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ESPIPE;
	f.size = (uint64_t)st.st_size;
	elf = read_elf_header(&f, header);
	found = elf && any_piece(&f, header, true, find_id, &note);
	note.type = PT_NOTE;
	if (!found && !(elf && any_piece(&f, header, false, find_id, &note)))
		return hash_file(&f, elf ? header : NULL, text);
	put_hex(text, note.id, note.len);
	return 0;
}

int identity_of_file(const char *path, char text[IDENTITY_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd < 0)
		return -errno;
	rc = identity_of_fd(fd, text);
	close(fd);
	return rc;
}
