#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# --flamegraph --diff in a real browser: colours tell what grew and what shrank, figures by how much. mktrace web-after is web with
# http_parse twice as fast and tls_handshake twice as slow.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Pages;
use Test::More;

my $browser = Browser->new(width => 1200, height => 800);
my @symbols = ('-s', "$FindBin::Bin/web.syms");
my $old = page_of('web', '--folded', @symbols) =~ s/\d+\.html$/web.upf/r;
my $page = page_of('web-after', '--flamegraph', '--diff', $old, @symbols);

# A frame's colour, left of its name.
sub colour {
	my ($x, $y, $width) = spot($browser, $_[0]) or return;
	my ($left, $top) = @{of_page($browser, '[page.graph.canvas.getBoundingClientRect().x, page.graph.canvas.getBoundingClientRect().y]')};

	return [split /,/, pixel($browser, $x - $width / 2 + 3 - $left, $y - 6 - $top)];
}

# A function's share of all samples in percent, by its folded stacks.
sub share {
	my ($trace, $name) = @_;
	my ($all, $with) = (0, 0);

	for (`"$ENV{BUILD}/uniprof-report" -q --folded @symbols $trace`) {
		my ($stack, $n) = /^(.*) (\d+)$/ or next;
		$all += $n;
		$with += $n if $stack =~ /(?:^|;)\Q$name\E(?:;|$)/;
	}
	return 100 * $with / $all;
}

$browser->open_file($page);
my ($slower, $faster) = (colour('tls_handshake'), colour('http_parse'));
cmp_ok($slower->[0], '>', $slower->[2] + 20, 'what grew is red');
cmp_ok($faster->[2], '>', $faster->[0] + 20, 'what shrank is blue');
ok($browser->script('return !document.getElementById("legend").hidden'), 'the legend says so');
my ($x, $y) = spot($browser, 'tls_handshake');
$browser->click_at($x, $y);
my $after = $old =~ s/web\.upf$/web-after.upf/r;
my $change = sprintf '%.1f', share($after, 'tls_handshake') - share($old, 'tls_handshake');
cmp_ok($change, '>', 5, 'it did grow');
like($browser->text('#frame-figures'), qr/\+\Q$change\E/, 'by how much');
$browser->click('#reset');
my $wide = (spot($browser, 'http_parse'))[2];
$browser->click('#by-old');
cmp_ok((spot($browser, 'http_parse'))[2], '>', 1.3 * $wide, 'widths of the old run, too');
like($browser->url, qr/width=old/, 'kept in the address');
is_deeply([$browser->complaints], [], 'no complaint');
done_testing;
