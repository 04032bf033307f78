/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * upf.h - write and read uniprof traces (.upf).
 *
 * The byte layout is FORMAT.md, which is normative; this library needs only the C library, LZ4 and xxHash, knows
 * nothing of Xen, and never prints or exits. Functions return 0 or a negative errno, constructors NULL with errno set;
 * what is wrong with a trace is told by enum upf_fault and upf_fault_text().
 *
 * Times are nanoseconds of the recording host's monotonic clock since the session's start; the trace keeps whole
 * microseconds (UPF_TICK_NS).
 *
 * libupf.3 has an example, and says what stays compatible.
 */
#ifndef UPF_H
#define UPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/host_stack.h"
#include "common/registers.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define UPF_MAJOR 2 /* what is written; 1 is read, too */
#define UPF_MINOR 0
#define UPF_TICK_NS 1000u           /* resolution of every time in a trace (FORMAT.md, "Units") */
#define UPF_DEPTH_MAX 1024u         /* deepest stack a trace may hold */
#define UPF_VCPUS_MAX 4096u         /* vCPU numbers are below this */
#define UPF_DOMAINS_MAX 4096u       /* domain indices are below this */
#define UPF_BOOTS_MAX 64u           /* of a domain, that are told apart */
#define UPF_RAW_MAX (1u << 20)      /* largest block before compression */
#define UPF_ROUND_FRAMES_MAX 26000u /* frames of one round that always fit into an empty encoder */
#define UPF_WORD 8u                 /* bytes of a stack word */
#define UPF_WINDOW_MAX 512u         /* words of a window */
#define UPF_WINDOWS_MAX (1u << 21)  /* words of all windows that a block lists */
#define UPF_COPY_MAX 8192u          /* words of a stack copy */
/* Words of one round's windows that always fit into an empty encoder, with its frames. */
#define UPF_ROUND_WINDOW_MAX 16384u
/* Words of one round's copies that do, if each vCPU's registers count as 32. */
#define UPF_ROUND_COPY_MAX 65536u
/* Frames of one round that do with those copies. */
#define UPF_ROUND_COPY_FRAMES_MAX 13000u
/* All registers of so many vCPUs do, too, if those of each count as so many words of copies. */
#define UPF_ROUND_REGISTERS_MAX 192u
#define UPF_REGISTERS_WORDS 140u
/*
 * Registers by their DWARF numbers, from 0; the instruction pointer is the stack's leaf. How many there are tells
 * which instruction set they are of: see upf_regs_sp().
 */
#define UPF_REGS 16u /* x86-64: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15 */
#define UPF_REGS_I386 8u
#define UPF_REGS_ARM64 32u /* x0 to x30, sp */
#define UPF_REGS_ARM32 15u /* r0 to r14 */
#define UPF_REGS_MAX 32u

/* What the guest is. Unknown values are kept and shown as numbers. */
enum upf_arch { /* an instruction set */
	        UPF_ARCH_UNKNOWN = 0,
	        UPF_ARCH_X86_64 = 1,
	        UPF_ARCH_X86_32 = 2, /* i386 */
	        UPF_ARCH_ARM64 = 3,  /* AArch64 */
	        UPF_ARCH_ARM32 = 4,  /* A32 and T32 */
	        UPF_ARCH_X86_16 = 5, /* x86, 16-bit code: in real mode, or in a 16-bit segment */
};
enum upf_kind {
	UPF_KIND_UNKNOWN = 0,
	UPF_KIND_PV = 1,
	UPF_KIND_PVH = 2,
	UPF_KIND_HVM = 3,
	UPF_KIND_ARM = 4, /* of Xen on ARM */
	UPF_KIND_KVM = 5,
};

/*
 * What a vCPU was doing when its domain was paused. "Runnable" wanted a CPU and had none; "in the VMM": its thread ran
 * there, not in the guest.
 */
enum upf_state { UPF_RUNNING = 0, UPF_RUNNABLE = 1, UPF_BLOCKED = 2, UPF_OFFLINE = 3, UPF_VMM = 4 };

/*
 * Why a vCPU was not in the guest although its thread ran: what the guest did last. NONE: it was in the guest, or
 * that is not known.
 */
