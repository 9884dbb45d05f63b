import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEchoCanceller } from './echo-canceller.ts'
import { findDelay } from './find-delay.ts'
import { correlate } from './fourier.ts'
import { solveToeplitz } from './solve-toeplitz.ts'

/** Noise of a seed, as different voices are. */
function makeNoise(length: number, seed: number): Float32Array {
  let state = seed
  return Float32Array.from({ length }, () => {
    state = (state * 16_807) % 2_147_483_647
    return (state / 2_147_483_647 - 0.5) / 2
  })
}

const level = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample * sample, 0)

it('correlates as the sums say', () => {
  const signals = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(signals, signals, (one, other) => {
      const { cross, auto } = correlate(Float32Array.from(one), Float32Array.from(other))
      const sum = (values: readonly number[], move: number) =>
        values.reduce((total, value, index) => total + value * (other[index - move] ?? 0), 0)
      for (let move = 0; move < Math.min(one.length, other.length); move++) {
        expect(cross[move]).toBeCloseTo(sum(one, move), 4)
        expect(auto[move]).toBeCloseTo(sum(other, move), 4)
      }
    }),
    { numRuns: 50 },
  )
})

it('solves the equations of a filter', () => {
  const voice = makeNoise(4000, 7)
  const filter = [0.5, 0, -0.25, 0.1]
  const sound = voice.map((_, index) => filter.reduce((sum, part, tap) => sum + part * (voice[index - tap] ?? 0), 0))
  const { cross, auto } = correlate(sound, voice)
  const found = solveToeplitz(auto, cross, 6)
  for (const [tap, part] of [...filter, 0, 0].entries()) expect(found[tap]).toBeCloseTo(part, 2)
  expect([...solveToeplitz(new Float64Array(4), cross, 4)]).toEqual([0, 0, 0, 0])
})

describe('findDelay', () => {
  const voice = makeNoise(40_000, 3)

  it.each([0, 800, 8000, 19_000, -4000])('finds %i samples', (delay) => {
    const sound = voice.slice(19_200 - delay, 19_200 - delay + 8000).map((sample) => sample / 30)
    const found = findDelay(sound, voice, { earliest: -19_200 })
    expect(Math.abs((found ?? Number.NaN) - delay)).toBeLessThan(8)
  })

  it('finds none of silence', () => {
    expect(findDelay(new Float32Array(8000), voice, { earliest: -19_200 })).toBeUndefined()
    expect(findDelay(voice.slice(0, 8000), new Float32Array(40_000), { earliest: -19_200 })).toBeUndefined()
  })
})

describe('an echo', () => {
  const PIECE = 1600
  const voice = makeNoise(32_000, 5)
  const person = makeNoise(32_000, 11)

  /** Gives what is left of each piece; `mix` makes what is heard. */
  function removeFrom(mix: (position: number) => number, isPlayed = true): Float32Array[] {
    const canceller = createEchoCanceller()
    const heard = Float32Array.from({ length: voice.length }, (_, position) => mix(position))
    const left: Float32Array[] = []
    for (let at = 0; at < voice.length; at += PIECE) {
      if (isPlayed) canceller.play(voice.subarray(at, at + PIECE), { at })
      const from = Math.max(0, at + PIECE - 16_000)
      left.push(canceller.remove(heard.subarray(from, at + PIECE), { at: from, count: PIECE }))
    }
    return left
  }

  it.each([800, 2400, 8000])('of %i samples is removed', (delay) => {
    const gain = 0.3
    const left = removeFrom((position) => (voice[position - delay] ?? 0) * gain).map(level)
    const first = Math.floor(delay / PIECE)
    // its beginning is short beside the way that is learnt from it
    for (const [index, rest] of left.entries()) {
      const isKnown = index < first || index > first + 2
      expect(rest).toBeLessThanOrEqual(isKnown ? 0 : level(voice.subarray(0, PIECE)) * gain ** 2 * 0.5)
    }
  })

  it('leaves who speaks over it', () => {
    const begin = 16_000
    const left = removeFrom(
      (position) => (voice[position - 2400] ?? 0) * 0.5 + (position < begin ? 0 : (person[position] ?? 0)),
    ).map(level)
    expect(left.slice(5, begin / PIECE).every((rest) => rest === 0)).toBe(true)
    for (const rest of left.slice(begin / PIECE + 1)) {
      expect(rest / level(person.subarray(0, PIECE))).toBeGreaterThan(0.7)
      expect(rest / level(person.subarray(0, PIECE))).toBeLessThan(1.3)
    }
  })

  it('is removed although the client has sent nothing for a while', () => {
    const canceller = createEchoCanceller()
    const gap = 16_000
    const delay = 2400
    let at = 0
    for (; at < 9600; at += PIECE) canceller.play(voice.subarray(at, at + PIECE), { at })
    // it has played on in the meantime: the echo of the last part comes at once
    canceller.play(voice.subarray(at, at + gap), { at })
    const sound = voice.slice(at + gap - delay, at + gap + 2 * PIECE - delay).map((sample) => sample / 4)
    const begin = at
    for (; at < begin + 2 * PIECE; at += PIECE)
      canceller.play(voice.subarray(at + gap, at + gap + PIECE), { at: at + PIECE })
    const left = canceller.remove(sound, { at: begin, count: sound.length })
    expect(level(left)).toBeLessThan(level(sound) / 4)
  })

  it('that is none takes little from a person', () => {
    for (const part of removeFrom((position) => person[position] ?? 0)) {
      expect(level(part) / level(person.subarray(0, PIECE))).toBeGreaterThan(0.5)
    }
  })

  it('is near for a while after the voice', () => {
    const canceller = createEchoCanceller()
    expect(canceller.isNear(0)).toBe(false)
    canceller.play(voice.subarray(0, PIECE), { at: 16_000 })
    canceller.play(new Float32Array(PIECE), { at: 16_000 + PIECE })
    expect([canceller.isNear(16_000), canceller.isNear(34_000), canceller.isNear(38_000)]).toEqual([true, true, false])
  })
})
