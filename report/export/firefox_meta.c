/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/firefox_meta.h"
#include "report/export/export_stacks.h"

#define PROCESSED_VERSION 61 /* readers take older ones than their own, never newer ones */
#define GECKO_VERSION 34     /* of what it might have been made of: the one of the same time */

const char *const firefox_markers[FIREFOX_MARKERS] = {"Lost", "Late", "Domain"};

static void put_category(struct json *j, const char *name, const char *color)
{
	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "color", color);
	json_array(j, "subcategories");
	json_text(j, NULL, "Other");
	json_end(j);
	json_end(j);
}

static void put_schema_field(struct json *j, const char *key, const char *label, const char *format)
{
	json_object(j, NULL);
	json_text(j, "key", key);
	json_text(j, "label", label);
	json_text(j, "format", format);
	json_end(j);
}

/* Begins the schema of one kind of marker, up to its fields. */
static void open_schema(struct json *j, const char *name, const char *label)
{
	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "tooltipLabel", label);
	json_text(j, "tableLabel", label);
	json_text(j, "chartLabel", label);
	json_array(j, "display");
	json_text(j, NULL, "marker-chart");
	json_text(j, NULL, "marker-table");
	json_text(j, NULL, "timeline-overview");
	json_end(j);
	json_array(j, "fields");
}

static void close_schema(struct json *j)
{
	json_end(j);
	json_end(j);
}

static void put_schemas(struct json *j)
{
	json_array(j, "markerSchema");
	open_schema(j, firefox_markers[MARKER_LOST], "{marker.data.samples} samples lost: {marker.data.reason}");
	put_schema_field(j, "samples", "Samples", "integer");
	put_schema_field(j, "reason", "Reason", "string");
	close_schema(j);
	open_schema(j, firefox_markers[MARKER_LATE], "{marker.data.deadlines} deadlines missed");
	put_schema_field(j, "deadlines", "Deadlines", "integer");
	close_schema(j);
	open_schema(j, firefox_markers[MARKER_DOMAIN], "{marker.data.event}");
	put_schema_field(j, "event", "Event", "string");
	put_schema_field(j, "value", "Value", "integer");
	close_schema(j);
	json_end(j);
}

static void put_units(struct json *j)
{
	json_object(j, "sampleUnits");
	json_text(j, "time", "ms");
	json_text(j, "eventDelay", "ms");
	json_text(j, "threadCPUDelta", "ns");
	json_end(j);
}

/* The viewer shows what is between beginning and end, both after startTime, and nothing else. */
static void put_profile_times(struct json *j, const struct traces *traces)
{
	uint64_t from_ns, to_ns;

	traces_range(traces, TRACES_DOMAINS, &from_ns, &to_ns);
	json_real(j, "startTime", firefox_ms(traces->session.start_real_ns));
	json_uint(j, "startTimeAsClockMonotonicNanosecondsSinceBoot", traces->session.start_mono_ns);
	json_real(j, "profilingStartTime", firefox_ms(from_ns));
	json_real(j, "profilingEndTime", firefox_ms(to_ns));
}

void firefox_meta(struct json *j, const struct traces *traces)
{
	const struct upf_session *s = &traces->session;

	json_object(j, "meta");
	json_uint(j, "version", GECKO_VERSION);
	json_uint(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_real(j, "interval", firefox_ms(stacks_period(s)));
	put_profile_times(j, traces);
	json_text(j, "product", "uniprof");
	json_text(j, "importedFrom", s->recorder ? s->recorder : "uniprof");
	json_text(j, "arguments", s->command ? s->command : "");
	json_text(j, "oscpu", s->hypervisor ? s->hypervisor : "");
	json_uint(j, "processType", 0);
	json_uint(j, "stackwalk", 1);
	json_bool(j, "debug", false);
	json_bool(j, "symbolicated", true);
	json_bool(j, "symbolicationNotSupported", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_bool(j, "keepProfileThreadOrder", true);
	json_array(j, "categories");
	put_category(j, "Other", "grey"); /* one of this colour has to be there */
	put_category(j, "Kernel", "orange");
	put_category(j, "User", "yellow");
	json_end(j);
	put_schemas(j);
	put_units(j);
	json_end(j);
}
