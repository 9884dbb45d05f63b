import type { Browser, BrowserContext, Page } from 'playwright-core'

/** Number of pieces and bytes of the long answer, as in the measurement of the other interface. */
const PIECES = 4_900
const ANSWER_BYTES = 29_000
const MESSAGES = 300
const TYPED = 40
const COLD_LOADS = 5

const PARAGRAPH = `## Part NUMBER: how the pieces fit

A model reads a **prompt** and writes an _answer_, one token after the other. Each token is a few letters; see
[the glossary](https://site.example/glossary) and \`max_tokens\`.

- The first point is short.
- The second has \`code\` and **weight**.
  1. a step of it
  2. another step

| Model | Size | Speed |
| --- | ---: | ---: |
| cedar | 4.1 GiB | 31 |
| kestrel | 1.9 GiB | 74 |

\`\`\`ts
export function add(left: number, right: number): number {
  // of NUMBER
  return left + right
}
\`\`\`

> Whatever is measured is measured twice.

`

/** The long answer, in as many pieces as a stream has. */
export function makePieces(): readonly string[] {
  let text = ''
  for (let number = 1; text.length < ANSWER_BYTES; number += 1) text += PARAGRAPH.replaceAll('NUMBER', String(number))
  text = text.slice(0, ANSWER_BYTES)
  const cut = (index: number) => Math.round((index * text.length) / PIECES)
  return Array.from({ length: PIECES }, (_, index) => text.slice(cut(index), cut(index + 1)))
}

/** Notes that the page itself writes while it is measured. */
interface Notes {
  longTasks: { readonly start: number; readonly duration: number }[]
  shift: number
  largestPaint: number
  firstPaint: number
  worstFrame: number
}

/** Notes long tasks, shifts and paints from the begin of each page on; runs in the page. */
function watch(): void {
  const notes: Notes = { longTasks: [], shift: 0, largestPaint: 0, firstPaint: 0, worstFrame: 0 }
  Object.assign(window, { notes })
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('longtask', ({ startTime, duration }) => notes.longTasks.push({ start: startTime, duration }))
  observe('largest-contentful-paint', ({ startTime }) => {
    notes.largestPaint = startTime
  })
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') notes.firstPaint = startTime
  })
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
    if (!hadRecentInput) notes.shift += value
  })
}

const readNotes = (page: Page) => page.evaluate(() => (window as unknown as { notes: Notes }).notes)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const findMedian = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Opens a page of a server that notes its actions. */
async function openNoted(browser: Browser, url: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 }, locale: 'en' })
  // the loader of this script names functions by a function that pages lack
  await context.addInitScript('globalThis.__name = (named) => named')
  await context.addInitScript(watch)
  return { context, page: await context.newPage() }
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Figures of the long stream, in milliseconds. */
export interface StreamFigures {
  readonly longTasks: number
  readonly longTaskCount: number
  readonly worstFrame: number
  readonly seconds: number
  readonly stop: number
}

/** Lets a model write the long answer, then stops a second one. @param model answers with {@link makePieces} */
export async function measureStream(browser: Browser, url: string, model: string): Promise<StreamFigures> {
  const { context, page } = await openNoted(browser, url)
  await page.goto(`/app/chat/${model}`)
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  // the model is in memory by then, and the parts of the page that an answer needs are here
  await send(page, 'short')
  await page.getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: 60_000 })
  await page.waitForTimeout(2_000)
  const before = await page.evaluate(() => {
    const { notes } = window as unknown as { notes: Notes }
    notes.worstFrame = 0
    let last = performance.now()
    const frame = (now: number) => {
      notes.worstFrame = Math.max(notes.worstFrame, now - last)
      last = now
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    return performance.now()
  })
  await send(page, 'long')
  await page.getByRole('article').nth(3).getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: 120_000 })
  const { longTasks, worstFrame } = await readNotes(page)
  const after = await page.evaluate(() => performance.now())
  const own = longTasks.filter(({ start }) => start >= before).map(({ duration }) => duration)
  const length = await page.evaluate(() => document.querySelectorAll('article')[3]?.textContent?.length ?? 0)
  if (length < ANSWER_BYTES * 0.7) throw new Error(`the answer on the page has ${length} letters`)

  await send(page, 'long')
  await page.getByRole('button', { name: /^Stop/ }).waitFor()
  await page.waitForTimeout(3_000)
  const stop = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const isStopped = () => document.querySelector('article[aria-busy="true"]') === null
        addEventListener(
          'click',
          ({ timeStamp }) => {
            const look = () => {
              if (isStopped()) setTimeout(() => resolve(performance.now() - timeStamp))
              else requestAnimationFrame(look)
            }
            requestAnimationFrame(look)
          },
          { capture: true, once: true },
        )
      }),
  )
  await page.getByRole('button', { name: /^Stop/ }).click()
  const figures = {
    longTasks: sum(own),
    longTaskCount: own.length,
    worstFrame,
    seconds: (after - before) / 1000,
    stop: await stop,
  }
  await context.close()
  return figures
}

