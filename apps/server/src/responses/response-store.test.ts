import type { ResponseResource } from '@svc/wire/responses'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger as logger } from '../db/__fixtures__/places.ts'
import type { DatabaseOptions } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { LEASE_MS } from './lease.ts'
import { createResponseStore } from './response-store.ts'
import type { ResponseRecord, ResponseStore } from './stored-response.ts'

const places = await databasePlaces()

const ada = { id: 'ada', isAdmin: false }
const bob = { id: 'bob', isAdmin: false }
const root = { id: 'root', isAdmin: true }

const createResource = (id: string, fields: Partial<ResponseResource> = {}): ResponseResource =>
  ({ id, object: 'response', status: 'completed', output: [], error: null, ...fields }) as unknown as ResponseResource

const frame = (sequence: number): string => `event: e\ndata: {"sequence_number":${sequence}}\n\n`
const frames = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => frame(from + index))

interface World extends AsyncDisposable {
  readonly store: ResponseStore
  readonly time: { now: number }
  readonly settings: { ttlMs: number }
  put(id: string, fields?: Partial<ResponseRecord>, events?: readonly string[]): Promise<void>
  /** Whether other servers share the database. */
  readonly isShared: boolean
  /** Lets time pass, milliseconds: of the clock that counts for leases. */
  pass(ms: number): Promise<void>
  /** Makes the store believe that a response has this size. */
  setSize(id: string, bytes: number): Promise<void>
}

