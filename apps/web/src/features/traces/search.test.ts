import { expect, it } from 'vitest'
import { toQuery } from './list-query.ts'
import { hasFilters, noFilters, readTracesSearch } from './search.ts'

const clean = (search: object) => Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))

it('reads what the address says', () => {
  const parameters = {
    kind: 'backend',
    hours: 6,
    status: 'failed',
    model: 'small',
    min: '500',
    q: 42,
    page: 3,
    per: 200,
    live: true,
  }
  expect(clean(readTracesSearch(parameters))).toEqual({ ...parameters, min: 500, q: '42' })
})

it('makes wrong values and defaults to nothing', () => {
  const parameters = {
    kind: 'x',
    hours: 24,
    status: '9xx',
    min: -1,
    page: 1,
    per: 50,
    at: 0,
    from: 5,
    to: 5,
    live: 'no',
  }
  expect(clean(readTracesSearch(parameters))).toEqual({})
})

it('knows the statuses of either kind, and no users of calls', () => {
  expect(readTracesSearch({ status: 'failed' }).status).toBe('failed')
  // an address of before
  expect(readTracesSearch({ status: '5xx' }).status).toBe('failed')
  expect(readTracesSearch({ kind: 'backend', status: '2xx', user: 'ada' })).toMatchObject({
    status: undefined,
    user: undefined,
  })
})

it('tells filters from the look of the list', () => {
  expect(hasFilters(readTracesSearch({ hours: 6, live: true, page: 2 }))).toBe(false)
  const filtered = readTracesSearch({ q: 'a', from: 1, to: 2, model: 'm', status: 'failed', user: 'u', min: 5 })
  expect(hasFilters(filtered)).toBe(true)
  expect(hasFilters({ ...filtered, ...noFilters })).toBe(false)
})

const NOW = Date.UTC(2026, 0, 2)

it('asks for the range and the filters', () => {
  expect(toQuery({ hours: 6, model: 'small', status: 'failed', user: 'ada', min: 500, q: 'chat' }, NOW)).toEqual({
    limit: '50',
    since: '2026-01-01T18:00:00.000Z',
    model: 'small',
    status: 'failed',
    user: 'ada',
    min_duration_ms: '500',
    q: 'chat',
  })
})

it('asks for one bar of the chart', () => {
  const query = toQuery({ from: NOW - 7_200_000, to: NOW - 3_600_000 }, NOW)
  expect(query).toMatchObject({ since: '2026-01-01T22:00:00.000Z', until: '2026-01-01T23:00:00.000Z' })
})

it('asks for a later page as it was when the reader went there', () => {
  expect(toQuery({ page: 3, per: 200, at: NOW - 60_000 }, NOW)).toMatchObject({
    limit: '200',
    offset: '400',
    until: '2026-01-01T23:59:00.000Z',
  })
  expect(toQuery({ at: NOW }, NOW)).not.toHaveProperty('until')
})
