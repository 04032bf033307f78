#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Browser.pm itself: what the other tests of pages stand on must see errors, keys, clicks, colours and files.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use File::Temp;
use Test::More;

my $dir = File::Temp->newdir;

sub page {
	my ($name, $html) = @_;

	open my $out, '>:raw', "$dir/$name" or die "$name: $!";
	print $out $html;
	close $out or die "$name: $!";
	return "$dir/$name";
}

my $browser = Browser->new(width => 500, height => 400);
my $plain = page('a page #1.html', <<'END');
<!DOCTYPE html><meta charset="utf-8"><title>plain</title>
<style>body { margin: 0 } @media (prefers-color-scheme: dark) { body { background: #000 } }</style>
<button id="b">press</button><input id="i"><input id="f" type="file"><p>täxt</p>
<script>
b.onclick = () => { document.title = 'pressed'; };
f.onchange = () => { f.files[0].text().then(t => { document.title = t; }); };
let last = '';
onmousemove = e => { last = [e.clientX, e.clientY, e.buttons].join(); };
onkeydown = e => { if (e.target !== i) document.title = (e.shiftKey ? 'shift ' : '') + e.key; };
</script>
END

$browser->open_file($plain, 'state');
like($browser->url, qr{a%20page%20%231\.html#state$}, 'opens a file with an odd name, and a fragment');
is($browser->script('return [innerWidth, innerHeight].join()'), '500,400', 'the page has the size asked for');
is($browser->script('return arguments[0] + 1', 41), 42, 'scripts take arguments and return values');
is($browser->script('return new Promise(done => setTimeout(() => done("later"), 20))'), 'later', 'and wait for promises');
is($browser->text('p'), "t\x{e4}xt", 'text beyond ASCII');
$browser->click('#b');
is($browser->script('return document.title'), 'pressed', 'a click');
$browser->keys('Escape');
is($browser->script('return document.title'), 'Escape', 'a key');
$browser->keys('Shift+Left');
is($browser->script('return document.title'), 'shift ArrowLeft', 'a key held with another');
$browser->type('#i', 'some');
is($browser->script('return i.value'), 'some', 'typing');
$browser->type('#f', page('data.txt', 'from the file'));
ok(eval { $browser->wait_for('document.title === "from the file"') }, 'a file chosen');
$browser->drag(10, 300, 200, 310);
is($browser->script('return last'), '200,310,1', 'a drag, its button held');
$browser->colour_scheme('dark');
is($browser->script('return getComputedStyle(document.body).backgroundColor'), 'rgb(0, 0, 0)', 'dark');
$browser->screenshot("$dir/shot.png");
is(join(',', unpack 'x16 N2', Browser::_try_read("$dir/shot.png")), '500,400', 'a screenshot');
is_deeply([$browser->complaints], [], 'no complaint about a good page');

$browser->open_file(page('bad.html', <<'END'));
<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-AAAA'">
<script>document.title = 'ran';</script>
END
is(scalar(grep { /Content Security Policy/ } $browser->complaints), 1, 'a blocked script is seen');
$browser->open_file(page('throws.html', '<script>throw new Error("ouch");</script>'));
is(scalar(grep { /ouch/ } $browser->complaints), 1, 'an error is seen');
$browser->back;
like($browser->url, qr/bad\.html$/, 'back');
$browser->forward;
like($browser->url, qr/throws\.html$/, 'and forward');
ok(!eval { $browser->click('#nowhere'); 1 } && $@ =~ /^Browser: no such element.*\n\z/, 'one line about what is not there');
ok(!eval { $browser->wait_for('false', 0.1); 1 } && $@ =~ /not so in time: false/, 'waiting ends');

# --- the end
sub left { my ($keeper) = @_; return scalar Browser::processes($keeper) }

my ($keeper, $profile) = ($browser->{keeper}, "$browser->{profile}");
cmp_ok(left($keeper), '>', 2, 'driver and browser are in the keeper\'s session');
undef $browser;
is(left($keeper), 0, 'nothing runs on');
ok(!-e $profile, 'and nothing is left behind');

my $killed = open(my $said, '-|') // die "fork: $!";
if ($killed == 0) {
	my $own = Browser->new;

	syswrite STDOUT, "$own->{keeper} $own->{profile}\n";
	sleep 60;
}
($keeper, $profile) = split ' ', <$said>;
cmp_ok(left($keeper), '>', 2, 'a browser of a test to be killed');
kill KILL => $killed;
for (1 .. 100) {
	last if !left($keeper) && !-e $profile;
	select undef, undef, undef, 0.1;
}
is(left($keeper), 0, 'is gone all the same');
ok(!-e $profile, 'with its profile');
done_testing;