enum upf_exit {
	UPF_EXIT_NONE = 0,
	UPF_EXIT_OTHER = 1,
	UPF_EXIT_INTERRUPT = 2, /* an interrupt of the host's */
	UPF_EXIT_WINDOW = 3,    /* the guest could take an interrupt from now on */
	UPF_EXIT_PORT = 4,      /* port I/O */
	UPF_EXIT_MEMORY = 5,    /* a page that the host had not mapped, or a device's memory */
	UPF_EXIT_MSR = 6,
	UPF_EXIT_REGISTER = 7, /* a control or debug register, or the address of a table */
	UPF_EXIT_EXCEPTION = 8,
	UPF_EXIT_CPUID = 9,
	UPF_EXIT_HALT = 10,
	UPF_EXIT_PAUSE = 11, /* it spins */
	UPF_EXIT_HYPERCALL = 12,
};

/* Why a stack walk ended. Only UPF_END_ROOT is a whole stack; DEPTH and COLD are truncated, the others broken. */
enum upf_end {
	UPF_END_ROOT = 0,         /* the chain ended as it should: frame pointer or return address 0 */
	UPF_END_DEPTH = 1,        /* --max-stack reached */
	UPF_END_COLD = 2,         /* a page was not mapped by the recorder yet */
	UPF_END_UNMAPPED = 3,     /* the guest has no page at the frame pointer */
	UPF_END_MISALIGNED = 4,   /* the frame pointer is not a multiple of the word size */
	UPF_END_NONCANONICAL = 5, /* the frame pointer is no address of this architecture */
	UPF_END_DESCENDING = 6,   /* the frame pointer does not lie above the one before: a loop or no frame pointer */
	UPF_END_UNREADABLE = 7,   /* page tables or stack lie in memory that Xen does not let dom0 map */
	UPF_END_NONE = 8,         /* the vCPU has no registers: offline, or never brought up */
	UPF_END_MODE = 9,         /* stacks are not followed in this mode of the vCPU: 16-bit code */
};

/* What a trace holds of a stack's memory. */
enum upf_tops {
	UPF_TOPS_NONE = 0, /* nothing: frames by frame pointers only */
	/*
	 * Frames, and words at the top: those that may be code addresses or equal the frame pointer; others are stored
	 * as 0.
	 */
	UPF_TOPS_WINDOW = 1,
	/* registers and the stack as it was; no frames but the instruction pointer, or those up to the root */
	UPF_TOPS_COPY = 2,
	UPF_TOPS_MIXED = 3, /* of sessions and encoders: one of those above, as each sample says */
};

/* Why samples are missing. */
enum upf_lost {
	UPF_LOST_WRITER = 1, /* the trace could not be written fast enough */
	UPF_LOST_PAUSED = 2, /* the domain stood paused by somebody else: not sampled through it */
	UPF_LOST_VOID = 3,   /* our pause was undone while we read */
	UPF_LOST_CALL = 4,   /* the hypervisor refused a call */
};

/* What happened to a domain. */
enum upf_event_code {
	UPF_EVENT_START = 1,    /* sampling of this domain began */
	UPF_EVENT_DYING = 2,    /* the domain is being destroyed, or gone */
	UPF_EVENT_SHUTDOWN = 3, /* value: Xen's shutdown code (0 poweroff, 1 reboot, 2 suspend, 3 crash, ...) */
	UPF_EVENT_REBOOT = 4,   /* value: the new domid */
	UPF_EVENT_PAUSED = 5,   /* somebody else paused it */
	UPF_EVENT_RESUMED = 6,
	UPF_EVENT_RATE = 7,  /* value: the new rate in millihertz */
	UPF_EVENT_STOPS = 8, /* sampled by stops from now on, not live any more */
};

/* Why a recording ended (footer). */
enum upf_reason {
	UPF_REASON_UNKNOWN = 0, /* no footer: killed, disk full, cut off */
	UPF_REASON_DURATION = 1,
	UPF_REASON_SAMPLES = 2, /* --samples reached */
	UPF_REASON_SIGNAL = 3,
	UPF_REASON_DOMAIN = 4, /* the last domain ended */
	UPF_REASON_OUTPUT = 5, /* the output failed or its reader went away */
	UPF_REASON_ERROR = 6,  /* the hypervisor refused a call, or the watchdog died */
	UPF_REASON_SWITCH = 7, /* the recording went on in another trace */
	UPF_REASON_DUMP = 8,   /* what had been kept in memory was written, and the recording went on */
};

