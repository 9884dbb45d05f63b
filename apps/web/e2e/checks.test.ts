import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { holdFigure } from './figures.ts'
import {
  describeInBrowser,
  openView,
  register,
  signIn,
  startBuiltServer,
  startServerWithAccounts,
  type View,
} from './harness.ts'
import { findOverflow } from './look.ts'

const EMAIL = 'root@site.example'
const STORY = Array.from({ length: 40 }, (_, index) => `word${index} `)
const TRACES = 30

/** Cost of a page until it sends no more requests. */
interface Cost {
  bytes: number
  requests: number
  calls: number
}

/** Opens a page with an empty cache and counts its requests and bytes. */
async function measureCost({ page, context }: View, path: string): Promise<Cost> {
  const cost: Cost = { bytes: 0, requests: 0, calls: 0 }
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  devtools.on('Network.requestWillBeSent', ({ request }) => {
    const { pathname } = new URL(request.url)
    // a busy machine loads for longer than the page stays silent, and idle traffic has its own check
    if (pathname === '/healthz') return
    cost.requests += 1
    if (/^\/(?:api|v1|system|backend)\b/.test(pathname)) cost.calls += 1
  })
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    cost.bytes += encodedDataLength
  })
  await page.goto(path)
  await page.locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(500)
  return cost
}

const navigate = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

