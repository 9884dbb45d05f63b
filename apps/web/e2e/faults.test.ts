import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { noteFigure } from './figures.ts'
import { describeInBrowser, openView, startBuiltServer, type View } from './harness.ts'
import { startProxy } from './start-proxy.ts'

/** Sends a message to a model in a new chat. @returns the part of the page that its answer fills */
async function ask({ page }: View, model: string, text: string) {
  await page.goto(`/app/chat/${model}`)
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  return page.getByRole('article', { name: `Answer of ${model}` })
}

const PROVOKED = /ERR_|Failed to fetch|dynamically imported module|preload CSS|network error/i

describeInBrowser('the interface behind a proxy', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({
      flags: ['--galleries=[]', '--trusted-proxies', '127.0.0.1', '--model-load-wait', '2s'],
      mock: {},
    })
    await mkdir(join(server.folder, 'models'), { recursive: true })
    await server.model('story', { rules: [{ rpc: 'PredictStream', do: { text: 'once upon a time' } }] })
    await server.model('sleeper', {
      rules: [
        { rpc: 'LoadModel', do: { delayMs: 5_000 } },
        { rpc: 'PredictStream', do: { text: 'awake at last' } },
      ],
    })
    await server.model('cut', {
      rules: [
        { rpc: 'PredictStream', call: 1, do: { text: 'one two three four', crash: { how: 'kill', afterPieces: 2 } } },
        { rpc: 'PredictStream', do: { text: 'whole at last' } },
      ],
    })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('works below a path prefix: pages, reloads, and a chat', async () => {
    await using proxy = await startProxy(server.url, '/llm')
    await using view = await openView(proxy.url)
    const { page } = view
    await page.goto('/llm/')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/llm/app')
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.goto('/llm/app/chat/story')
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Copy answer' }).waitFor()
    expect(view.requests.filter((line) => !line.split(' ')[1]?.startsWith('/llm/'))).toEqual([])
  })

  it('loads the page again when a part of it is gone after an upgrade', async () => {
    await using proxy = await startProxy(server.url)
    await using view = await openView(proxy.url, { expected: PROVOKED })
    const { page } = view
    await page.goto('/app')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    // the page that shows failures is loaded by then, as always when someone has looked at a page for a moment
    await expect.poll(() => view.requests.some((line) => line.includes('/overlays-'))).toBe(true)
    let missing = 0
    let reloads = 0
    proxy.intercept = (path, response) => {
      if (path.startsWith('/app')) reloads += 1
      if (!/\/usage-page-/.test(path) || reloads > 0) return false
      missing += 1
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"code":404}}')
      return true
    }
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    expect(missing).toBeGreaterThan(0)
    expect(reloads).toBe(1)
  })

  it('keeps what came of an answer that was cut, and asks again', async () => {
    await using view = await openView(server.url, { expected: PROVOKED })
    const { page } = view
    await page.goto('/app/chat/cut')
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Count')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const answer = page.getByRole('article', { name: 'Answer of cut' })
    // while the model loads the page has a button "Do not retry"
    await answer.getByRole('button', { name: 'Retry', exact: true }).waitFor()
    expect(await answer.innerText()).toContain('one two')
    await page.reload()
    await answer.getByText('one two').waitFor()
  })

  it('says that the server asks for a pause, and goes on after it', async () => {
    await using proxy = await startProxy(server.url)
    await using view = await openView(proxy.url, { expected: PROVOKED })
    const { page } = view
    await page.goto('/app')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    let refusals = 0
    proxy.intercept = (path, response) => {
      if (!/^\/api\/auth\/(admin\/)?usage(\?|$)/.test(path) || refusals > 0) return false
      refusals += 1
      response
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': '2' })
        .end('{"error":{"code":429,"message":"Too many requests","type":"rate_limit_error","param":null}}')
      return true
    }
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('Too many requests').waitFor()
    expect(await page.getByRole('button', { name: /Retry in/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('Too many requests').waitFor({ state: 'detached' })
    expect(refusals).toBe(1)
  })

  it('waits for a model that loads for longer than the server holds a request', async () => {
    await using view = await openView(server.url, { expected: PROVOKED })
    const answer = await ask(view, 'sleeper', 'Good morning')
    await view.page.getByText('The server is still loading the model.').waitFor()
    await view.page.getByRole('button', { name: 'Do not retry' }).waitFor()
    await answer.getByText('awake at last').waitFor()
    const posts = view.requests.filter((line) => line === 'POST /v1/chat/completions')
    expect(posts.length).toBeGreaterThan(1)
  })

  it('tries a refused answer once more after the pause, unless the reader calls that off', async () => {
    await using proxy = await startProxy(server.url)
    await using view = await openView(proxy.url, { expected: PROVOKED })
    let pause = 1
    let refusals = 0
    proxy.intercept = (path, response) => {
      if (path !== '/v1/chat/completions' || refusals > 0) return false
      refusals += 1
      response
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': String(pause) })
        .end('{"error":{"code":429,"message":"Too many requests","type":"rate_limit_error","param":null}}')
      return true
    }
    const answer = await ask(view, 'story', 'Hello')
    await answer.getByText('Too many requests').waitFor()
    await answer.getByText('once upon a time').waitFor()
    expect(refusals).toBe(1)

    refusals = 0
    pause = 60
    const second = await ask(view, 'story', 'Hello again')
    await second.getByText(/Next try in (60|5\d) seconds/).waitFor()
    await second.getByRole('button', { name: 'Do not retry' }).click()
    await second.getByText('Too many requests').waitFor()
    await second.getByRole('button', { name: /^Retry/ }).waitFor()
  })

  it('says that the browser has no room for chats, and goes on without it', async () => {
    await using view = await openView(server.url, { expected: PROVOKED })
    await view.page.goto('/app/chat')
    await view.page.getByText('Kept in this browser').waitFor()
    // the browser asks for the room that is left once, and then remembers it for a while
    const devtools = await view.context.newCDPSession(view.page)
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(server.url).origin, quotaSize: 1 })
    await view.page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello')
    await view.page.getByRole('button', { name: 'Send', exact: true }).click()
    await view.page.getByRole('button', { name: 'Copy answer' }).waitFor()
    await view.page.getByText('The browser has no room left').waitFor()
  })

  it('shows that it waits for answers, and stays in use', async () => {
    await using proxy = await startProxy(server.url)
    await using view = await openView(proxy.url, { expected: PROVOKED })
    const { page } = view
    proxy.hold = (path) => /^\/(?:api|v1|system|backend)\b/.test(path)
    await page.goto('/app/usage')
    await page.getByRole('status').first().waitFor()
    expect(await page.getByRole('heading', { name: 'Usage', level: 1 }).count()).toBe(0)
    proxy.hold = (path) => /^\/api\/auth\/(?:admin\/)?usage/.test(path)
    proxy.release()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    // the frame works while the page still waits
    await page.getByRole('status').getByText('Loading').first().waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.getByRole('heading', { name: 'API', level: 1 }).waitFor()
    expect(await page.getByText('The server has not answered since').count()).toBe(0)
  })

  it('notices a server that takes requests and answers none, and goes on by itself', async () => {
    await using proxy = await startProxy(server.url)
    await using view = await openView(proxy.url, { expected: PROVOKED })
    const { page } = view
    await page.goto('/app/usage')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    proxy.hold = () => true
    const hung = Date.now()
    await page.getByText('The server has not answered since').waitFor()
    noteFigure({
      check: 10,
      name: 'banner after the server hangs',
      value: (Date.now() - hung) / 1000,
      unit: 's',
      most: 10,
    })
    proxy.hold = () => false
    proxy.release()
    await page.getByText('The server has not answered since').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Models', exact: true }).click()
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor()
  })

  it('says that the browser is offline, keeps what it shows, and goes on by itself', async () => {
    await using view = await openView(server.url, { expected: PROVOKED })
    const { page } = view
    await page.goto('/app/models?view=installed&model=story')
    await page.getByRole('heading', { name: 'story', level: 2 }).waitFor()
    await view.context.setOffline(true)
    await page
      .getByText(/This browser is offline|The server has not answered since/)
      .first()
      .waitFor()
    await page
      .getByText(/^as of /)
      .first()
      .waitFor()
    await page.getByRole('heading', { name: 'story', level: 2 }).waitFor()
    expect(
      await page
        .getByRole('button', { name: /^(Load|Stop)$/ })
        .first()
        .isDisabled(),
    ).toBe(true)
    await view.context.setOffline(false)
    await page
      .getByText(/^as of /)
      .first()
      .waitFor({ state: 'hidden' })
    expect(
      await page
        .getByRole('button', { name: /^(Load|Stop)$/ })
        .first()
        .isEnabled(),
    ).toBe(true)
  })
})
