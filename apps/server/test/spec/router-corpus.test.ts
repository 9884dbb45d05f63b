import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRecords } from '@svc/backend-mock/script'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RouterWorld, startRouterWorld } from '../support/router-world.ts'
import { verifies } from './verifies.ts'

const KNN = {
  classifier: 'knn',
  classifier_model: undefined,
  activation_threshold: undefined,
  knn: { embedding_model: 'embedder', similarity_threshold: 0.5 },
}
const ENTRIES = [
  { text: 'fix the bug in my program', labels: ['code'] },
  { text: 'what is three times four', labels: ['math'] },
  { text: 'prove that my program is right', labels: ['code', 'math'] },
  { text: 'good morning to you', labels: ['chat'] },
]

async function startKnnWorld(): Promise<RouterWorld> {
  const world = await startRouterWorld()
  await world.embedder('embedder')
  await world.router('auto', KNN)
  return world
}

const readStats = async (world: RouterWorld, router = 'auto') =>
  (await world.server.call(`/api/router/${router}/corpus/stats`)).json() as Record<string, unknown>
const clear = (world: RouterWorld, router = 'auto') =>
  world.server.call(`/api/router/${router}/corpus`, { method: 'DELETE' })
const embedded = (world: RouterWorld): number =>
  world.server.records('embedder').filter(({ rpc, event }) => rpc === 'Embedding' && event === 'start').length

