import { createLocalPrincipal, type Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { createFakeClock, eventually, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { openDatabase } from '../../db/open-database.ts'
import { openDocuments } from '../../document-stores/documents.ts'
import { openPrivateFiles } from '../../files/private-files.ts'
import type { InnerCaller } from '../../inference/core/inner-context.ts'
import type { OutboundClient } from '../../outbound/client.ts'
import { createCollections } from './collections.ts'
import { createSources } from './sources.ts'

const [place] = await databasePlaces()
const MINUTE = 60_000
const SETTINGS = {
  agent_pool_vector_engine: 'chromem',
  agent_pool_embedding_model: 'm',
  agent_pool_max_chunking_size: 100,
  agent_pool_chunk_overlap: 0,
  vector_store_model: '',
}

async function openWorld() {
  const opened = await place?.create()
  const dir = await tempDir()
  const clock = createFakeClock({ now: Date.UTC(2026, 0, 1) })
  const database = await openDatabase({
    ...opened?.options,
    appVersion: '1.0.0',
    logger: silentLogger,
    clock: systemClock,
  } as never)
  const principal: { role: Principal['role'] } & Omit<Principal, 'role'> = { ...createLocalPrincipal('ada') }
  const caller = { principal, requestId: 'r', log: silentLogger, useModel: () => undefined } as InnerCaller
  const findCaller = async () => caller
  const documents = await openDocuments({
    ...{ folder: dir.join('files'), server: 'one', queries: database.queries, maxOwnerBytes: 0, findCaller },
    embedder: { embed: async (texts) => texts.map(({ length }) => Float32Array.from([1, length])) },
    clock: systemClock,
    logger: silentLogger,
  })
  const lazy = { open: async () => documents }
  const collections = createCollections({
    documents: lazy,
    database,
    models: {
      find: (name: string) => ({ name, knownUsecases: ['embeddings'] }),
    } as never,
    settings: { get: (key: keyof typeof SETTINGS) => SETTINGS[key] } as never,
  })
  const answers: (string | Error)[] = []
  const fetched: string[] = []
  const outbound: Pick<OutboundClient, 'fetch'> = {
    async fetch(url) {
      fetched.push(url)
      const answer = answers.shift() ?? new Error('no answer is left')
      if (typeof answer !== 'string') throw answer
      const body = (async function* () {
        yield Buffer.from(answer)
      })()
      return {
        status: 200,
        url,
        headers: { 'content-type': 'text/html' },
        body,
        [Symbol.asyncDispose]: async () => undefined,
      } as never
    },
  }
  const sources = createSources({
    ...{ collections, documents: lazy, database, findCaller, outbound, server: 'one', logger: silentLogger, clock },
    temporary: await openPrivateFiles(dir.join('temporary')),
  })
  return { dir, clock, database, documents, collections, sources, answers, fetched, caller, principal, opened }
}

// verifies collections:sources:refetch
it('sources are fetched again when they are due, and keep what they had after a failure', async () => {
  const world = await openWorld()
  const { clock, collections, sources, answers, fetched, caller } = world
  const store = await collections.create('ada', 'web')
  const ending = new AbortController()
  const signal = ending.signal
  answers.push('<html><p>first</p></html>')
  await sources.add(store, { url: 'http://site.example/a', intervalMinutes: 5 }, { caller, signal })
  const following = sources.follow(signal).catch(() => 'ended')
  const readText = async () => {
    const [entry] = await collections.entries(store)
    return entry === undefined ? '' : (await collections.readContent(entry)).content
  }
  await eventually(async () => expect(await readText()).toBe('first'))
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await clock.waitForSleepers(1)
      await clock.advance(MINUTE)
    }
    await clock.waitForSleepers(1)
  }

  // A database that is away for a while ends nothing.
  const { holdsRows } = world.database.queries
  world.database.queries.holdsRows = async () => {
    throw new SvcError('unavailable', 'the database cannot be reached')
  }
  await pass(2)
  world.database.queries.holdsRows = holdsRows
  await pass(2)
  expect(fetched).toHaveLength(1)
  answers.push('<html><p>second</p></html>')
  await pass(1)
  expect(fetched).toHaveLength(2)
  await eventually(async () => expect(await readText()).toBe('second'))

  // What cannot be read takes no place of what can.
  answers.push('PK\x03\x04 an archive')
  await pass(5)
  expect(await sources.list(store)).toMatchObject([{ fetch_error: /ZIP archives/ }])
  answers.push(new SvcError('upstream_failed', 'the server is away'))
  await pass(5)
  expect(await sources.list(store)).toMatchObject([{ fetch_error: 'the server is away' }])
  expect(await readText()).toBe('second')

  // The owner is no administrator any more.
  world.principal.role = 'user'
  await pass(6)
  expect(fetched).toHaveLength(4)
  ending.abort(new Error('over'))
  expect(await following).toBe('ended')
  await world.documents.close()
  await world.database.close()
  await world.opened?.close()
  await world.dir.close()
})
