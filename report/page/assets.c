/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/assets.h"

#include "report/page/hashes.h" /* made by the makefile */

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

const struct asset asset_page = {page_html, page_html_end, NULL};
const struct asset asset_style = {page_css, page_css_end, HASH_page_css};
const struct asset asset_scripts[] = {
	{profile_js, profile_js_end, HASH_profile_js}, {tree_js, tree_js_end, HASH_tree_js},
	{graph_js, graph_js_end, HASH_graph_js},       {heat_js, heat_js_end, HASH_heat_js},
	{page_js, page_js_end, HASH_page_js},          {0},
};