/* Texts for people; never NULL, "?" for values of a later version. */
const char *upf_arch_text(unsigned arch);
/*
 * Which of @nregs registers is the stack pointer, and the frame pointer. -1: there is no instruction set with so
 * many.
 */
int upf_regs_sp(uint32_t nregs);
int upf_regs_fp(uint32_t nregs);
const char *upf_kind_text(unsigned kind);
const char *upf_state_text(unsigned state);
const char *upf_end_text(unsigned end);
const char *upf_exit_text(unsigned exit);
const char *upf_lost_text(unsigned reason);
const char *upf_event_text(unsigned code);
const char *upf_reason_text(unsigned reason);

/* --- what a reader must know first ------------------------------------------------------------------------------- */

/* Of an archive by program: from that time on, until the next one's, the domain ran another program. */
struct upf_boot {
	uint64_t from_ns;
	uint32_t program;
};

struct upf_domain {
	uint32_t id; /* Xen's domid; on KVM the VMM's process ID */
	uint8_t uuid[16];
	uint8_t kind; /* enum upf_kind */
	uint8_t arch; /* enum upf_arch */
	uint32_t vcpus;
	const char *name;       /* NULL: not known */
	const char *image;      /* path given by the user, or, if there is no @build_id in the header, by the host */
	const char *build_id;   /* hexadecimal, NULL: not known */
	uint64_t build_address; /* of the note in its memory that @build_id is from; 0: it is from the header */
	uint32_t program;       /* of an archive by program: which of its programs the domain ran, at first */
	uint8_t live;           /* 1: it was sampled without a stop; 0: it was stopped for each sample */
	uint32_t nboots;
	const struct upf_boot *boots; /* nboots of them, in order of time: which it ran then */
};

struct upf_session {
	uint8_t trace_id[16];   /* random; every block repeats its first 8 bytes */
	uint64_t start_real_ns; /* CLOCK_REALTIME at time 0 of the trace */
	uint64_t start_mono_ns; /* CLOCK_MONOTONIC at the same moment */
	uint64_t rate_mhz;      /* requested rounds a second, in millihertz */
	uint32_t max_stack;     /* most frames kept of a stack */
	uint8_t tops;           /* enum upf_tops: what is kept of the stacks' memory */
	uint32_t tops_size;     /* of it, bytes a sample at most; MIXED: of a window */
	uint32_t copy_size;     /* MIXED: of a copy */
	const char *command;    /* the recorder's command line, shell-quoted */
	const char *recorder;   /* "uniprof-record 2.0" */
	const char *host;       /* host name */
	const char *hypervisor; /* "Xen 4.17.7, domctl 0x15" */
	const struct upf_domain *domains;
	size_t ndomains;
	bool archived;   /* names and unwound stacks are embedded: UPF_BLOCK_NAMES, UPF_BLOCK_STACKS, UPF_BLOCK_CODE */
	bool by_program; /* an archive: what is embedded is kept apart by program */
};

/* Of an archive: the number of the program that @domain ran at that time. */
uint32_t upf_session_program(const struct upf_session *s, uint32_t domain, uint64_t time_ns);

/* --- the pause histogram: log-linear, 16 steps to each power of two, so within 6.25 % ---------------------------- */

#define UPF_HIST_BUCKETS 640
struct upf_hist {
	uint64_t count, sum_ns, max_ns;
	uint64_t bucket[UPF_HIST_BUCKETS];
};
void upf_hist_add(struct upf_hist *h, uint64_t ns);
void upf_hist_merge(struct upf_hist *h, const struct upf_hist *other);
/* The value below which @permille of 1000 pauses lie, ns (upper edge of the bucket, never above the maximum). */
uint64_t upf_hist_quantile(const struct upf_hist *h, unsigned permille);
#define UPF_LONG_PAUSE_NS ((1u << 20) - 1) /* about a millisecond: longer ones are told */
/* How many lasted longer than @ns, which should be the upper edge of a bucket: a power of two less one is. */
uint64_t upf_hist_above(const struct upf_hist *h, uint64_t ns);

