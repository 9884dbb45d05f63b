import { type CorpusStore, createCorpora } from '@svc/router/corpus'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { databasePlaces, silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createDatabaseCorpora } from './database-corpora.ts'

const places = await databasePlaces()
const { signal } = new AbortController()
const labels = new Set(['code', 'math'])

describe.each(places)('corpora of several front ends on $name', ({ create }) => {
  const database = useDatabase(create)

  function createFiles(texts: readonly string[] = []): Pick<CorpusStore, 'read'> {
    return {
      async *read() {
        for (const [index, text] of texts.entries()) yield { number: index + 1, text, isTorn: index === 2 }
      },
    }
  }

  function open(name: string, options: { readonly fingerprint?: string; readonly files?: readonly string[] } = {}) {
    const { fingerprint = 'f', files } = options
    let changes = 0
    const { store, refreshStale } = createDatabaseCorpora({
      database: database(),
      files: createFiles(files),
      onChanged: () => {
        changes += 1
      },
      clock: systemClock,
    })
    const corpora = createCorpora({ store, logger })
    const embedder = {
      embed: async (texts: readonly string[]) => texts.map(({ length }) => Float32Array.from([length, 1])),
    }
    const corpus = corpora.open({ name, embedder, embeddingModel: 'e', fingerprint })
    return {
      corpora,
      corpus,
      store,
      changes: () => changes,
      add: (...texts: readonly string[]) =>
        corpus.add(
          texts.map((text) => ({ text, labels: ['code'] })),
          { labels, signal },
        ),
      texts: async () => (await corpus.readEntries({ signal })).map(({ text }) => text),
      async follow() {
        const stale: string[] = []
        await refreshStale(async (each) => {
          stale.push(each)
          await corpora.refresh(each, { signal })
        })
        return stale
      },
      total: async () => (await corpus.readStats({ signal })).total,
    }
  }

  async function readLines(store: CorpusStore, name: string): Promise<string[]> {
    const lines: string[] = []
    for await (const { text } of store.read(name, { signal })) lines.push(text ?? '')
    return lines
  }

  it('are learnt and cleared everywhere', async () => {
    const [one, two] = [open('learnt'), open('learnt')]
    await two.corpus.sync({ signal })
    await Promise.all([one.add('a', 'b'), two.add('c'), one.add('d')])
    expect(new Set(await one.texts())).toEqual(new Set(['a', 'b', 'c', 'd']))
    await one.follow()
    await two.follow()
    expect([await one.total(), await two.total()]).toEqual([4, 4])
    expect([await one.follow(), await two.follow()]).toEqual([[], []])
    expect(one.changes() + two.changes()).toBe(3)
    expect(await one.corpus.clear({ signal })).toBe(4)
    expect(await two.follow()).toEqual(['learnt'])
    expect([await two.total(), await two.texts()]).toEqual([0, []])
    await two.add('e')
    await one.follow()
    expect(await one.total()).toBe(1)
  })

  it('keep what many front ends add at the same moment', async () => {
    const { store } = open('many')
    const fronts = Array.from({ length: 8 }, () => open('many').store)
    await Promise.all(fronts.map((front, index) => front.append('many', [`a${index}`, `b${index}`], { signal })))
    expect(new Set(await readLines(store, 'many')).size).toBe(16)
  })

  it('begin with the whole lines of the first front end', async () => {
    const line = (text: string): string =>
      JSON.stringify({ text, labels: ['math'], vector: [1, 2], embedding_model: 'e', embedding_fingerprint: 'f' })
    const files = [line('mine'), line('also'), line('torn')]
    const [one, two] = [open('seeded', { files }), open('seeded', { files: [line('other')] })]
    await one.corpus.sync({ signal })
    await two.add('new')
    expect(await two.texts()).toEqual(['mine', 'also', 'new'])
    await two.corpus.clear({ signal })
    const three = open('seeded', { files })
    expect(await three.texts(), 'a cleared corpus stays empty').toEqual([])
  })

  it('are embedded anew without losing what another front end adds meanwhile', async () => {
    const one = open('anew')
    await one.add(...Array.from({ length: 250 }, (_, index) => `text ${index}`))
    const { store } = open('anew')
    let added: Promise<void> | undefined
    async function* replaced(): AsyncGenerator<string> {
      for await (const { text } of store.read('anew', { signal })) {
        added ??= store.append('anew', [(text ?? '').replace('text 0', 'text between')], { signal })
        await added
        yield (text ?? '').replace('"f"', '"g"')
      }
    }
    await store.replace('anew', replaced(), { signal })
    const lines = await readLines(store, 'anew')
    expect(lines.slice(0, 250).every((line) => line.includes('"g"'))).toBe(true)
    expect(lines.slice(250).some((line) => line.includes('between'))).toBe(true)
    expect(await open('anew', { fingerprint: 'g' }).total()).toBe(251)
  })

  it('that two front ends replace at once are those of one of them', async () => {
    const { store } = open('twice')
    await store.append('twice', ['old'], { signal })
    const replace = (text: string) => {
      async function* lines(): AsyncGenerator<string> {
        yield* [`${text} 1`, `${text} 2`]
      }
      return open('twice').store.replace('twice', lines(), { signal })
    }
    const ends = await Promise.allSettled([replace('a'), replace('b')])
    const won = ends.flatMap(({ status }, index) => (status === 'fulfilled' ? [['a', 'b'][index]] : []))
    const last = (await readLines(store, 'twice')).map((line) => line.slice(0, 1))
    expect(last).toEqual([won.at(-1), won.at(-1)])
    await store.remove('twice', { signal })
    expect(await readLines(store, 'twice')).toEqual([])
    const left = await database().queries.rows((db, { routerCorpora }) => db.select().from(routerCorpora))
    expect(left.filter(({ corpus }) => corpus === 'twice')).toEqual([])
  })
})
