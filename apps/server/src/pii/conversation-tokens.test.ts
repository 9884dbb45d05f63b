import { createFakeClock } from '@svc/test-kit'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { type ConversationName, createConversationTokens } from './conversation-tokens.ts'

const places = await databasePlaces()
const NAME: ConversationName = { userId: 'u1', id: 'c1', prefix: '[', suffix: ']', keptHours: 2 }
const HOUR = 3_600_000
const entry = (number: number, value: string) => ({ token: `[EMAIL_00${number}]`, value })

describe.each(places)('tokens of conversations on $name', ({ create }) => {
  it('are kept sealed for a while, each conversation and owner apart', async () => {
    const place = await create()
    const clock = createFakeClock()
    const options = { ...place.options, appVersion: '1.0.0', logger: silentLogger, clock }
    const { queries, close } = await openDatabase(options)
    const key = () => new Uint8Array(32)
    const store = createConversationTokens({ queries, clock, key, maxOfOwner: 3 })

    expect(await store.read(NAME)).toEqual([])
    expect(await store.add(NAME, [])).toBe(true)
    expect(await store.add(NAME, [entry(1, 'ada@lab.example')])).toBe(true)
    expect(await store.add(NAME, [entry(2, 'bo@lab.example')])).toBe(true)
    const both = [entry(1, 'ada@lab.example'), entry(2, 'bo@lab.example')]
    expect(await store.read(NAME)).toEqual(both)
    for (const other of [{ userId: 'u2' }, { keyId: 'k' }, { id: 'c2' }, { suffix: '>' }]) {
      expect(await store.read({ ...NAME, ...other })).toEqual([])
    }
    const rows = await queries.rows((db, { piiConversations }) => db.select().from(piiConversations))
    expect(JSON.stringify(rows)).not.toMatch(/@|EMAIL_|"u1"|"c1"/)

    // Requests at the same time: a token has one value, and a value one token.
    expect(await store.add(NAME, [entry(2, 'eve@lab.example')])).toBe(false)
    expect(await store.add(NAME, [entry(3, 'bo@lab.example')])).toBe(false)
    const many = [3, 4, 5, 6].map((number) => entry(number, `${number}@lab.example`))
    expect(await Promise.all(many.map((each) => store.add(NAME, [each])))).toEqual([true, true, true, true])
    expect(await store.read(NAME)).toHaveLength(6)

    const huge = Array.from({ length: 5001 }, (_, index) => ({ token: `[X_${index}]`, value: `v${index}` }))
    await expect(store.add({ ...NAME, id: 'huge' }, huge)).rejects.toMatchObject({ code: 'pii_conversation_full' })

    // Use prolongs the time, and the conversation that ends first gives way.
    await clock.advance(1.5 * HOUR)
    expect(await store.add(NAME, both)).toBe(true)
    await clock.advance(1.5 * HOUR)
    expect(await store.read(NAME)).toHaveLength(6)
    for (const id of ['c2', 'c3', 'c4']) await store.add({ ...NAME, id }, both)
    expect(await store.read(NAME)).toEqual([])
    expect(await store.read({ ...NAME, id: 'c4' })).toEqual(both)

    await clock.advance(2 * HOUR)
    expect(await store.read({ ...NAME, id: 'c4' })).toEqual([])
    const count = async () =>
      (await queries.rows((db, { piiConversations }) => db.select().from(piiConversations))).length
    expect(await count()).toBe(3)
    await store.tidy()
    expect(await count()).toBe(0)
    await close()
    await place.close()
  })

  it('open in their own row alone, and take a bounded room of each owner', async () => {
    const place = await create()
    const clock = createFakeClock()
    const options = { ...place.options, appVersion: '1.0.0', logger: silentLogger, clock }
    const { queries, close } = await openDatabase(options)
    const key = () => new Uint8Array(32)
    const store = createConversationTokens({ queries, clock, key, maxBytesOfOwner: 130_000 })

    await store.add(NAME, [entry(1, 'ada@lab.example')])
    const other = { ...NAME, userId: 'u2' }
    await store.add(other, [entry(1, 'eve@lab.example')])
    const rows = await queries.rows((db, { piiConversations }) => db.select().from(piiConversations))
    for (const { hash } of rows) {
      const content = rows.find((row) => row.hash !== hash)?.content ?? ''
      await queries.change((db, { piiConversations: table }) =>
        db.update(table).set({ content }).where(eq(table.hash, hash)),
      )
    }
    for (const name of [NAME, other]) {
      await expect(store.read(name)).rejects.toMatchObject({ code: 'pii_conversation_unreadable' })
    }

    const large = [entry(1, 'x'.repeat(25_000))]
    for (const id of ['a', 'b', 'c', 'd']) {
      await clock.advance(1000)
      await store.add({ ...NAME, id }, large)
    }
    const read = async (id: string) => (await store.read({ ...NAME, id })).length
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((id) => read(id)))).toEqual([0, 1, 1, 1])
    await store.add({ ...NAME, id: 'b' }, [...large, entry(2, 'y'.repeat(45_000))])
    expect(await Promise.all(['b', 'c', 'd'].map((id) => read(id)))).toEqual([2, 0, 1])

    await store.removeOwner('u1')
    const left = await queries.rows((db, { piiConversations }) => db.select().from(piiConversations))
    expect(left).toHaveLength(1)
    await close()
    await place.close()
  })
})