struct upf_totals {
	uint64_t rounds; /* recorded looks at a domain, the unpaused ("nothing ran") ones included */
	uint64_t pauses; /* times a domain was paused, also for rounds that were taken anew or could not be recorded */
	uint64_t samples; /* stacks of vCPUs, repeated ones included */
	uint64_t lost;    /* samples lost, every reason */
	uint64_t late;    /* deadlines missed */
	uint64_t duration_ns;
	struct upf_hist pause;
};
/* Adds all of @more to @t. */
void upf_totals_add(struct upf_totals *t, const struct upf_totals *more);

/* --- writing ----------------------------------------------------------------------------------------------------- */

/*
 * An encoder gathers the records of one block in memory: no allocation after upf_encoder_new(), no I/O, no locks; it
 * belongs to the sampling thread until it is handed to the writer.
 * Every upf_encode_*() returns 0, or -ENOSPC with the encoder unchanged when the block is full.
 */
struct upf_encoder;
/*
 * What @tops asks for is encoded with every sample. Copies and registers: of @slots vCPUs; copies: at most @copy_words
 * each. NULL: errno.
 */
struct upf_encoder *upf_encoder_new(enum upf_tops tops, uint32_t slots, uint32_t copy_words);
void upf_encoder_free(struct upf_encoder *e);
/* Empties the block and starts a new one; @period_ns is the expected time between rounds, used as a predictor. */
void upf_encoder_reset(struct upf_encoder *e, uint64_t period_ns);
/*
 * When samples are due: in each period from @start_ns on, the trace's time, at one moment drawn uniformly from it. The
 * start may be before time 0: times are modulo 2^64.
 */
struct upf_schedule {
	uint64_t start_ns, seed;
	uint64_t rate_mhz; /* periods a second, in millihertz, at most 10^12 */
};
uint64_t upf_deadline(const struct upf_schedule *s, uint64_t k); /* of period @k, from 0; the first 2^64 ns */
/*
 * Rounds of an empty block follow @s. Then their times are rounded down to 1 % of the period, and CPU times to 4 % of
 * it: their sums stay exact if there are slots. Without a schedule both are exact to UPF_TICK_NS.
 */
void upf_encoder_schedule(struct upf_encoder *e, const struct upf_schedule *s);
bool upf_encoder_empty(const struct upf_encoder *e);
/* Time of the block's first record, ns; meaningless while it is empty. */
uint64_t upf_encoder_first_time(const struct upf_encoder *e);
uint64_t upf_encoder_samples(const struct upf_encoder *e);

struct upf_sample {
	uint32_t vcpu;
	uint8_t state; /* enum upf_state */
	uint8_t end;   /* enum upf_end */
	uint8_t exit;  /* enum upf_exit */
	bool user;     /* the vCPU was in user mode */
	uint8_t mode;  /* enum upf_arch: the instruction set, if it is not its domain's */
	uint8_t tops;  /* enum upf_tops, for an encoder of UPF_TOPS_MIXED: not that */
	uint64_t root; /* tells the guest's address spaces apart; 0: not known */
	uint64_t link; /* the link register; 0: none */
	/* CPU time since this vCPU's last sample; pass multiples of UPF_TICK_NS so that sums are exact */
	uint64_t cpu_ns;
	const uint64_t *frames; /* leaf first */
	uint32_t depth;
	/* The top of the stack, as the encoder's kind asks; looked at only if @end is not UPF_END_NONE. */
	uint64_t sp, fp;
	const uint64_t *words; /* from @sp, rounded down to a word, upwards */
	uint32_t nwords;
	const uint64_t *regs;
	uint32_t nregs;                       /* 0: UPF_REGS with a copy, otherwise none */
	uint32_t slot;                        /* of copies and registers: a number of this vCPU's own in the session */
	const struct register_set *registers; /* all others; NULL: they are not kept */
	const struct host_stack *host;        /* what the host did meanwhile; NULL: it is not known */
};

/* A round: one pause of one domain (@domain indexes the session's list) and the samples of its vCPUs, all or none. */
int upf_encode_round(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t pause_ns,
                     const struct upf_sample *samples, size_t n);
/* Nothing ran since this domain's last round: all its samples again, no CPU time used, no pause.
 * -ENOENT when this block has no round of the domain yet: write that round again in full, pause 0. */
