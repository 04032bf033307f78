// SPDX-License-Identifier: BSD-2-Clause
// browser.mjs - Debian's Chromium for tests of pages, driven by puppeteer-core (https://pptr.dev).
//
//	const browser = await needBrowser();
//	const tab = await browser.newTab({width: 1200, height: 800});    // a Page of puppeteer
//	await open(tab, 'page.html');
//	assert.deepEqual(await complaints(tab), []);
//	await browser.end();
//
// All that the browser and a test write to disk lies in browser.folder. tests/web/keeper removes it and ends the
// browser when the test ends, by a signal as well. No test file runs for longer than LIMIT.

import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdtempSync} from 'node:fs';
import {createRequire} from 'node:module';
import {networkInterfaces, tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
export const build = resolve(process.env.BUILD ?? join(here, '../../build'));
export const readers = join(build, 'readers');

const PATIENCE = 120e3;    // milliseconds for one action, also on a busy machine
const LIMIT = 3000e3;      // ... and for all of them: only what hangs gets there
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ROOT = process.getuid() === 0;
const FLAGS = ['--disable-gpu', '--disable-quic', '--disable-component-update'];    // beside puppeteer's own
const UNSAFE = 'Chromium has no usable sandbox here, so it runs without: these tests open only pages of their own. ' +
	'A sandbox needs user namespaces, which a chroot or the kernel may forbid, or the package chromium-sandbox.';

setTimeout(() => {
	console.error(`ended after ${LIMIT / 1e3} s`);
	process.exit(1);
}, LIMIT).unref();

// --- starting and ending -------------------------------------------------------------------------------------------

// executable: the browser's. sandbox: whether to use Chromium's, which refuses to be root's. Where there is no usable
// one, the browser runs without, and warn() is told why. Throws an error of one line if no browser starts.
export async function startBrowser({executable = CHROMIUM, sandbox = !ROOT, warn = console.error} = {}) {
	if (!existsSync(executable))
		throw new Error(`${executable} is not there: make deps installs it, or CHROMIUM names another one`);
	const puppeteer = getPuppeteer(), folder = new Folder();
	const launch = (...flags) => puppeteer.launch({
		executablePath: join(here, 'apart'), args: [...FLAGS, ...flags], env: folder.environment(executable),
		userDataDir: join(folder.path, 'profile'), defaultViewport: null, timeout: PATIENCE,
		protocolTimeout: PATIENCE, handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false,
	});

	try {
		const chromium = sandbox ? await launchSafely(launch, warn) : await launch('--no-sandbox');

		return new Browser(folder, chromium);
	} catch (error) {
		const again = () => spawnSync(join(here, 'apart'), ['--version'],
			{env: folder.environment(executable), encoding: 'utf8', timeout: PATIENCE}).stderr.trim();
		const why = reason(error.message, again);

		await folder.remove();
		throw new Error(`${executable} does not start: ${why}`);
	}
}

// As startBrowser(), but without a browser prints why, and ends the process: without fault where there is no network to
// get puppeteer by, or to drive the browser by.
export async function needBrowser(options) {
	if (!Object.values(networkInterfaces()).flat().some(its => its.internal)) {
		console.error('skipped: no loopback network here, by which the browser is driven');
		process.exit(0);
	}
	try {
		return await startBrowser(options);
	} catch (error) {
		console.error(error.message);
		process.exit(error.status === 3 ? 0 : 1);
	}
}

// From npm, in a folder of the build's.
function getPuppeteer() {
	execFileSync(join(here, '../readers/fetch'), [readers, 'npm'], {stdio: 'inherit'});
	return createRequire(join(readers, 'package.json'))('puppeteer-core');
}

async function launchSafely(launch, warn) {
	try {
		return await launch();
	} catch (error) {
		if (!/No usable sandbox|Failed to move to new namespace/.test(error.message))
			throw error;
		warn(UNSAFE);
		return launch('--no-sandbox');
	}
}

// Of what puppeteer says of a browser that did not start, the line that tells why. It does not wait for what the browser
// prints: @again asks for that.
function reason(message, again) {
	const printed = /stderr:\n(.*?)\n*TROUBLESHOOTING/s.exec(message)?.[1] || again() || message.split('\n')[0];
	const lines = printed.split('\n');

	return lines.find(line => /ERROR|FATAL/.test(line)) ?? lines.at(-1);
}

// A temporary folder, which goes when this process does.
class Folder {
	constructor() {
		this.path = mkdtempSync(join(tmpdir(), 'uniprof-web-'));
		this.keeper = spawn(join(here, 'keeper'), [this.path],
			{cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore']});
		this.removed = once(this.keeper, 'exit');
	}

	// For a browser whose own temporary files and settings are to be in it.
	environment(browser) {
		const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('XDG_'));

		return {...Object.fromEntries(kept), HOME: this.path, TMPDIR: this.path, BROWSER: browser};
	}

	async remove() {
		this.keeper.stdin.end();
		await this.removed;
	}
}

class Browser {
	constructor(folder, chromium) {
		this.folder = folder.path;
		this.kept = folder;
		this.chromium = chromium;
	}

	async newTab({width = 1200, height = 800} = {}) {
		const tab = await this.chromium.newPage();

		tab.setDefaultTimeout(PATIENCE);
		await tab.setViewport({width, height});
		listen(tab);
		return tab;
	}

	async end() {
		await this.chromium.close();
		await this.kept.remove();
	}
}

// --- complaints ----------------------------------------------------------------------------------------------------

const heard = new WeakMap();

function listen(tab) {
	const said = [];

	heard.set(tab, said);
	tab.on('console', message => {
		if (['error', 'warn'].includes(message.type()))
			said.push(`${message.type()}: ${message.text()}`);
	});
	tab.on('pageerror', error => said.push(`uncaught: ${error.message}`));
}

// What the tab's console holds from warnings up, errors of scripts and of the content security policy among them; each
// is told once.
export async function complaints(tab) {
	await tab.evaluate('0');    // all that was said before has come by then
	return heard.get(tab).splice(0);
}

// --- what puppeteer lacks ------------------------------------------------------------------------------------------

// fragment: what follows the '#', or nothing.
export async function open(tab, path, fragment) {
	await tab.goto(pathToFileURL(path) + (fragment === undefined ? '' : `#${fragment}`));
}

// As the page has it: puppeteer hears a little later of steps within a page.
export function fragment(tab) {
	return tab.evaluate('location.hash.slice(1)');
}

// The text of an element as it is seen: nothing if it is hidden.
export function text(tab, css) {
	return tab.$eval(css, element =>
		element.checkVisibility({visibilityProperty: true}) ? element.innerText.trim() : '');
}

// Clicks the middle of an element, which nothing may cover.
export async function click(tab, css) {
	const element = await tab.$(css);

	if (!element)
		throw new Error(`no element ${css}`);
	await element.scrollIntoView();
	const {x, y} = await element.clickablePoint();

	if (!await element.evaluate((own, x, y) => own.contains(document.elementFromPoint(x, y)), x, y))
		throw new Error(`something covers ${css}`);
	await tab.mouse.click(x, y);
}

// Keys wherever the focus is, by puppeteer's names; 'Shift+ArrowLeft' holds one.
export async function press(tab, ...keys) {
	for (const key of keys) {
		const [last, ...held] = key.split('+').reverse();

		for (const name of held)
			await tab.keyboard.down(name);
		await tab.keyboard.press(last);
		for (const name of held)
			await tab.keyboard.up(name);
	}
}

export async function drag(tab, x0, y0, x1, y1) {
	await tab.mouse.move(x0, y0);
	await tab.mouse.down();
	await tab.mouse.move((x0 + x1) / 2, (y0 + y1) / 2);
	await tab.mouse.move(x1, y1);
	await tab.mouse.up();
}

// scheme: what the system prefers, 'light' or 'dark'. Pages hear of it when the next frame is drawn.
export async function preferColours(tab, scheme) {
	await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
	await drawn(tab);
}

// Once all that was asked for is drawn.
export function drawn(tab) {
	return tab.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
}
