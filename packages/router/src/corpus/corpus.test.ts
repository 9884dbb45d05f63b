import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createFakeClock, type TempDir, tempDir } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWordEmbedder, embedWords, hang } from '../__fixtures__/models.ts'
import { createCorpusFiles } from '../node.ts'
import type { CallOptions, Embedder } from '../ports.ts'
import { createVectorIndex } from '../vector/vector-index.ts'
import { type CorporaOptions, createCorpora } from './corpora.ts'
import type { CorpusOptions } from './corpus.ts'
import { createEntryId, MAX_ENTRIES_PER_REQUEST, MAX_ENTRY_LENGTH } from './entry.ts'
import { createFingerprint } from './fingerprint.ts'

const { signal } = new AbortController()
const labels = new Set(['code', 'math', 'chat'])
const ENTRIES = [
  { text: 'fix the bug in my program', labels: ['code'] },
  { text: 'what is three times four', labels: ['math'] },
  { text: 'prove the program right', labels: ['code', 'math'] },
]

let dir: TempDir
beforeEach(async () => {
  dir = await tempDir()
})
afterEach(() => dir.close())

/** The corpora of a process that starts now. */
const start = (options: Partial<CorporaOptions> = {}) =>
  createCorpora({ store: createCorpusFiles({ folder: dir.join('corpora') }), ...options })

const open = (options: Partial<CorpusOptions & CorporaOptions> = {}) =>
  start(options).open({
    name: 'auto',
    embedder: createWordEmbedder(),
    embeddingModel: 'words',
    fingerprint: 'f1',
    ...options,
  })

async function findFile(): Promise<string> {
  const [file = ''] = await readdir(dir.join('corpora'))
  return dir.join('corpora', file)
}

const nearest = async (corpus: ReturnType<typeof open>, text: string) =>
  (await corpus.findNeighbors(embedWords(text), { count: 1, signal }))[0]

