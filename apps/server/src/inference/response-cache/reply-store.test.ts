import { describe, expect, it } from 'vitest'
import { MAX_REPLY_BYTES, ReplyStore } from './reply-store.ts'

const reply = (text: string) => ({ batches: [[{ type: 'text-delta', choice: 0, text } as const]], served: 'm' })

function createStore(bounds: { readonly maxBytes?: number; readonly maxReplies?: number } = {}) {
  const clock = { now: 0 }
  const store = new ReplyStore({ now: () => clock.now, ...bounds })
  const keep = (key: string, text = key, model = 'm') => store.keep(key, reply(text), { model, ttlMs: 1000 })
  return { clock, store, keep }
}

describe('ReplyStore', () => {
  it('stays within its number of replies in a flood, and drops what was not used for longest', () => {
    const { store, keep } = createStore({ maxReplies: 3 })
    keep('a')
    keep('b')
    keep('c')
    store.find('a')
    keep('d')
    expect(['a', 'b', 'c', 'd'].map((key) => store.find(key) !== undefined)).toEqual([true, false, true, true])
    for (let index = 0; index < 1000; index += 1) keep(`flood ${index}`)
    expect(store.sizeOf('m').replies).toBe(3)
  })

  it('stays within its bytes, and counts them exactly', () => {
    const { store, keep } = createStore({ maxBytes: 20_000 })
    for (let index = 0; index < 100; index += 1) {
      keep(`key ${index % 50}`, 'x'.repeat(index * 30))
      expect(store.bytes).toBeLessThanOrEqual(20_000)
      expect(store.sizeOf('m').bytes).toBe(store.bytes)
    }
    expect(store.clear('m')).toBeGreaterThan(0)
    expect(store.bytes).toBe(0)
  })

  it('keeps no reply that is too long, and then not the one before it either', () => {
    const { store, keep } = createStore()
    keep('a')
    keep('a', 'x'.repeat(MAX_REPLY_BYTES))
    expect([store.find('a'), store.bytes]).toEqual([undefined, 0])
  })

  it('forgets replies with their time, also those that are used', () => {
    const { clock, store, keep } = createStore()
    keep('a')
    clock.now = 999
    expect(store.find('a')).toEqual(reply('a'))
    clock.now = 1000
    expect([store.find('a'), store.bytes]).toEqual([undefined, 0])
  })

  it('clears the replies of one model only', () => {
    const { store, keep } = createStore()
    keep('a')
    keep('b', 'b', 'other')
    expect([store.clear('m'), store.find('a'), store.find('b')]).toEqual([1, undefined, reply('b')])
  })
})
