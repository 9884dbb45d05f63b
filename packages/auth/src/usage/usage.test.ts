import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { UsageGroup, UsageQuery, UsageStore } from '../ports/usage.ts'
import { MAX_KEY_TOTALS, reportSources } from './sources.ts'
import { createUsage, sumUsage } from './usage.ts'

const { signal } = new AbortController()
const DAY = 86_400_000
const NOW = Date.parse('2026-03-15T12:00:00Z')

/** A group whose figures are all different. */
const group = (factor: number, changes: Partial<UsageGroup> = {}): UsageGroup => ({
  bucketStart: NOW,
  model: 'm',
  userId: 'ada',
  userName: 'Ada',
  source: 'web',
  apiKeyId: '',
  apiKeyName: '',
  promptTokens: 2 * factor,
  completionTokens: 3 * factor,
  totalTokens: 5 * factor,
  requests: 7 * factor,
  cachedTokens: 11 * factor,
  reasoningTokens: 13 * factor,
  estimatedTokens: 17 * factor,
  estimatedRequests: 19 * factor,
  seconds: 0.5 * factor,
  characters: 29 * factor,
  images: 31 * factor,
  cacheWriteTokens: 37 * factor,
  currency: '',
  costMicros: 0,
  unpricedRequests: 0,
  lastUsedAt: 23 * factor,
  ...changes,
})
const key = (factor: number, id: string, changes: Partial<UsageGroup> = {}) =>
  group(factor, { source: 'apikey', apiKeyId: id, apiKeyName: `name of ${id}`, ...changes })

/** Usage over a store that notes its queries. */
function createWorld({
  groups = [],
  limit = 9,
}: {
  readonly groups?: readonly UsageGroup[]
  readonly limit?: number
} = {}) {
  const asked: unknown[] = []
  const store: UsageStore = {
    append: async () => {},
    async group(query: UsageQuery, options) {
      asked.push({ ...query, limit: options.limit })
      if (query.byKey !== false && groups.length > limit) {
        throw new SvcError('unprocessable', 'too many', { code: 'too_many_rows' })
      }
      return groups
    },
    backfillSources: async () => 4,
    async prune(limits) {
      asked.push(limits)
      return 3
    },
  }
  return { asked, store, usage: createUsage({ store, clock: createFakeClock({ now: NOW }) }) }
}

it('old records and sums are removed by their own ages', async () => {
  const { usage, asked } = createWorld()
  expect(await usage.prune({ signal })).toBe(3)
  expect(await usage.backfillSources({ signal })).toBe(4)
  expect(asked).toEqual([
    {
      maxRecords: 1_000_000,
      before: NOW - 90 * DAY,
      hoursBefore: NOW - 62 * DAY,
      daysBefore: NOW - 400 * DAY,
      limit: 1000,
    },
  ])
})