describe('a corpus', () => {
  it('tells the embedding model for whom entries are added', async () => {
    const callers: unknown[] = []
    const words = createWordEmbedder()
    const embedder: Embedder = {
      embed(texts, options) {
        callers.push(options.caller)
        return words.embed(texts, options)
      },
    }
    await open({ embedder }).add(ENTRIES, { labels, signal, caller: 'an admin' })
    expect(callers).toEqual(['an admin'])
  })

  it('is one of at most a thousand; those that are open stay usable', async () => {
    const corpora = start()
    const openNamed = (name: string, fingerprint = 'f1') =>
      corpora.open({ name, embedder: createWordEmbedder(), embeddingModel: 'words', fingerprint })
    const names = Array.from({ length: 1000 }, (_, number) => `c${number}`)
    const opened = names.map((name) => openNamed(name))
    expect(() => openNamed('one more')).toThrow(expect.objectContaining({ code: 'router_corpus_full' }))
    expect(openNamed('c999')).toBe(opened[999])
    expect(openNamed('c0', 'f2')).not.toBe(opened[0])
    expect(() => openNamed('one more')).toThrow(expect.objectContaining({ code: 'router_corpus_full' }))
    await corpora.close()
  })

  it('stores, finds and counts what is added, and skips texts that are there', async () => {
    const corpus = open()
    expect(
      await corpus.add([...ENTRIES, { text: 'fix the bug in my program', labels: ['chat'] }], { labels, signal }),
    ).toEqual({
      added: 3,
      skipped: 1,
      total: 3,
      labelCounts: { code: 2, math: 2 },
    })
    expect(await corpus.add(ENTRIES.slice(0, 1), { labels, signal })).toMatchObject({ added: 0, skipped: 1, total: 3 })
    expect(await nearest(corpus, 'my program has a bug, fix it')).toMatchObject({
      id: createEntryId('fix the bug in my program'),
      labels: ['code'],
    })
    const stats = await corpus.readStats({ signal })
    expect(stats).toEqual({
      total: 3,
      labelCounts: { code: 2, math: 2 },
      embeddingModels: ['words'],
      problems: [],
      problemCount: 0,
    })
    expect(JSON.stringify(stats)).not.toContain('bug')
  })

  it('writes one line an entry, by the names of the specification', async () => {
    await open().add(ENTRIES, { labels, signal })
    const lines = (await readFile(await findFile(), 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    const { vector, ...line } = JSON.parse(lines[0] ?? '')
    expect(line).toEqual({ ...ENTRIES[0], embedding_model: 'words', embedding_fingerprint: 'f1' })
    expect(Float32Array.from(vector)).toEqual(embedWords(`${ENTRIES[0]?.text}\n`))
  })

  it('is rebuilt from its file without embedding, at the next start', async () => {
    await open().add(ENTRIES, { labels, signal })
    const embedder = createWordEmbedder()
    const corpus = open({ embedder })
    expect(await nearest(corpus, 'three times four')).toMatchObject({ labels: ['math'] })
    expect(embedder.texts).toEqual([])
  })

  it('is live while entries of it serve', async () => {
    const corpus = open()
    const seen = [corpus.isLive]
    await corpus.sync({ signal })
    seen.push(corpus.isLive)
    await corpus.add(ENTRIES.slice(0, 1), { labels, signal })
    seen.push(corpus.isLive)
    await corpus.clear({ signal })
    seen.push(corpus.isLive)
    expect(seen).toEqual([false, false, true, false])
  })

  it('keeps texts apart whose vectors are the same', async () => {
    const corpus = open()
    await corpus.add([{ text: 'Same words', labels: ['code'] }], { labels, signal })
    await corpus.add(
      [
        { text: 'words, same!', labels: ['math'] },
        { text: 'same WORDS', labels: ['chat'] },
      ],
      { labels, signal },
    )
    const read = async (from: typeof corpus) =>
      (await from.findNeighbors(embedWords('same words'), { count: 5, signal })).flatMap(
        (neighbor) => neighbor.labels ?? [],
      )
    expect(await read(corpus)).toEqual(['code', 'math', 'chat'])
    expect(await read(open())).toEqual(['code', 'math', 'chat'])
  })

  it('checks all entries before it does anything', async () => {
    const embedder = createWordEmbedder()
    const corpus = open({ embedder })
    const good = { text: 'good', labels: ['code'] }
    const refused: [unknown, string][] = [
      [[], 'entries is required'],
      [[good, { text: ' ', labels: ['code'] }], 'entries[1].text is empty'],
      [[good, { text: 'x'.repeat(MAX_ENTRY_LENGTH + 1), labels: ['code'] }], 'entries[1].text must have at most'],
      [[good, { text: 'x', labels: [] }], 'entries[1].labels must name at least one label'],
      [[good, { text: 'x', labels: ['code', ''] }], 'entries[1].labels[1] is empty'],
      [[good, { text: 'x', labels: ['other'] }], 'entries[1].labels[0] "other" is not a label of policies'],
      [[good, { text: 'x', labels: ['code', 'code'] }], 'entries[1].labels[1] repeats the label "code"'],
      [Array.from({ length: MAX_ENTRIES_PER_REQUEST + 1 }, () => good), 'entries must have at most'],
    ]
    for (const [entries, message] of refused) {
      await expect(corpus.add(entries as typeof ENTRIES, { labels, signal })).rejects.toMatchObject({
        kind: 'invalid_request',
        code: 'router_corpus_entry',
        message: expect.stringContaining(message),
      })
    }
    expect(embedder.texts).toEqual([])
    expect((await corpus.readStats({ signal })).total).toBe(0)
  })

  it('adds all entries or none where the embedder or the store fails', async () => {
    const vectors: Record<string, number[][]> = {
      'entries[1]': [
        [1, 2],
        [Number.NaN, 1],
      ],
      'entries[1] ': [
        [1, 2],
        [1, 2, 3],
      ],
    }
    for (const [path, answer] of Object.entries(vectors)) {
      const corpus = open({ embedder: { embed: async () => answer } })
      await expect(corpus.add(ENTRIES.slice(0, 2), { labels, signal })).rejects.toMatchObject({
        kind: 'invalid_request',
        message: expect.stringContaining(path.trim()),
      })
      expect((await open().readStats({ signal })).total).toBe(0)
    }
    const wrongCount = open({ embedder: { embed: async () => [[1]] } })
    await expect(wrongCount.add(ENTRIES, { labels, signal })).rejects.toMatchObject({ code: 'router_classifier' })
    const files = createCorpusFiles({ folder: dir.join('corpora') })
    const append = async () => {
      throw new Error('disk full')
    }
    const full = open({ store: { ...files, append } })
    await expect(full.add(ENTRIES, { labels, signal })).rejects.toThrow('disk full')
    expect(await full.readStats({ signal })).toMatchObject({ total: 0 })
  })

  it('refuses vectors of another length than those that are there', async () => {
    await open().add(ENTRIES, { labels, signal })
    const corpus = open({ embedder: { embed: async (texts) => texts.map(() => [1, 2]) } })
    await expect(corpus.add([{ text: 'new', labels: ['code'] }], { labels, signal })).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'router_corpus_entry',
    })
    await expect(corpus.findNeighbors([1, 2], { count: 1, signal })).rejects.toMatchObject({ code: 'vector_dimension' })
  })

  it('brings stored entries into the index at the next call where the index failed', async () => {
    let fails = false
    const createIndex = () => {
      const index = createVectorIndex()
      const set: typeof index.set = async (entries, options) => {
        if (fails) throw new Error('index down')
        await index.set(entries, options)
      }
      return { ...index, set }
    }
    const corpus = open({ createIndex })
    await corpus.sync({ signal })
    fails = true
    await expect(corpus.add(ENTRIES, { labels, signal })).rejects.toMatchObject({ code: 'router_corpus_sync' })
    fails = false
    expect(await corpus.add(ENTRIES, { labels, signal })).toMatchObject({ added: 0, skipped: 3, total: 3 })
    expect(await nearest(corpus, 'three times four')).toMatchObject({ labels: ['math'] })
  })

  it('takes requests that come together, each text once', async () => {
    const corpus = open()
    const results = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        corpus.add([...ENTRIES, { text: `own ${'abcd'[index]}`, labels: ['chat'] }], { labels, signal }),
      ),
    )
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(7)
    expect((await open().readStats({ signal })).total).toBe(7)
    const calls: CallOptions[] = []
    const busy = start().open({ name: 'busy', embedder: { embed: hang(calls) }, embeddingModel: 'm', fingerprint: 'f' })
    const leave = new AbortController()
    const waiting = Array.from({ length: 4 }, () => busy.add(ENTRIES, { labels, signal: leave.signal }).catch(String))
    await expect.poll(() => calls.length).toBe(4)
    await expect(busy.add(ENTRIES, { labels, signal })).rejects.toMatchObject({ kind: 'rate_limited' })
    leave.abort(new Error('left'))
    expect(await Promise.all(waiting)).toEqual(Array(4).fill('Error: left'))
    expect(calls.every((call) => call.signal.aborted)).toBe(true)
  })

  it('is emptied, file and index', async () => {
    const corpus = open()
    expect(await corpus.clear({ signal })).toBe(0)
    await corpus.add(ENTRIES, { labels, signal })
    const before = corpus.revision()
    expect(await corpus.clear({ signal })).toBe(3)
    expect(corpus.revision()).toBeGreaterThan(before)
    expect(await corpus.findNeighbors(embedWords('x'), { count: 1, signal })).toEqual([])
    expect(await readdir(dir.join('corpora'))).toEqual([])
    expect((await corpus.add(ENTRIES, { labels, signal })).total).toBe(3)
  })

  it('passes over lines that cannot be read and names them, and serves the others', async () => {
    await open().add(ENTRIES, { labels, signal })
    const file = await findFile()
    const [first = '', second = '', third = ''] = (await readFile(file, 'utf8')).split('\n')
    const short = JSON.stringify({ ...JSON.parse(third), vector: [1, 2] })
    const lines = [first, 'garbage', '[]', '{"text":"x"}', second.replace('"math"', '"math","math"'), '', short, second]
    await writeFile(file, `${lines.join('\n')}\n${third.slice(0, 40)}`)
    const warnings: unknown[] = []
    const corpus = open({ logger: { warn: (...warning) => warnings.push(warning) } })
    expect(await corpus.sync({ signal })).toBeUndefined()
    const stats = await corpus.readStats({ signal })
    expect(stats).toMatchObject({ total: 2, problemCount: 6 })
    expect(stats.problems).toEqual([
      { line: 2, problem: 'is not JSON' },
      { line: 3, problem: 'has no text' },
      { line: 4, problem: 'has no list of different labels' },
      { line: 5, problem: 'has no list of different labels' },
      { line: 7, problem: 'has a vector that cannot be compared with the others' },
      { line: 9, problem: 'is torn: it was not written to its end' },
    ])
    expect(warnings).toHaveLength(1)
    expect(await nearest(corpus, 'three times four')).toMatchObject({ labels: ['math'] })
    await corpus.add([{ text: 'after the torn line', labels: ['chat'] }], { labels, signal })
    expect((await open().readStats({ signal })).total).toBe(4)
    expect(await readFile(file, 'utf8')).toContain('garbage\n')
  })

  it('takes the first of two lines with one text', async () => {
    await open().add(ENTRIES, { labels, signal })
    const file = await findFile()
    const [first = '', ...others] = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const doubled = JSON.stringify({ ...JSON.parse(first), labels: ['chat'], vector: [1, 2] })
    await writeFile(file, `${[first, ...others, doubled].join('\n')}\n`)
    const stats = await open().readStats({ signal })
    expect(stats).toMatchObject({ total: 3, problems: [], problemCount: 0 })
  })

  it('has a bound, for requests and for files', async () => {
    const corpus = open({ maxEntries: 2 })
    await expect(corpus.add(ENTRIES, { labels, signal })).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'router_corpus_full',
    })
    await open().add(ENTRIES, { labels, signal })
    expect(await open({ maxEntries: 2 }).readStats({ signal })).toMatchObject({
      total: 2,
      problems: [{ line: 3, problem: 'is beyond the 2 entries that a corpus may have' }],
    })
  })
})