describeInBrowser('the checks of the interface that count', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startServerWithAccounts({
      flags: ['--galleries=[]', '--enable-tracing', '--auth-registration-mode', 'approval'],
      env: { SVC_DEMO_MODEL: 'true' },
      mock: {},
    })
    const slow = { pieces: STORY, pieceDelayMs: 100 }
    await server.model('teller', { rules: [{ rpc: 'PredictStream', do: slow }] })
    const backend = join(server.folder, 'backends/mine')
    await mkdir(backend, { recursive: true })
    await writeFile(join(backend, 'run.sh'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    await using view = await openView(server.url)
    await register(view, EMAIL)
    await view.context.request.post('/models/reload', { data: {} })
    const data = { model: 'demo', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] }
    for (let count = 0; count < TRACES; count += 1) {
      expect((await view.context.request.post('/v1/chat/completions', { data })).status()).toBe(200)
    }
    await using waiting = await openView(server.url)
    await register(waiting, 'ann@site.example')
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function openAsAdmin(width = 1440): Promise<View> {
    const view = await openView(server.url, { width })
    await signIn(view, EMAIL)
    return view
  }

  it('loads the first page in few bytes, requests and calls', async () => {
    // a server as it is without settings, where everybody is admin
    await using plain = await startBuiltServer()
    await using view = await openView(plain.url)
    const app = await measureCost(view, '/app')
    await using stranger = await openView(server.url)
    const login = await measureCost(stranger, '/login')
    holdFigure({ check: 1, name: 'bytes of a cold /app', value: app.bytes / 1000, unit: 'kB', most: 300 })
    holdFigure({ check: 1, name: 'requests of a cold /app', value: app.requests, most: 20 })
    holdFigure({ check: 1, name: 'calls of a cold /app', value: app.calls, most: 8 })
    holdFigure({ check: 1, name: 'bytes of a cold /login', value: login.bytes / 1000, unit: 'kB', most: 230 })
  })

  it('asks for few things with everything that a running server shows, and for one thing at each look of Monitor', async () => {
    await using view = await openAsAdmin()
    const app = await measureCost(view, '/app')
    holdFigure({ check: 1, name: 'requests of a cold /app with data', value: app.requests, most: 20 })
    holdFigure({ check: 1, name: 'calls of a cold /app with data', value: app.calls, most: 8 })

    const { page, requests } = view
    await page.goto('/app/monitor')
    await page
      .getByRole('row')
      .filter({ hasText: 'demo' })
      .first()
      .getByText(/ready|busy|no answer/)
      .waitFor()
    const isLook = (line: string) => line.startsWith('GET /system?')
    // the frame sends these requests for its own parts
    const isOwn = (line: string) =>
      !/healthz|\/api\/pii\/events|\/api\/operations|\/api\/auth\/admin\/users|\/assets\/|\/locales\//.test(line)
    const before = requests.length
    await expect.poll(() => requests.slice(before).filter(isLook).length).toBeGreaterThanOrEqual(3)
    const others = requests.slice(before).filter((line) => isOwn(line) && !isLook(line))
    expect(others).toEqual([])
    holdFigure({ check: 6, name: 'calls of one look of Monitor', value: 1 + others.length, most: 1 })
  })

  it('keeps an answer whose page was left, and one that a reload cut', async () => {
    await using view = await openAsAdmin()
    const { page } = view
    const whole = STORY.join('').trim()
    await page.goto('/app/chat/teller')
    await send(page, 'Tell me something')
    await page.getByText('word3').waitFor()
    for (const name of ['Models', 'Usage', 'API']) {
      await navigate(page, name)
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    await page.waitForTimeout(3_000)
    await navigate(page, 'Chat')
    await page.getByRole('link', { name: 'Tell me something' }).click()
    const answer = page.getByRole('article', { name: 'Answer of teller' })
    await answer.last().getByRole('button', { name: 'Copy answer' }).waitFor()
    expect(await answer.last().textContent()).toContain(whole)

    await send(page, 'And more')
    await answer.nth(1).getByText('word5').waitFor()
    await page.waitForTimeout(1_100)
    await page.reload()
    await answer.nth(1).getByRole('button', { name: 'Continue' }).waitFor()
    expect(await answer.nth(1).textContent()).toContain('word3 word4')

    await page.getByRole('button', { name: 'Chat settings' }).click()
    await page.getByRole('switch', { name: /background/i }).click()
    await page.keyboard.press('Escape')
    await send(page, 'In the background')
    await answer.nth(2).getByText('word5').waitFor()
    await page.reload()
    await answer.nth(2).getByRole('button', { name: 'Copy answer' }).waitFor()
    expect(await answer.nth(2).textContent()).toContain(whole)
    holdFigure({
      check: 3,
      name: 'answers kept of a page left, a reload, a reload in the background',
      value: 3,
      least: 3,
    })
  })

  it('shows the main action of a row at 1280 px', async () => {
    await using view = await openAsAdmin(1280)
    await view.page.goto('/app/users')
    const approve = view.page.getByRole('button', { name: /^Approve/ }).first()
    await approve.waitFor()
    const { x = 0, y = 0, width = 0, height = 0 } = (await approve.boundingBox()) ?? {}
    expect(await findOverflow(view.page)).toEqual([])
    holdFigure({ check: 5, name: 'right end of Approve at 1280 px', value: x + width, unit: 'px', most: 1280 })
    expect(y + height).toBeLessThanOrEqual(900)
  })

  it('has the first row in the upper part of a page', async () => {
    await using view = await openAsAdmin()
    for (const [name, path, row] of [
      ['Models', '/app/models?view=installed', 'a[href*="model="]'],
      ['Backends', '/app/backends?view=installed', 'tbody tr'],
      ['Users', '/app/users', 'tbody tr'],
    ] as const) {
      await view.page.goto(path)
      const first = view.page.locator('main').locator(row).first()
      await first.waitFor()
      const { y = 900 } = (await first.boundingBox()) ?? {}
      holdFigure({ check: 9, name: `first row of ${name}`, value: y, unit: 'px', most: 200 })
    }
  })

  it('says on one screen of Traces what is slow, for whom and since when, and keeps that', async () => {
    await using view = await openAsAdmin()
    const { page } = view
    await page.goto('/app/traces')
    const rows = page.locator('tbody tr[data-row]')
    await rows.first().waitFor()
    const count = async () => {
      const places = await rows.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))
      return places.filter((bottom) => bottom <= 900).length
    }
    const { y = 900 } = (await rows.first().boundingBox()) ?? {}
    holdFigure({ check: 9, name: 'first row of Traces', value: y, unit: 'px', most: 280 })
    holdFigure({ check: 9, name: 'rows of Traces at 1440x900', value: await count(), least: 16 })
    await page.getByRole('button', { name: 'Rows, export and clear' }).click()
    await page.getByRole('menuitem', { name: 'Compact rows' }).click()
    await expect.poll(count).toBeGreaterThanOrEqual(22)
    holdFigure({ check: 9, name: 'compact rows of Traces at 1440x900', value: await count(), least: 22 })

    const main = page.locator('main')
    for (const text of ['p95', 'Error rate']) await main.getByText(text).first().waitFor()
    const chart = page.getByRole('slider', { name: /Requests of the last 24 h/ })
    holdFigure({
      check: 7,
      name: 'bars of the chart',
      value: Number(await chart.getAttribute('aria-valuemax')) + 1,
      least: 12,
    })
    await page.getByLabel('Model', { exact: true }).fill('demo')
    await expect.poll(() => page.url()).toContain('model=demo')
    await page.getByLabel('Status', { exact: true }).selectOption('2xx')
    await page.getByLabel('User', { exact: true }).fill('root')
    await expect.poll(() => page.url()).toContain('user=root')
    await page.getByLabel('Duration', { exact: true }).selectOption({ index: 1 })
    await page.getByRole('button', { name: '3 d', exact: true }).click()
    await expect.poll(() => page.url()).toContain('hours=72')
    holdFigure({ check: 7, name: 'filters in the address', value: new URL(page.url()).searchParams.size, least: 5 })
  })

  it('brings filters, selection and scroll back', async () => {
    await using view = await openAsAdmin()
    const { page } = view
    await page.setViewportSize({ width: 1440, height: 500 })
    await page.goto('/app/traces?status=2xx')
    const rows = page.locator('tbody tr[data-row]')
    await rows.first().waitFor()
    await rows.nth(12).scrollIntoViewIfNeeded()
    // a click in the frame of the scroll would open the trace before the page hears of it: no person is that fast
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))))
    await rows.nth(12).getByRole('link').click()
    await page.getByText('Where the time went').waitFor()
    const address = page.url()
    const readScroll = () => rows.nth(12).evaluate((row) => Math.round(row.getBoundingClientRect().top))
    const before = await readScroll()
    await navigate(page, 'Usage')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('Where the time went').waitFor()
    expect(page.url()).toBe(address)
    await expect.poll(readScroll).toBe(before)
    await page.goBack()
    await page.getByText('Where the time went').waitFor({ state: 'detached' })
    expect(page.url()).toContain('status=2xx')
  })

  it('keeps the edges of controls with forced colours, and moves nothing where motion is not wanted', async () => {
    await using view = await openAsAdmin()
    const { page } = view
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.goto('/app/traces')
    await page.locator('tbody tr[data-row]').first().waitFor()
    const bare = await page.evaluate(() => {
      const controls = document.querySelectorAll(
        // as the build names the classes of the modules
        'main input, main select, main [class*="button_"]:not([class*="ghost_"]), main [class*="chip_"]',
      )
      const hasEdge = (element: Element | null): boolean => {
        if (element === null) return false
        const { borderStyle, borderWidth } = getComputedStyle(element)
        return borderStyle !== 'none' && Number.parseFloat(borderWidth) > 0
      }
      const isShown = (element: Element) => element.checkVisibility() && element.getBoundingClientRect().width > 1
      const without = [...controls].filter((one) => isShown(one) && !hasEdge(one) && !hasEdge(one.parentElement))
      return without.map((one) => one.outerHTML.slice(0, 120))
    })
    expect(bare).toEqual([])
    // a chosen item differs from the others by more than a background, which these colours take away
    const chosen = await page.evaluate(() => {
      const read = (element: Element | null) => {
        if (element === null) return ''
        const { color, backgroundColor, borderColor, fontWeight, textDecorationLine, outlineStyle } =
          getComputedStyle(element)
        return [color, backgroundColor, borderColor, fontWeight, textDecorationLine, outlineStyle].join()
      }
      const [on, off] = ['true', 'false'].map((value) =>
        document.querySelector(`main [role="group"] [aria-pressed="${value}"]`),
      )
      return { on: read(on ?? null), off: read(off ?? null) }
    })
    expect(chosen.on).not.toBe('')
    expect(chosen.on).not.toBe(chosen.off)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    const moving = await page.evaluate(() => {
      const timings = document.getAnimations().map(({ effect }) => Number(effect?.getTiming().duration))
      return timings.filter((duration) => duration > 10)
    })
    expect(moving).toEqual([])
  })
})
