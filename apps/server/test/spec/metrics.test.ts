import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { untilListening } from '../support/interception-world.ts'
import { startPiiWorld } from '../support/pii-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const read = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../docs/monitoring/${name}`, import.meta.url)), 'utf8')

const DASHBOARD = JSON.parse(read('dashboard.json')) as {
  panels: { title: string; targets: { expr: string }[] }[]
}
const RULES = parse(read('rules.yaml')) as { groups: { rules: { record?: string; alert?: string; expr: string }[] }[] }

/** A sample of the text format. */
interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

async function scrape(server: TestServer, headers: Readonly<Record<string, string>> = {}): Promise<Sample[]> {
  const { text } = await server.call('/metrics', { headers })
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text]) => [key, text])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

const find = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined =>
  samples.find((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    ?.value

/** The series that an expression reads, with the values of labels that it asks for. */
function readSelectors(expr: string): { readonly name: string; readonly labels: Record<string, string> }[] {
  return [...expr.matchAll(/\b((?:svc|nodejs|process|api)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', given = '']) => ({
    name,
    labels: Object.fromEntries([...given.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value])),
  }))
}

describe('metrics of work', () => {
  let world: Awaited<ReturnType<typeof startPiiWorld>>
  let samples: Sample[]
  beforeAll(async () => {
    world = await startPiiWorld({ flags: ['--enable-tracing', '--max-active-backends=2', '--mitm-listen=127.0.0.1:0'] })
    await untilListening(world.server)
    const { server } = world
    const failure = { status: 'INTERNAL', message: 'broke' } as const
    await world.patterns('secrets', { MAIL: 'ada@site[.]example' })
    const figures = { promptTokens: 5, completionTokens: 3 }
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'one two', ...figures } }] })
    await server.model('failing', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['a', 'b'], failure: { ...failure, afterPieces: 1 } } }],
    })
    await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { failure } }] })
    await server.model('filtered', {}, { pii: { enabled: true, detectors: ['secrets'] } })
    await server.writeModelFile(
      'router.yaml',
      `name: pick\nknown_usecases: [chat]\nrouter:\n  classifier: score\n  classifier_model: m\n  fallback: m\n  policies: [{label: a, description: b}]\n  candidates: [{model: m, labels: [a]}]\n`,
    )
    for (const stream of [false, true]) expect((await server.chat('m', { stream })).status).toBe(200)
    await server.chat('failing', { stream: true })
    expect((await server.chat('broken')).status).toBe(500)
    expect((await server.chat('unknown')).status).toBe(404)
    expect((await server.chat('m', { messages: 7 })).status).toBe(400)
    await server.chat('filtered', { messages: [{ role: 'user', content: 'Write to ada@site.example' }] })
    await server.chat('pick')
    samples = await scrape(server)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  // verifies metrics:features:while-running
  it('count requests by model and end, tokens, first tokens, loads and departures', () => {
    const requests = (model: string, outcome: string) => find(samples, 'svc_requests_total', { model, outcome })
    expect(requests('m', 'completed')).toBeGreaterThanOrEqual(2)
    expect(requests('m', 'refused')).toBe(1)
    expect(requests('failing', 'failed')).toBe(1)
    expect(requests('broken', 'failed')).toBe(1)
    expect(requests('', 'refused')).toBe(1)
    expect(find(samples, 'svc_model_tokens_total', { model: 'm', kind: 'prompt' })).toBeGreaterThanOrEqual(10)
    expect(find(samples, 'svc_time_to_first_token_seconds_count', { model: 'm' })).toBeGreaterThanOrEqual(2)
    expect(find(samples, 'svc_model_loads_total', { model: 'broken', outcome: 'failed' })).toBe(1)
    expect(find(samples, 'svc_model_loads_total', { model: 'm', outcome: 'loaded' })).toBeGreaterThanOrEqual(1)
    expect(find(samples, 'svc_model_departures_total', { reason: 'eviction' })).toBeGreaterThanOrEqual(1)
    expect(find(samples, 'svc_traces_lost_total')).toBe(0)
    expect(find(samples, 'svc_models_loaded')).toBeGreaterThanOrEqual(1)
  })

  it('give every panel of the dashboard a series', async () => {
    const names = new Set(samples.map(({ name }) => name))
    // Nothing was refused at a limit, signed in or intercepted here: these series have no samples yet.
    const text = (await world.server.call('/metrics')).text
    for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) names.add(name)
    for (const { title, targets } of DASHBOARD.panels)
      for (const { expr } of targets)
        for (const { name } of readSelectors(expr)) expect([...names], `${title}: ${expr}`).toContain(name)
  })

  it('have the series and labels that the rules read', () => {
    const recorded = RULES.groups.flatMap(({ rules }) => rules.flatMap(({ record }) => record ?? []))
    expect(recorded.length).toBeGreaterThan(0)
    for (const { expr } of RULES.groups.flatMap(({ rules }) => rules)) {
      const selectors = readSelectors(expr)
      expect(selectors.length + recorded.filter((name) => expr.includes(name)).length, expr).toBeGreaterThan(0)
      for (const { name, labels } of selectors) {
        if (name === 'svc_limit_refusals_total') continue
        expect(find(samples, name, labels), `${expr}: ${name}`).toBeDefined()
      }
    }
  })
})