int upf_encode_same(struct upf_encoder *e, uint32_t domain, uint64_t time_ns);
int upf_encode_lost(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t count, enum upf_lost why);
int upf_encode_late(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t missed);
int upf_encode_event(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, enum upf_event_code code,
                     uint64_t value);
/* An address in the kernel that tells where it was loaded: of the entry for the vCPU's first exception. */
int upf_encode_entry(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint32_t vcpu, uint64_t address);
/* The GNU build-id that was found in the domain's memory, @size bytes, in a note at @address. */
int upf_encode_build(struct upf_encoder *e, uint32_t domain, uint64_t time_ns, uint64_t address, const uint8_t *id,
                     size_t size);

/*
 * A writer compresses blocks and puts them out. @write must take all @len bytes and returns 0 or a negative errno,
 * which ends the trace: every later call returns the same error.
 */
typedef int (*upf_write_fn)(void *ctx, const void *data, size_t len);
struct upf_writer;
/* Writes the file header. The session is not kept. NULL: errno. */
struct upf_writer *upf_writer_new(const struct upf_session *session, upf_write_fn write, void *ctx);
int upf_writer_block(struct upf_writer *w, struct upf_encoder *e); /* an empty encoder writes nothing */
struct upf_block;
/* A block of @type, optional, with a payload of @len bytes, at most UPF_RAW_MAX. */
int upf_writer_data(struct upf_writer *w, uint8_t type, const void *payload, size_t len);
/* A sound samples block of another trace as it was read. */
int upf_writer_copy(struct upf_writer *w, const struct upf_block *b);
/* Leaves out @n sequence numbers: so many blocks are missing here. */
void upf_writer_skip(struct upf_writer *w, uint64_t n);
/* Footer with totals, histogram and reason. */
int upf_writer_finish(struct upf_writer *w, const struct upf_totals *totals, enum upf_reason reason);
uint64_t upf_writer_bytes(const struct upf_writer *w); /* put out so far; safe to read from another thread */
void upf_writer_free(struct upf_writer *w);

/*
 * Blocks can be kept in memory, as small as they would be in a trace, until it is known whether they are wanted. A
 * packer is what makes them so; a kept block goes with its part of the totals.
 */
struct upf_packer;
struct upf_kept;
struct upf_packer *upf_packer_new(void); /* NULL: errno */
void upf_packer_free(struct upf_packer *p);
/* The block in @e, which must not be empty, and its @totals. NULL: errno. free() it. */
struct upf_kept *upf_keep(struct upf_packer *p, struct upf_encoder *e, const struct upf_totals *totals);
size_t upf_kept_size(const struct upf_kept *k); /* bytes of memory */
uint64_t upf_kept_first_ns(const struct upf_kept *k);
uint64_t upf_kept_last_ns(const struct upf_kept *k);
/* Puts it out, all its times earlier by @earlier_ns, a multiple of UPF_TICK_NS; adds its totals to @totals. */
int upf_writer_put(struct upf_writer *w, const struct upf_kept *k, uint64_t earlier_ns, struct upf_totals *totals);

/* --- reading ----------------------------------------------------------------------------------------------------- */

enum upf_fault {
	UPF_OK = 0,
	UPF_FAULT_EMPTY,   /* no byte at all */
	UPF_FAULT_MAGIC,   /* not a uniprof trace */
	UPF_FAULT_MAJOR,   /* a later major version */
	UPF_FAULT_FEATURE, /* a required feature this reader does not know */
	UPF_FAULT_HEADER,  /* the file header is damaged or cut */
	UPF_FAULT_IO,      /* reading failed: errno */
	UPF_FAULT_MEMORY,
	/* of single blocks; the reader skips the block and goes on */
	UPF_FAULT_CUT, /* the trace ends inside the block */
	UPF_FAULT_CHECKSUM,
	UPF_FAULT_SIZE,        /* an impossible size */
	UPF_FAULT_COMPRESSION, /* LZ4 does not decode */
	UPF_FAULT_RECORD,      /* a record inside a sound block breaks the format */
	UPF_FAULT_FOREIGN,     /* the block belongs to another trace */
	UPF_FAULT_ORDER,       /* the block is repeated or out of order */
	UPF_FAULT_GAP,         /* bytes that are no block */
};
const char *upf_fault_text(enum upf_fault fault);