describe.each(places)('stored responses on $name', ({ create }) => {
  async function open(maxTotalBytes?: number): Promise<World> {
    const place = await create()
    const time = { now: 1_000_000_000 }
    const clock = { ...systemClock, now: () => time.now }
    const options: DatabaseOptions = { ...place.options, appVersion: '1.0.0', logger, clock }
    const database = await openDatabase(options)
    const settings = { ttlMs: 0 }
    const store = createResponseStore({ database, ttlMs: () => settings.ttlMs, clock, maxTotalBytes })
    return {
      store,
      time,
      settings,
      async setSize(id, sizeBytes) {
        await database.queries.change((db, { responses }) =>
          db.update(responses).set({ sizeBytes }).where(eq(responses.id, id)),
        )
      },
      isShared: database.dialect === 'postgres',
      async pass(ms) {
        if (database.dialect === 'sqlite') time.now += ms
        else {
          await database.queries.change((db, { responses }) =>
            db.update(responses).set({ leaseUntil: sql`${responses.leaseUntil} - ${ms}` }),
          )
        }
      },
      put: (id, fields = {}, events = []) =>
        store.insert(
          {
            resource: createResource(id),
            input: [],
            streamed: events.length > 0,
            owner: 'ada',
            createdAt: time.now,
            ...fields,
          },
          events,
        ),
      async [Symbol.asyncDispose]() {
        await database.close()
        await place.close()
      },
    }
  }

  // verifies responses:stored:owner
  it('are visible to their owner and to admins only', async () => {
    await using world = await open()
    const { store } = world
    const item = { type: 'message', id: 'msg_1', role: 'user', content: 'hi' } as const
    await world.put('a', { input: [item] })
    expect(await store.read('a', ada)).toEqual({ resource: createResource('a'), input: [item], streamed: false })
    expect(await store.read('a', root)).toBeDefined()
    expect(await store.read('a', bob)).toBeUndefined()
    expect(await store.findItem('msg_1', ada)).toEqual(item)
    expect(await store.findItem('msg_1', bob)).toBeUndefined()
    expect(await store.delete('a', bob)).toBe(false)
    expect(await store.delete('a', ada)).toBe(true)
    expect(await store.read('a', ada)).toBeUndefined()
    expect(await store.findItem('msg_1', ada)).toBeUndefined()
  })

  it('give their events from any sequence number on, in whole rows and parts of rows', async () => {
    await using world = await open()
    const { store } = world
    const running = createResource('a', { status: 'in_progress' })
    await world.put('a', { resource: running, streamed: true })
    await store.appendEvents('a', { firstSequence: 0, frames: frames(0, 2) })
    await store.appendEvents('a', { firstSequence: 3, frames: frames(3, 3) })
    await store.finish(createResource('a'), { firstSequence: 4, frames: frames(4, 5) })
    const read = async (after: number): Promise<string[]> => {
      const all: string[] = []
      for (let row = await store.readEvents('a', after); row !== undefined; ) {
        all.push(...row.frames.filter((_, index) => (row?.firstSequence ?? 0) + index > after))
        row = await store.readEvents('a', row.firstSequence + row.frames.length - 1)
      }
      return all
    }
    for (const after of [-1, 0, 1, 2, 3, 4, 5, 9]) expect(await read(after)).toEqual(frames(after + 1, 5))
    expect(await store.read('a', ada)).toMatchObject({ resource: { status: 'completed' } })
  })

  it('of a server that is gone have failed, with an event behind all that a client may have seen', async () => {
    await using world = await open()
    const { store, time } = world
    for (const id of ['a', 'b']) {
      await world.put(id, { resource: createResource(id, { status: 'in_progress' }), streamed: true }, frames(0, 1))
    }
    await world.pass(LEASE_MS / 2)
    expect(await store.renew(['a'])).toEqual([])
    await world.pass(LEASE_MS / 2 + 1)
    expect((await store.read('a', ada))?.resource.status).toBe('in_progress')
    expect((await store.read('b', ada))?.resource).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'the server stopped while the response was running' },
    })
    const last = await store.readEvents('b', 1)
    expect(last?.firstSequence).toBeGreaterThan(1)
    expect(last?.frames.join('')).toMatch(/^event: response.failed\n.*"status":"failed"/)
    await world.pass(LEASE_MS)
    // The clock of this server is wrong.
    if (world.isShared) time.now -= 10 * LEASE_MS
    await store.failInterrupted()
    expect((await store.read('a', ada))?.resource.status).toBe('failed')
    await store.finish(createResource('a'), { firstSequence: 2, frames: [] })
    expect((await store.read('a', ada))?.resource.status, 'what came too late').toBe('failed')
  })

  it('that another server has cancelled are told with the renewal; deleted and finished ones are not', async () => {
    await using world = await open()
    const { store } = world
    const ids = ['runs', 'cancelled', 'deleted', 'finished']
    for (const id of ids) await world.put(id, { resource: createResource(id, { status: 'in_progress' }) })
    await store.cancel(createResource('cancelled', { status: 'cancelled' }))
    await store.delete('deleted', ada)
    await store.finish(createResource('finished'), { firstSequence: 0, frames: [] })
    expect(await store.renew(ids)).toEqual(['cancelled'])
    expect(await store.renew(['runs'])).toEqual([])
    expect(await store.renew([])).toEqual([])
  })

  it('go from 1 GiB on, the oldest first, and not a byte before', async () => {
    await using world = await open()
    const { store, time } = world
    const half = 512 * 1024 * 1024
    for (const id of ['first', 'second', 'third']) {
      time.now += 1
      await world.put(id)
    }
    const sizes = async (first: number): Promise<void> => {
      await world.setSize('first', first)
      await world.setSize('second', half)
      await world.setSize('third', 100)
      await store.trim()
    }
    await sizes(half - 100)
    expect(await store.read('first', ada)).toBeDefined()
    await sizes(half - 99)
    expect(await store.read('first', ada)).toBeUndefined()
    expect(await store.read('second', ada)).toBeDefined()
  })

  // verifies responses:stored:kept
  it('go when they are too old, and the oldest go when they are too much', async () => {
    await using world = await open(20_000)
    const { store, time, settings } = world
    settings.ttlMs = 1000
    await world.put('old')
    time.now += 1000
    expect(await store.read('old', ada)).toBeUndefined()
    await store.trim()
    settings.ttlMs = 0
    expect(await store.read('old', ada), 'removed, not only hidden').toBeUndefined()
    for (let index = 0; index < 10; index += 1) {
      time.now += 1
      await world.put(`r${index}`, {}, ['x'.repeat(5000)])
    }
    const left = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => ((await store.read(`r${index}`, ada)) === undefined ? 0 : 1)),
    )
    expect(left).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
  })
})