/** Figures of a first visit, in milliseconds; medians of several. */
export interface ColdFigures {
  readonly largestPaint: number
  readonly blocked: number
  readonly shift: number
}

/** Opens a page with an empty cache over 10 Mbit/s with 40 ms. */
export async function measureCold(browser: Browser, url: string, path: string): Promise<ColdFigures> {
  const all: ColdFigures[] = []
  for (let load = 0; load < COLD_LOADS; load += 1) {
    const { context, page } = await openNoted(browser, url)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 40,
      downloadThroughput: 10_000_000 / 8,
      uploadThroughput: 10_000_000 / 8,
    })
    await page.goto(path)
    await page.locator('h1').waitFor()
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(1_000)
    const { longTasks, shift, largestPaint, firstPaint } = await readNotes(page)
    const late = longTasks.filter(({ start }) => start >= firstPaint)
    all.push({ largestPaint, shift, blocked: sum(late.map(({ duration }) => Math.max(0, duration - 50))) })
    await context.close()
  }
  const median = (key: keyof ColdFigures) => findMedian(all.map((figures) => figures[key]))
  return {
    largestPaint: median('largestPaint'),
    blocked: median('blocked'),
    shift: Math.max(...all.map((f) => f.shift)),
  }
}

const PAGES = ['Usage', 'Models', 'Traces', 'Settings', 'Home'] as const

/** Goes around pages whose data is here. @returns from the click to the paint of each page, in milliseconds */
export async function measureRoutes(browser: Browser, url: string): Promise<readonly number[]> {
  const { context, page } = await openNoted(browser, url)
  await page.goto('/app')
  const times: number[] = []
  for (const round of ['first', 'measured']) {
    for (const name of PAGES) {
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true })
      const time = page.evaluate(
        (heading) =>
          new Promise<number>((resolve) => {
            addEventListener(
              'click',
              ({ timeStamp }) => {
                const look = () => {
                  const isThere = document.querySelector('h1')?.textContent?.startsWith(heading) === true
                  if (isThere && document.querySelector('[data-shown]') === null)
                    setTimeout(() => resolve(performance.now() - timeStamp))
                  else requestAnimationFrame(look)
                }
                look()
              },
              { capture: true, once: true },
            )
          }),
        name,
      )
      await link.click()
      if (round === 'measured') times.push(await time)
      else await time
      await page.waitForLoadState('networkidle')
    }
  }
  await context.close()
  return times
}

/** Types into a chat of 300 messages. @returns from each key to the next paint, in milliseconds */
export async function measureTyping(browser: Browser, url: string): Promise<readonly number[]> {
  const { context, page } = await openNoted(browser, url)
  await page.goto('/app/chat')
  await page.getByRole('button', { name: 'Actions of all chats' }).waitFor()
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    return `<!-- svc-message ${JSON.stringify({ role })} -->\n## ${role}\n\n${PARAGRAPH.replaceAll('NUMBER', String(index))}`
  })
  const text = `<!-- svc-chat {"title":"A long chat"} -->\n# A long chat\n\n${messages.join('\n')}`
  const file = { name: 'long.md', mimeType: 'text/markdown', buffer: Buffer.from(text) }
  await page.locator('input[data-import]').setInputFiles(file)
  await page.getByRole('link', { name: 'A long chat' }).click()
  await page.getByRole('article').nth(20).waitFor()
  // all of them are drawn
  for (;;) {
    const earlier = page.getByRole('button', { name: /earlier/i })
    if ((await earlier.count()) === 0) break
    await earlier.click()
  }
  if ((await page.getByRole('article').count()) !== MESSAGES) throw new Error('the chat is not whole')
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.focus()
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(window, { times })
    addEventListener('keydown', ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp))),
    )
  })
  await page.keyboard.type('the quick brown fox jumps over the lazy dog'.slice(0, TYPED), { delay: 80 })
  await page.waitForTimeout(300)
  const times = await page.evaluate(() => (window as unknown as { times: number[] }).times)
  await context.close()
  return times
}
