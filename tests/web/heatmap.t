#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# --heatmap in a real browser: a range is chosen, and the flame graph below is of that range alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Pages;
use Test::More;

my $browser = Browser->new(width => 1200, height => 800);
my @symbols = ('-s', "$FindBin::Bin/web.syms");
my $page = page_of('web', '--heatmap', @symbols);

# Samples of each name of a leaf, and all of them, in the folded stacks of that time.
sub folded {
	my ($time) = @_;
	my ($all, $shaking) = (0, 0);

	for (`"$ENV{BUILD}/tests/tools/mktrace" web | "$ENV{BUILD}/uniprof-report" -q --folded --time $time @symbols -`) {
		my ($stack, $n) = /^(.*) (\d+)$/ or next;
		$all += $n;
		$shaking += $n if $stack =~ /(?:^|;)tls_handshake(?:;|$)/;
	}
	return ($all, $shaking);
}

# The middle of a cell of the map, in pixels of the page.
sub cell {
	my ($second, $part) = @_;

	return @{$browser->script(<<'END', $second, $part)};
const heat = page.heat, at = heat.canvas.getBoundingClientRect(), {rows} = heat.heat;
const [x, y] = heat.corner(arguments[0] * rows + Math.floor(arguments[1] * rows));

return [at.x + x + heat.cellWidth / 2, at.y + y + heat.cellHeight / 2];
END
}

sub total { of_page($browser, 'page.whole.root.now') }
sub shaking {
	return of_page($browser, 'page.whole.total[page.profile.name.indexOf(page.profile.names.indexOf("tls_handshake"))]');
}
sub fragment { ($browser->url =~ /#(.*)/)[0] // '' }

$browser->open_file($page);
is(of_page($browser, 'page.heat.columnSeconds'), 1, 'a column is a second');
is(of_page($browser, 'page.heat.columns'), 60, 'and there are sixty');
is(of_page($browser, 'page.heat.weight.reduce((a, b) => a + b, 0)'), 4613, 'every sample is in a cell');
is(total(), 4613, 'the flame graph is of all of them');
my ($x, $y) = spot($browser, 'uk_boot');
ok($x, 'and drawn');

# --- a range by the mouse: from 30 s to 40 s, when TLS hands are shaken
$browser->drag(cell(30, 0), cell(39, 0.999));
my ($all, $shaking) = folded('30,40');
is(total(), $all, 'a range that is dragged over: its samples');
is(shaking(), $shaking, 'and those of a function in it');
cmp_ok($shaking / $all, '>', 0.5, 'which is a burst');
like(fragment(), qr/time=30-40/, 'the address has the range');
is($browser->script('return [from.value, to.value].join()'), '30,40', 'the fields as well');
is($browser->text('#chosen'), sprintf('%s samples of 4,613 samples', $all =~ s/(\d)(\d{3})$/$1,$2/r), 'and it is said');
my $burst = fragment();
($x, $y) = spot($browser, 'tls_handshake');
$browser->click_at($x, $y);
is(of_page($browser, 'page.graph.focus.label'), 'tls_handshake', 'zoomed within the range');
is(of_page($browser, 'page.graph.focus.now'), $shaking, 'to its samples');
$browser->back;
$browser->back;
is(total(), 4613, 'back, and back to all of the time');

# --- the address, the fields, the keys
$browser->open_file($page, $burst);
$browser->reload;
is(total(), $all, 'the address brings the range back');
$browser->click('#all-time');
is(total(), 4613, 'all of it');
$browser->script('from.value = "7"; to.value = "7.5"; to.dispatchEvent(new Event("change"))');
is(total(), (folded('7,7.5'))[0], 'a range that is typed');
$browser->script('document.getElementById("map").focus()');
$browser->keys('Right');
$browser->keys('Enter');
my ($from, $to) = fragment() =~ /time=([\d.]+)-([\d.]+)/;
ok(defined $to && abs($to - $from - 0.02) < 1e-6, 'keys choose a cell');
is(total(), (folded("$from,$to"))[0], 'its samples');
$browser->keys('Escape') for 1 .. 3;
is(total(), 4613, 'Esc ends it');
$browser->open_file($page, 'time=90-99');
$browser->reload;
is_deeply([$browser->complaints], [], 'a time after the end does no harm');

# --- the map is a picture, and dark
$browser->open_file($page, '');
$browser->reload;
my %colours;
for my $second (5, 35) {
	my ($cx, $cy) = cell($second, 0.5);
	$colours{$second} = $browser->script(<<'END', int $cx, int $cy);
const at = page.heat.canvas.getBoundingClientRect(), one = document.createElement('canvas').getContext('2d');
let dark = 0;

one.drawImage(page.heat.canvas, -(arguments[0] - at.x), 0);
for (const v of one.getImageData(0, 0, 1, 200).data)
	dark += 255 - v;
return dark;
END
}
cmp_ok($colours{35}, '>', 1.2 * $colours{5}, 'a burst is darker');
$browser->resize(400, 700);
is(of_page($browser, 'document.documentElement.scrollWidth'), 400, 'a narrow window has all of it');
$browser->resize(1200, 800);
$browser->open_file(page_of('empty', '--heatmap'));
is($browser->text('#nothing'), 'No samples were counted.', 'an empty trace says so');
$browser->open_file(page_of('small', '--heatmap', '-s', "$FindBin::Bin/hostile.syms"));
($x, $y) = spot($browser, '<script>alert(1)</script>');
ok($x, 'a script for a name is text');
is_deeply([$browser->complaints], [], 'no complaint in all this, and nothing ran');
done_testing;
