/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boots a PVH guest and gives each vCPU its work, as its command line says:
 *   work=shares|levels|recursion|leaves|depth:N|heartbeat|count|storm|exits|spaces|interrupts|hostile|idle
 *       what vCPU 0 does. storm writes to an I/O port all the time, count after a fixed number of instructions. exits
 *       leaves the guest for one reason after the other, and tells its monitor how many cycles each took (in ring 0).
 *       spaces goes from one address space to another all the time (in ring 0). interrupts has exceptions (in ring 0).
 *   others=idle|same|flip
 *       what the other vCPUs do; the default is idle
 *   vcpus=N
 *       how many vCPUs to start by INIT and SIPI, once they are there; without it, who started the guest has
 *       started them all
 *   far
 *       stacks are above 4 GiB
 *   moved=N
 *       the code runs 1 GiB and N times 2 MiB above where it was linked, as a kernel that is relocated (KASLR)
 *   ring=0
 *       work in ring 0; idle vCPUs always do, others work in ring 3 where a software KVM is fast
 */
#include "command_line.h"
#include "guest.h"

#define MAX_VCPUS 8
#define STACK 8192
#define FAR 0x100000000ull

/* hvm_start_info, of Xen's public headers */
struct start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modlist_paddr, cmdline_paddr;
};

static uint8_t stacks[MAX_VCPUS][STACK] __attribute__((aligned(4096)));
static volatile uint32_t started;
volatile uint64_t beats;

uint64_t boot_vcpu(uint64_t vcpu, const struct start_info *info);
void kernel_main(void);
void secondary_main(long vcpu);
void work_hostile(void);
void work_flip(void);
void asm_exc_divide_error(void);
/* How much higher the code runs than it was linked; of the page table for there. */
uint64_t moved;
extern uint64_t pd[512], pd_moved[512];
extern uint8_t trampoline[], trampoline_end[], trampoline_vcpu[];

/* --- work -------------------------------------------------------------------------------------------------------- */

static inline void port(uint16_t number, uint8_t byte)
{
	__asm__ volatile("outb %0, %1" : : "a"(byte), "d"(number));
}

_Noreturn void crash(void)
{
	for (;;)
		__asm__ volatile("ud2");
}

/* With interrupts off, nothing wakes it. */
KEPT void work_idle(void)
{
	for (;;)
		__asm__ volatile("hlt");
}

/* A byte to the debug console for each. */
KEPT static void beat(void)
{
	BURN(1);
	beats++;
	port(0xe9, '.');
}

KEPT void work_heartbeat(void)
{
	for (;;)
		beat();
}

/* Unlike a heart's, its beats become fewer the less time it has. */
KEPT static void work_count(void)
{
	for (;;) {
		for (LOCAL int spin = 0; spin < 20000; spin++)
			__asm__ volatile("");
		port(0xe9, '.');
	}
}

KEPT static void work_storm(void)
{
	for (;;)
		port(0x80, 0);
}

/* The monitor takes memory away when it is told to. Each page that is touched then is a page fault of the host's. */
#define TAKEN ((volatile uint8_t *)0xc00000)
#define TAKEN_PAGES 16

KEPT static void exits_calculate(void)
{
	BURN(2);
}

KEPT static void exits_write_port(void)
{
	for (int i = 0; i < 200; i++)
		port(0x80, 0);
	AFTER_CALL();
}

KEPT static void exits_ask_cpuid(void)
{
	for (int i = 0; i < 400; i++) {
		uint32_t leaf = 0;

		__asm__ volatile("cpuid" : "+a"(leaf) : : "ebx", "ecx", "edx");
	}
	AFTER_CALL();
}

KEPT static void exits_touch_pages(void)
{
	for (int i = 0; i < 4; i++) {
		port(0x81, TAKEN_PAGES);
		for (int page = 0; page < TAKEN_PAGES; page++)
			TAKEN[page * 4096]++;
	}
	AFTER_CALL();
}

/* Cycles since @from, for the monitor's sum of this number. */
static inline void tell_spent(uint16_t number, uint64_t from)
{
	__asm__ volatile("outl %0, %1" : : "a"((uint32_t)(tsc() - from)), "d"((uint16_t)(0xe0 + number)));
}

