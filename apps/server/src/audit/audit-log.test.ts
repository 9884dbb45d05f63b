import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import type { AuditEvent, AuditFacts, AuditQuery, PiiAuditEvent } from './audit-event.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'

const places = await databasePlaces()

interface World extends AsyncDisposable {
  readonly events: AuditLog
  readonly time: { now: number }
  /** Lists the ids in the store, newest first. */
  ids(limit?: number): Promise<string[]>
  /** Closes the store and opens another one on the same database. */
  reopen(): Promise<AuditLog>
}

const mask = (patternId: string, event: Partial<PiiAuditEvent> = {}): PiiAuditEvent => ({
  kind: 'pii',
  origin: 'middleware',
  correlationId: 'c-1',
  userId: 'ada',
  patternId,
  facts: { action: 'mask', byte_offset: 0, length: 4 },
  ...event,
})

describe.each(places)('audit events on $name', ({ create }) => {
  async function open(maxRows?: number): Promise<World> {
    const place = await create()
    const time = { now: 1_800_000_000_000 }
    const clock = { ...systemClock, now: () => time.now }
    const database = await openDatabase({ ...place.options, appVersion: '1.0.0', logger: silentLogger, clock })
    const make = (): AuditLog => createAuditLog({ database, clock, logger: silentLogger, maxRows })
    let events = make()
    return {
      events,
      time,
      ids: async (limit = 1000) => (await events.list({ limit })).map(({ patternId }) => patternId ?? ''),
      async reopen() {
        await events.close()
        events = make()
        return events
      },
      async [Symbol.asyncDispose]() {
        await events.close()
        await database.close()
        await place.close()
      },
    }
  }

  it('come back newest first, also those of one moment, with their facts and an id', async () => {
    await using world = await open()
    const ids = world.events.record([mask('ner:EMAIL'), mask('ner:NAME')])
    world.time.now += 1
    world.events.record([mask('pattern:TOKEN')])
    expect(await world.ids()).toEqual(['pattern:TOKEN', 'ner:NAME', 'ner:EMAIL'])
    const [last] = (await world.events.list({ limit: 3 })).slice(-1)
    expect(last).toEqual({ ...mask('ner:EMAIL'), id: ids[0], createdAt: 1_800_000_000_000 })
    expect(ids[0]).toMatch(/^pii_[0-9a-f]{24}$/)
  })

  it('are found by each of their names', async () => {
    await using world = await open()
    world.events.record([
      mask('ner:A', { correlationId: 'other' }),
      mask('ner:B', { userId: 'bob' }),
      mask('ner:C', { origin: 'pii_redact' }),
      { kind: 'admission', correlationId: 'c-1', userId: 'ada', model: 'm', statusCode: 429, retryAfterMs: 1000 },
    ])
    const found = async (query: object): Promise<(string | undefined)[]> =>
      (await world.events.list({ limit: 10, ...query })).map(({ patternId }) => patternId)
    expect(await found({ correlationId: 'other' })).toEqual(['ner:A'])
    expect(await found({ userId: 'bob' })).toEqual(['ner:B'])
    expect(await found({ origin: 'pii_redact' })).toEqual(['ner:C'])
    expect(await found({ patternId: 'ner:C' })).toEqual(['ner:C'])
    expect(await found({ kinds: ['admission'] })).toEqual([''])
    expect(await found({ origin: 'middleware', kinds: ['pii'], limit: 1 })).toEqual(['ner:B'])
  })

  it('of every kind keep their figures by their wire names', async () => {
    await using world = await open()
    const subject = { correlationId: 'c', userId: 'ada' }
    const events: AuditEvent[] = [
      { ...subject, kind: 'admission', model: 'm', statusCode: 429, retryAfterMs: 2000 },
      { ...subject, kind: 'proxy_connect', host: 'api.example', intercepted: true },
      {
        ...subject,
        kind: 'proxy_connect',
        host: 'api.example',
        intercepted: false,
        mismatch: { serverName: 'other.example', closed: true },
      },
      {
        ...subject,
        kind: 'proxy_traffic',
        host: 'api.example',
        bytesSent: 1,
        bytesReceived: 2,
        statusCode: 200,
        durationMs: 3,
        outcome: 'relayed',
        upgraded: true,
      },
    ]
    const ids = world.events.record(events)
    expect(ids.map((id) => id.slice(0, 4))).toEqual(['adm_', 'pii_', 'pii_', 'pii_'])
    const common = { ...subject, patternId: '', origin: 'proxy', createdAt: world.time.now }
    expect([...(await world.events.list({ limit: 9 }))].reverse()).toEqual([
      {
        ...common,
        origin: undefined,
        id: ids[0],
        kind: 'admission',
        facts: { host: 'm', model: 'm', status_code: 429, duration_ms: 2000 },
      },
      { ...common, id: ids[1], kind: 'proxy_connect', facts: { host: 'api.example', intercepted: true } },
      {
        ...common,
        id: ids[2],
        kind: 'proxy_connect',
        facts: { host: 'api.example', intercepted: false, server_name: 'other.example', closed: true },
      },
      {
        ...common,
        id: ids[3],
        kind: 'proxy_traffic',
        facts: {
          host: 'api.example',
          bytes_sent: 1,
          bytes_received: 2,
          status_code: 200,
          duration_ms: 3,
          outcome: 'relayed',
          upgraded: true,
        },
      },
    ])
  })

  it('outlive the server', async () => {
    await using world = await open()
    world.events.record([mask('ner:EMAIL')])
    const reopened = await world.reopen()
    expect(await reopened.list({ limit: 10 })).toHaveLength(1)
  })

  // verifies events:pii:kept
  it('go when there are more than are kept, the oldest first', async () => {
    await using world = await open(50)
    for (let index = 0; index < 1100; index += 1) {
      world.time.now += 1
      world.events.record([mask(`ner:${index}`)])
      if (index % 40 === 0) await world.events.flush()
    }
    await world.events.flush()
    expect(await world.events.count()).toBe(50)
    const newest = Array.from({ length: 50 }, (_, index) => `ner:${1099 - index}`)
    expect(await world.ids(2000)).toEqual(newest)
  })

  // verifies events:changes:kept
  it('of one sort do not push those of another out', async () => {
    await using world = await open(50)
    const change = (kind: 'administration' | 'account', target: string): AuditEvent => ({
      kind,
      origin: 'api',
      change: 'user.role',
      correlationId: 'c',
      actor: 'ada',
      via: 'session',
      address: '',
      userId: target,
      facts: { target },
    })
    world.events.record([change('administration', 'first')])
    for (let round = 0; round < 25; round += 1) {
      world.time.now += 1
      world.events.record(Array.from({ length: 50 }, (_, index) => mask(`ner:${round}-${index}`)))
      world.events.record(Array.from({ length: 50 }, (_, index) => change('account', `${round}-${index}`)))
      await world.events.flush()
    }
    const kept = async (kind: string) => (await world.events.list({ kinds: [kind], limit: 1000 })).length
    expect([await kept('administration'), await kept('account'), await kept('pii')]).toEqual([1, 50, 50])
    world.events.record(Array.from({ length: 60 }, (_, index) => change('administration', `later-${index}`)))
    const found = await world.events.list({ kinds: ['administration'], limit: 1000 })
    expect([found.length, found[0]?.facts.target, found.at(-1)?.facts.target]).toEqual([50, 'later-59', 'later-10'])
    expect(await world.events.count()).toBe(50)
  })

  // verifies events:changes:kept
  it('of one account do not push those of another account out', async () => {
    await using world = await open(100)
    const change = (userId: string, target: string): AuditEvent => ({
      kind: 'account',
      origin: 'api',
      change: 'user.profile',
      correlationId: 'c',
      actor: userId,
      via: 'session',
      address: '',
      userId,
      facts: { target },
    })
    world.events.record(['bob', 'cyd', ''].map((userId) => change(userId, 'once')))
    for (let round = 0; round < 25; round += 1) {
      world.time.now += 1
      world.events.record(Array.from({ length: 100 }, (_, index) => change('ada', `${round}-${index}`)))
      await world.events.flush()
    }
    const found = await world.events.list({ kinds: ['account'], limit: 1000 })
    const count = (userId: string) => found.filter((event) => event.userId === userId).length
    expect([count('ada'), count('bob'), count('cyd'), count('')]).toEqual([5, 1, 1, 1])
    expect(found[0]?.facts.target).toBe('24-99')
  })

  it('of changes are found by name, area, target and time', async () => {
    await using world = await open()
    const at = async (change: string, target: string, facts: AuditFacts = {}) => {
      world.time.now += 1000
      world.events.record([
        {
          kind: 'administration',
          origin: 'api',
          correlationId: 'c',
          userId: 'root',
          actor: 'root',
          via: 'session',
          address: '192.0.2.7',
          change,
          facts: { target, ...facts },
        },
      ])
      await world.events.flush()
      return world.time.now
    }
    const begin = await at('user.role', 'ada')
    await at('user.delete', 'a%a')
    await at('userland.role', 'a_a')
    await at('model.edit', 'm"x', { details: '"target":"ada"' })
    const end = await at('model.edit', 'ada')
    world.events.record([mask('user.role'), mask('ner:A', { userId: 'root' })])
    const found = async (query: Partial<AuditQuery>) =>
      (await world.events.list({ limit: 10, ...query })).map(({ patternId, facts }) => `${patternId} ${facts.target}`)
    expect(await found({ change: 'user.role' })).toEqual(['user.role ada'])
    expect(await found({ change: 'user' })).toEqual(['user.delete a%a', 'user.role ada'])
    for (const change of ['use', 'user.', 'user%', 'user_role', '%', 'USER.ROLE', "' OR 1=1 --"])
      expect([change, await found({ change })]).toEqual([change, []])
    expect(await found({ target: 'ada' })).toEqual(['model.edit ada', 'user.role ada'])
    expect(await found({ target: 'a%a' })).toEqual(['user.delete a%a'])
    expect(await found({ target: 'a_a' })).toEqual(['userland.role a_a'])
    expect(await found({ target: 'm"x' })).toEqual(['model.edit m"x'])
    for (const target of ['%', '_', 'a', '"', String.raw`a\%a`])
      expect([target, await found({ target })]).toEqual([target, []])
    expect(await found({ kinds: ['administration'], since: begin + 1, until: end })).toEqual([
      ...['model.edit m"x', 'userland.role a_a', 'user.delete a%a'],
    ])
    expect(await found({ kinds: ['administration'], userId: 'root', limit: 1 })).toEqual(['model.edit ada'])
    expect(await found({ origin: 'command' })).toEqual([])
    const [last] = await world.events.list({ target: 'ada', limit: 1 })
    expect(last).toMatchObject({
      id: expect.stringMatching(/^chg_/),
      kind: 'administration',
      origin: 'api',
      userId: 'root',
      createdAt: end,
      facts: { actor: 'root', via: 'session', address: '192.0.2.7', target: 'ada' },
    })
  })

  it('go when there are more than ten thousand, unless told otherwise', async () => {
    await using world = await open()
    world.events.record([mask('ner:OLD')])
    world.time.now += 1
    world.events.record(Array.from({ length: 10_000 }, (_, index) => mask(`ner:${index}`)))
    expect(await world.events.count()).toBe(10_000)
    expect(await world.events.list({ patternId: 'ner:OLD', limit: 1 })).toEqual([])
  })

  it('go after thirty days, even when nothing else happens', async () => {
    await using world = await open()
    world.events.record([mask('ner:OLD')])
    await world.events.flush()
    world.time.now += 30 * 24 * 60 * 60 * 1000
    expect(await world.ids()).toEqual(['ner:OLD'])
    world.time.now += 1
    expect(await world.ids()).toEqual([])
    expect(await world.events.count()).toBe(0)
  })

  // verifies events:pii:origin
  it('keep the origin they have, one of four', async () => {
    await using world = await open()
    const origins = ['middleware', 'proxy', 'pii_analyze', 'pii_redact'] as const
    world.events.record(origins.map((origin) => mask('ner:A', { origin })))
    for (const origin of origins) {
      expect(await world.events.list({ origin, limit: 9 })).toMatchObject([{ origin }])
    }
  })
})

it('wait while they cannot be written, the newest of them, and are written when they can be', async () => {
  const [place] = places
  if (place === undefined) throw new Error('no database here')
  const { options, close } = await place.create()
  const database = await openDatabase({ ...options, appVersion: '1', logger: silentLogger, clock: systemClock })
  if (database.dialect !== 'sqlite') throw new Error('the first place is SQLite')
  const events = createAuditLog({ database, clock: systemClock, logger: silentLogger, maxRows: 3 })
  const orm = await database.orm()
  orm.run(sql`ALTER TABLE pii_events RENAME TO away`)
  events.record([mask('ner:1')])
  await expect(events.flush()).rejects.toThrow('the database failed')
  events.record([mask('ner:2'), mask('ner:3'), mask('ner:4')])
  orm.run(sql`ALTER TABLE away RENAME TO pii_events`)
  expect((await events.list({ limit: 9 })).map(({ patternId }) => patternId)).toEqual(['ner:4', 'ner:3', 'ner:2'])
  await events.close()
  await database.close()
  await close()
})
