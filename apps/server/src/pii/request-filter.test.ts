import { applySplices, parseJson } from '@svc/json'
import type { Detector } from '@svc/pii/detectors'
import { createPatternDetector } from '@svc/pii/patterns'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { createConversationTokens } from './conversation-tokens.ts'
import { createPiiMetrics } from './metrics.ts'
import { createRequestFilter } from './request-filter.ts'

const TOGETHER = 12

/** The fakes of a filter: a detector that answers later, and a store of conversations. */
async function openFilter() {
  const dir = await tempDir()
  const clock = createFakeClock()
  const database = await openDatabase({ dataPath: dir.path, appVersion: '1.0.0', logger: silentLogger, clock })
  const patterns = createPatternDetector({ name: 'mail', settings: { builtins: ['email'] } })
  const detector: Detector = { name: 'mail', detect: async (...given) => patterns.detect(...given) }
  let isAway = false
  const store = createConversationTokens({ queries: database.queries, clock, key: () => new Uint8Array(32) })
  const unlessAway = <T>(work: () => Promise<T>): Promise<T> => (isAway ? Promise.reject(new Error('away')) : work())
  const filter = createRequestFilter({
    defaults: () => ['mail'],
    detectors: { find: () => [detector] },
    tokens: { read: () => expect.unreachable() } as never,
    conversations: {
      read: (name) => unlessAway(() => store.read(name)),
      add: (name, entries) => unlessAway(() => store.add(name, entries)),
    },
    events: { record: () => [], flush: () => Promise.resolve() },
    metrics: createPiiMetrics(new Registry()),
    clock,
  })
  const model = createModel({ pii: { enabled: true, reversibleRedactions: true, conversationTokens: true } })
  return {
    async send(content: string) {
      const { signal } = new AbortController()
      const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }], conversation: 'c1' }))
      const { splices, restoration } = await filter.filter({
        document: parseJson(body),
        format: 'chat-completions',
        model,
        isSocket: false,
        correlationId: 'r1',
        userId: 'u1',
        abort: signal,
        signal,
      })
      return { sent: Buffer.from(applySplices(body, splices)).toString(), restoration }
    },
    lose: () => {
      isAway = true
    },
    async [Symbol.asyncDispose]() {
      await database.close()
      await dir.close()
    },
  }
}

describe('a conversation', () => {
  let filter: Awaited<ReturnType<typeof openFilter>>
  beforeAll(async () => {
    filter = await openFilter()
  })
  afterAll(() => filter[Symbol.asyncDispose]())

  it('has one token for each value of requests at the same time', async () => {
    const all = await Promise.all(
      Array.from({ length: TOGETHER }, (_, index) => filter.send(`to ada${index}@lab.example`)),
    )
    const tokens = all.map(({ sent }) => /\[REDACTED:EMAIL_\d+\]/.exec(sent)?.[0])
    expect(new Set(tokens).size).toBe(TOGETHER)
    const last = await filter.send('Hello')
    expect(last.restoration?.size).toBe(TOGETHER)
  })

  it('refuses its requests while the store is away', async () => {
    filter.lose()
    await expect(filter.send('to ada@lab.example')).rejects.toThrow('away')
  })
})