describe('the fingerprint', () => {
  it('changes with the model and with the revision', () => {
    const prints = [
      createFingerprint('a'),
      createFingerprint('b'),
      createFingerprint('a', '1'),
      createFingerprint('a\u00001'),
    ]
    expect(new Set(prints).size).toBe(3 + 1)
    expect(createFingerprint('a')).toBe(createFingerprint('a', ''))
  })

  it('that changed has all entries embedded anew at the next start, once, and written back', async () => {
    await open().add(ENTRIES, { labels, signal })
    const file = await findFile()
    await writeFile(file, `${await readFile(file, 'utf8')}garbage\n`)
    const texts: string[] = []
    const embedder: Embedder = {
      async embed(batch) {
        texts.push(...batch)
        return batch.map((text) => embedWords(text).reverse())
      },
    }
    const corpus = open({ embedder, embeddingModel: 'other', fingerprint: 'f2' })
    const [found] = await corpus.findNeighbors(embedWords('three times four').reverse(), { count: 1, signal })
    expect(found).toMatchObject({ labels: ['math'] })
    expect(found?.similarity).toBeGreaterThan(0.5)
    expect(texts).toEqual(ENTRIES.map(({ text }) => `${text}\n`))
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(lines.slice(0, 3).map((line) => JSON.parse(line).embedding_fingerprint)).toEqual(['f2', 'f2', 'f2'])
    expect(lines[3]).toBe('garbage')
    const again = createWordEmbedder()
    await open({ embedder: again, fingerprint: 'f2' }).sync({ signal })
    expect(again.texts).toEqual([])
  })

  it('that changes under a live corpus is an error until the next start', async () => {
    const corpora = start()
    const embedder = createWordEmbedder()
    const wanted = { name: 'auto', embedder, embeddingModel: 'words', fingerprint: 'f1' }
    const corpus = corpora.open(wanted)
    // Nothing is live yet: the model may change.
    expect(corpora.open({ ...wanted, fingerprint: 'f0' })).not.toBe(corpus)
    const live = corpora.open(wanted)
    await live.add(ENTRIES, { labels, signal })
    expect(corpora.open(wanted)).toBe(live)
    const changed = { ...wanted, fingerprint: 'f2' }
    for (let build = 0; build < 2; build++) {
      expect(() => corpora.open(changed)).toThrow(expect.objectContaining({ code: 'router_corpus_changed' }))
    }
    // An insert, live, is of the fingerprint that the corpus was opened with.
    await live.add([{ text: 'one more', labels: ['chat'] }], { labels, signal })
    expect(live.fingerprint).toBe('f1')
    expect(corpora.open(wanted)).toBe(live)
    await corpora.close()
    const next = start().open(changed)
    expect((await next.readStats({ signal })).total).toBe(4)
    await next.sync({ signal })
    expect(new Set((await next.readEntries({ signal })).map((entry) => entry.embeddingFingerprint))).toEqual(
      new Set(['f2']),
    )
  })

  it('may change once the corpus is emptied', async () => {
    const corpora = start()
    const wanted = { name: 'auto', embedder: createWordEmbedder(), embeddingModel: 'words', fingerprint: 'f1' }
    await corpora.open(wanted).add(ENTRIES, { labels, signal })
    await corpora.open(wanted).clear({ signal })
    const other = corpora.open({ ...wanted, fingerprint: 'f2' })
    expect((await other.add(ENTRIES, { labels, signal })).total).toBe(3)
  })
})

