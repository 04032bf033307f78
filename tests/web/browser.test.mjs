// SPDX-License-Identifier: BSD-2-Clause
// browser.mjs itself: what the other tests of pages rest on must see errors, keys, clicks, colours and files, and
// leave nothing behind, whatever ends a test.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import {
	CHROMIUM, click, complaints, drag, here, needBrowser, open, preferColours, press, startBrowser, text,
} from './browser.mjs';

const browser = await needBrowser();

after(() => browser.end());

function write(name, content) {
	const path = join(browser.folder, name);

	writeFileSync(path, content);
	return path;
}

const plain = write('a page #1.html', `<!DOCTYPE html><meta charset="utf-8"><title>plain</title>
<style>body { margin: 0 } @media (prefers-color-scheme: dark) { body { background: #000 } }</style>
<button id="b">press</button><input id="i"><input id="f" type="file"><p>täxt</p>
<p id="hidden" hidden>hidden</p><details><span id="closed">closed</span></details>
<div style="position: relative"><button id="covered">below</button>
<div style="position: absolute; inset: 0"></div></div>
<script>
b.onclick = () => { document.title = 'pressed'; };
f.onchange = () => { f.files[0].text().then(t => { document.title = t; }); };
let last = '';
onmousemove = e => { last = [e.clientX, e.clientY, e.buttons].join(); };
onkeydown = e => { if (e.target !== i) document.title = (e.shiftKey ? 'shift ' : '') + e.key; };
</script>`);

function plainTest(name, run) {
	test(`browser: ${name}`, async () => {
		const tab = await browser.newTab({width: 500, height: 400});

		await open(tab, plain, 'state');
		await run(tab);
		assert.deepEqual(await complaints(tab), [], 'no complaint about a good page');
		await tab.close();
	});
}

// --- pages ---------------------------------------------------------------------------------------------------------

