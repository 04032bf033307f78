/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/page.h"
#include "common/say.h"
#include "report/page/hashes.h" /* made by the makefile */
#include "report/view/quality.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- the HTML, CSS and JavaScript files of this folder, embedded in the program ---------------------------------- */

/* The file at @path, from the top of the tree, from @name to @name_end. */
#define EMBED(name, path) \
	__asm__(".pushsection .rodata\n" #name ": .incbin \"" path "\"\n" #name "_end:\n.popsection\n"); \
	extern const char name[] __attribute__((visibility("hidden"))); \
	extern const char name##_end[] __attribute__((visibility("hidden")))

EMBED(page_html, "report/page/page.html");
EMBED(page_css, "report/page/page.css");
EMBED(profile_js, "report/page/profile.js");
EMBED(tree_js, "report/page/tree.js");
EMBED(graph_js, "report/page/graph.js");
EMBED(heat_js, "report/page/heat.js");
EMBED(page_js, "report/page/page.js");

struct asset {
	const char *text, *end; /* [text, end) */
	const char *hash;       /* SHA-256 in base64, as a content security policy names it; NULL: none is needed */
};

/* In the page, {{NAME}} marks what fill_in() puts there. Scripts are in the order in which they run. */
static const struct asset asset_page = {page_html, page_html_end, NULL};
static const struct asset asset_style = {page_css, page_css_end, HASH_page_css};
static const struct asset asset_scripts[] = {
	{profile_js, profile_js_end, HASH_profile_js}, {tree_js, tree_js_end, HASH_tree_js},
	{graph_js, graph_js_end, HASH_graph_js},       {heat_js, heat_js_end, HASH_heat_js},
	{page_js, page_js_end, HASH_page_js},          {0},
};

struct page {
	const struct report *r;
	const struct fold *fold;
	const struct heat *heat;
	FILE *out;
	char *title; /* safe */
	char *notes; /* on quality; NULL: quiet */
	int rc;
};

/* --- texts ------------------------------------------------------------------------------------------------------- */

char *page_title(const struct upf_session *session)
{
	char *joined = NULL, *made, label[256];
	size_t len;
	FILE *memory = open_memstream(&joined, &len);

	if (!memory)
		return NULL;
	for (size_t i = 0; i < session->ndomains; i++) {
		domain_text(session, (uint32_t)i, label, sizeof(label));
		fprintf(memory, "%s%s", i ? ", " : "", label);
	}
	made = fclose(memory) == 0 ? safe_text(joined) : NULL;
	free(joined);
	return made;
}

/* A page is always UTF-8, and the browser breaks its lines. */
static int make_notes(const struct report *r, const struct fold *fold, char **notes)
{
	size_t len;
	struct text_out out = {.utf8 = true, .width = INT_MAX};
	FILE *memory = out.file = open_memstream(notes, &len);

	if (!memory)
		return -ENOMEM;
	if (!quality_filtered_all(r->run, r->old, r->selection))
		quality_print(r->run, r->old, r->selection->states, fold, &out);
	return fclose(memory) == 0 ? 0 : -ENOMEM;
}

/* --- the page ---------------------------------------------------------------------------------------------------- */

static void put_span(const struct page *p, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), p->out);
}

static void put_title(struct page *p)
{
	text_xml(p->out, p->title, strlen(p->title));
}

static void put_policy(struct page *p)
{
	fputs("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src", p->out);
	for (const struct asset *a = asset_scripts; a->text; a++)
		fprintf(p->out, " 'sha256-%s'", a->hash);
	fprintf(p->out, "; style-src 'sha256-%s'", asset_style.hash);
}

/* The text between the tags must be exactly the text that was hashed. */
static void put_style(struct page *p)
{
	fputs("<style>", p->out);
	put_span(p, asset_style.text, asset_style.end);
	fputs("</style>", p->out);
}

static void put_scripts(struct page *p)
{
	for (const struct asset *a = asset_scripts; a->text; a++) {
		fputs("<script>", p->out);
		put_span(p, a->text, a->end);
		fputs("</script>\n", p->out);
	}
}

static void put_data(struct page *p)
{
	p->rc = page_data(p->r, p->fold, p->heat, p->title, p->notes);
}

static void fill_in(struct page *p, const char *name, size_t len)
{
	static const struct {
		const char *name;
		void (*put)(struct page *p);
	} parts[] = {{"TITLE", put_title},
	             {"POLICY", put_policy},
	             {"STYLE", put_style},
	             {"DATA", put_data},
	             {"SCRIPTS", put_scripts}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strlen(parts[i].name) == len && memcmp(parts[i].name, name, len) == 0)
			parts[i].put(p);
}

static void put_page(struct page *p)
{
	const char *at = asset_page.text, *open, *close;

	while ((open = memmem(at, (size_t)(asset_page.end - at), "{{", 2)) &&
	       (close = memmem(open, (size_t)(asset_page.end - open), "}}", 2))) {
		put_span(p, at, open);
		fill_in(p, open + 2, (size_t)(close - open - 2));
		at = close + 2;
	}
	put_span(p, at, asset_page.end);
}

int page_write(const struct report *r, const struct fold *fold, const struct heat *heat)
{
	struct page p = {.r = r, .fold = fold, .heat = heat, .out = r->out.file};

	p.title = page_title(&r->run->traces.session);
	p.rc = p.title ? 0 : -ENOMEM;
	if (p.rc == 0 && !r->options->quiet)
		p.rc = make_notes(r, fold, &p.notes);
	if (p.rc == 0)
		put_page(&p);
	free(p.title);
	free(p.notes);
	return p.rc;
}

/* --- the flame graph alone -------------------------------------------------------------------------------------- */

static int write_flamegraph(const struct report *r, struct fold *fold)
{
	int rc = page_write(r, fold, NULL);

	if (rc == 0)
		view_end(r, fold, fold->samples);
	return rc;
}

const struct view view_flamegraph = {
	.name = "flamegraph",
	.help = "flame graph, as one HTML file for any browser",
	.endings = {".html"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_GROUPS | VIEW_FILE,
	.write = write_flamegraph,
	.page = true,
};
