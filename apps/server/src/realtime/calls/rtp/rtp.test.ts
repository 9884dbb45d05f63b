import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSenderClock, writeReport } from './reports.ts'
import { isControl, readRtp, writeRtp } from './rtp-packet.ts'

const PACKET = {
  payloadType: 111,
  hasMarker: true,
  sequence: 65_535,
  timestamp: 4_294_967_295,
  source: 0xde_ad_be_ef,
  payload: Uint8Array.of(1, 2, 3),
}

describe('packets of media', () => {
  it('are read as they were written', () => {
    const bytes = writeRtp(PACKET)
    expect(isControl(bytes)).toBe(false)
    expect(readRtp(bytes)).toEqual(PACKET)
  })

  it('are read behind contributing sources, an extension and padding', () => {
    const plain = writeRtp(PACKET)
    const sources = new Uint8Array(8).fill(9)
    const extension = Uint8Array.of(0xbe, 0xde, 0, 1, 0x10, 5, 0, 0)
    const bytes = Uint8Array.of(...plain.subarray(0, 12), ...sources, ...extension, 1, 2, 3, 0, 0, 3)
    bytes[0] = 0x80 | 0x20 | 0x10 | 2
    expect(readRtp(bytes)).toEqual(PACKET)
  })

  it.each([
    ['nothing', []],
    ['a head alone', [...writeRtp({ ...PACKET, payload: new Uint8Array(0) })]],
    ['another version', [0x40, ...writeRtp(PACKET).subarray(1)]],
    ['more padding than bytes', [0xa0, ...writeRtp({ ...PACKET, payload: Uint8Array.of(200) }).subarray(1)]],
    ['an extension that does not end', [0x90, ...writeRtp(PACKET).subarray(1)]],
  ])('are not read out of %s', (_what, bytes) => {
    expect(readRtp(Uint8Array.from(bytes))).toBeUndefined()
  })

  it('that are arbitrary bytes give a part of them, or nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const packet = readRtp(bytes)
        if (packet === undefined) return
        expect(packet.payload.length).toBeGreaterThan(0)
        expect(packet.payload.length).toBeLessThanOrEqual(bytes.length - 12)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('reports', () => {
  const sent = { source: 7, packets: 10, bytes: 400, timestamp: 96_000 }
  const received = {
    ...{ source: 9, lostShare: 0.25, lost: 3, highestSequence: 70_000, jitter: 48 },
    lastReport: { clock: 5, agoMs: 500 },
  }

  it('of a sender have clock, counts and a block', () => {
    const now = Date.UTC(2026, 0, 1, 0, 0, 0, 500)
    const bytes = writeReport({ sent, received, name: 'svc', now })
    const view = new DataView(bytes.buffer)
    expect(isControl(bytes)).toBe(true)
    expect([...bytes.subarray(0, 4)]).toEqual([0x81, 200, 0, 12])
    expect(view.getUint32(8) - 2_208_988_800).toBe(Math.floor(now / 1000))
    expect(view.getUint32(12)).toBe(2 ** 31)
    expect([view.getUint32(16), view.getUint32(20), view.getUint32(24)]).toEqual([96_000, 10, 400])
    expect([view.getUint32(28), view.getUint8(32), view.getUint32(36)]).toEqual([9, 64, 70_000])
    expect(view.getUint32(48)).toBe(32_768)
    expect(bytes.length % 4).toBe(0)
    expect(Buffer.from(bytes.subarray(62, 65)).toString()).toBe('svc')
    const middle = ((view.getUint32(8) & 0xff_ff) * 65_536 + 0x80_00) >>> 0
    expect(readSenderClock(bytes)).toEqual({ source: 7, clock: middle })
  })

  it('of a side that sent nothing are those of a receiver', () => {
    const bytes = writeReport({ sent: { ...sent, packets: 0 }, received, name: 'svc', now: 0 })
    expect([...bytes.subarray(0, 4)]).toEqual([0x81, 201, 0, 7])
    expect(readSenderClock(bytes)).toBeUndefined()
  })

  it('that are arbitrary bytes do no harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const found = readSenderClock(bytes)
        if (found !== undefined) expect(found.clock).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 2000 },
    )
  })
})