/* What a reader came across; all zero but blocks, and has_footer set, is a sound and whole trace. */
struct upf_health {
	uint64_t blocks;        /* sound ones */
	uint64_t damaged;       /* skipped, whatever the fault */
	uint64_t missing;       /* holes in the blocks' sequence numbers */
	uint64_t skipped_bytes; /* bytes that were no sound block */
	bool cut;               /* ends inside a block, or inside or before the trailer */
	bool has_footer;
};

struct upf_record;
struct upf_reader;
/*
 * Reads @fd, a file or a pipe, from its current position to its end, strictly forward; the caller keeps the
 * descriptor. NULL: *fault says why (and errno for UPF_FAULT_IO). For UPF_FAULT_FEATURE and UPF_FAULT_MAJOR, @detail
 * (NULL or at least 64 bytes) gets what was asked for, as text.
 */
struct upf_reader *upf_reader_open(int fd, enum upf_fault *fault, char *detail);
void upf_reader_close(struct upf_reader *r);
/*
 * From upf_reader_suspend() to upf_reader_resume() it needs neither a descriptor nor room for blocks: for many traces
 * that are read one after the other. @fd is the same file again, which must be seekable. 0 or a negative errno, and
 * it is as it was.
 */
int upf_reader_suspend(struct upf_reader *r);
int upf_reader_resume(struct upf_reader *r, int fd);
const struct upf_session *upf_reader_session(const struct upf_reader *r); /* strings live as long as the reader */
/* The domain, of which the header has none, has the build-id of a BUILD record. 0 or -ENOMEM. */
int upf_reader_set_build(struct upf_reader *r, const struct upf_record *rec);
unsigned upf_reader_major(const struct upf_reader *r);
unsigned upf_reader_minor(const struct upf_reader *r);
const struct upf_health *upf_reader_health(const struct upf_reader *r); /* final at the end */
uint64_t upf_reader_bytes(const struct upf_reader *r);                  /* read so far */
/* The footer's totals and reason: NULL before the end or without a footer. */
const struct upf_totals *upf_reader_totals(const struct upf_reader *r, enum upf_reason *reason);

enum upf_block_type {
	UPF_BLOCK_SAMPLES = 1,
	UPF_BLOCK_FOOTER = 2,
	UPF_BLOCK_NAMES = 3, /* of archives, as are the following: report/archive/ has what is in them */
	UPF_BLOCK_STACKS = 4,
	UPF_BLOCK_CODE = 5,
};
struct upf_block {
	uint64_t offset; /* in the file */
	uint8_t type;
	bool v1; /* of a trace of version 1 */
	uint64_t seq;
	uint32_t stored_size, raw_size; /* on disk without the block header; decompressed */
	uint64_t first_ns, last_ns;
	uint64_t samples, lost;
	enum upf_fault fault;   /* not UPF_OK: payload is NULL, the block (or gap) was skipped */
	const uint8_t *payload; /* raw_size bytes, valid until the next call */
};
/*
 * 1: *b is the next block, damaged ones and blocks of unknown optional types included; 0: end; negative errno: reading
 * failed.
 */
int upf_reader_next(struct upf_reader *r, struct upf_block *b);
/* The next upf_reader_next() gives out the block @b, its last one, once more. */
void upf_reader_again(struct upf_reader *r, const struct upf_block *b);

/*
 * A decoder goes through the records of one samples block. Stacks are nodes of a tree: node 0 is the empty stack,
 * every other one is its parent (the caller) with one frame more; a decoded block can never hold more nodes than
 * bytes.
 */
struct upf_node {
	uint64_t address;
	uint32_t parent;
	uint32_t depth; /* frames from here to the root, this one included */
};

enum upf_record_kind {
	UPF_ROUND = 1,
	UPF_SAMPLE = 2,
	UPF_SAME = 3,
	UPF_LOST = 4,
	UPF_LATE = 5,
	UPF_EVENT = 6,
	UPF_ENTRY = 7,
	UPF_REGISTERS = 8,
	UPF_BUILD = 9,
	UPF_HOST = 10,
};
#define UPF_BUILD_ID_MIN 8u
#define UPF_BUILD_ID_MAX 64u
#define UPF_PERIOD_NONE UINT64_MAX
struct upf_record {
	uint8_t kind; /* enum upf_record_kind; others: optional record of a later version, to be passed over */
	uint8_t code; /* LOST: enum upf_lost; EVENT: enum upf_event_code */

