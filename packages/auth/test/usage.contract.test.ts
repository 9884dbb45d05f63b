import { readFileSync } from 'node:fs'
import type { Stores, UsageRecord } from '@svc/auth/ports'
import { createUsage, createUsageRecorder, labelBucket, readPeriod, startOfBucket } from '@svc/auth/usage'
import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { call } from './world.ts'

const places = await listPlaces()
const NOW = Date.UTC(2026, 7, 22, 13, 37, 11)

interface FixtureRow {
  readonly user_id: string
  readonly user_name: string
  readonly source: UsageRecord['source']
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly age_seconds: number
  readonly api_key_id?: string
  readonly api_key_name?: string
  readonly model: string
  readonly repeat?: number
}

interface Fixture {
  readonly name: string
  readonly created_at?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly kind: 'all' | 'own'
  readonly period: string
  readonly user_id?: string
  readonly api_key_id?: string
  readonly rows: readonly FixtureRow[]
  readonly result: Readonly<Record<string, unknown>> & {
    readonly buckets_requests: number
    readonly bucket_rows?: number
    readonly by_key?: readonly Readonly<Record<string, unknown>>[]
    readonly by_key_count?: number
    readonly by_user_source?: readonly Readonly<Record<string, unknown>>[]
    readonly truncated?: boolean
  }
}

