const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { execFileSync, spawn } = require('node:child_process');
const { editors, koru, needs } = require('./project.js');

const web = path.join(editors, 'web');
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => !needs(name)) ?? 'chromium';

// serve starts the server of the page and returns the URL that it prints.
async function serve(t) {
  execFileSync('npm', ['run', '-s', 'build'], { cwd: web, stdio: 'pipe' });
  const child = spawn(koru(), ['lsp', '--listen', '127.0.0.1:0', '--page', path.join(web, 'dist')], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  for await (const line of readline.createInterface({ input: child.stdout })) return line;
  throw new Error('the server prints no URL');
}

// The pictures of the session go where KORU_PICTURES says, for a person to look at.
async function picture(page, name) {
  if (!process.env.KORU_PICTURES) return;
  fs.mkdirSync(process.env.KORU_PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(process.env.KORU_PICTURES, `${name}.png`) });
}

test('a page in Chromium writes a scope with the checker at its side', { skip: needs('chromium') }, async (t) => {
  const { chromium } = require('playwright-core');
  const url = await serve(t);
  const window = await chromium.launch({ executablePath: `/usr/bin/${browser}`, args: ['--no-sandbox'] });
  t.after(() => window.close());
  const page = await window.newPage({ viewport: { width: 1180, height: 720 } });
  const complaints = [];
  page.on('pageerror', (err) => complaints.push(err.message));
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
  page.setDefaultTimeout(20000);
  await page.goto(url);

  const line = (text) => page.locator('.cm-line', { hasText: text }).first();
  const text = () => page.locator('.cm-content').evaluate((node) => [...node.querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n'));
  const problems = page.locator('#problems li');
  const none = () => page.waitForFunction(() => document.querySelectorAll('#problems li').length === 0 && document.querySelectorAll('.cm-lintRange-error').length === 0);
  // end puts the cursor at the end of the first line with a text.
  const end = async (where) => { await line(where).click(); await page.keyboard.press('End'); };

  await t.test('the page connects and shows what a model reads', async () => {
    await page.waitForSelector('#status:text("connected")');
    await page.waitForFunction(() => document.querySelector('#vocabulary').textContent.includes('find(sku: string)'));
    assert.equal(await problems.count(), 0);
    await picture(page, '1-connected');
  });

  await t.test('a fault is seen while it is typed', async () => {
    await end('    greet(1)');
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    await page.waitForSelector('.cm-lintRange-error:has-text("gree")');
    await page.waitForSelector('#problems li:has-text("KORU040")');
    assert.match(await problems.first().textContent(), /did you mean 'greet'/);
    await picture(page, '2-diagnostics');
  });

  await t.test('the fix is applied', async () => {
    await page.keyboard.press('Control+.');
    await none();
    assert.match(await text(), /\n    greet\(1\)\n/);
  });

  await t.test('an outcome is completed', async () => {
    await line('| unknown').click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('| ');
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.cm-tooltip-autocomplete li[aria-selected]:has-text("unknown")');
    await picture(page, '3-completion');
    await page.waitForTimeout(200); // the list takes keys a moment after it opens
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /\| unknown \|>/.test(document.querySelector('.cm-content').textContent));
    await page.keyboard.type('_');
    await none();
    assert.match(await text(), /\n\| unknown \|> _/);
  });

  await t.test('hover says what a verb does', async () => {
    await line('stock:find-article(sku').locator('span', { hasText: 'find-article' }).first().hover();
    await page.waitForSelector('.cm-tooltip-hover:has-text("Look an article up")');
    await picture(page, '4-hover');
    await page.mouse.move(5, 5);
  });

  await t.test('a verb is renamed in both files', async () => {
    await line('stock:find-article(sku').locator('span', { hasText: 'find-article' }).first().click();
    await page.keyboard.press('F2');
    const input = page.locator('.cm-lsp-rename-panel input');
    await input.fill('look-up');
    await picture(page, '5-rename');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('.cm-content').textContent.includes('stock:look-up(sku'));
    assert.match(await text(), /stock:look-up -> find\(2\)/);
    await none();
    await page.locator('nav button', { hasText: 'stock.k' }).click();
    await page.waitForFunction(() => document.querySelector('.cm-content').textContent.includes('pub tor look-up'));
    assert.match(await text(), /proc look-up\|js/);
    await none();
    await page.locator('nav button', { hasText: 'shop.k' }).click();
  });

  await t.test('the file is formatted', async () => {
    await end('tor greet {');
    await page.keyboard.type('   ');
    await page.keyboard.press('Shift+Alt+F');
    await page.waitForFunction(() => [...document.querySelectorAll('.cm-line')].some((l) => l.textContent === 'tor greet { name: string }'));
    await none();
    await picture(page, '6-formatted');
  });

  assert.deepEqual(complaints, []);
});
