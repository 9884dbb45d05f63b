import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { startUpstream, type Upstream } from '@svc/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { CANARY_PATTERNS, canaryBodies, findLeak, writeJson } from '../support/canary-bodies.ts'
import { listScannedPaths } from '../support/scanned-routes.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

/** Bodies over all routes; with `SVC_LONG=1` 100,000, or `CANARY_BODIES`. */
const BODIES = Number(process.env.CANARY_BODIES) || (process.env.SVC_LONG === '1' ? 100_000 : 2000)
/** Number of parallel requests. */
const TOGETHER = 10

const ALL = ['chat', 'completion', 'edit', 'embeddings', 'tokenize']
/** Local models, and models upstream by their format. */
const HERE = ['masked', 'restored', 'kept', 'replaced', 'blocked']
const FAR: Readonly<Record<string, readonly string[]>> = {
  '/v1/chat/completions': [
    'far-a',
    'far-a-kept',
    'far-a-replaced',
    'far-a-full',
    'far-b-full',
    'far-b-text',
    'far-blocked',
  ],
  '/v1/messages': ['far-b', 'far-b-kept', 'far-b-replaced', 'far-a-full', 'far-b-full', 'far-a-text', 'far-blocked'],
}
/** In place of the fixed text. */
const OPERATORS = {
  CANARY: { fake: 'person' },
  PARTED: { hash_key_env: 'CANARY_KEY' },
  CROSSING: { fake: 'street_address' },
}

/** Both formats read this as a reply. */
const REPLY = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  content: [{ type: 'text', text: 'Hello' }],
}

vi.setConfig({ testTimeout: 7_200_000 })

let server: TestServer
let upstream: Upstream
let agent: Agent

beforeAll(async () => {
  upstream = await startUpstream()
  server = await startTestServer({ env: { CANARY_KEY: 'the key of the hashes in this test' } })
  agent = new Agent({ keepAlive: true, maxSockets: TOGETHER })
  for (const [name, action] of [
    ['masking', 'mask'],
    ['replacing', 'mask'],
    ['blocking', 'block'],
  ]) {
    const own = name === 'replacing' ? { operators: OPERATORS } : {}
    const pii_detection = { patterns: CANARY_PATTERNS, default_action: action, ...own }
    await server.writeModelFile(`${name}.yaml`, stringify({ name, backend: 'pattern', pii_detection }))
  }
  const policy = (name: string) => ({
    enabled: true,
    detectors: [name.includes('blocked') ? 'blocking' : name.includes('replaced') ? 'replacing' : 'masking'],
    reversible_redactions: /restored|kept/.test(name),
    conversation_tokens: name.includes('kept'),
  })
  for (const name of HERE) await server.model(name, {}, { known_usecases: ALL, pii: policy(name), pinned: true })
  for (const name of new Set(Object.values(FAR).flat())) {
    const proxy = {
      upstream_url: `${upstream.origin}/${name}`,
      provider: name.startsWith('far-b') ? 'provider_b' : 'provider_a',
      mode: /full|text/.test(name) ? 'translate' : 'passthrough',
      ...(name.endsWith('full') ? { translate: 'full' } : {}),
    }
    await server.writeModelFile(
      `${name}.yaml`,
      stringify({ name, backend: 'cloud-proxy', known_usecases: ['chat'], proxy, pii: policy(name) }),
    )
  }
  upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(REPLY) })
})
afterAll(async () => {
  for (const file of recordFiles.values()) closeSync(file)
  agent.destroy()
  await server.close()
  await upstream.close()
})

/** The conversation of the next requests, for the models that keep tokens. */
let conversation = 0

