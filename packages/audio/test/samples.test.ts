import {
  aLawToFloat32,
  float32ToALaw,
  float32ToMuLaw,
  float32ToS16,
  mixChannels,
  muLawToFloat32,
  s16ToFloat32,
} from '@svc/audio/samples'
import { describe, expect, it } from 'vitest'

const ALL_CODES = Uint8Array.from({ length: 256 }, (_, code) => code)

describe('s16', () => {
  it('gives every value back', () => {
    const bytes = new Uint8Array(Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768).buffer)
    const samples = s16ToFloat32(bytes)
    expect(samples[0]).toBe(-1)
    expect(samples.at(-1)).toBe(32_767 / 32_768)
    expect(Buffer.compare(float32ToS16(samples), bytes)).toBe(0)
  })

  it('reads at odd addresses and leaves an odd byte out', () => {
    expect([...s16ToFloat32(new Uint8Array([9, 0, 0x80, 0xff, 0x7f, 1]).subarray(1))]).toEqual([-1, 32_767 / 32_768])
  })

  it('limits what is too loud, and silences what is not a number', () => {
    const loud = new Float32Array([1, 2, -1, -1.00001, -9, Infinity, -Infinity, Number.NaN, 0.99999, -0.00001])
    const values = new Int16Array(float32ToS16(loud).buffer)
    expect([...values]).toEqual([32_767, 32_767, -32_768, -32_768, -32_768, 32_767, -32_768, 0, 32_767, 0])
  })
})

describe('G.711', () => {
  it('decodes the codes of the tables in the recommendation', () => {
    const toS16 = (samples: Float32Array) => [...samples].map((sample) => sample * 32_768)
    expect(toS16(muLawToFloat32(new Uint8Array([0x00, 0x80, 0x7f, 0xff, 0xf0, 0x8f])))).toEqual([
      -32_124, 32_124, 0, 0, 120, 16_764,
    ])
    expect(toS16(aLawToFloat32(new Uint8Array([0x55, 0xd5, 0xaa, 0x2a, 0x80])))).toEqual([-8, 8, 32_256, -32_256, 5504])
  })

  it('gives every code back', () => {
    const muLaw = float32ToMuLaw(muLawToFloat32(ALL_CODES))
    // The law has two zeros.
    expect([...muLaw]).toEqual([...ALL_CODES].map((code) => (code === 0x7f ? 0xff : code)))
    expect([...float32ToALaw(aLawToFloat32(ALL_CODES))]).toEqual([...ALL_CODES])
  })

  it.each([
    ['mu-law', float32ToMuLaw, muLawToFloat32],
    ['A-law', float32ToALaw, aLawToFloat32],
  ] as const)('%s changes a sample by less than a sixteenth', (_, encode, decode) => {
    const samples = Float32Array.from({ length: 65_536 }, (_, index) => (index - 32_768) / 32_768)
    const decoded = decode(encode(samples))
    const far = samples.filter((sample, index) => {
      return Math.abs((decoded[index] ?? 9) - sample) > Math.abs(sample) / 32 + 9 / 32_768
    })
    expect([...far]).toEqual([])
    expect(decode(encode(new Float32Array([5, -5])))).toEqual(decode(encode(new Float32Array([1, -1]))))
  })
})

describe('channels', () => {
  it('are mixed by their mean', () => {
    expect([...mixChannels(new Float32Array([1, 0, 0.5, -0.5, 9]), { from: 2, to: 1 })]).toEqual([0.5, 0])
    expect([...mixChannels(new Float32Array([3, 0, 0]), { from: 3, to: 1 })]).toEqual([1])
  })

  it('are repeated', () => {
    expect([...mixChannels(new Float32Array([1, 2]), { from: 1, to: 3 })]).toEqual([1, 1, 1, 2, 2, 2])
  })

  it('stay as they are', () => {
    const samples = new Float32Array([1, 2])
    expect(mixChannels(samples, { from: 2, to: 2 })).toBe(samples)
  })

  it.each([
    [0, 1],
    [1, 0],
    [2, 3],
    [1.5, 1],
    [Number.NaN, 1],
  ])('are refused from %d to %d', (from, to) => {
    expect(() => mixChannels(new Float32Array(4), { from, to })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
