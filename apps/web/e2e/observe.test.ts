import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { noteFigure } from './figures.ts'
import {
  describeInBrowser,
  openView,
  register,
  signIn,
  startBuiltServer,
  startServerWithAccounts,
  type View,
} from './harness.ts'

/** Sends one chat to the model that every server has. */
async function chat({ context }: View, text: string, model = 'demo'): Promise<number> {
  const data = { model, max_tokens: 8, messages: [{ role: 'user', content: text }] }
  return (await context.request.post('/v1/chat/completions', { data })).status()
}

async function open(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
}

const rows = (page: Page) => page.locator('tbody tr[data-row]')

describeInBrowser('the pages that observe, on a server without sign-in', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('switches tracing on, lists requests, filters them and keeps that in the address', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, '/app/traces', 'Traces')
    await page.getByRole('button', { name: 'Switch tracing on' }).click()
    await page.getByText('Tracing is off.').waitFor({ state: 'hidden' })
    for (let count = 0; count < 18; count += 1) expect(await chat(view, `story ${count}`)).toBe(200)
    expect(await chat(view, 'x', 'none')).toBe(404)
    await page.reload()
    await page.getByText('19 of 19').waitFor()

    // the first row is near the top, and many are in view
    const places = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().toJSON()))
    expect(places[0]?.y).toBeLessThanOrEqual(280)
    expect(places.filter(({ bottom }) => bottom <= 900).length).toBeGreaterThanOrEqual(16)

    await page.getByLabel('Status', { exact: true }).selectOption('4xx')
    await page.getByText('1 of 1').waitFor()
    expect(page.url()).toContain('status=4xx')
    await page.getByLabel('Model', { exact: true }).fill('other')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('19 of 19').waitFor()
  })

  it('opens a request beside the list, and goes on by keys', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, '/app/traces?status=2xx', 'Traces')
    await rows(page).first().getByRole('link').click()
    const panel = page.getByRole('complementary', { name: 'Request details' })
    await panel.getByText('Where the time went').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/app\/traces\/\d+$/)
    for (const phase of ['Admission', 'PII filter', 'Router', 'Load', 'Answer'])
      await panel.getByText(phase, { exact: true }).waitFor()
    noteFigure({ check: 7, name: 'phases of the waterfall of a request', value: 5, least: 5 })
    await panel.getByText('demo llm').waitFor()
    await panel.getByText('"story 17"').waitFor()
    await panel.getByRole('tab', { name: 'Response' }).click()
    await panel.getByText('"chat.completion"').waitFor()

    await page.locator('h1').focus()
    const first = page.url()
    await page.keyboard.press('j')
    await page.waitForURL((url) => url.href !== first)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    // the list and its filters are where they were
    expect(page.url()).toContain('status=2xx')
  })

  it('counts new requests while Live is on and leaves the list alone', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, '/app/traces', 'Traces')
    await page.getByRole('button', { name: 'Live' }).click()
    const before = await rows(page).first().textContent()
    expect(await chat(view, 'a new one')).toBe(200)
    const news = page.getByRole('button', { name: '1 new' })
    await news.waitFor()
    expect(await rows(page).first().textContent()).toBe(before)
    await news.click()
    await expect.poll(() => rows(page).first().textContent()).not.toBe(before)
  })

  it('has a cursor in the chart for the keyboard, and its data as a table', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, '/app/traces', 'Traces')
    const chart = page.getByRole('slider', { name: /Requests of the last 24 h/ })
    await page.locator('.u-over').waitFor()
    await chart.focus()
    await page.keyboard.press('End')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/Answered \d+, Failed 0$/)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toMatch(/from=\d+&to=\d+/)
    await page.getByRole('button', { name: 'Show as table' }).click()
    await expect.poll(() => page.getByRole('dialog').getByRole('row').count()).toBe(13)
  })

  it('clears traces after a word was typed', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await open(page, '/app/traces?kind=backend', 'Traces')
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'Rows, export and clear' }).click()
    await page.getByRole('menuitem', { name: 'Clear…' }).click()
    const dialog = page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Clear traces' })
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel('Type clear to confirm').fill('clear')
    await button.click()
    await page.getByText('No traces in this range.').waitFor()
  })

  it('shows the loaded models, their log, and stops one', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await chat(view, 'load')
    await open(page, '/app/monitor', 'Monitor')
    const row = page.getByRole('row').filter({ hasText: 'llama' }).first()
    await row.getByText('ready').waitFor()
    await row.getByRole('link', { name: 'Logs' }).click()
    await page.getByRole('heading', { name: 'Log of demo', level: 1 }).waitFor()
    await page.getByRole('log').getByText('listening on').waitFor()
    await page.getByRole('searchbox').fill('nothing of the kind')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('log').getByText('listening on').waitFor()
    await page.goBack()
    await row.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop model' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect
      .poll(async () => (await (await view.context.request.get('/system')).json()).loaded_models.length)
      .toBe(0)
  })
})

const DETECTOR = `name: secrets
backend: pattern
pii_detection:
  builtins: [email]
  patterns: [{ name: TICKET, match: "tick-[0-9]{4,8}", action: block }]
  default_action: mask
`

/** Adds a detector and has it find two secrets. */
async function findSecrets(server: BuiltServer, { context }: View): Promise<void> {
  const models = join(server.folder, 'models')
  await mkdir(models, { recursive: true })
  await writeFile(join(models, 'secrets.yaml'), DETECTOR)
  await context.request.post('/models/reload', { data: {} })
  const data = { text: 'mail ann@site.example about tick-12345', detectors: ['secrets'] }
  expect((await context.request.post('/api/pii/analyze', { data })).status()).toBe(200)
}

