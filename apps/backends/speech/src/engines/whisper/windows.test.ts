import { describe, expect, it } from 'vitest'
import { makeTone } from '../../../test/audio.ts'
import { createWindows, SPEECH_RATE, type SpeechWindow } from './windows.ts'

async function* inPieces(samples: Float32Array, length: number): AsyncGenerator<Float32Array> {
  for (let start = 0; start < samples.length; start += length) yield samples.subarray(start, start + length)
}

async function cut(samples: Float32Array, length = 4000): Promise<readonly SpeechWindow[]> {
  const windows = createWindows(inPieces(samples, length))
  const all: SpeechWindow[] = []
  for (let next = await windows.next(); next !== undefined; next = await windows.next()) all.push(next)
  expect(windows.total).toBe(samples.length)
  return all
}

describe('windows', () => {
  it('cuts in a pause after the 20th second, whatever the pieces are', async () => {
    const samples = makeTone(65, [10, 24, 50])
    for (const length of [999, 16_000, samples.length]) {
      const all = await cut(samples, length)
      expect(all.map(({ offset, isWhole }) => [Math.round(offset / SPEECH_RATE), isWhole])).toEqual([
        [0, true],
        [24, true],
        [50, true],
      ])
      const joined = Buffer.concat(all.map((window) => Buffer.from(window.samples.buffer)))
      // a comparison by the test runner takes half a minute
      expect(joined.equals(Buffer.from(samples.buffer))).toBe(true)
    }
  })

  it('has 30 seconds where nobody pauses, and says that a word may be cut', async () => {
    const all = await cut(makeTone(70))
    expect(all.map(({ samples, isWhole }) => [samples.length / SPEECH_RATE, isWhole])).toEqual([
      [30, false],
      [30, false],
      [10, true],
    ])
  })

  it('starts again inside of a window', async () => {
    const windows = createWindows(inPieces(makeTone(40), 1000))
    await windows.next()
    windows.restartAt(25 * SPEECH_RATE)
    const second = await windows.next()
    expect([second?.offset, second?.samples.length]).toEqual([25 * SPEECH_RATE, 15 * SPEECH_RATE])
    expect(await windows.next()).toBeUndefined()
  })

  it('tells silence, and takes what is not a number for it', async () => {
    const samples = new Float32Array(SPEECH_RATE).fill(Number.NaN)
    const [window] = await cut(samples)
    expect(window?.isSilent).toBe(true)
    expect(window?.samples.every((sample) => sample === 0)).toBe(true)
    expect((await cut(makeTone(1)))[0]?.isSilent).toBe(false)
    expect(await cut(new Float32Array(0))).toEqual([])
  })
})
