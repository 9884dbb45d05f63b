import { AudioError } from '@svc/audio'
import { createResampler, type ResamplerOptions } from '@svc/audio/samples'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getFilterBank } from '../src/samples/filter-bank.ts'
import { cutAt, makeTone, measureTone, takeChannel } from './tones.ts'

function resample(samples: Float32Array, options: ResamplerOptions, lengths = [samples.length || 1]): Float32Array {
  const resampler = createResampler(options)
  const pieces = [...cutAt(samples, lengths)].map((piece) => resampler.push(piece))
  return new Float32Array([...pieces, resampler.end()].flatMap((piece) => [...piece]))
}

const PAIRS: readonly [number, number][] = [
  [24_000, 16_000],
  [16_000, 24_000],
  [44_100, 16_000],
  [44_100, 48_000],
  [48_000, 44_100],
  [48_000, 8000],
  [8000, 48_000],
  [11_025, 48_000],
  [22_050, 16_000],
  [47_999, 8001],
  [8001, 47_999],
  [9973, 44_101],
  [192_000, 11_025],
  [191_999, 4001],
]

describe.each(PAIRS)('from %i to %i samples a second', (inputRate, outputRate) => {
  const lower = Math.min(inputRate, outputRate)
  const frames = Math.round(inputRate * 0.15)
  const middle = (samples: Float32Array) => samples.subarray(samples.length * 0.2, samples.length * 0.8)

  it.each([0.01, 0.3, 0.6, 0.88])('a sine of %f of half of the lower rate keeps frequency and level', (part) => {
    const hz = (part * lower) / 2
    const output = resample(makeTone({ rate: inputRate, frames, hz: [hz] }), { inputRate, outputRate })
    const { toneDb, restDb } = measureTone(middle(output), { rate: outputRate, hz })
    expect(Math.abs(toneDb - 20 * Math.log10(0.5))).toBeLessThan(0.01)
    expect(restDb).toBeLessThan(toneDb - 85)
  })

  it('a sine above half of the lower rate leaves nothing', () => {
    if (inputRate <= outputRate * 1.1) return
    const hz = (outputRate / 2) * 1.01
    const output = middle(resample(makeTone({ rate: inputRate, frames, hz: [hz] }), { inputRate, outputRate }))
    expect(Math.max(...output.map(Math.abs))).toBeLessThan(0.5 * 10 ** (-80 / 20))
  })

  it('the length is exact and the beginning is not delayed', () => {
    for (const length of [0, 1, 2, 7, 100, 1001]) {
      const output = resample(new Float32Array(length).fill(0.25), { inputRate, outputRate })
      expect(output.length).toBe(Math.ceil((length * outputRate) / inputRate))
    }
    const click = new Float32Array(2000)
    click[1000] = 1
    const output = resample(click, { inputRate, outputRate })
    const peak = output.reduce((best, value, index) => (value > (output[best] ?? 0) ? index : best), 0)
    expect(Math.abs(peak - (1000 * outputRate) / inputRate)).toBeLessThanOrEqual(0.5)
  })
})

it('gives the same samples for every cut of the input', () => {
  const rate = fc.integer({ min: 8000, max: 48_000 })
  const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: 1, max: 3 }), lengths, (inputRate, outputRate, channels, cuts) => {
      const samples = Float32Array.from({ length: 600 * channels }, (_, index) => Math.sin(index * index))
      const options = { inputRate, outputRate, channels }
      const whole = resample(samples, options)
      const cut = resample(
        samples,
        options,
        cuts.map((length) => length * channels),
      )
      expect(cut).toEqual(whole)
      expect(whole.length).toBe(Math.ceil((600 * outputRate) / inputRate) * channels)
    }),
    { numRuns: 40 },
  )
})

it('keeps channels apart', () => {
  const samples = makeTone({ rate: 44_100, frames: 8000, hz: [500, 900] })
  const output = resample(samples, { inputRate: 44_100, outputRate: 16_000, channels: 2 })
  for (const channel of [0, 1]) {
    const alone = resample(takeChannel(samples, channel, 2), { inputRate: 44_100, outputRate: 16_000 })
    expect(takeChannel(output, channel, 2)).toEqual(alone)
  }
})

it.each([
  [191_999, 4001],
  [192_000, 4093],
  [191_993, 47_000],
  [4001, 191_999],
  [192_000, 4000],
])('a bank from %i to %i samples a second is small', (inputRate, outputRate) => {
  const divisor =
    [...Array(inputRate + 1).keys()].findLast((n) => n > 0 && (inputRate % n) + (outputRate % n) === 0) ?? 1
  const { values, phases, taps } = getFilterBank(outputRate / divisor, inputRate / divisor)
  expect(values).toHaveLength((phases + 1) * taps)
  expect(values.length).toBeLessThan(110_000)
})

it('passes samples on when the rates are the same', () => {
  const samples = makeTone({ rate: 16_000, frames: 10, hz: [500] })
  expect(resample(samples, { inputRate: 16_000, outputRate: 16_000 })).toEqual(samples)
})

it.each<[string, ResamplerOptions]>([
  ['rate of 0', { inputRate: 0, outputRate: 8000 }],
  ['fraction of a rate', { inputRate: 8000.5, outputRate: 8000 }],
  ['rate that is not a number', { inputRate: Number.NaN, outputRate: 8000 }],
  ['endless rate', { inputRate: 8000, outputRate: Number.POSITIVE_INFINITY }],
  ['rate above 192,000', { inputRate: 8000, outputRate: 192_001 }],
  ['stream without channels', { inputRate: 8000, outputRate: 8000, channels: 0 }],
  ['stream of 33 channels', { inputRate: 8000, outputRate: 8000, channels: 33 }],
])('refuses a %s', (_, options) => {
  expect(() => createResampler(options)).toThrow(expect.objectContaining({ code: 'invalid_audio_option' }))
})

it('refuses an incomplete frame', () => {
  const resampler = createResampler({ inputRate: 8000, outputRate: 16_000, channels: 2 })
  expect(() => resampler.push(new Float32Array(3))).toThrow(AudioError)
})