describe('the corpus of a router', () => {
  let world: RouterWorld
  beforeAll(async () => {
    world = await startKnnWorld()
  })
  beforeEach(async () => {
    await clear(world)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  verifies(
    [
      'router-api:corpus:add',
      'router-api:corpus:indexed',
      'router-api:corpus:same-text',
      'router:knn:votes',
      'router:knn:keys',
      'decision-log:entry:nearest',
    ],
    'is embedded here, kept, and votes at once',
    async () => {
      expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'spare' })
      const added = await world.corpus('auto', [...ENTRIES, ENTRIES[0] ?? { text: '', labels: [] }])
      expect([added.status, added.json()]).toEqual([
        200,
        { router: 'auto', added: 4, skipped: 1, total: 4, label_counts: { chat: 1, code: 2, math: 2 } },
      ])
      const log = await world.server.call('/api/pii/events?change=corpus&limit=1')
      expect(log.json()).toMatchObject({
        events: [{ change: 'corpus.add', target: 'auto', details: '4 added, 1 skipped, 4 in all', outcome: 'done' }],
      })
      for (const { text } of ENTRIES) expect(log.text).not.toContain(text)
      expect(await world.ask('fix the bug in my program')).toMatchObject({ status: 200, model: 'mid' })
      const [decision] = await world.decisions('?limit=1')
      expect(decision).toMatchObject({ classifier: 'knn', cached: false, nearest_similarity: expect.closeTo(1, 5) })
      expect(decision?.neighbors?.[0]).toMatchObject({ similarity: expect.closeTo(1, 5), labels: ['code'] })
      expect(JSON.stringify(decision)).not.toContain('bug')
      expect(await world.ask('good morning to you')).toMatchObject({ model: 'small' })
      expect(await world.ask('entirely unrelated zebra')).toMatchObject({ model: 'spare' })
      expect((await world.corpus('auto', ENTRIES)).json()).toMatchObject({ added: 0, skipped: 4, total: 4 })
    },
  )

  verifies(
    ['router-api:corpus:stats', 'router-api:corpus:stats-no-texts'],
    'shows its size and its labels, never a text',
    async () => {
      await world.corpus('auto', ENTRIES)
      const reply = await world.server.call('/api/router/auto/corpus/stats')
      expect(reply.json()).toEqual({
        router: 'auto',
        store_name: 'router-corpus-auto',
        embedding_model: 'embedder',
        total: 4,
        label_counts: { chat: 1, code: 2, math: 2 },
        embedding_models: ['embedder'],
        problems: [],
        problem_count: 0,
      })
      for (const { text } of ENTRIES) expect(reply.text).not.toContain(text)
      expect((await world.server.call('/api/router/status')).json()).toMatchObject({
        models: [{ name: 'auto', knn: { k: 3, vote_threshold: 0.5, corpus: { total: 4, label_counts: { code: 2 } } } }],
      })
    },
  )

  verifies(
    ['router:knn:file', 'router:knn:entry'],
    'is one file of JSON lines in the data path, which only its owner and group read',
    async () => {
      await world.corpus('auto', ENTRIES)
      const folder = join(world.server.folder, 'data/router-corpus')
      const [name = '', ...others] = await readdir(folder)
      expect([name, others]).toEqual([expect.stringMatching(/^router-corpus-auto-[0-9a-f]{32}\.jsonl$/), []])
      const lines = (await readFile(join(folder, name), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines.map(({ text, labels }) => ({ text, labels }))).toEqual(ENTRIES)
      expect(lines[0]).toEqual({
        ...ENTRIES[0],
        vector: expect.any(Array),
        embedding_model: 'embedder',
        embedding_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
      expect(lines[0].vector).toHaveLength(64)
    },
  )

  verifies('router-api:corpus:delete', 'is wiped, file and index', async () => {
    await world.corpus('auto', ENTRIES)
    expect((await clear(world)).json()).toEqual({ router: 'auto', cleared: 4 })
    expect(await readdir(join(world.server.folder, 'data/router-corpus'))).toEqual([])
    expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'spare' })
    expect(await readStats(world)).toMatchObject({ total: 0, label_counts: {} })
    expect((await clear(world)).json()).toEqual({ router: 'auto', cleared: 0 })
  })

  // verifies router-api:corpus:declared-labels, router-api:corpus:bad-labels
  it.each([
    ['no entries', {}, 'entries is required'],
    ['an empty list', { entries: [] }, 'entries is required'],
    ['entries that are no list', { entries: 'x' }, 'entries'],
    ['an entry without text', { entries: [{ labels: ['code'] }] }, 'entries'],
    ['an empty text', { entries: [{ text: ' ', labels: ['code'] }] }, 'entries[0]'],
    ['no label', { entries: [{ text: 'x', labels: [] }] }, 'entries[0]'],
    ['an empty label', { entries: [{ text: 'x', labels: [''] }] }, 'entries[0]'],
    [
      'an undeclared label',
      {
        entries: [
          { text: 'x', labels: ['code'] },
          { text: 'y', labels: ['poems'] },
        ],
      },
      'entries[1]',
    ],
    ['a label twice', { entries: [{ text: 'x', labels: ['code', 'code'] }] }, 'entries[0]'],
    [
      'too many entries',
      { entries: Array.from({ length: 10_001 }, (_, i) => ({ text: `${i}`, labels: ['code'] })) },
      'entries',
    ],
    [
      'more entries than a body may have',
      { entries: Array.from({ length: 200_000 }, () => ({ text: '', labels: [] })) },
      '',
    ],
  ])('refuses %s, and adds nothing', async (_, body, message) => {
    const before = embedded(world)
    const reply = await world.server.post('/api/router/auto/corpus', body)
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(message)])
    expect([embedded(world), (await readStats(world)).total]).toEqual([before, 0])
  })

  it.each([
    ['nobody', 404, 'nobody'],
    ['..%2F..%2Fetc', 404, ''],
    ['small', 400, 'is not a router'],
    ['scored', 400, 'knn'],
  ])('knows the router %s: %s', async (name, status, message) => {
    await world.router('scored')
    for (const [path, options] of [
      [`/api/router/${name}/corpus/stats`, {}],
      [`/api/router/${name}/corpus`, { method: 'DELETE' }],
    ] as const) {
      const reply = await world.server.call(path, options)
      expect([reply.status, reply.text], path).toEqual([status, expect.stringContaining(message)])
    }
    const reply = await world.corpus(name, ENTRIES)
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)])
  })

  it('adds all or nothing where the model fails', async () => {
    await world.embedder('failing', {
      rules: [{ rpc: 'Embedding', contains: 'four', do: { failure: { status: 'INTERNAL', message: 'no' } } }],
    })
    await world.router('other', { ...KNN, knn: { embedding_model: 'failing' } })
    expect((await world.corpus('other', ENTRIES)).status).toBe(500)
    expect(await readStats(world, 'other')).toMatchObject({ total: 0 })
    await world.router('missing', { ...KNN, knn: { embedding_model: 'nobody' } })
    const reply = await world.corpus('missing', ENTRIES)
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('nobody')])
  })

  it('has a name that the file may choose, whatever it is', async () => {
    await world.router('odd', { ...KNN, knn: { embedding_model: 'embedder', store_name: '../../../etc/passwd' } })
    expect((await world.corpus('odd', ENTRIES)).status).toBe(200)
    const names = await readdir(join(world.server.folder, 'data/router-corpus'))
    expect(names.some((name) => name.startsWith('.._.._.._etc_passwd-'))).toBe(true)
    await clear(world, 'odd')
  })
})

