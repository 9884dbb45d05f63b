import { createServer, type Server } from 'node:http'
import { eventually } from '@svc/test-kit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'

/** Outcomes of a page's attempts, by their name: `done`, or the reason why an attempt failed. */
type Outcomes = Readonly<Record<string, string>>

/** Tries, from the script of a page, all that a page can do with a server that it does not belong to. */
function attack(page: Page, target: string): Promise<Outcomes> {
  return page.evaluate(async (base) => {
    const outcomes: Record<string, string> = {}
    const note = async (name: string, attempt: Promise<unknown>): Promise<void> => {
      outcomes[name] = await attempt.then(
        () => 'done',
        (error: unknown) => `failed: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
    const read = async (path: string, init: RequestInit = {}): Promise<void> => {
      const reply = await fetch(`${base}${path}`, init)
      if (reply.type === 'opaque') throw new Error('opaque')
      if (!reply.ok) throw new Error(`status ${reply.status}`)
      if ((await reply.text()) === '') throw new Error('empty')
    }
    const load = (element: HTMLElement & { src: string }, path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        element.onload = () => resolve()
        element.onerror = () => reject(new Error('not loaded'))
        element.src = `${base}${path}`
        document.body.append(element)
      })
    const listen = (path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${base.replace('http', 'ws')}${path}`)
        socket.onopen = () => resolve()
        socket.onerror = () => reject(new Error('refused'))
      })
    const follow = (path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const source = new EventSource(`${base}${path}`)
        source.onopen = () => resolve()
        source.onerror = () => {
          source.close()
          reject(new Error('refused'))
        }
      })
    const settings = '{"threads":3}'
    const json = { method: 'POST', body: settings, headers: { 'content-type': 'application/json' } }
    const withKey = (name: string, value: string) => ({ ...json, headers: { ...json.headers, [name]: value } })

    await note('read', read('/api/settings'))
    await note('read with x-api-key', read('/api/settings', { headers: { 'x-api-key': 'anything' } }))
    await note('read with a bearer', read('/v1/models', { headers: { authorization: 'Bearer anything' } }))
    await note('write', read('/api/settings', json))
    for (const [name, value] of [
      ['x-api-key', 'anything'],
      ['xi-api-key', 'anything'],
      ['authorization', 'Bearer anything'],
    ] as const)
      await note(`write with ${name}`, read('/api/settings', withKey(name, value)))
    await note('write as text', read('/api/settings', { method: 'POST', body: settings }))
    await note('delete', read('/api/auth/sessions', { method: 'DELETE' }))
    await note('event stream', follow('/api/failover/events'))
    for (const path of ['/v1/responses', '/ws/backend-logs/any']) await note(`socket ${path}`, listen(path))
    await note('image', load(document.createElement('img'), '/favicon.svg'))
    await note('script', load(document.createElement('script'), '/v1/models'))

    // actions of a page that do not look at the reply
    await fetch(`${base}/api/settings`, { method: 'POST', mode: 'no-cors', body: settings }).catch(() => undefined)
    navigator.sendBeacon(`${base}/api/settings`, settings)
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const form = document.createElement('form')
      const frame = document.createElement('iframe')
      frame.name = `frame-${enctype}`
      Object.assign(form, { action: `${base}/api/settings`, method: 'post', enctype, target: frame.name })
      const field = document.createElement('input')
      // as text/plain the body is {"threads":3,"a":"="}
      Object.assign(field, { name: '{"threads":3,"a":"', value: '"}' })
      form.append(field)
      document.body.append(frame, form)
      const ended = new Promise((resolve) => frame.addEventListener('load', resolve))
      form.submit()
      await ended
      await note(
        `frame ${enctype}`,
        new Promise<void>((resolve, reject) => {
          if (frame.contentDocument === null) reject(new Error('hidden'))
          else resolve()
        }),
      )
    }
    return outcomes
  }, target)
}

describeInBrowser('a page of another origin, on a server without auth', () => {
  let server: BuiltServer
  let pages: Server
  let port = 0
  beforeAll(async () => {
    server = await startBuiltServer({ flags: ['--log-level', 'debug'] })
    pages = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>elsewhere</title><body>')
    })
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
    const address = pages.address()
    port = address === null || typeof address === 'string' ? 0 : address.port
  })
  afterAll(async () => {
    pages.closeAllConnections()
    pages.close()
    await server[Symbol.asyncDispose]()
  })

  const settings = async (): Promise<string> => {
    const { threads, cors_allow_origins: origins } = await (await fetch(`${server.url}/api/settings`)).json()
    return JSON.stringify({ threads, origins })
  }

  /** Attacks from a page. */
  async function attackFrom(url: string, target: string): Promise<Outcomes> {
    await using view = await openView(url, { expected: /./ })
    await view.page.goto(url)
    return await attack(view.page, target)
  }

  /** Statuses of the requests so far that were to change something. */
  const changes = (): unknown[] =>
    server
      .log()
      .filter(({ msg, method }) => msg === 'request served' && (method === 'POST' || method === 'DELETE'))
      .map(({ status }) => status)

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['localhost', '127.0.0.1'],
    ['app.localhost', 'localhost'],
    ['127.evil.test', '127.0.0.1'],
    ['127.0.0.1.evil.test', '127.0.0.1'],
    ['localhost.evil.test', 'localhost'],
  ])('of %s reads nothing, changes nothing and listens to nothing on %s', async (host, name) => {
    const before = await settings()
    const seen = changes().length
    const outcomes = await attackFrom(`http://${host}:${port}/`, server.url.replace('127.0.0.1', name))
    expect(Object.keys(outcomes).length).toBeGreaterThan(15)
    for (const [attempt, outcome] of Object.entries(outcomes)) expect(outcome, attempt).toMatch(/^failed/)
    // the browser sends these without asking: two as text, a beacon, three forms
    const sent = await eventually(() => {
      const statuses = changes().slice(seen)
      expect(statuses.length).toBeGreaterThanOrEqual(6)
      return statuses
    })
    expect([...new Set(sent)]).toEqual([403])
    expect(await settings()).toBe(before)
  })

  it('that points its name at this server gets nothing by that name', async () => {
    await using view = await openView(server.url, { expected: /./ })
    const { port: own } = new URL(server.url)
    for (const host of ['127.evil.test', '127.0.0.1.evil.test', 'localhost.evil.test']) {
      const reply = await view.page.goto(`http://${host}:${own}/api/settings`)
      expect(reply?.status(), host).toBe(421)
    }
  })

  it('is served once the operator lists it, as a page of the server always is', async () => {
    const elsewhere = `http://localhost:${port}`
    const open = (outcomes: Outcomes) => Object.keys(outcomes).filter((name) => outcomes[name] === 'done')
    const can = [
      'read',
      'read with x-api-key',
      'write',
      'write with x-api-key',
      'write as text',
      'socket /v1/responses',
    ]
    const own = await attackFrom(`${server.url}/healthz`, server.url)
    expect(open(own)).toEqual(expect.arrayContaining([...can, 'image']))
    const reply = await fetch(`${server.url}/api/settings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ cors_allow_origins: elsewhere }),
    })
    expect(reply.status).toBe(200)
    const listed = await attackFrom(`${elsewhere}/`, server.url)
    expect(open(listed)).toEqual(expect.arrayContaining(can))
  })
})