describeInBrowser('the audit events', () => {
  it('are listed, filtered, and never hold what was found', async () => {
    await using server = await startBuiltServer()
    await using view = await openView(server.url)
    const { page } = view
    await findSecrets(server, view)

    await open(page, '/app/events', 'Events')
    // the findings, and the look at the models folder
    await page.getByText('3 events').waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/ann@site|tick-1/)
    await page.getByLabel('Action', { exact: true }).selectOption('block')
    await page.getByText('1 event', { exact: true }).waitFor()
    await page.getByRole('row').filter({ hasText: 'pattern:TICKET' }).getByText('blocked').waitFor()
    expect(page.url()).toContain('action=block')
    await page.getByLabel('Origin', { exact: true }).selectOption('proxy')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('3 events').waitFor()
  })

  it('have the changes of the server, by whom and from where, which can be filtered', async () => {
    await using server = await startServerWithAccounts()
    await using view = await openView(server.url)
    const { page } = view
    await register(view, 'root@site.example')
    await view.context.request.post('/api/settings', { data: { threads: 3 } })
    await view.context.request.post('/api/traces/clear', { data: {} })

    await open(page, '/app/events?kind=administration', 'Events')
    const change = page.getByRole('row').filter({ hasText: 'setting.change' })
    await change.getByText('done').waitFor()
    expect(await change.textContent()).toMatch(/threads=3, from 127\.0\.0\.1, API/)
    await change.getByRole('button', { name: 'root' }).waitFor()
    await page.getByLabel('Change', { exact: true }).fill('trace')
    await page.getByText('1 event', { exact: true }).waitFor()
    expect(page.url()).toContain('change=trace')
    await page.getByRole('row').filter({ hasText: 'trace.clear' }).waitFor()
    await page.getByLabel('Target', { exact: true }).fill('nobody')
    await page.getByText('Nothing matches.').waitFor()
  })

  it('name accounts, in rows and in the filter', async () => {
    await using server = await startServerWithAccounts()
    await using view = await openView(server.url)
    const { page } = view
    await register(view, 'root@site.example')
    await findSecrets(server, view)

    await open(page, '/app/events', 'Events')
    await rows(page).first().getByRole('button', { name: 'root' }).click()
    await page.waitForURL(/user=/)
    const user = page.getByLabel('User', { exact: true })
    const label = await user.inputValue()
    expect(label).toMatch(/^root/)
    await user.fill('nobody')
    await page.getByText('Nothing matches.').waitFor()
    await user.fill(label)
    // two findings, the look at the models folder, and how the first account became an admin
    await page.getByText('4 events').waitFor()
    expect(new URL(page.url()).searchParams.get('user')).not.toBe(label)
  })
})

describeInBrowser('usage on a server with accounts', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startServerWithAccounts()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('shows users their own usage alone, and admins everybody', async () => {
    await using admin = await openView(server.url)
    await register(admin, 'root@site.example')
    expect(await chat(admin, 'one')).toBe(200)
    await using user = await openView(server.url)
    await register(user, 'ann@site.example')
    expect(await chat(user, 'two')).toBe(200)

    await open(user.page, '/app/usage', 'Usage')
    const own = user.page.locator('main dl').first()
    await own.waitFor()
    expect(await own.textContent()).toContain('Requests1')
    expect(await user.page.getByRole('button', { name: 'Everyone' }).count()).toBe(0)
    expect(await user.page.getByRole('link', { name: 'Traces' }).count()).toBe(0)
    await user.page.goto('/app/events')
    await user.page.getByText('Only admins can open this page.').waitFor()

    await open(admin.page, '/app/usage?group=user', 'Usage')
    await admin.page.getByRole('row').filter({ hasText: 'ann' }).waitFor()
    await admin.page.getByRole('row').filter({ hasText: 'root' }).waitFor()
    const download = admin.page.waitForEvent('download')
    await admin.page.getByRole('button', { name: 'CSV' }).click()
    const text = await readFile(await (await download).path(), 'utf8')
    expect(text.split('\r\n')[0]).toBe(
      'User,id,requests,prompt_tokens,completion_tokens,total_tokens,share,cached_tokens,reasoning_tokens,estimated_tokens',
    )
    expect(text.split('\r\n')).toHaveLength(4)
    await admin.page.getByRole('button', { name: 'My own' }).click()
    await admin.page.getByRole('row').filter({ hasText: 'ann' }).waitFor({ state: 'hidden' })
  })

  it('shows admins the prices, which they change, and what requests cost since then', async () => {
    await using admin = await openView(server.url)
    await signIn(admin, 'root@site.example')
    const { page } = admin
    await open(page, '/app/usage?view=prices', 'Usage')
    await page.getByText('No prices yet.').waitFor()
    await page.getByRole('button', { name: 'Add price' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Model', { exact: true }).fill('*')
    await dialog.getByLabel('Input, 1M tokens', { exact: true }).fill('much')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('prices[0].input: must be a decimal number').waitFor()
    await dialog.getByLabel('Input, 1M tokens', { exact: true }).fill('')
    await dialog.getByLabel('Request', { exact: true }).fill('0,5')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row').filter({ hasText: 'Request 0.5' }).waitFor()
    expect(await chat(admin, 'three')).toBe(200)
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Usage' }).click()
    await page.getByRole('row').filter({ hasText: '$0.50' }).waitFor()
    await open(page, '/app/usage?view=prices', 'Usage')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No prices yet.').waitFor()
  })
})