describe('after a restart', () => {
  let dir: TempDir
  beforeEach(async () => {
    dir = await tempDir()
  })
  afterEach(() => dir.close())
  /** A server over the same data, with the same file of its embedding model. */
  const start = async (): Promise<RouterWorld> => {
    const world = await startRouterWorld({ flags: [`--data-path=${dir.join('data')}`] })
    await world.embedder('embedder', { record: dir.join('embedder') })
    await world.router('auto', KNN)
    return world
  }
  const embeddedAll = (): number =>
    readRecords(dir.join('embedder')).filter(({ rpc, event }) => rpc === 'Embedding' && event === 'start').length
  const corpusFile = async () => {
    const folder = dir.join('data/router-corpus')
    const [name = ''] = await readdir(folder)
    return join(folder, name)
  }

  verifies(
    ['router:knn:rebuilt', 'router:cache:in-memory', 'events:routing:in-memory'],
    'the corpus serves from its file without being embedded anew, and decisions are gone',
    async () => {
      {
        await using world = await start()
        await world.corpus('auto', ENTRIES)
        expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'mid' })
      }
      const before = await readFile(await corpusFile(), 'utf8')
      await using world = await start()
      expect(await world.decisions()).toEqual([])
      const already = embeddedAll()
      expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'mid' })
      expect(embeddedAll()).toBe(already + 1)
      expect(await readFile(await corpusFile(), 'utf8')).toBe(before)
    },
  )

  verifies('router:knn:fingerprint-at-load', 'texts of another model are embedded anew, once', async () => {
    {
      await using world = await start()
      await world.corpus('auto', ENTRIES)
    }
    const before = await readFile(await corpusFile(), 'utf8')
    await using world = await start()
    await world.router('auto', { ...KNN, knn: { ...KNN.knn, embedding_revision: 'two' } })
    const already = embeddedAll()
    expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'mid' })
    expect(embeddedAll()).toBe(already + 1 + ENTRIES.length)
    const after = await readFile(await corpusFile(), 'utf8')
    expect(after).not.toBe(before)
    expect(after.split('\n')).toHaveLength(ENTRIES.length + 1)
  })

  it('lines that cannot be read are named, and the others serve', async () => {
    {
      await using world = await start()
      await world.corpus('auto', ENTRIES)
    }
    const lines = (await readFile(await corpusFile(), 'utf8')).split('\n')
    lines.splice(1, 0, 'damaged', '{"text": 5}')
    await writeFile(await corpusFile(), `${lines.join('\n')}{"text": "torn`)
    await using world = await start()
    expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'mid' })
    const stats = await readStats(world)
    expect(stats).toMatchObject({ total: 4, problem_count: 3 })
    expect((stats.problems as { line: number }[]).map(({ line }) => line)).toEqual([2, 3, 7])
  })

  verifies(
    'router:knn:sync-error',
    'a file that cannot be read fails the lookup, and the fallback serves',
    async () => {
      await using world = await start()
      await occupy(world, dir)
      expect(await world.ask('fix the bug in my program')).toMatchObject({ status: 200, model: 'spare' })
      expect((await world.decisions('?limit=1'))[0]).toMatchObject({ reason: 'classifier-failed', classifier: 'knn' })
      expect((await world.corpus('auto', ENTRIES)).status).toBe(500)
    },
  )
})

/** Puts a folder where the file of the corpus would be. */
async function occupy(world: RouterWorld, dir: TempDir): Promise<void> {
  await world.corpus('auto', ENTRIES.slice(0, 1))
  const folder = dir.join('data/router-corpus')
  const [storeFile = ''] = await readdir(folder)
  await clear(world)
  await mkdir(join(folder, storeFile))
}

verifies(
  'router:knn:fingerprint-live',
  'a model that changes while its corpus is in memory stops the classifier until a restart; a cleared corpus goes on',
  async () => {
    await using world = await startKnnWorld()
    await world.corpus('auto', ENTRIES)
    await world.router('auto', { ...KNN, knn: { ...KNN.knn, embedding_revision: 'two' } })
    expect(await world.ask('fix the bug in my program')).toMatchObject({ status: 200, model: 'spare' })
    expect((await world.decisions('?limit=1'))[0]).toMatchObject({ classifier: 'fallback', reason: 'no-classifier' })
    const added = await world.corpus('auto', ENTRIES)
    expect([added.status, added.text]).toEqual([500, expect.stringContaining('restart')])
    expect((await world.server.call('/api/router/status')).text).toContain('restart to embed it anew')
    expect(await readStats(world)).toMatchObject({ total: 4 })
    expect((await clear(world)).json()).toMatchObject({ cleared: 4 })
    expect((await world.corpus('auto', ENTRIES)).json()).toMatchObject({ added: 4 })
    expect(await world.ask('fix the bug in my program')).toMatchObject({ model: 'mid' })
  },
)

it('weights that change stop the classifier, and a live addition does not', async () => {
  await using world = await startKnnWorld()
  const weights = join(world.server.modelsPath, 'embedder.bin')
  await writeFile(weights, 'weights')
  await world.server.call('/models/reload', { method: 'POST' })
  for (const entry of ENTRIES) expect((await world.corpus('auto', [entry])).status).toBe(200)
  expect(await world.ask('good morning to you')).toMatchObject({ model: 'small' })
  await utimes(weights, new Date(), new Date(1_000_000_000_000))
  await world.server.call('/models/reload', { method: 'POST' })
  expect(await world.ask('good morning to you')).toMatchObject({ model: 'spare' })
})

it('weights that cannot be looked at leave the router and the status of all routers as they are', async () => {
  await using world = await startKnnWorld()
  await world.embedder('far-off', {}, { parameters: { model: `${'w'.repeat(300)}.bin` } })
  await world.router('odd', { ...KNN, knn: { ...KNN.knn, embedding_model: 'far-off' } })
  expect((await world.corpus('odd', ENTRIES)).json()).toMatchObject({ added: 4 })
  expect(await world.ask('good morning to you', 'odd')).toMatchObject({ status: 200, model: 'small' })
  const status = await world.server.call('/api/router/status')
  expect([status.status, status.text]).toEqual([200, expect.stringContaining('"name":"odd"')])
})
