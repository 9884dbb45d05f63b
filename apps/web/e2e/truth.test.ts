import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'
import { findOverflow } from './look.ts'

const FAILURE = { status: 'INTERNAL', message: 'no room on the card' } as const

describeInBrowser('pages and changes made elsewhere', () => {
  let server: BuiltServer
  beforeAll(async () => {
    server = await startBuiltServer({ flags: ['--galleries=[]'], mock: {} })
    await server.model('fine')
    await server.model('heavy', { rules: [{ rpc: 'LoadModel', do: { failure: FAILURE } }] })
    await server.model('cut', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['one ', 'two '], failure: { ...FAILURE, afterPieces: 1 } } }],
    })
    await writeModel('mistaken.yaml', 'name: mistaken\nbackend: mock\ncontext_size: many\n')
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const writeModel = (name: string, text: string) => writeFile(join(server.folder, 'models', name), text)
  const post = (path: string, body: unknown) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const chat = (model: string, stream = false) =>
    post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'Hello' }] })

  it('follow the intercepting proxy, on and off', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/intercept')
    const off = page.getByText('The intercepting proxy is off')
    await off.waitFor()
    expect((await post('/api/settings', { mitm_listen: '127.0.0.1:0' })).status).toBe(200)
    await page.getByText('listening', { exact: true }).waitFor()
    expect((await post('/api/settings', { mitm_listen: '' })).status).toBe(200)
    await off.waitFor()
  })

  it('show a mistake with its line and reason, open the editor there, and forget it when it is mended', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models?view=installed')
    const row = page.getByRole('link', { name: /mistaken\.yaml, line 3/ })
    await row.waitFor()
    expect(await row.textContent()).toMatch(/context_size.*number/)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await findOverflow(page)).toEqual([])
    }
    await row.click()
    await page.getByRole('heading', { name: 'mistaken', level: 1 }).waitFor()
    const active = page.locator('.cm-activeLine')
    await expect.poll(() => active.textContent()).toContain('context_size: many')
    await page.goBack()
    await row.waitFor()
    const text = 'name: mistaken\nbackend: mock\ncontext_size: 512\nparameters: { model: x }\n'
    const saved = await fetch(`${server.url}/models/edit/mistaken`, { method: 'POST', body: text })
    expect(saved.status, await saved.text()).toBe(200)
    await row.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^mistaken/ }).waitFor()
  })

  it('show a load that failed, without tracing, on three pages', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/models?view=installed&model=heavy')
    await page.getByRole('heading', { name: 'heavy', level: 2 }).waitFor()
    expect((await chat('heavy')).status).toBe(500)
    // the audit log gets no entry: the page notices the change by its own look
    await page.reload()
    await page.getByRole('alert').getByText('no room on the card').waitFor()
    await page.getByRole('link', { name: /heavy/ }).getByText('Load failed').waitFor()
    await page.getByLabel('State', { exact: true }).selectOption('failed')
    await expect.poll(() => page.locator('main li a[href*="model="]').count()).toBe(1)
    await page.goto('/app')
    await page.getByText('heavy does not load').waitFor()
    expect(view.requests.filter((line) => line.includes('backend-traces'))).toEqual([])
  })

  it('tell of a stream that broke off as a failure in the list, the filter and the figures', async () => {
    await using view = await openView(server.url)
    const { page } = view
    await post('/api/settings', { enable_tracing: true })
    await (await chat('fine')).text()
    await (await chat('cut', true)).text()
    await page.goto('/app/traces')
    await page.getByText('2 of 2').waitFor()
    await page.getByText('1 server or transport error').first().waitFor()
    const broken = page.locator('tbody tr[data-row]').filter({ hasText: 'cut' })
    await broken.getByText('failed').waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('failed')
    await page.getByText('1 of 1').waitFor()
    await page.locator('main dl').getByText('100', { exact: false }).first().waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('2xx')
    await broken.waitFor({ state: 'detached' })
    await page.locator('tbody tr[data-row]').filter({ hasText: 'fine' }).waitFor()
    await page.getByText('1 of 1').waitFor()
    await rm(join(server.folder, 'models/cut.yaml'))
  })
})
