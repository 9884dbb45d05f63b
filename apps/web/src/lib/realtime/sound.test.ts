import { describe, expect, it } from 'vitest'
import { decodePcm, encodePcm } from './pcm.ts'
import { createResampler } from './resample.ts'

describe('sound in events', () => {
  it('is 16-bit little-endian PCM in base64, within its bounds', () => {
    expect(encodePcm(Float32Array.of(0, 1, -1, 2, -2, 0.5))).toBe(
      Buffer.from([0, 0, 0xff, 0x7f, 0, 0x80, 0xff, 0x7f, 0, 0x80, 0, 0x40]).toString('base64'),
    )
  })

  it('comes back as it went, in pieces of any size', () => {
    for (const length of [0, 1, 960, 40_000]) {
      const samples = Float32Array.from({ length }, (_, index) => Math.sin(index / 7))
      const back = decodePcm(encodePcm(samples))
      expect(back?.length).toBe(length)
      expect(back?.every((sample, index) => Math.abs(sample - (samples[index] ?? 9)) < 1e-4)).toBe(true)
    }
  })

  it('is refused where it is not base64, and loses half a sample', () => {
    expect(decodePcm('*')).toBeUndefined()
    expect(decodePcm(Buffer.from([0, 0x40, 1]).toString('base64'))).toEqual(Float32Array.of(0.5))
  })
})

describe('a resampler', () => {
  const tone = (hertz: number, rate: number, seconds: number) =>
    Float32Array.from({ length: rate * seconds }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / rate))
  const loudness = (samples: Float32Array) =>
    Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
  const run = (samples: Float32Array, from: number, to: number, piece: number) => {
    const resample = createResampler(from, to)
    const made: number[] = []
    for (let at = 0; at < samples.length; at += piece) made.push(...resample(samples.subarray(at, at + piece)))
    return Float32Array.from(made)
  }

  it.each([
    [48_000, 24_000],
    [44_100, 24_000],
    [16_000, 24_000],
  ])('keeps the tone and its length from %i to %i', (from, to) => {
    const made = run(tone(440, from, 1), from, to, 128)
    expect(Math.abs(made.length - to)).toBeLessThan(to / 500)
    const expected = tone(440, to, 1)
    // the first samples are heard through half a filter
    const apart = made.subarray(200, 20_000).map((sample, index) => sample - (expected[index + 200] ?? 0))
    expect(loudness(apart)).toBeLessThan(0.02)
  })

  it('gives the same whatever the pieces are', () => {
    const samples = tone(1000, 44_100, 0.2)
    const whole = run(samples, 44_100, 24_000, samples.length)
    const pieces = run(samples, 44_100, 24_000, 128)
    expect(pieces.length).toBe(whole.length)
    expect(pieces.every((sample, index) => Math.abs(sample - (whole[index] ?? 9)) < 1e-5)).toBe(true)
  })

  it('takes out what the slower rate cannot hold', () => {
    expect(loudness(run(tone(18_000, 48_000, 0.5), 48_000, 24_000, 128))).toBeLessThan(0.02)
  })

  it('leaves sound of the same rate', () => {
    expect(createResampler(24_000, 24_000)(Float32Array.of(0.5, 1))).toEqual(Float32Array.of(0.5, 1))
  })
})