plainTest('opens a file with an odd name, and a fragment', async tab => {
	assert.match(tab.url(), /a%20page%20%231\.html#state$/);
	assert.equal(await tab.evaluate('[innerWidth, innerHeight].join()'), '500,400', 'in the size asked for');
});

plainTest('scripts', async tab => {
	assert.equal(await tab.evaluate(n => n + 1, 41), 42, 'take arguments and return values');
	const promise = 'new Promise(done => setTimeout(() => done("later"), 20))';

	assert.equal(await tab.evaluate(promise), 'later', 'and wait for promises');
	await assert.rejects(tab.waitForFunction('false', {timeout: 100}), /100ms exceeded/, 'waiting ends');
});

plainTest('text as it is seen', async tab => {
	assert.equal(await text(tab, 'p'), 't\u00e4xt', 'beyond ASCII');
	assert.equal(await text(tab, '#hidden'), '');
	assert.equal(await text(tab, '#closed'), '');
});

plainTest('clicks, keys, files and the mouse', async tab => {
	await click(tab, '#b');
	assert.equal(await tab.title(), 'pressed', 'a click');
	await assert.rejects(click(tab, '#nowhere'), {message: 'no element #nowhere'});
	await assert.rejects(click(tab, '#covered'), {message: 'something covers #covered'});
	await press(tab, 'Escape');
	assert.equal(await tab.title(), 'Escape', 'a key');
	await press(tab, 'Shift+ArrowLeft');
	assert.equal(await tab.title(), 'shift ArrowLeft', 'a key held with another');
	await tab.type('#i', 'some');
	assert.equal(await tab.$eval('#i', input => input.value), 'some', 'typing');
	await (await tab.$('#f')).uploadFile(write('data.txt', 'from the file'));
	await tab.waitForFunction('document.title === "from the file"');
	await drag(tab, 10, 300, 200, 310);
	assert.equal(await tab.evaluate('last'), '200,310,1', 'a drag, its button held');
});

plainTest('colours and screenshots', async tab => {
	await preferColours(tab, 'dark');
	assert.equal(await tab.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(0, 0, 0)', 'dark');
	const header = Buffer.from(await tab.screenshot());

	assert.deepEqual([header.readUInt32BE(16), header.readUInt32BE(20)], [500, 400], 'a screenshot');
});

test('browser: complaints are heard', async () => {
	const tab = await browser.newTab();

	const number = async what => (await complaints(tab)).filter(said => what.test(said)).length;

	await open(tab, write('bad.html', `<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-AAAA'">
<script>document.title = 'ran';</script>`));
	assert.equal(await number(/Content Security Policy/), 1, 'a blocked script');
	await open(tab, write('throws.html', '<script>throw new Error("ouch");</script>'));
	assert.equal(await number(/ouch/), 1, 'an error');
	await open(tab, write('warns.html', '<script>console.warn("oh"); Promise.reject(new Error("oh"));</script>'));
	assert.equal(await number(/oh/), 2, 'a warning, and a promise that fails unheard');
	assert.deepEqual(await complaints(tab), [], 'each is told once');
	await tab.goBack();
	assert.match(tab.url(), /throws\.html$/, 'back');
	await tab.goForward();
	assert.match(tab.url(), /warns\.html$/, 'and forward');
	await tab.close();
});

// --- no browser, no sandbox ----------------------------------------------------------------------------------------

// A program that stands for Chromium.
function program(name, lines) {
	const path = write(name, `#!/bin/sh\n${lines}\n`);

	chmodSync(path, 0o755);
	return path;
}

test('browser: one line on why none starts', async () => {
	await assert.rejects(startBrowser({executable: '/nowhere'}), /^Error: \/nowhere is not there: make deps .*$/);
	const broken = program('broken', 'echo noise >&2; echo "libX: no such file" >&2; exit 127');
	const message = `${broken} does not start: libX: no such file`;

	await assert.rejects(startBrowser({executable: broken}), {message});
	assert.deepEqual(readdirSync(browser.folder).filter(name => name.startsWith('uniprof-web-')), []);
});

test('browser: one line on why it runs without a sandbox', async () => {
	const executable = program('unsafe', `case "$*" in *--no-sandbox*) exec ${CHROMIUM} "$@" ;; esac
echo '[1:1:ERROR:zygote_host_impl_linux.cc] No usable sandbox! If this is a Debian system, ...' >&2
exit 1`);
	const said = [], own = await startBrowser({executable, sandbox: true, warn: line => said.push(line)});

	assert.equal(said.length, 1);
	assert.match(said[0], /^Chromium has no usable sandbox here, so .* chroot .* package chromium-sandbox\.$/);
	const tab = await own.newTab();

	await open(tab, plain);
	assert.equal(await tab.title(), 'plain');
	await own.end();
});

// --- the end -------------------------------------------------------------------------------------------------------

function read(path) {
	try {
		return readFileSync(path, 'latin1');
	} catch {
		return '';    // it has ended
	}
}

// What runs in the session of this process, or with this folder as TMPDIR.
function running(session, folder) {
	return readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(pid => {
		const [, state, at] = /\) (\S) \S+ \S+ (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
		const environment = read(`/proc/${pid}/environ`).split('\0');

		return (state && state !== 'Z' && Number(at) === session) || environment.includes(`TMPDIR=${folder}`);
	});
}

const HOLDS_A_BROWSER = `import {open, startBrowser} from '${join(here, 'browser.mjs')}';
const browser = await startBrowser({executable: process.argv[2], warn: () => {}});
await open(await browser.newTab(), process.argv[1]);
console.log(JSON.stringify([browser.chromium.process().pid, browser.folder]));
process.stdin.once('data', async () => { await browser.end(); process.exit(0); });`;

// Another process has a browser, and end() ends it: nothing runs on, and nothing is left in the temporary folder.
async function leavesNothing(t, name, end, executable = CHROMIUM) {
	const temporary = join(browser.folder, name);

	mkdirSync(temporary);
	const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDS_A_BROWSER, plain, executable],
		{stdio: ['pipe', 'pipe', 'inherit'], env: {...process.env, TMPDIR: temporary}});

	t.after(() => child.kill('SIGKILL'));
	const {value} = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
	const [session, folder] = JSON.parse(value);

	assert.ok(running(session, folder).length > 2, 'a browser runs');
	assert.deepEqual(readdirSync(temporary), [folder.slice(temporary.length + 1)], 'everything is in one folder');
	const exited = new Promise(done => child.once('exit', done));

	end(child);
	await exited;
	for (let i = 0; i < 600 && (running(session, folder).length > 0 || readdirSync(temporary).length > 0); i++)
		await setTimeout(100);
	assert.deepEqual(running(session, folder), [], 'nothing runs on');
	assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
}

test('browser: nothing is left after a good end', t => leavesNothing(t, 'end', child => child.stdin.write('end\n')));
test('browser: nothing is left after Ctrl-C', t => leavesNothing(t, 'interrupted', child => child.kill('SIGINT')));
test('browser: nothing is left after kill -9', t => leavesNothing(t, 'killed', child => child.kill('SIGKILL')));
// As a browser's own processes: /proc does not tell their environment, and they make their folders again.
test('browser: nothing is left of processes without an environment', t => leavesNothing(t, 'persistent',
	child => child.kill('SIGKILL'), program('persistent-browser',
		`env -i HOME="$HOME" /bin/sh -c 'while :; do /bin/mkdir -p "$HOME/again" 2>/dev/null; done' &
exec ${CHROMIUM} "$@"`)));
