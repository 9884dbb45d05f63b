import { expect, it } from 'vitest'
import type { UsageRow } from './api.ts'
import { toTable, writeCsv } from './export.ts'
import { addCosts, chooseMetric, filterUsage, groupUsage, listChoices, listMedia } from './group-usage.ts'

const row = (changes: Partial<UsageRow>): UsageRow => ({
  bucket: '2026-01-01',
  model: 'small',
  user_id: 'u1',
  user_name: 'Ada',
  source: 'web',
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  request_count: 1,
  ...changes,
})

const ROWS = [
  row({}),
  row({ bucket: '2026-01-02', model: 'large', total_tokens: 45, request_count: 1 }),
  row({
    user_id: 'u2',
    user_name: '',
    source: 'apikey',
    api_key_id: 'k1',
    api_key_name: 'desk',
    total_tokens: 0,
    request_count: 6,
  }),
]

it('sums by model with the share of the metric, the largest first', () => {
  const groups = groupUsage(ROWS, { group: 'model', metric: 'tokens' })
  expect(groups.map(({ name, totalTokens, requests, share }) => [name, totalTokens, requests, share])).toEqual([
    ['large', 45, 1, 0.75],
    ['small', 15, 7, 0.25],
  ])
  expect([...(groups[1]?.byBucket ?? [])]).toEqual([['2026-01-01', 15]])
})

it('takes requests for the share when they are shown', () => {
  const groups = groupUsage(ROWS, { group: 'model', metric: 'requests' })
  expect(groups.map(({ name, share }) => [name, share])).toEqual([
    ['small', 0.875],
    ['large', 0.125],
  ])
})

it('sums by key; usage without a key is one group', () => {
  expect(groupUsage(ROWS, { group: 'key', metric: 'requests' }).map(({ id, name }) => [id, name])).toEqual([
    ['k1', 'desk'],
    ['', ''],
  ])
})

it('has no share of nothing', () => {
  expect(groupUsage([row({ total_tokens: 0 })], { group: 'model', metric: 'tokens' })[0]?.share).toBe(0)
})

it('filters by account and key, and lists both', () => {
  expect(filterUsage(ROWS, { user: 'u1' })).toHaveLength(2)
  expect(filterUsage(ROWS, { user: 'u1', key: 'k1' })).toHaveLength(0)
  expect(listChoices(ROWS, (one) => [one.user_id, one.user_name])).toEqual([
    ['u1', 'Ada'],
    ['u2', 'u2'],
  ])
  expect(listChoices(ROWS, (one) => [one.api_key_id, one.api_key_name])).toEqual([['k1', 'desk']])
})

it('writes a table whose texts are no formulas', () => {
  expect(writeCsv([['=1+1', '@x', '-1', '+1', '\tx', 'a"b', 'a,b', -5]])).toBe(
    `'=1+1,'@x,'-1,'+1,'\tx,"a""b","a,b",-5\r\n`,
  )
  expect(writeCsv([['=a,b']])).toBe(`"'=a,b"\r\n`)
})

it('sums the tokens that were cached, thoughts or estimated; rows without them have none', () => {
  const details = { cached_tokens: 4, reasoning_tokens: 2, estimated_tokens: 9, estimated_request_count: 1 }
  const groups = groupUsage([...ROWS, row(details), row(details)], { group: 'model', metric: 'tokens' })
  expect(groups.map((one) => [one.name, one.cachedTokens, one.reasoningTokens, one.estimatedTokens])).toEqual([
    ['small', 8, 4, 18],
    ['large', 0, 0, 0],
  ])
})

it('exports media that any group has, without the rest of fractions', () => {
  const media = [0.1, 0.1, 0.1].map((seconds) => row({ media_seconds: seconds, images: 1 }))
  const groups = groupUsage([...ROWS, ...media], { group: 'model', metric: 'tokens' })
  expect(listMedia(groups)).toEqual(['mediaSeconds', 'images'])
  const table = toTable(groups, { group: 'Model', toName: ({ name }) => name })
  expect(table.map((cells) => [cells[0], ...cells.slice(10)])).toEqual([
    ['Model', 'media_seconds', 'images'],
    ['small', 0.3, 3],
    ['large', 0, 0],
  ])
})

it('exports what is shown', () => {
  const rows = [
    ...ROWS,
    row({ model: 'large', request_count: 0, cached_tokens: 3, estimated_tokens: 7, total_tokens: 0 }),
  ]
  const groups = groupUsage(rows, { group: 'model', metric: 'tokens' })
  const heads = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'share']
  expect(toTable(groups, { group: 'Model', toName: ({ name }) => name })).toEqual([
    ['Model', 'id', ...heads, 'cached_tokens', 'reasoning_tokens', 'estimated_tokens'],
    ['large', 'large', 1, 20, 10, 45, 0.75, 3, 0, 7],
    ['small', 'small', 7, 20, 10, 15, 0.25, 0, 0, 0],
  ])
})

it('adds costs of one currency only, and an unknown cost is not 0', () => {
  const rows = [
    row({ currency: 'USD', cost_micros: 1_500_000 }),
    row({ currency: 'USD', unpriced_request_count: 1 }),
    row({ model: 'large', currency: 'EUR', cost_micros: 0 }),
    row({ model: 'free', currency: 'EUR', unpriced_request_count: 1 }),
  ]
  const groups = groupUsage(rows, { group: 'model', metric: 'requests' })
  expect(groups.map(({ name, costs, unpricedRequests }) => [name, [...costs], unpricedRequests])).toEqual([
    ['small', [['USD', 1_500_000]], 1],
    ['free', [], 1],
    ['large', [['EUR', 0]], 0],
  ])
  expect([...addCosts(groups)]).toEqual([
    ['USD', 1_500_000],
    ['EUR', 0],
  ])
  expect([chooseMetric(rows, 'cost'), chooseMetric(rows.slice(0, 2), 'cost'), chooseMetric([], 'cost')]).toEqual([
    'tokens',
    'cost',
    'tokens',
  ])
  const table = toTable(groups, { group: 'Model', toName: ({ name }) => name })
  expect(table.map((cells) => cells.slice(-3))).toEqual([
    ['cost_micros_eur', 'cost_micros_usd', 'unpriced_requests'],
    ['', 1_500_000, 1],
    ['', '', 1],
    [0, '', 0],
  ])
})

it('draws the cost of a group over time in units', () => {
  const rows = [row({ currency: 'USD', cost_micros: 250_000 }), row({ currency: 'USD', cost_micros: 500_000 })]
  const [group] = groupUsage(rows, { group: 'model', metric: 'cost' })
  expect([...(group?.byBucket ?? [])]).toEqual([['2026-01-01', 0.75]])
})
