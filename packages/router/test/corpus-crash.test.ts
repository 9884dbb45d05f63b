import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCorpora } from '@svc/router/corpus'
import { createCorpusFiles } from '@svc/router/node'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

const { signal } = new AbortController()
const labels = new Set(['code'])
const embedder = {
  embed: async (texts: readonly string[]) => texts.map((text) => [text.length, text.charCodeAt(0), 1]),
}

const open = (folder: string) =>
  createCorpora({ store: createCorpusFiles({ folder }) }).open({
    name: 'auto',
    embedder,
    embeddingModel: 'm',
    fingerprint: 'f',
  })

const readTexts = async (folder: string) => (await open(folder).readEntries({ signal })).map(({ text }) => text)

async function findFile(folder: string): Promise<string> {
  const [file = ''] = await readdir(folder)
  return join(folder, file)
}

it('loses no acknowledged entry and starts, whatever offset a write ends at', async () => {
  await using dir = await tempDir()
  const whole = dir.join('whole')
  await open(whole).add([{ text: 'acknowledged', labels: ['code'] }], { labels, signal })
  const file = await findFile(whole)
  const { length: acknowledged } = await readFile(file)
  const last = ['second', 'zweiter ä€', 'third'].map((text) => ({ text, labels: ['code'] }))
  await open(whole).add(last, { labels, signal })
  const bytes = await readFile(file)
  const name = file.slice(whole.length + 1)
  for (let offset = acknowledged; offset <= bytes.length; offset++) {
    const folder = dir.join(`cut-${offset}`)
    await mkdir(folder)
    await writeFile(join(folder, name), bytes.subarray(0, offset))
    const lines = bytes.subarray(0, offset).toString().split('\n').length - 1
    const corpus = open(folder)
    await corpus.sync({ signal })
    const stats = await corpus.readStats({ signal })
    const isWhole = bytes[offset - 1] === 0x0a
    expect([stats.total, stats.problems.length], `offset ${offset}`).toEqual([lines, isWhole ? 0 : 1])
    // The same request again brings the missing entries.
    const { added, total } = await corpus.add(last, { labels, signal })
    expect([added, total], `offset ${offset}`).toEqual([4 - lines, 4])
    const again = await open(folder).readStats({ signal })
    expect([again.total, again.problemCount], `offset ${offset}`).toEqual([4, 0])
  }
})

async function runUntil(folder: string, first: number, acknowledgements: number): Promise<string[]> {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const program = fileURLToPath(new URL('append-entries.ts', import.meta.url))
  const args = ['--conditions=@svc/source', '--import', tsx, program, folder, `${first}`]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  const exited = once(child, 'exit')
  child.stdout?.on('data', (piece) => {
    printed += piece
    if (printed.split('\n').length > acknowledgements) child.kill('SIGKILL')
  })
  const [, killedBy] = await exited
  expect(killedBy).toBe('SIGKILL')
  return printed.split('\n').slice(0, -1)
}

it('loses no acknowledged entry when its process is killed', async () => {
  await using dir = await tempDir()
  const acknowledged: string[] = []
  for (let round = 0; round < 3; round++) {
    acknowledged.push(...(await runUntil(dir.path, round * 1_000_000, 30 * (round + 1))))
    const texts = await readTexts(dir.path)
    expect(texts).toEqual(expect.arrayContaining(acknowledged))
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(180)
})

it('keeps names apart inside of its folder, whatever they are', async () => {
  await using dir = await tempDir()
  const folder = dir.join('corpora')
  const names = [
    '../../etc/passwd',
    '..',
    '.',
    '/root',
    'a/b',
    'a_b',
    'A_B',
    'a\u0000b',
    'ä'.repeat(300),
    '',
    'con',
    'x'.repeat(5_000),
  ]
  const corpora = createCorpora({ store: createCorpusFiles({ folder }) })
  for (const name of names) {
    const corpus = corpora.open({ name, embedder, embeddingModel: 'm', fingerprint: 'f' })
    await corpus.add([{ text: `of ${name.slice(0, 20)} ${name.length}`, labels: ['code'] }], { labels, signal })
    expect((await corpus.readStats({ signal })).total).toBe(1)
  }
  const files = await readdir(folder)
  expect(files).toHaveLength(names.length)
  for (const file of files) expect(file).toMatch(/^[A-Za-z0-9._-]{0,80}-[0-9a-f]{32}\.jsonl$/)
  expect(await readdir(dir.path)).toEqual(['corpora'])
  expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, files[0] ?? ''))).mode & 0o777]).toEqual([
    0o750, 0o640,
  ])
})

