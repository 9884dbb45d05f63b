// @vitest-environment jsdom
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { api } from './api-client.ts'
import { applyChanges, CHANGES, listParts } from './changes.ts'
import { followMutations } from './follow-mutations.ts'
import { MUTATIONS } from './mutations.ts'
import { queryClient } from './query-client.ts'

const web = join(import.meta.dirname, '..')
const server = join(import.meta.dirname, '../../../server/src')

/** The texts of a folder's sources by their paths, without tests and generated files. */
function readSources(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|gen)\.tsx?$/.test(name))
  return new Map(sources.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

const sources = readSources(web)
const text = [...sources.values()].join('\n')
const matchAll = (pattern: RegExp, subject = text): string[] =>
  [...subject.matchAll(pattern)].map(([, ...groups]) => groups.join(' '))

/** Calls that do not go through the API client, and where they are made. */
const PAST_THE_CLIENT = {
  'PUT /api/models/uploads/{id}': 'features/model-editor/send-file.ts',
  'POST /v1/chat/completions': 'lib/chat/run-answer.ts',
  'POST /v1/responses': 'lib/chat/run-answer.ts',
  'POST /v1/realtime/calls': 'lib/realtime/open-call.ts',
}
const parts = [...new Set(matchAll(/queryKey: \[\s*'([a-z-]+)'/g))].sort()

describe('the table of changes', () => {
  it('has a row for each call of the interface that is not a GET, and no other row', () => {
    const calls = matchAll(/api\.(POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g)
    expect(calls.length).toBeGreaterThan(50)
    expect(Object.keys(MUTATIONS).sort()).toEqual([...new Set([...calls, ...Object.keys(PAST_THE_CLIENT)])].sort())
  })

  it('knows the files that send requests without the client', () => {
    const past = [...sources].filter(([name, source]) => name !== 'lib/api-client.ts' && /\bsend\(toUrl\(/.test(source))
    expect(past.map(([name]) => name).sort()).toEqual([
      'features/model-editor/send-file.ts',
      'lib/chat/open-stream.ts',
      'lib/realtime/open-call.ts',
    ])
  })

  it('gives a reason for each call that changes nothing', () => {
    for (const effect of Object.values(MUTATIONS)) {
      if (typeof effect === 'string') expect(listParts(effect), effect).toBeDefined()
      else expect(effect.nothing).toMatch(/^\w+ .*\w+/)
    }
  })

  it('names parts that queries have', () => {
    for (const [change, stale] of Object.entries(CHANGES))
      for (const part of stale) expect(parts, change).toContain(part)
  })

  it('knows each change that the server records', () => {
    const recorded = new Set(
      matchAll(/\bchange: [`']([a-z]+\.[a-z$][^`']*)[`']/g, [...readSources(server).values()].join('\n')),
    )
    expect(recorded.size).toBeGreaterThan(40)
    for (const change of recorded) expect(listParts(change), change).toBeDefined()
  })

  it('leaves queries alone that are calls themselves, which would go on for ever', () => {
    const asking = matchAll(/queryKey: \[\s*'([a-z-]+)'[^\]]*\],(?:(?!queryKey)[\s\S]){0,200}?api\.(POST[^,)]*)/g)
    expect(asking.map((query) => query.split(' ')[0])).toContain('chat')
    const repeated = new Set(['inference'].flatMap((change) => listParts(change) ?? []))
    const isRead = (query: string) =>
      Object.entries(MUTATIONS).some(
        ([call, change]) => typeof change === 'object' && query.includes(`'${call.slice(5)}'`),
      )
    for (const query of asking.filter((each) => !isRead(each))) {
      expect([...repeated]).not.toContain(query.split(' ')[0])
    }
  })
})

describe('a call that the server has answered', () => {
  beforeAll(() => {
    followMutations()
  })
  afterEach(() => {
    queryClient.clear()
    vi.unstubAllGlobals()
  })

  /** Sends a call of the table. @returns the parts that are stale then */
  async function findStale(call: string, status: number): Promise<string[]> {
    vi.stubGlobal('fetch', async () => new Response('{}', { status, headers: { 'content-type': 'application/json' } }))
    for (const part of parts) queryClient.setQueryData([part, 'some'], 1)
    const [method = '', path = ''] = call.split(' ')
    const send = api[method as 'POST'] as unknown as (path: string, init: object) => Promise<unknown>
    const names = { id: '1', name: 'm', kind: 'logo', action: 'pin', jobID: 'j', quota_id: 'q' }
    await send(path, { params: { path: names }, body: {} })
    const queries = queryClient.getQueryCache().getAll()
    return queries.filter(({ state }) => state.isInvalidated).map(({ queryKey }) => String(queryKey[0]))
  }

  it.each(Object.entries(MUTATIONS))('makes stale what %s names', async (call, effect) => {
    const named = typeof effect === 'string' ? (listParts(effect) ?? []) : []
    for (const status of [200, 409]) expect((await findStale(call, status)).sort()).toEqual([...new Set(named)].sort())
  })

  it.each([
    ['POST /api/settings', ['middleware-status', 'models', 'backends', 'settings', 'branding', 'system', 'traces']],
    ['POST /models/edit/{name}', ['middleware-status', 'models', 'routers', 'model-file', 'system']],
    ['PUT /api/auth/admin/users/{id}/role', ['users', 'home', 'session']],
    ['POST /backend/shutdown', ['system', 'models', 'home', 'logs']],
    ['POST /api/traces/clear', ['traces', 'home']],
    ['POST /v1/embeddings', ['usage', 'traces', 'system', 'account']],
  ])('reaches the other pages: %s', async (call, others) => {
    const stale = await findStale(call, 200)
    for (const part of others) expect(stale).toContain(part)
  })
})

describe('changes from elsewhere', () => {
  it('make everything stale but operations and open files where one is unknown', () => {
    for (const part of parts) queryClient.setQueryData([part, 'some'], 1)
    applyChanges(['trace.clear', 'newer.thing'])
    const fresh = queryClient.getQueryCache().findAll({ predicate: ({ state }) => !state.isInvalidated })
    expect(fresh.map(({ queryKey: [part] }) => part).sort()).toEqual(['model-file', 'operations'])
    queryClient.clear()
  })

  it('fetch nothing where nothing has changed', () => {
    queryClient.setQueryData(['models', 'some'], 1)
    applyChanges([])
    expect(queryClient.getQueryState(['models', 'some'])?.isInvalidated).toBe(false)
    queryClient.clear()
  })
})