	/*
	 * SAMPLE: one follows UPF_ROUND for each vCPU; UPF_SAME is followed by all the samples it repeats, @repeated
	 * set
	 */
	bool repeated, user;
	uint8_t state, end;
	uint8_t exit;            /* enum upf_exit */
	uint8_t mode;            /* enum upf_arch; 0: its domain's */
	uint8_t tops;            /* enum upf_tops: what of the following is there */
	uint32_t host;           /* number of what the host did: upf_decoder_host_stack(); 0: it is not known */
	uint32_t vcpu;           /* ENTRY and REGISTERS, too */
	uint32_t stack;          /* the leaf's node */
	uint32_t top;            /* its number in the block; alike ones, with the same link and mode, have the same */
	uint32_t nwords;         /* at @words */
	uint32_t nregs;          /* at @regs; a COPY has some */
	uint32_t registers_size; /* bytes at @registers, or at @build_id */

	uint32_t index;  /* number of the record in its block */
	uint32_t domain; /* index into the session's domains; may be unknown there: check */
	uint64_t time_ns;
	/*
	 * ROUND, SAME: the number of the trace's period in which it is; UPF_PERIOD_NONE: the block has no schedule.
	 * SAMPLE: 0, for whoever counts how many periods it stands for.
	 */
	uint64_t period;
	uint64_t pause_ns; /* ROUND */
	uint64_t cpu_ns;   /* SAMPLE */
	/*
	 * LOST, LATE: how many; EVENT: its value; ENTRY, BUILD: the address; SAMPLE: 1; SAME: how many samples follow
	 * that it repeats
	 */
	uint64_t count;
	uint64_t root, link, sp, fp;
	const uint64_t *words; /* from @sp, rounded down to a word, upwards; valid until the next call */
	const uint64_t *regs;
	union {
		/* REGISTERS, and the SAMPLE behind it: as in the trace, for upf_record_registers(). NULL: none */
		const uint8_t *registers;
		const uint8_t *build_id; /* BUILD */
	};
};

struct upf_decoder;
struct upf_decoder *upf_decoder_new(void);
void upf_decoder_free(struct upf_decoder *d);
/* @b must be a sound samples block and outlive the decoding. UPF_OK or UPF_FAULT_RECORD, _FEATURE, _MEMORY. */
enum upf_fault upf_decoder_start(struct upf_decoder *d, const struct upf_block *b);
/* After UPF_FAULT_FEATURE: the number of the column that it needs. */
uint32_t upf_decoder_unknown(const struct upf_decoder *d);
/* 1: a record; 0: end of the block; -EBADMSG: the rest of the block breaks the format; -ENOMEM. */
int upf_decoder_next(struct upf_decoder *d, struct upf_record *rec);
/* All registers that a record has, beside the sample's @regs. False: it has none. */
bool upf_record_registers(const struct upf_record *rec, struct register_set *set);
/* False: nothing of this kind is left in the block. */
bool upf_decoder_has(const struct upf_decoder *d, enum upf_record_kind kind);
/* The samples that the SAME just given out repeats are passed over. */
void upf_decoder_pass_repeated(struct upf_decoder *d);
/* A function of the host. The texts have no NUL at their ends, and are valid as long as the block. */
struct upf_host_function {
	bool is_vmm;      /* not the kernel's */
	const char *name; /* of no bytes: not known to the recorder */
	const char *file; /* see struct host_function */
	const uint8_t *build_id;
	uint32_t name_size, file_size, build_id_size; /* bytes */
	uint64_t offset;
};
/* The functions of host stack @number of the block, root first; *@depth of them. Valid until the next record. */
const uint32_t *upf_decoder_host_stack(const struct upf_decoder *d, uint32_t number, uint32_t *depth);
/* Function @number, which is one of those. */
const struct upf_host_function *upf_decoder_host_function(const struct upf_decoder *d, uint32_t number);
/* The nodes so far, @n of them, node 0 included; the array may move with the next upf_decoder_next(). */
const struct upf_node *upf_decoder_nodes(const struct upf_decoder *d, uint32_t *n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
