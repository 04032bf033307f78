/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/page.h"
#include "common/say.h"
#include "report/output/xml.h"
#include "report/page/assets.h"
#include "report/view/quality.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/* Pages are UTF-8, wherever they are made, and browsers break lines. */
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
	xml_text(p->out, p->title, strlen(p->title));
}

static void put_policy(struct page *p)
{
	fputs("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src", p->out);
	for (const struct asset *a = asset_scripts; a->text; a++)
		fprintf(p->out, " 'sha256-%s'", a->hash);
	fprintf(p->out, "; style-src 'sha256-%s'", asset_style.hash);
}

/* Between the tags there must be exactly what was hashed. */
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
