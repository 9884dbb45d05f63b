import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'
import { startProxy } from './start-proxy.ts'

const PROVOKED = /ERR_|Failed to fetch|dynamically imported module|preload CSS|network error/i

describeInBrowser('the interface behind a proxy', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({
      flags: ['--galleries=[]', '--trusted-proxies', '127.0.0.1'],
      mock: {},
    })
    await mkdir(join(server.folder, 'models'), { recursive: true })
    await server.model('story', { rules: [{ rpc: 'PredictStream', do: { text: 'once upon a time' } }] })
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
    await page.getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: 60_000 })
    expect(view.requests.filter((line) => !line.split(' ')[1]?.startsWith('/llm/'))).toEqual([])
  })

  it('loads the page again when a part of it is gone after an upgrade', async () => {
    await using proxy = await startProxy(server.url)
    await using view = await openView(proxy.url, { expected: PROVOKED })
    const { page } = view
    await page.goto('/app')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    // the page that tells of failures is here by then, as it is whenever someone has looked at a page for a moment
    await expect.poll(() => view.requests.some((line) => line.includes('/failures-')), { timeout: 20_000 }).toBe(true)
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
    await answer.getByRole('button', { name: 'Retry' }).waitFor({ timeout: 60_000 })
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
})
