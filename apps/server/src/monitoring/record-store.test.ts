import { expect, it } from 'vitest'
import { createRecordStore } from './record-store.ts'
import type { TraceRecord } from './recorders.ts'

const signal = new AbortController().signal

const trace = (at: number, principalId = 'ada'): TraceRecord => ({
  correlationId: `c-${at}`,
  endpoint: '/v1/chat/completions',
  requestedModel: 'm',
  servedModel: 'm',
  principalId,
  durationMs: 1,
  at,
  errorCode: undefined,
})

it('lists the newest records first, as many as asked for', async () => {
  const store = createRecordStore<TraceRecord>(3)
  for (const at of [1, 2, 3, 4]) store.record(trace(at))
  expect(await store.list({ limit: 9 }, { signal })).toEqual([trace(4), trace(3), trace(2)])
  expect(await store.list({ limit: 1 }, { signal })).toEqual([trace(4)])
})

it('finds records by time and by principal', async () => {
  const store = createRecordStore<TraceRecord>()
  for (const at of [1, 2, 3]) store.record(trace(at, at === 2 ? 'bob' : 'ada'))
  const times = async (query: object): Promise<number[]> =>
    (await store.list({ limit: 9, ...query }, { signal })).map(({ at }) => at)
  expect(await times({ since: 2 })).toEqual([3, 2])
  expect(await times({ until: 2 })).toEqual([1])
  expect(await times({ since: 1, until: 3, principalId: 'ada' })).toEqual([1])
  expect(await times({ principalId: 'eve' })).toEqual([])
})

it('keeps 128 records', async () => {
  const store = createRecordStore<TraceRecord>()
  for (let at = 0; at < 200; at += 1) store.record(trace(at))
  expect(await store.list({ limit: 1000 }, { signal })).toHaveLength(128)
})

it('rejects for a caller that has left', async () => {
  const left = new AbortController()
  left.abort(new Error('gone'))
  await expect(createRecordStore<TraceRecord>().list({ limit: 1 }, { signal: left.signal })).rejects.toThrow('gone')
})
