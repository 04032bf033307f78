# SPDX-License-Identifier: BSD-2-Clause
package Pages;

# Pages.pm - pages of uniprof-report for tests, made from mktrace's traces, and where things lie on them.

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use FindBin;

our @EXPORT = qw(page_of spot pixel of_page);
my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
my $dir = File::Temp->newdir;
my $made = 0;

# The file that uniprof-report makes with these options of the trace that mktrace makes with @$kind.
sub page_of {
	my ($kind, @options) = @_;
	my @kind = ref $kind ? @$kind : $kind;
	my $trace = "$dir/@kind.upf";
	my $page = "$dir/" . ++$made . (grep({ $_ eq '--svg' } @options) ? '.svg' : '.html');

	-e $trace or system("$build/tests/tools/mktrace @kind > '$trace'") == 0 or die "mktrace @kind\n";
	system("$build/uniprof-report", '-q', @options, '-o', $page, $trace) == 0 or die "uniprof-report @options\n";
	return $page;
}

# What the page's own JavaScript says of itself.
sub of_page {
	my ($browser, $expression) = @_;

	return $browser->script("return $expression");
}

# The middle of the widest frame of this name, in pixels of the page, once it is drawn; nothing if it is not on it.
sub spot {
	my ($browser, $name) = @_;
	my $at = $browser->script(<<'END', $name);
return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
	const graph = page.graph, boxes = graph.rows.flatMap(row => row.boxes).filter(box => box.frame.label === arguments[0]);
	const box = boxes.sort((a, b) => b.width - a.width)[0], canvas = graph.canvas.getBoundingClientRect();

	done(box ? [canvas.x + box.x + box.width / 2, canvas.y + graph.top(box.frame.depth) - graph.element.scrollTop + 9, box.width] : null);
})));
END
	return $at ? @$at : ();
}

# The colour of a pixel of the flame graph's canvas, as 'red,green,blue'.
sub pixel {
	my ($browser, $x, $y) = @_;

	return $browser->script(<<'END', int $x, int $y);
const one = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

one.drawImage(page.graph.canvas, -arguments[0], -arguments[1]);
return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
END
}

1;
