import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { expect, it } from 'vitest'
import { createEventStore } from './event-store.ts'

const message = (method: string): JSONRPCMessage => ({ jsonrpc: '2.0', method })

async function replay(store: ReturnType<typeof createEventStore>, id: string): Promise<readonly unknown[]> {
  const sent: unknown[] = []
  await store.replayEventsAfter(id, {
    send: async (_, event) => void sent.push('method' in event ? event.method : undefined),
  })
  return sent
}

it('gives the events of a stream after one of them', async () => {
  const store = createEventStore({ maxEvents: 10, maxLength: 1000 })
  // A priming event.
  const first = await store.storeEvent('a', {} as JSONRPCMessage)
  await store.storeEvent('b', message('other'))
  const second = await store.storeEvent('a', message('one'))
  await store.storeEvent('a', message('two'))
  expect(await store.getStreamIdForEventId?.(second)).toBe('a')
  expect([await replay(store, first), await replay(store, second)]).toEqual([['one', 'two'], ['two']])
})

it('keeps the newest events, by number and by length', async () => {
  const store = createEventStore({ maxEvents: 3, maxLength: 200 })
  const first = await store.storeEvent('a', message('1'))
  for (const method of ['2', '3', '4']) await store.storeEvent('a', message(method))
  expect(await store.getStreamIdForEventId?.(first)).toBeUndefined()
  await expect(replay(store, first)).rejects.toThrow(RangeError)
  const long = await store.storeEvent('a', message('x'.repeat(500)))
  expect(await store.getStreamIdForEventId?.(long)).toBe('a')
  await store.storeEvent('a', message('5'))
  expect(await store.getStreamIdForEventId?.(long)).toBeUndefined()
})