it('passes over a line that is too long, and reads those around it', async () => {
  await using dir = await tempDir()
  const store = createCorpusFiles({ folder: dir.path })
  const most = 16 * 1024 * 1024
  await store.append('n', ['first', 'x'.repeat(most + 1), 'ä€'.repeat(200_000), 'y'.repeat(most)], { signal })
  const lines: [number, number | undefined, boolean][] = []
  for await (const { number, text, isTorn } of store.read('n', { signal })) lines.push([number, text?.length, isTorn])
  expect(lines).toEqual([
    [1, 5, false],
    [2, undefined, false],
    [3, 400_000, false],
    [4, most, false],
  ])
})

/** Bytes of one read. */
const READ_BYTES = 256 * 1024

it.each([1, READ_BYTES - 1, READ_BYTES, READ_BYTES + 1, 2 * READ_BYTES])(
  'writes in the place of a torn line of %i bytes, behind whole lines and alone',
  async (length) => {
    for (const whole of ['', '\n', 'first\n', `${'z'.repeat(100)}\nfirst\n`]) {
      await using dir = await tempDir()
      const store = createCorpusFiles({ folder: dir.path })
      await store.append('n', ['x'], { signal })
      const file = await findFile(dir.path)
      await writeFile(file, `${whole}${'t'.repeat(length)}`)
      await store.append('n', ['new', 'newer'], { signal })
      expect(await readFile(file, 'utf8')).toBe(`${whole}new\nnewer\n`)
    }
  },
)

it('puts lines in the place of others at once, and nothing where writing them fails', async () => {
  await using dir = await tempDir()
  const store = createCorpusFiles({ folder: dir.path })
  const read = async () => {
    const texts: (string | undefined)[] = []
    for await (const { text } of store.read('n', { signal })) texts.push(text)
    return texts
  }
  await store.append('n', ['old'], { signal })
  const failing = (async function* () {
    yield 'new'
    throw new Error('stopped')
  })()
  await expect(store.replace('n', failing, { signal })).rejects.toThrow('stopped')
  expect([await read(), await readdir(dir.path)]).toEqual([['old'], [expect.stringMatching(/\.jsonl$/)]])
  const left = new AbortController()
  const leaving = (async function* () {
    yield 'a'
    left.abort(new Error('left'))
    yield 'b'
  })()
  await expect(store.replace('n', leaving, { signal: left.signal })).rejects.toThrow('left')
  expect([await read(), await readdir(dir.path)]).toEqual([['old'], [expect.stringMatching(/\.jsonl$/)]])
  const lines = (async function* () {
    yield* ['a', 'b']
  })()
  await store.replace('n', lines, { signal })
  expect(await read()).toEqual(['a', 'b'])
  await store.remove('n', { signal })
  expect(await read()).toEqual([])
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(store.append('n', ['x'], { signal: gone })).rejects.toThrow('gone')
  await expect(store.remove('n', { signal: gone })).rejects.toThrow('gone')
})

it('is read as an error where the file cannot be read, and the lookup fails', async () => {
  await using dir = await tempDir()
  await open(dir.path).add([{ text: 'a', labels: ['code'] }], { labels, signal })
  const file = await findFile(dir.path)
  await rm(file)
  await mkdir(file)
  await expect(open(dir.path).findNeighbors([1, 1, 1], { count: 1, signal })).rejects.toMatchObject({
    code: 'router_corpus_sync',
  })
})
