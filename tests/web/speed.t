#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# How long a browser takes for a flame graph of 200,000 unique stacks. The limits are far above what a machine takes that has nothing
# else to do; the figures are printed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Pages;
use Test::More;

my $browser = Browser->new(width => 1200, height => 800);
my $page = page_of(['many', 1000000, 200000, 20], '--flamegraph');

# Milliseconds until what was asked for is drawn.
sub takes {
	my ($do) = @_;

	return $browser->script(<<"END");
return new Promise(done => {
	const began = performance.now();

	$do;
	requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
});
END
}

note(sprintf '%.1f MB', (-s $page) / 1e6);
cmp_ok(-s $page, '<', 20e6, 'the page is small enough to be sent');
$browser->open_file($page);
my $loaded = $browser->wait_for('performance.getEntriesByType("navigation")[0].loadEventEnd');
note("opened and drawn in $loaded ms");
cmp_ok($loaded, '<', 5000, 'opened and drawn within 5 s');
cmp_ok(of_page($browser, 'page.profile.weight.filter(w => w > 0).length'), '>=', 190000, 'with all its stacks');
my %limit = ('zoom' => 500, 'search' => 2000, 'bottom-up' => 5000);
my %do = (
	'zoom' => 'page.ask({zoom: String(page.root.children[0].key)})',
	'search' => 'page.ask({q: "1"})',
	'bottom-up' => 'page.turn()',
);
for my $what ('zoom', 'search', 'bottom-up') {
	my $ms = takes($do{$what});

	note(sprintf '%s: %.0f ms', $what, $ms);
	cmp_ok($ms, '<', $limit{$what}, "$what within $limit{$what} ms");
}
is_deeply([$browser->complaints], [], 'no complaint');
done_testing;
