import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJitterBuffer, type Ordered } from './jitter-buffer.ts'

const packet = (sequence: number) => ({
  payloadType: 111,
  hasMarker: false,
  sequence: sequence & 0xff_ff,
  timestamp: (sequence * 960) >>> 0,
  source: 1,
  payload: Uint8Array.of(1),
})

const show = (ordered: readonly Ordered[]): (number | string)[] =>
  ordered.map((each) => {
    if (each.type === 'packet') return each.packet.sequence
    return each.type === 'lost' ? `${each.count} lost` : 'restart'
  })

describe('a jitter buffer', () => {
  it('lets packets in order pass at once', () => {
    const buffer = createJitterBuffer()
    buffer.add(packet(10), 0)
    expect(show(buffer.take(0))).toEqual([10])
    buffer.add(packet(11), 20)
    expect(show(buffer.take(20))).toEqual([11])
  })

  it('puts packets in order, over the turn of the numbers', () => {
    const buffer = createJitterBuffer()
    for (const sequence of [65_534, 0, 65_535, 1]) buffer.add(packet(sequence), 0)
    expect(show(buffer.take(0))).toEqual([65_534, 65_535, 0, 1])
    expect(buffer.facts.highestSequence).toBe(65_537)
  })

  // verifies realtime:calls:jitter
  it('waits 60 ms for a missing packet, and no longer', () => {
    const buffer = createJitterBuffer()
    buffer.add(packet(1), 0)
    buffer.add(packet(3), 40)
    expect(show(buffer.take(40))).toEqual([1])
    expect(show(buffer.take(99))).toEqual([])
    expect(show(buffer.take(100))).toEqual(['1 lost', 3])
    expect(buffer.facts).toMatchObject({ received: 2, lost: 1 })
  })

  it('waits longer after late packets, up to 200 ms, and shorter after calm', () => {
    const buffer = createJitterBuffer()
    buffer.add(packet(0), 0)
    for (let round = 1; round <= 10; round++) {
      buffer.add(packet(2 * round), round)
      buffer.take(round + 300)
      buffer.add(packet(2 * round - 1), round + 301)
    }
    expect(buffer.facts).toMatchObject({ late: 10, waitMs: 200 })
    buffer.take(20_000)
    expect(buffer.facts.waitMs).toBe(180)
  })

  it('drops duplicates, whether they wait or are gone', () => {
    const buffer = createJitterBuffer()
    for (const sequence of [1, 1, 3, 3]) buffer.add(packet(sequence), 0)
    expect(show(buffer.take(0))).toEqual([1])
    buffer.add(packet(1), 1)
    expect(show(buffer.take(60))).toEqual(['1 lost', 3])
    expect(buffer.facts.duplicates).toBe(3)
  })

  it('begins anew where two packets in a row say so, and not for one', () => {
    const buffer = createJitterBuffer()
    buffer.add(packet(1), 0)
    buffer.take(0)
    buffer.add(packet(30_000), 1)
    buffer.add(packet(2), 2)
    expect(show(buffer.take(2))).toEqual([2])
    buffer.add(packet(30_000), 3)
    buffer.add(packet(30_001), 4)
    expect(show(buffer.take(4))).toEqual(['restart', 30_001])
  })

  it('holds a bounded number of packets', () => {
    const buffer = createJitterBuffer()
    buffer.add(packet(0), 0)
    buffer.take(0)
    for (let sequence = 2; sequence <= 102; sequence++) buffer.add(packet(sequence), 1)
    expect(buffer.take(1)).toHaveLength(102)
  })

  it('gives each packet at most once and in order, whatever comes', () => {
    const arrivals = fc.array(fc.record({ sequence: fc.integer({ min: 0, max: 120 }), after: fc.nat(90) }), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(arrivals, (all) => {
        const buffer = createJitterBuffer()
        let now = 0
        let last = -1
        for (const { sequence, after } of all) {
          now += after
          buffer.add(packet(sequence), now)
          for (const ordered of buffer.take(now)) {
            if (ordered.type !== 'packet') continue
            expect(ordered.packet.sequence).toBeGreaterThan(last)
            last = ordered.packet.sequence
          }
        }
      }),
    )
  })
})