KEPT static void work_exits(void)
{
	static void (*const parts[])(void) = {exits_calculate, exits_write_port, exits_ask_cpuid, exits_touch_pages};

	for (;;)
		for (uint16_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			const uint64_t from = tsc();

			((void (*)(void))((uint64_t)parts[i] + moved))();
			tell_spent(i, from);
		}
}

/* Page tables that differ in nothing but their address. */
KEPT void work_spaces(void)
{
	static uint64_t other[512] __attribute__((aligned(4096)));
	uint64_t own, both;

	__asm__ volatile("mov %%cr3, %0" : "=r"(own));
	for (int i = 0; i < 512; i++)
		other[i] = ((const uint64_t *)own)[i];
	both = own ^ (uint64_t)other;
	for (;;) {
		BURN(1);
		own ^= both;
		__asm__ volatile("mov %0, %%cr3" : : "r"(own) : "memory");
	}
}

/* --- interrupts -------------------------------------------------------------------------------------------------- */

#ifdef STUB_CFI
#define CFI(text) text "\n"
#else
#define CFI(text) ""
#endif
#define PUSH(r) "push %" r "\n" CFI(".cfi_adjust_cfa_offset 8")
#define POP(r) "pop %" r "\n" CFI(".cfi_adjust_cfa_offset -8")
/* clang-format off */
/* An exception's code has no frame of its own, as in kernels, and a handler in C; it goes on behind the ud2. */
__asm__(".type exception,@function\nexception:\n"
	CFI(".cfi_startproc simple\n.cfi_signal_frame\n.cfi_def_cfa rsp,40\n.cfi_offset rip,-40\n.cfi_offset rsp,-16")
	PUSH("rax") PUSH("rcx") PUSH("rdx") PUSH("rsi") PUSH("rdi") PUSH("r8") PUSH("r9") PUSH("r10") PUSH("r11")
	"cld\ncall handler\naddq $2, 72(%rsp)\n"
	POP("r11") POP("r10") POP("r9") POP("r8") POP("rdi") POP("rsi") POP("rdx") POP("rcx") POP("rax")
	"iretq\n" CFI(".cfi_endproc")
	".size exception, . - exception\n"
	/* Without a frame. */
	".type interrupted_leaf,@function\ninterrupted_leaf:\nxor %eax, %eax\njnz 1f\nud2\n1: ret\n"
	".size interrupted_leaf, . - interrupted_leaf\n");
/* clang-format on */
extern void interrupted_leaf(void);

static void spin(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		;
}
KEPT void handler_calls(void)
{
	spin(20000);
	AFTER_CALL();
}
KEPT void handler(void)
{
	spin(20000);
	handler_calls();
	AFTER_CALL();
}
KEPT static void interrupted(void)
{
	spin(5000);
	__asm__ volatile("xorl %%eax, %%eax\n\tjnz 1f\n\tud2\n1:" ::: "rax", "cc", "memory");
}
KEPT static void calls_interrupted(void)
{
	interrupted();
	AFTER_CALL();
	interrupted_leaf();
	AFTER_CALL();
}
KEPT void work_interrupts(void)
{
	static uint16_t table[8 * 7] __attribute__((aligned(16)));
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) pointer = {sizeof(table) - 1, (uint64_t)table};
	uint16_t *gate = &table[8 * 6]; /* of what is no instruction */
	uint64_t to;

	__asm__("leaq exception(%%rip), %0" : "=r"(to)); /* where it runs: it may have moved */
	gate[0] = (uint16_t)to;
	gate[1] = 0x08;
	gate[2] = 0x8e00;
	gate[3] = (uint16_t)(to >> 16);
	gate[4] = (uint16_t)(to >> 32);
	gate[5] = (uint16_t)(to >> 48);
	__asm__ volatile("lidt %0" : : "m"(pointer));
	for (;;)
		calls_interrupted();
}

