/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/dwarf/local_names.h"
#include "common/array.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Entries refer to each other, in a damaged file in circles or a thousandfold. */
#define REFERENCES_MAX 16
#define TYPE_DEPTH_MAX 16
#define PARAMETERS_MAX 64
#define TEXT_MAX 4096u

void local_names_free(struct local_names *n)
{
	free(n->scopes);
	free(n->copies);
	*n = (struct local_names){0};
}

int local_names_scope(struct local_names *n, Dwarf_Die *die, Dwarf_Die *parent)
{
	return array_add(n->scopes, n->scopes_cap, n->nscopes,
	                 (struct scope_entry){dwarf_dieoffset(die), parent ? dwarf_dieoffset(parent) : 0});
}

/* The entry that @die's attribute @name refers to. */
static bool refers_to(Dwarf_Die *die, unsigned name, Dwarf_Die *out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && dwarf_formref_die(&attribute, out);
}

int local_names_copy(struct local_names *n, Dwarf_Die *die)
{
	struct copy_entry copy;
	Dwarf_Die origin;

	if (!refers_to(die, DW_AT_abstract_origin, &origin) || dwarf_entrypc(die, &copy.address) != 0)
		return 0;
	copy.origin = dwarf_dieoffset(&origin);
	return array_add(n->copies, n->copies_cap, n->ncopies, copy);
}

static int compare_copies(const void *va, const void *vb)
{
	const struct copy_entry *a = va, *b = vb;

	return a->origin != b->origin ? array_compare(a->origin, b->origin) : array_compare(a->address, b->address);
}

void local_names_sort(struct local_names *n)
{
	array_sort(n->copies, n->ncopies, sizeof(*n->copies), compare_copies);
}

bool local_names_called(const struct local_names *n, Dwarf_Die *inlined, Dwarf_Addr *address)
{
	size_t low;
	Dwarf_Off origin;
	Dwarf_Die die;

	if (!refers_to(inlined, DW_AT_abstract_origin, &die))
		return false;
	origin = dwarf_dieoffset(&die);
	ARRAY_SEARCH(low, n->ncopies, n->copies[low].origin < origin);
	if (low == n->ncopies || n->copies[low].origin != origin)
		return false;
	*address = n->copies[low].address;
	return true;
}

/* --- names from entries ------------------------------------------------------------------------------------------ */

struct writing {
	const struct local_names *names;
	struct buf *out;
	size_t start;
};

/* As demanglers write what GCC calls "long unsigned int"; the longer of two that begin alike first. */
static const char *const base_names[][2] = {
	{"long long unsigned int", "unsigned long long"}, {"long long int", "long long"},
	{"long unsigned int", "unsigned long"},           {"long int", "long"},
	{"short unsigned int", "unsigned short"},         {"short int", "short"},
	{"__int128 unsigned", "unsigned __int128"},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The base type at @at, which is not behind a part of a word; its row in base_names, or -1. */
static int base_at(const char *at)
{
	for (size_t i = 0; i < sizeof(base_names) / sizeof(base_names[0]); i++) {
		size_t len = strlen(base_names[i][0]);

		if (strncmp(at, base_names[i][0], len) == 0 && !is_word(at[len]))
			return (int)i;
	}
	return -1;
}

static void put_bytes(struct writing *w, const char *text, size_t len)
{
	if (w->out->len - w->start + len <= TEXT_MAX)
		buf_add(w->out, text, len);
}

static void put_part(struct writing *w, const char *text)
{
	put_bytes(w, text, strlen(text));
}

/* A name from the file, which may be a base type's or have some between "<" and ">". */
static void put_part_name(struct writing *w, const char *name)
{
	const char *from = name, *at = name;

	while (*at && w->out->len - w->start < TEXT_MAX) {
		int base = at == name || !is_word(at[-1]) ? base_at(at) : -1;

		if (base < 0) {
			at++;
			continue;
		}
		put_bytes(w, from, (size_t)(at - from));
		put_part(w, base_names[base][1]);
		from = at += strlen(base_names[base][0]);
	}
	put_bytes(w, from, (size_t)(at - from));
}

/* 0: the unit, or not known. */
static Dwarf_Off parent_of(const struct local_names *n, Dwarf_Off die)
{
	size_t low;

	ARRAY_SEARCH(low, n->nscopes, n->scopes[low].die < die);
	return low < n->nscopes && n->scopes[low].die == die && n->scopes[low].parent < die ? n->scopes[low].parent
	                                                                                    : 0;
}

static const char *own_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));

	if (name && *name)
		return name;
	return dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/* The entry that says where the function is declared. */
static void to_declaration(Dwarf_Die *die)
{
	for (int i = 0; i < REFERENCES_MAX; i++)
		if (!refers_to(die, DW_AT_abstract_origin, die) && !refers_to(die, DW_AT_specification, die))
			return;
}