const fixtures = readFileSync(new URL('./__fixtures__/usage-periods.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .slice(1)
  .map((line) => JSON.parse(line) as Fixture)
const labels = fixtures.filter((fixture) => fixture.labels !== undefined)
const reports = fixtures.filter((fixture) => fixture.rows !== undefined)

const fill = (text: string, index: number): string =>
  text.replace(/%0(\d)d/, (_, width: string) => String(index).padStart(Number(width), '0'))

let ids = 0
function toRecords(row: FixtureRow): readonly UsageRecord[] {
  return Array.from({ length: row.repeat ?? 1 }, (_, index) => {
    ids += 1
    return {
      id: `record-${ids}`,
      userId: row.user_id,
      userName: row.user_name,
      source: row.source,
      ...(row.api_key_id === undefined ? {} : { apiKeyId: fill(row.api_key_id, index) }),
      ...(row.api_key_name === undefined ? {} : { apiKeyName: fill(row.api_key_name, index) }),
      model: row.model,
      endpoint: '/v1/chat/completions',
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      totalTokens: row.prompt_tokens + row.completion_tokens,
      durationMs: 5,
      createdAt: NOW - row.age_seconds * 1000,
    }
  })
}

const record = (id: string, changes: Partial<UsageRecord> = {}): UsageRecord => ({
  id,
  userId: 'ada',
  userName: 'Ada',
  source: 'web',
  model: 'm',
  endpoint: '/',
  durationMs: 1,
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  createdAt: NOW - 60_000,
  ...changes,
})

const NO_MEDIA = { seconds: 0, characters: 0, images: 0, cacheWriteTokens: 0 }
const NO_DETAILS = { cachedTokens: 0, reasoningTokens: 0, estimatedTokens: 0, estimatedRequests: 0, ...NO_MEDIA }

/** Entries in an order that does not depend on how equal ones came. */
const sorted = (entries: readonly unknown[]): readonly string[] =>
  entries.map((entry) => JSON.stringify(entry, Object.keys(entry as object).sort())).sort()

it('has the records of the fixture', () => {
  expect([labels.length, reports.length]).toEqual([30, 25])
})

it.each(labels)('$name has the labels of the reference', ({ created_at = '', labels: wanted = {} }) => {
  const time = Date.parse(created_at)
  const found = Object.keys(wanted).map((name) => {
    const { bucket } = readPeriod(name)
    return [name, labelBucket(startOfBucket(time, bucket), bucket)]
  })
  expect(Object.fromEntries(found)).toEqual(wanted)
})

describe.each(places)('usage in $name', ({ open }) => {
  const createReports = (stores: Stores) => createUsage({ store: stores.usage, clock: { now: () => NOW } })

  it('DB-2: of an upstream that claims anything leaves room for that of others', async () => {
    await using place = await open()
    const recorder = createUsageRecorder({ store: place.stores.usage })
    const claimed = { promptTokens: 1e300, completionTokens: Number.MAX_SAFE_INTEGER, totalTokens: 2 ** 60 }
    for (let index = 0; index < 2000; index += 1) recorder.record(record(`claimed-${index}`, claimed))
    recorder.record(record('honest', { userId: 'bob', userName: 'Bob' }))
    await recorder.close(call)
    const { rows, totals } = await createReports(place.stores).readUsage({ period: 'all', view: 'all' }, call)
    expect(rows.find(({ userId }) => userId === 'bob')).toMatchObject({ requests: 1, totalTokens: 3 })
    expect([totals.requests, Number.isSafeInteger(totals.totalTokens)]).toEqual([2001, true])
  })

  it.each(reports)('$name', async ({ rows, period, kind, user_id, api_key_id, result }) => {
    await using place = await open()
    await place.stores.usage.append(rows.flatMap(toRecords), call)
    const report = await createReports(place.stores).readSources(
      { period, view: kind, userId: user_id, apiKeyId: api_key_id },
      call,
    )
    const { bySource, byKey, byUserSource, grandTotal } = report.totals
    expect(bySource).toEqual(result.by_source)
    expect(grandTotal).toEqual(result.grand_total)
    expect(report.buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(result.buckets_requests)
    if (result.bucket_rows !== undefined) expect(report.buckets).toHaveLength(result.bucket_rows)
    if (result.truncated !== undefined) expect(report.isTruncated).toBe(result.truncated)
    if (result.by_key_count !== undefined) expect(byKey).toHaveLength(result.by_key_count)
    const keys = byKey.map((key) => ({
      api_key_id: key.apiKeyId,
      api_key_name: key.apiKeyName,
      last_used_age: (NOW - key.lastUsedAt) / 1000,
      requests: key.requests,
      tokens: key.tokens,
      user_id: key.userId,
      user_name: key.userName,
    }))
    if (result.by_key !== undefined) {
      expect(sorted(keys)).toEqual(sorted(result.by_key))
      expect(keys.map(({ tokens }) => tokens)).toEqual(result.by_key.map(({ tokens }) => tokens))
    }
    const people = byUserSource?.map(({ userId, userName, ...one }) => ({
      ...one,
      user_id: userId,
      user_name: userName,
    }))
    if (result.by_user_source === undefined) expect(people).toBeUndefined()
    else expect(sorted(people ?? [])).toEqual(sorted(result.by_user_source))
  })

  it('counts a record once, however often it is stored', async () => {
    await using place = await open()
    const { usage } = place.stores
    await usage.append([record('a'), record('a'), record('b')], call)
    await Promise.all([usage.append([record('b'), record('c')], call), usage.append([record('c')], call)])
    const [group, ...others] = await usage.group({ bucket: 'hour', byModel: true }, { ...call, limit: 10 })
    expect(others).toEqual([])
    expect(group).toEqual({
      bucketStart: Date.UTC(2026, 7, 22, 13),
      model: 'm',
      userId: 'ada',
      userName: 'Ada',
      source: 'web',
      apiKeyId: '',
      apiKeyName: '',
      promptTokens: 3,
      completionTokens: 6,
      totalTokens: 9,
      requests: 3,
      lastUsedAt: NOW - 60_000,
      currency: '',
      costMicros: 0,
      unpricedRequests: 0,
      ...NO_DETAILS,
    })
  })

  it('adds costs of one currency only, and counts requests of unknown cost', async () => {
    await using place = await open()
    const { usage } = place.stores
    const priced = (id: string, costMicros: number | undefined, currency: string) =>
      record(id, { costMicros, currency, cacheWriteTokens: 1 })
    await usage.append([priced('a', 3, 'USD'), priced('b', undefined, 'USD'), priced('c', 0, 'EUR'), record('d')], call)
    await usage.append([priced('e', 1_000_000_000_000, 'USD'), priced('f', undefined, 'CHF')], call)
    // the first hour of a day is read from single records
    for (const since of [undefined, NOW - 120_000]) {
      const groups = await usage.group({ bucket: 'hour', since, byModel: true }, { ...call, limit: 10 })
      const found = groups.map((group) => [group.currency, group.costMicros, group.unpricedRequests, group.requests])
      expect(found.sort()).toEqual([
        ['', 0, 0, 1],
        ['CHF', 0, 1, 1],
        ['EUR', 0, 0, 1],
        ['USD', 1_000_000_000_003, 1, 3],
      ])
    }
    const reports = createReports(place.stores)
    const costs = {
      costs: [
        { currency: 'EUR', costMicros: 0 },
        { currency: 'USD', costMicros: 1_000_000_000_003 },
      ],
      unpricedRequests: 3,
    }
    const report = await reports.readUsage({ period: 'all', view: 'all' }, call)
    expect([report.costs, report.totals.cacheWriteTokens]).toEqual([costs, 5])
    const { totals } = await reports.readSources({ period: 'all', view: 'all' }, call)
    expect(totals.grandTotal.costs).toEqual(costs)
  })

  it('tells buckets and models apart, and has rows in the order of time', async () => {
    await using place = await open()
    const { usage } = place.stores
    await usage.append(
      [
        record('a', { createdAt: NOW - 1000, model: 'late' }),
        record('b', { createdAt: NOW - 7_200_000, model: 'early' }),
        record('c', { createdAt: NOW - 1000, model: 'other' }),
      ],
      call,
    )
    const report = await createReports(place.stores).readUsage({ period: 'day', view: 'own', userId: 'ada' }, call)
    expect(report.rows.map(({ bucket }) => bucket)).toEqual([
      '2026-08-22 11:00',
      '2026-08-22 13:00',
      '2026-08-22 13:00',
    ])
    expect(report.rows.map(({ model }) => model).sort()).toEqual(['early', 'late', 'other'])
    expect(report.totals).toEqual({
      promptTokens: 3,
      completionTokens: 6,
      totalTokens: 9,
      requests: 3,
      ...NO_DETAILS,
    })
    const none = await createReports(place.stores).readUsage({ period: 'day', view: 'own', userId: undefined }, call)
    expect(none.rows).toEqual([])
  })

  it.each(['day', 'all'])('sums cached, thought and estimated tokens over the period %s', async (period) => {
    await using place = await open()
    const { usage } = place.stores
    const now = { createdAt: NOW - 1000 }
    await usage.append(
      [
        record('a', { ...now, promptTokens: 100, totalTokens: 102, cachedTokens: 64, reasoningTokens: 1 }),
        record('b', { ...now, isEstimated: true }),
        record('c', { ...now, isEstimated: false, cachedTokens: undefined }),
      ],
      call,
    )
    await usage.append([record('d', { ...now, isEstimated: true, promptTokens: 10, totalTokens: 12 })], call)
    const { rows, totals } = await createReports(place.stores).readUsage({ period, view: 'all' }, call)
    const sums = { cachedTokens: 64, reasoningTokens: 1, estimatedTokens: 15, estimatedRequests: 2 }
    expect(totals).toMatchObject({ ...sums, totalTokens: 120, requests: 4 })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject(sums)
  })

  it.each(['day', 'all'])('sums seconds, characters and images over the period %s', async (period) => {
    await using place = await open()
    const { usage } = place.stores
    const now = { createdAt: NOW - 1000, promptTokens: 0, completionTokens: 0, totalTokens: 0 }
    const first = record('a', { ...now, seconds: 90.25 })
    await usage.append([first, record('b', { ...now, characters: 1_000_000_000 }), record('c', now)], call)
    // the first one is stored a second time
    const others = [record('d', { ...now, seconds: 0.005, images: 3 }), record('e', { ...now, images: 1 })]
    await usage.append([first, ...others, record('f', { ...now, model: 'n', seconds: 2 })], call)
    const { rows, totals } = await createReports(place.stores).readUsage({ period, view: 'all' }, call)
    expect(totals).toMatchObject({ seconds: 92.255, characters: 1_000_000_000, images: 4, totalTokens: 0, requests: 6 })
    expect(rows.map(({ model, seconds, images }) => [model, seconds, images]).sort()).toEqual([
      ['m', 90.255, 4],
      ['n', 2, 0],
    ])
  })

  it('DB-2: sums what claims of any size leave, and keeps fractions', async () => {
    await using place = await open()
    const recorder = createUsageRecorder({ store: place.stores.usage })
    const claims = [1e300, Number.NaN, -5, 0.0004, 0.1, Number.POSITIVE_INFINITY]
    claims.forEach((claim, index) => {
      recorder.record(record(`r${index}`, { seconds: claim, characters: claim, images: claim }))
    })
    await recorder.close(call)
    const { totals } = await createReports(place.stores).readUsage({ period: 'all', view: 'all' }, call)
    expect(totals.seconds).toBeCloseTo(2_000_000_000.1, 3)
    expect([totals.characters, totals.images]).toEqual([2_000_000_002, 2_000_000_002])
  })

  it('DB-3: keeps the sums when single records are removed, oldest first and a few at a time', async () => {
    await using place = await open()
    const { usage } = place.stores
    const day = 86_400_000
    await usage.append(
      Array.from({ length: 10 }, (_, index) => record(`r${index}`, { createdAt: NOW - index * day, seconds: 0.5 })),
      call,
    )
    const limits = { maxRecords: 4, before: 0, hoursBefore: 0, daysBefore: 0, limit: 5 }
    expect(await usage.prune(limits, call)).toBe(5)
    expect(await usage.prune(limits, call)).toBe(1)
    expect(await usage.prune(limits, call)).toBe(0)
    expect(await usage.prune({ ...limits, before: NOW - 2 * day }, call)).toBe(1)
    const reports = createReports(place.stores)
    expect((await reports.readUsage({ period: 'all', view: 'all' }, call)).totals).toMatchObject({
      requests: 10,
      seconds: 5,
    })
    // the hour in which the week begins has no single records any more, so all of it counts
    expect((await reports.readUsage({ period: 'week', view: 'all' }, call)).totals.requests).toBe(8)
  })

  it('DB-3: removes sums of hours and days in their time, and never those of months', async () => {
    await using place = await open()
    const { usage } = place.stores
    const day = 86_400_000
    await usage.append(
      [0, 1, 70, 500].map((age) => record(`r${age}`, { createdAt: NOW - age * day })),
      call,
    )
    const reports = createReports(place.stores)
    let removed = 0
    for (let count = await reports.prune(call); count > 0; count = await reports.prune(call)) removed += count
    // a record of 500 days, its hour and its day, and the hour of the one of 70 days
    expect(removed).toBe(4)
    expect((await reports.readUsage({ period: 'all', view: 'all' }, call)).totals.requests).toBe(4)
    expect((await reports.readUsage({ period: 'month', view: 'all' }, call)).totals.requests).toBe(2)
    const days = await usage.group({ bucket: 'day', byModel: true }, { ...call, limit: 10 })
    expect(days).toHaveLength(3)
  })

  it('sums labels once for each record, with one bound for all processes', async () => {
    await using place = await open()
    const [first, second] = [place.stores, await place.openSecond()]
    const records = Array.from({ length: 40 }, (_, index) =>
      record(`r${index}`, {
        endUser: `u${index % 20}`,
        tags: { team: index % 2 === 0 ? 'a' : 'b' },
        ...{ costMicros: 5, currency: 'USD', apiKeyId: `k${index % 3}` },
      }),
    )
    const options = { ...call, maxLabelValues: 4 }
    // every record comes twice, from both processes at once
    const twice = [...records, ...records]
    await Promise.all(twice.map((one, index) => (index % 2 === 0 ? first : second).usage.append([one], options)))
    const reports = createReports(place.stores)
    const read = (label: { readonly name: string; readonly value?: string; readonly isGroup?: boolean }) =>
      reports.readUsage({ period: 'day', view: 'all', label }, call)
    const byTeam = await read({ name: 'tag:team', isGroup: true })
    expect(
      byTeam.rows.map(({ labelValue, requests, costMicros }) => [labelValue, requests, costMicros]).sort(),
    ).toEqual([
      ['a', 20, 100],
      ['b', 20, 100],
    ])
    const byUser = await read({ name: 'end_user', isGroup: true })
    expect(byUser.rows).toHaveLength(5)
    expect(byUser.rows.find(({ labelValue }) => labelValue === '(other)')?.requests).toBe(32)
    expect(byUser.totals.requests).toBe(40)
    const ofTeam = await read({ name: 'tag:team', value: 'a' })
    expect([ofTeam.totals.requests, ofTeam.rows.map(({ apiKeyId }) => apiKeyId).sort()]).toEqual([
      20,
      ['k0', 'k1', 'k2'],
    ])
    expect((await read({ name: 'tag:none' })).rows).toEqual([])
    await place.stores.usage.append([record('late', { endUser: 'late' })], options)
    expect((await read({ name: 'end_user', value: 'late' })).rows).toEqual([])
  })

  it('refuses reports of too many rows', async () => {
    await using place = await open()
    const { usage } = place.stores
    await usage.append([record('a', { userId: 'a' }), record('b', { userId: 'b' })], call)
    await expect(usage.group({ bucket: 'hour', byModel: true }, { ...call, limit: 1 })).rejects.toMatchObject({
      code: 'too_many_rows',
    })
  })

  it('leaves keys and former names out of a report that would be too long', async () => {
    await using place = await open()
    const keys = Array.from({ length: 6 }, (_, index) => ({ apiKeyId: `k${index}`, userName: `name ${index}` }))
    await place.stores.usage.append(
      [...keys.map((key, index) => record(`r${index}`, { userId: 'a', ...key })), record('b', { userId: 'b' })],
      call,
    )
    const reports = createUsage({ store: place.stores.usage, clock: { now: () => NOW }, maxGroups: 5 })
    const { rows, totals } = await reports.readUsage({ period: 'month', view: 'all' }, call)
    expect(totals.requests).toBe(7)
    expect(
      rows.map(({ userId, userName, apiKeyId, requests }) => [userId, userName, apiKeyId, requests]).sort(),
    ).toEqual([
      ['a', 'name 5', '', 6],
      ['b', expect.any(String), '', 1],
    ])
    expect((await reports.readSources({ period: 'month', view: 'all' }, call)).buckets).toHaveLength(2)
  })

  it('stores names exactly', async () => {
    await using place = await open()
    const name = "'; DROP TABLE auth_users; -- %_\\ \u{1F600}"
    await place.stores.usage.append([record('a', { userId: name, userName: name, model: name })], call)
    const [group] = await place.stores.usage.group(
      { bucket: 'day', byModel: true, userId: name },
      { ...call, limit: 5 },
    )
    expect([group?.userId, group?.userName, group?.model]).toEqual([name, name, name])
  })

  it('names the source of old records, once', async () => {
    await using place = await open()
    if (place.execute === undefined) {
      expect(await place.stores.usage.backfillSources(call)).toBe(0)
      return
    }
    const { usage } = place.stores
    await usage.append(
      [record('a'), record('b', { userId: 'legacy-api-key' }), record('c', { source: 'apikey' })],
      call,
    )
    for (const table of ['auth_usage_records', 'auth_usage_sums'])
      await place.execute(`UPDATE ${table} SET source = '' WHERE source = 'web'`)
    // the same account has gone on under a version that knows sources
    await usage.append([record('d')], call)
    expect(await usage.backfillSources(call)).toBe(2)
    expect(await usage.backfillSources(call)).toBe(0)
    const { bySource } = (await createReports(place.stores).readSources({ period: 'day', view: 'all' }, call)).totals
    expect(bySource).toEqual({
      apikey: { tokens: 3, requests: 1 },
      legacy: { tokens: 3, requests: 1 },
      web: { tokens: 6, requests: 2 },
    })
  })
})