function send(path: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body)
    const headers = {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'x-conversation-id': `c${conversation}`,
    }
    const outgoing = request(new URL(path, server.url), { method: 'POST', agent, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

/** Record files with the offset that has been read. */
const recordFiles = new Map<string, number>()

/** Reads the new records of the mock for a model. */
function newRecords(model: string): string {
  const path = join(server.folder, 'records', model)
  if (!existsSync(path)) return ''
  const file = recordFiles.get(model) ?? openSync(path, 'r')
  recordFiles.set(model, file)
  return readFileSync(file, 'utf8')
}

/** Everything that is in the files of the database. */
function readDatabase(): string {
  const folder = join(server.folder, 'data')
  const files = readdirSync(folder).filter((name) => name.startsWith('database.db'))
  expect(files).not.toEqual([])
  return files.map((name) => readFileSync(join(folder, name), 'latin1')).join('\n')
}

describe('the search for canaries', () => {
  it('finds them behind layers of escapes, percent signs and base64, and finds their cut pieces', () => {
    const value = { a: 'é😀" canary-01234567' }
    for (let seed = 0; seed < 50; seed++) {
      const inner = writeJson(value, { seed, doubles: true })
      expect(findLeak(writeJson({ inner }, { seed: seed + 1, doubles: true }))).toBe('canary-01234567')
    }
    expect(findLeak('http://x/%63anary-01234567')).toBe('canary-01234567')
    expect(findLeak(`"${Buffer.from('so it is canary-01234567 now').toString('base64')}"`)).toBe('canary-01234567')
    expect(findLeak('parted-0')).toBe('parted-0')
    expect(findLeak('canary-0123456, [REDACTED:pattern:CANARY]')).toBeUndefined()
  })
})

describe('generated bodies with canaries', () => {
  verifies(
    ['pii:document:all-strings', 'pii:document:nested-json', 'pii:document:adjacent-parts', 'pii:tool-output:scanned'],
    'of every scanned route never reach a model, here or upstream; a blocked request sends it nothing',
    async () => {
      const routes = new Map(listScannedPaths(server).map((entry) => [entry[1].path, entry]))
      let seen = 0
      let turn = 0
      const counts: Record<string, Record<number, number>> = {}
      const share = Math.ceil(BODIES / routes.size / TOGETHER)
      for (const [path, route] of routes.values()) {
        const models = [...HERE, ...(FAR[route.path] ?? [])]
        await fc.assert(
          fc.asyncProperty(
            fc.array(canaryBodies(route, models), { minLength: TOGETHER, maxLength: TOGETHER }),
            async (all) => {
              conversation = Math.floor(turn++ / 10)
              const replies = await Promise.all(all.map(({ body }) => send(path, body)))
              for (const [index, { status, text }] of replies.entries()) {
                if (status >= 400) expect([path, findLeak(text)]).toEqual([path, undefined])
                const key = `${route.path} ${all[index]?.model}`
                counts[key] = { ...counts[key], [status]: (counts[key]?.[status] ?? 0) + 1 }
              }
              const reached = upstream.requests.slice(seen)
              seen = upstream.requests.length
              for (const { path: to, text } of reached) {
                expect(to).not.toContain('blocked')
                expect(findLeak(text())).toBeUndefined()
              }
              for (const model of HERE) expect([model, findLeak(newRecords(model))]).toEqual([model, undefined])
              expect(findLeak(server.logLines.join('\n'))).toBeUndefined()
              server.logLines.length = 0
            },
          ),
          { numRuns: share, endOnFailure: true },
        )
      }
      if (process.env.CANARY_REPORT === '1') console.log(counts)
      expect(server.records('blocked')).toEqual([])
      for (const [key, count] of Object.entries(counts)) {
        const isBlocked = key.endsWith('blocked')
        if (isBlocked) expect([key, Object.keys(count)]).toEqual([key, ['400']])
        else if (BODIES >= 2000) expect([key, (count[200] ?? 0) > 0]).toEqual([key, true])
      }
      const events = await server.call('/api/pii/events?limit=10000')
      expect(findLeak(events.text)).toBeUndefined()
      expect(findLeak(readDatabase())).toBeUndefined()
      const metrics = await server.call('/metrics')
      expect(findLeak(metrics.text)).toBeUndefined()
      expect(metrics.text).toContain('svc_pii_events_total{kind="pii",origin="middleware",action="mask"')
    },
  )
})