/* The scopes around @die, the outermost first, and its name. */
static void put_scoped(struct writing *w, Dwarf_Die *die)
{
	Dwarf_Off chain[TYPE_DEPTH_MAX];
	Dwarf_Die scope = *die;
	size_t n = 0;

	to_declaration(&scope);
	for (Dwarf_Off at = parent_of(w->names, dwarf_dieoffset(&scope)); at && n < TYPE_DEPTH_MAX;
	     at = parent_of(w->names, at))
		chain[n++] = at;
	while (n-- > 0) {
		if (!dwarf_offdie(dwarf_cu_getdwarf(die->cu), chain[n], &scope) ||
		    dwarf_tag(&scope) == DW_TAG_lexical_block)
			continue;
		put_part_name(w, own_name(&scope));
		put_part(w, dwarf_tag(&scope) == DW_TAG_subprogram ? "()::" : "::");
	}
	put_part_name(w, own_name(die));
}

static void put_type(struct writing *w, Dwarf_Die *holder, int depth);

static bool has_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value;

	return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &value) == 0 && value;
}

static bool type_of(Dwarf_Die *holder, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(holder, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* What a name of the type, or const of its own, does not change. */
static void strip(Dwarf_Die *holder, bool also_const)
{
	Dwarf_Die type;

	for (int i = 0; i < REFERENCES_MAX && type_of(holder, &type); i++) {
		int tag = dwarf_tag(&type);

		if (tag != DW_TAG_typedef &&
		    !(also_const && (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type)))
			return;
		*holder = type;
	}
}

static void put_parameters(struct writing *w, Dwarf_Die *function, int depth)
{
	Dwarf_Die child;
	int n = 0;

	put_part(w, "(");
	for (bool more = dwarf_child(function, &child) == 0; more && n < PARAMETERS_MAX;
	     more = dwarf_siblingof(&child, &child) == 0) {
		int tag = dwarf_tag(&child);
		Dwarf_Die holder = child;

		if ((tag != DW_TAG_formal_parameter || has_flag(&child, DW_AT_artificial)) &&
		    tag != DW_TAG_unspecified_parameters)
			continue;
		put_part(w, n++ ? ", " : "");
		strip(&holder, true);
		if (tag == DW_TAG_formal_parameter)
			put_type(w, &holder, depth);
		else
			put_part(w, "...");
	}
	put_part(w, ")");
}

/* A pointer or reference: what it is to, and @mark. */
static void put_pointer(struct writing *w, Dwarf_Die *pointer, const char *mark, int depth)
{
	Dwarf_Die holder = *pointer, type;

	strip(&holder, false);
	if (!type_of(&holder, &type) || dwarf_tag(&type) != DW_TAG_subroutine_type) {
		put_type(w, pointer, depth);
		put_part(w, mark);
		return;
	}
	put_type(w, &type, depth);
	put_part(w, " (");
	put_part(w, mark);
	put_part(w, ")");
	put_parameters(w, &type, depth);
}

/* The type that @holder has, or "void". */
static void put_type(struct writing *w, Dwarf_Die *holder, int depth)
{
	/* Types of another one, which comes before their mark. */
	static const struct {
		int tag;
		const char *mark;
	} derived[] = {{DW_TAG_pointer_type, "*"},           {DW_TAG_reference_type, "&"},
	               {DW_TAG_rvalue_reference_type, "&&"}, {DW_TAG_const_type, " const"},
	               {DW_TAG_volatile_type, " volatile"},  {DW_TAG_array_type, " []"}};
	Dwarf_Die at = *holder, type;

	strip(&at, false);
	if (!type_of(&at, &type)) {
		put_part(w, "void");
		return;
	}
	if (depth >= TYPE_DEPTH_MAX || w->out->len - w->start >= TEXT_MAX)
		return;
	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++) {
		if (derived[i].tag != dwarf_tag(&type))
			continue;
		if (*derived[i].mark != ' ') {
			put_pointer(w, &type, derived[i].mark, depth + 1);
		} else {
			put_type(w, &type, depth + 1);
			put_part(w, derived[i].mark);
		}
		return;
	}
	if (dwarf_tag(&type) == DW_TAG_base_type)
		put_part_name(w, own_name(&type));
	else
		put_scoped(w, &type);
}

/* Is the object that a method is called for const? */
static bool is_const(Dwarf_Die *function)
{
	Dwarf_Die child, pointer, type;

	if (dwarf_child(function, &child) != 0 || dwarf_tag(&child) != DW_TAG_formal_parameter ||
	    !has_flag(&child, DW_AT_artificial))
		return false;
	strip(&child, true);
	return type_of(&child, &pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type && type_of(&pointer, &type) &&
	       dwarf_tag(&type) == DW_TAG_const_type;
}

/* Symbols of templates, and of nothing else, tell what they return. */
static bool is_template(const char *name)
{
	size_t len = strlen(name);

	return len > 2 && name[len - 1] == '>' && strchr(name, '<') && strncmp(name, "operator", 8) != 0;
}

int local_names_text(const struct local_names *n, Dwarf_Die *die, struct buf *out)
{
	struct writing w = {.names = n, .out = out, .start = out->len};
	Dwarf_Die function = *die;

	for (int i = 0; i < REFERENCES_MAX && refers_to(&function, DW_AT_abstract_origin, &function); i++)
		;
	if (is_template(own_name(&function))) {
		put_type(&w, &function, 0);
		put_part(&w, " ");
	}
	put_scoped(&w, &function);
	put_parameters(&w, &function, 0);
	if (is_const(&function))
		put_part(&w, " const");
	return buf_add(out, "", 1);
}