static inline __attribute__((always_inline)) void work(void)
{
	const char *what = argument("work=");

	if (is(what, "shares"))
		work_shares();
	else if (is(what, "levels"))
		work_levels();
	else if (is(what, "recursion"))
		work_recursion();
	else if (is(what, "leaves"))
		work_leaves();
	else if (is(what, "depth"))
		work_depth(number(what));
	else if (is(what, "heartbeat"))
		work_heartbeat();
	else if (is(what, "count"))
		work_count();
	else if (is(what, "storm"))
		work_storm();
	else if (is(what, "exits"))
		work_exits();
	else if (is(what, "spaces"))
		work_spaces();
	else if (is(what, "interrupts"))
		work_interrupts();
	else if (is(what, "hostile"))
		work_hostile();
	else if (is(what, "idle"))
		work_idle();
	crash();
}

KEPT void secondary_main(long vcpu)
{
	(void)vcpu;
	if (is(argument("others="), "same"))
		work();
	if (is(argument("others="), "flip"))
		work_flip();
	work_idle();
	AFTER_CALL();
}

KEPT void kernel_main(void)
{
	work();
	AFTER_CALL();
}

/* --- where it runs ----------------------------------------------------------------------------------------------- */

#define SECOND_GIB 0x40000000ull
#define LARGE 0x200000ull
#define MOVED_PAGES 32u

/* Linux' name of the handler for the first exception. */
KEPT void asm_exc_divide_error(void)
{
	crash();
}

static void move(unsigned to)
{
	for (unsigned i = 0; i < MOVED_PAGES; i++)
		pd_moved[to + i] = pd[i];
	moved = SECOND_GIB + to * LARGE;
}

/* Of exceptions none is expected: the table is there to be found. */
static void set_table(void)
{
	static uint16_t table[8] __attribute__((aligned(16)));
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) pointer = {sizeof(table) - 1, (uint64_t)table + moved};
	uint64_t handler = (uint64_t)asm_exc_divide_error + moved;

	table[0] = (uint16_t)handler;
	table[1] = 0x08;
	table[2] = 0x8e00; /* present, an interrupt gate */
	table[3] = (uint16_t)(handler >> 16);
	table[4] = (uint16_t)(handler >> 32);
	table[5] = (uint16_t)(handler >> 48);
	__asm__ volatile("lidt %0" : : "m"(pointer));
}

/* --- boot -------------------------------------------------------------------------------------------------------- */

static void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

static uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

/*
 * By the local APIC in its x2APIC mode: INIT, then SIPI, one vCPU after the other; about every second again, as it may
 * be plugged in later.
 */
static void start_others(uint32_t vcpus)
{
	uint8_t *to = (uint8_t *)0x8000;

	for (uint8_t *from = trampoline; from < trampoline_end; from++)
		*to++ = *from;
	wrmsr(0x1b, rdmsr(0x1b) | 0xc00);
	for (uint32_t v = 1; v < vcpus && v < MAX_VCPUS; v++) {
		*(volatile uint32_t *)(0x8000 + (trampoline_vcpu - trampoline)) = v;
		while (started != v) {
			const uint64_t from = tsc();

			wrmsr(0x830, (uint64_t)v << 32 | 0x4500);
			wrmsr(0x830, (uint64_t)v << 32 | 0x4608);
			while (started != v && tsc() - from < 1ull << 31)
				;
		}
	}
}

/* The top of the stack that vCPU @vcpu works on, and in its lowest bits the ring. On a boot stack, in ring 0. */
uint64_t boot_vcpu(uint64_t vcpu, const struct start_info *info)
{
	const char *what;
	uint64_t stack;

	if (vcpu == 0) {
		command_line = info->cmdline_paddr ? (const char *)info->cmdline_paddr : "";
		if (*argument("moved="))
			move(number(argument("moved=")));
		start_others(number(argument("vcpus=")));
	} else {
		while (!command_line)
			;
		started = (uint32_t)vcpu;
	}
	set_table();
	stack = (given("far") ? FAR + vcpu * STACK : (uint64_t)stacks[vcpu]) + STACK;
	what = vcpu == 0 || is(argument("others="), "same") ? argument("work=") : argument("others=");
	return is(what, "idle") || !*what || given("ring=0") ? stack : stack | 3;
}