describe('a report', () => {
  it.each([
    [{ view: 'all' }, { userId: undefined, apiKeyId: undefined, withoutLegacy: false }],
    [
      { view: 'all', userId: 'ada', apiKeyId: 'k' },
      { userId: 'ada', apiKeyId: 'k', withoutLegacy: false },
    ],
    [
      { view: 'own', userId: 'ada' },
      { userId: 'ada', apiKeyId: undefined, withoutLegacy: true },
    ],
    [{ view: 'own' }, { userId: '', apiKeyId: undefined, withoutLegacy: true }],
  ] as const)('for %j asks for %j', async (audience, expected) => {
    const { usage, asked } = createWorld()
    await usage.readUsage({ period: 'week', ...audience }, { signal })
    await usage.readSources({ period: 'week', ...audience }, { signal })
    const both = { bucket: 'day', since: NOW - 7 * DAY, limit: 50_000, ...expected }
    expect(asked).toEqual([
      { ...both, byModel: true },
      { ...both, byModel: false },
    ])
  })

  it.each([
    ['day', { bucket: 'hour', since: NOW - DAY }, '2026-03-15 12:00'],
    ['week', { bucket: 'day', since: NOW - 7 * DAY }, '2026-03-15'],
    ['month', { bucket: 'day', since: NOW - 30 * DAY }, '2026-03-15'],
    ['year', { bucket: 'day', since: NOW - 30 * DAY }, '2026-03-15'],
    [undefined, { bucket: 'day', since: NOW - 30 * DAY }, '2026-03-15'],
    ['toString', { bucket: 'day', since: NOW - 30 * DAY }, '2026-03-15'],
    ['all', { bucket: 'month', since: undefined }, '2026-03'],
  ])('of the period %s asks for %j and labels its buckets as %s', async (period, query, label) => {
    const { usage, asked } = createWorld({ groups: [group(1)] })
    const { rows } = await usage.readUsage({ period, view: 'all' }, { signal })
    expect([asked, rows[0]?.bucket]).toMatchObject([[query], label])
    const { buckets } = await usage.readSources({ period, view: 'all' }, { signal })
    expect(buckets[0]?.bucket).toBe(label)
  })

  it('has its rows by time, with labels, and the sum of all', async () => {
    const groups = [group(1), group(10, { bucketStart: NOW - DAY }), group(100)]
    const { usage } = createWorld({ groups })
    const { rows, totals } = await usage.readUsage({ period: 'week', view: 'all' }, { signal })
    expect(rows.map(({ bucket, requests }) => [bucket, requests])).toEqual([
      ['2026-03-14', 70],
      ['2026-03-15', 7],
      ['2026-03-15', 700],
    ])
    expect(totals).toEqual({
      promptTokens: 222,
      completionTokens: 333,
      totalTokens: 555,
      requests: 777,
      cachedTokens: 1221,
      reasoningTokens: 1443,
      estimatedTokens: 1887,
      estimatedRequests: 2109,
      seconds: 55.5,
      characters: 3219,
      images: 3441,
      cacheWriteTokens: 4107,
    })
    expect(new Set(Object.values(sumUsage([])))).toEqual(new Set([0]))
  })

  it('leaves keys out where there are too many groups, and fails for other reasons', async () => {
    const { usage, asked } = createWorld({ groups: [group(1), group(2)], limit: 1 })
    expect((await usage.readUsage({ period: 'week', view: 'all' }, { signal })).rows).toHaveLength(2)
    expect(asked).toMatchObject([{}, { byKey: false, limit: 50_000 }])
    expect(asked[0]).not.toHaveProperty('byKey')
    const { store } = createWorld()
    const away = new SvcError('unavailable', 'away')
    const broken = createUsage({
      store: { ...store, group: async () => Promise.reject(away) },
      clock: { now: () => 1 },
    })
    await expect(broken.readUsage({ period: 'week', view: 'all' }, { signal })).rejects.toBe(away)
  })
})

describe('usage by source', () => {
  const groups = [
    group(1),
    group(2, { source: 'legacy', userId: '', userName: '' }),
    group(3, { userId: 'bob', userName: 'Bob', bucketStart: NOW - DAY }),
    key(1, 'k1', { lastUsedAt: 50 }),
    key(4, 'k1', { lastUsedAt: 40, bucketStart: NOW - DAY }),
    key(9, 'k2'),
    key(1, 'k1', { apiKeyName: 'a former name', lastUsedAt: 1 }),
  ]

  it('adds up by source, by key with its name, and by account', () => {
    const { buckets, totals, isTruncated } = reportSources(groups, { isForAdmin: true })
    expect(buckets.map(({ bucketStart }) => bucketStart)).toEqual([NOW - DAY, NOW - DAY, NOW, NOW, NOW, NOW, NOW])
    expect(totals.bySource).toEqual({
      web: { tokens: 20, requests: 28 },
      legacy: { tokens: 10, requests: 14 },
      apikey: { tokens: 75, requests: 105 },
    })
    expect(totals.grandTotal).toEqual({ tokens: 105, requests: 147 })
    const ada = { userId: 'ada', userName: 'Ada' }
    expect(totals.byKey).toEqual([
      { apiKeyId: 'k2', apiKeyName: 'name of k2', ...ada, tokens: 45, requests: 63, lastUsedAt: 207 },
      { apiKeyId: 'k1', apiKeyName: 'name of k1', ...ada, tokens: 25, requests: 35, lastUsedAt: 50 },
      { apiKeyId: 'k1', apiKeyName: 'a former name', ...ada, tokens: 5, requests: 7, lastUsedAt: 1 },
    ])
    expect(totals.byUserSource).toEqual([
      { source: 'web', userId: 'bob', userName: 'Bob', tokens: 15, requests: 21 },
      { source: 'legacy', userId: '', userName: '', tokens: 10, requests: 14 },
      { source: 'web', ...ada, tokens: 5, requests: 7 },
    ])
    expect(isTruncated).toBe(false)
  })

  it('tells nobody but admins of accounts', () => {
    expect(reportSources(groups, { isForAdmin: false }).totals).not.toHaveProperty('byUserSource')
  })

  it.each([
    [MAX_KEY_TOTALS, false],
    [MAX_KEY_TOTALS + 1, true],
  ])('of %d keys names 200; some are left out: %s', (count, isTruncated) => {
    const keys = Array.from({ length: count }, (_, index) => key(index + 1, `k${index}`))
    const report = reportSources(keys, { isForAdmin: false })
    expect([report.totals.byKey.length, report.isTruncated]).toEqual([200, isTruncated])
    expect(report.totals.byKey[0]?.apiKeyId).toBe(`k${count - 1}`)
  })
})