describe('a sync', () => {
  it('that fails fails the lookup, and is tried again after five seconds', async () => {
    await open().add(ENTRIES, { labels, signal })
    const clock = createFakeClock()
    let calls = 0
    const embedder: Embedder = {
      async embed(texts) {
        if (calls++ === 0) throw new Error('not loaded')
        return texts.map(embedWords)
      },
    }
    const corpus = open({ embedder, clock, fingerprint: 'f2' })
    const failed = { code: 'router_corpus_sync', kind: 'internal' }
    await expect(nearest(corpus, 'x')).rejects.toMatchObject(failed)
    await clock.advance(4_999)
    await expect(nearest(corpus, 'x')).rejects.toMatchObject(failed)
    expect(calls).toBe(1)
    await clock.advance(1)
    expect(await nearest(corpus, 'three times four')).toMatchObject({ labels: ['math'] })
  })

  it('goes on when a caller leaves, and ends with the corpora', async () => {
    await open().add(ENTRIES, { labels, signal })
    const calls: CallOptions[] = []
    const corpora = start()
    const corpus = corpora.open({
      name: 'auto',
      embedder: { embed: hang(calls) },
      embeddingModel: 'm',
      fingerprint: 'f2',
    })
    const leave = new AbortController()
    const left = corpus.findNeighbors([1], { count: 1, signal: leave.signal })
    const stays = corpus.findNeighbors([1], { count: 1, signal })
    await expect.poll(() => calls.length).toBe(1)
    leave.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(calls[0]?.signal.aborted).toBe(false)
    const closed = corpora.close()
    await expect(stays).rejects.toMatchObject({ code: 'router_corpus_sync' })
    await closed
    expect(calls[0]?.signal.aborted).toBe(true)
  })

  it('keeps nobody waiting who wants to change the corpus meanwhile and leaves', async () => {
    await open().add(ENTRIES, { labels, signal })
    const calls: CallOptions[] = []
    const corpora = start()
    const corpus = corpora.open({
      name: 'auto',
      embedder: { embed: hang(calls) },
      embeddingModel: 'm',
      fingerprint: 'f2',
    })
    const syncing = corpus.sync({ signal }).catch(String)
    await expect.poll(() => calls.length).toBe(1)
    const leave = new AbortController()
    const clearing = corpus.clear(leave)
    leave.abort(new Error('left'))
    await expect(clearing).rejects.toThrow('left')
    await corpora.close()
    await syncing
    expect((await open().readStats({ signal })).total).toBe(3)
  })

  it('waits a minute for an embedder that never answers', async () => {
    await open().add(ENTRIES, { labels, signal })
    const clock = createFakeClock()
    const calls: CallOptions[] = []
    const finding = nearest(open({ embedder: { embed: hang(calls) }, clock, fingerprint: 'f2' }), 'x')
    const outcome = expect(finding).rejects.toMatchObject({ code: 'router_corpus_sync' })
    await clock.waitForSleepers(1)
    await clock.advance(60_000)
    await outcome
    expect(calls[0]?.signal.aborted).toBe(true)
  })
})