describe('metrics of accounts and changes', () => {
  it('count sign-ins by method and end, and changes by theirs', async () => {
    await using world = await startAccountsWorld()
    const { admin } = world
    const samples = () => scrape(world, admin.headers)
    const signIns = async (method: string, outcome: string) =>
      find(await samples(), 'svc_sign_ins_total', { method, outcome })
    const email = admin.email
    for (const password of ['wrong', PASSWORD])
      await world.browser().send('POST', '/api/auth/login', { email, password })
    for (const token of ['wrong', 'wrong', admin.key])
      await world.browser().send('POST', '/api/auth/token-login', { token })
    expect([await signIns('password', 'succeeded'), await signIns('password', 'refused')]).toEqual([1, 1])
    expect([await signIns('key', 'succeeded'), await signIns('key', 'refused')]).toEqual([1, 2])
    await world.model('gone')
    const removed = await world.post('/models/delete/gone', {}, admin.headers)
    expect(removed.status, removed.text).toBe(200)
    await eventually(async () =>
      expect(
        find(await samples(), 'svc_operations_total', { subject: 'model', action: 'deletion', outcome: 'completed' }),
      ).toBe(1),
    )
    expect(find(await samples(), 'svc_operations_open')).toBe(0)
  })
})

describe('the limits of metrics', () => {
  it('refusals are counted by the limit', async () => {
    await using server = await startTestServer({ flags: ['--max-concurrent-backend-requests=1'] })
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { delayMs: 60_000 } }] })
    const left = new AbortController()
    const running = fetch(new URL('/v1/chat/completions', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
      signal: left.signal,
    }).catch(() => undefined)
    await eventually(async () => expect(find(await scrape(server), 'svc_backend_calls_running')).toBe(1))
    expect((await server.chat('m')).status).toBe(429)
    left.abort()
    await running
    await eventually(async () => {
      const samples = await scrape(server)
      expect(find(samples, 'svc_limit_refusals_total', { limit: 'global' })).toBe(1)
      expect(find(samples, 'svc_requests_total', { model: 'm', outcome: 'left' })).toBe(1)
    })
  })

  it('no path, model or user of a client adds a series', async () => {
    await using server = await startTestServer()
    await server.model('m')
    await server.chat('m')
    await server.chat('never')
    await server.call('/never')
    await server.call('/metrics')
    // Metrics of Node itself come and go with its handles.
    const count = async (): Promise<number> =>
      (await scrape(server)).filter(({ name }) => /^(svc_|api_call)/.test(name)).length
    const before = await count()
    for (let index = 0; index < 1000; index += 1) {
      if (index % 2 === 0) await server.call(`/never/${index}`)
      else await server.chat(`model-${index}`, { user: `user-${index}` })
    }
    expect(await count()).toBe(before)
  })
})
