import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPrefixIndex } from './prefix-index.ts'

const at = (nodeId: string, replicaIndex = 0) => ({ nodeId, replicaIndex })
const all = () => true

describe('prefix index', () => {
  it('finds all replicas with the longest match', () => {
    const index = createPrefixIndex()
    index.observe('m', { chain: [1, 2], replica: at('a'), now: 0 })
    index.observe('m', { chain: [1, 2], replica: at('b', 1), now: 0 })
    index.observe('m', { chain: [1], replica: at('c'), now: 0 })
    const match = index.find({ chain: [1, 2, 3, 4], now: 1, isAllowed: all })
    expect(match.share).toBe(0.5)
    expect(match.replicas).toHaveLength(2)
    expect(index.find({ chain: [7], now: 1, isAllowed: all })).toEqual({ replicas: [], share: 0 })
  })

  it('forgets one replica, all of a model on a node, or a whole node', () => {
    const index = createPrefixIndex()
    const found = () =>
      index
        .find({ chain: [1], now: 0, isAllowed: all })
        .replicas.map((key) => `${key.nodeId}${key.replicaIndex}`)
        .sort()
    for (const replica of [at('a', 0), at('a', 1), at('b', 0), at('c', 0)])
      index.observe('m', { chain: [1], replica, now: 0 })
    index.forget('m', at('c'))
    expect(found()).toEqual(['a0', 'a1', 'b0'])
    index.forget('m', at('a', -1))
    expect(found()).toEqual(['b0'])
    index.forgetNode('b')
    expect(found()).toEqual([])
    index.observe('m', { chain: [1], replica: at('a', 1), now: 0 })
    expect(found()).toEqual(['a1'])
  })

  it('counts requests half after each half-life', () => {
    const index = createPrefixIndex({ halfLifeMs: 1000 })
    index.observe('m', { chain: [], replica: at('a'), now: 0 })
    index.observe('m', { chain: [], replica: at('a'), now: 0 })
    expect(index.recentRequests('m', at('a'), 1000)).toBeCloseTo(1)
    // A clock that runs behind does not make it more.
    expect(index.recentRequests('m', at('a'), -5000)).toBe(2)
    expect(index.recentRequests('m', at('b'), 0)).toBe(0)
  })

  it('tells others only of news', () => {
    const index = createPrefixIndex({ ttlMs: 1000 })
    const observe = (chain: readonly number[], now: number) => index.observe('m', { chain, replica: at('a'), now })
    expect([observe([1], 0), observe([1], 100), observe([1, 2], 100), observe([1, 2], 400), observe([], 0)]).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
  })

  it('never holds more than its bound, whatever is observed', () => {
    const index = createPrefixIndex({ maxPairs: 1000 })
    for (let request = 0; request < 5000; request += 1) {
      const chain = Array.from({ length: 20 }, (_, window) => request * 100 + window)
      index.observe(`m${request}`, { chain, replica: at(`n${request % 50}`), now: request })
      expect(index.size).toBeLessThanOrEqual(1020)
    }
  })

  it('agrees with a plain list of what was observed', () => {
    const chain = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 })
    const step = fc.record({
      what: fc.constantFrom('observe', 'observe', 'observe', 'find', 'forget'),
      path: chain,
      node: fc.constantFrom('a', 'b', 'c'),
      wait: fc.integer({ min: 0, max: 60 }),
    })
    // A chain of a path: each hash stands for the whole beginning.
    const toChain = (path: readonly number[]) =>
      path.map((_, end) => path.slice(0, end + 1).reduce((sum, part) => sum * 5 + part + 1, 0))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const index = createPrefixIndex({ ttlMs: 100 })
        let noted: { hash: number; node: string; at: number }[] = []
        let now = 0
        for (const { what, path, node, wait } of steps) {
          now += wait
          const hashes = toChain(path)
          if (what === 'observe') {
            index.observe('m', { chain: hashes, replica: at(node), now })
            noted.push(...hashes.map((hash) => ({ hash, node, at: now })))
          } else if (what === 'forget') {
            index.forget('m', at(node))
            noted = noted.filter((entry) => entry.node !== node)
          } else {
            const live = (hash: number) =>
              new Set(noted.filter((entry) => entry.hash === hash && now - entry.at <= 100).map((entry) => entry.node))
            const depth = hashes.findLastIndex((hash) => live(hash).size > 0) + 1
            const match = index.find({ chain: hashes, now, isAllowed: all })
            expect(match.share).toBeCloseTo(depth / hashes.length)
            expect(new Set(match.replicas.map(({ nodeId }) => nodeId))).toEqual(
              depth === 0 ? new Set() : live(hashes[depth - 1] ?? -1),
            )
          }
        }
      }),
    )
  })
})
