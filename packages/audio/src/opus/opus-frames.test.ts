import { describe, expect, it } from 'vitest'
import { createOpusFrameDecoder } from './frame-decoder.ts'
import { createOpusFrameEncoder } from './frame-encoder.ts'
import { readOpusDuration } from './packet.ts'

const RATE = 16_000

/** A tone of 440 Hz, cut into frames of 20 ms. */
function toneFrames(count: number): Float32Array[] {
  return Array.from({ length: count }, (_, frame) =>
    Float32Array.from({ length: 320 }, (_each, at) => 0.5 * Math.sin((2 * Math.PI * 440 * (frame * 320 + at)) / RATE)),
  )
}

const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

describe('frames of Opus', () => {
  it('come back as loud as they went in, 20 ms each', async () => {
    const encoder = await createOpusFrameEncoder({ sampleRate: RATE })
    const decoder = await createOpusFrameDecoder({ sampleRate: RATE })
    const heard = toneFrames(20).map((frame) => {
      const packet = encoder.encode(frame)
      expect(readOpusDuration(packet)).toBe(20)
      return decoder.decode(packet) ?? new Float32Array(0)
    })
    expect(heard.every(({ length }) => length === 320)).toBe(true)
    expect(loudness(heard[10] ?? new Float32Array(1))).toBeCloseTo(0.5 / Math.SQRT2, 1)
    encoder.close()
    decoder.close()
  })

  it('are made up from what was heard before a loss, and fade to silence', async () => {
    const encoder = await createOpusFrameEncoder({ sampleRate: RATE })
    const decoder = await createOpusFrameDecoder({ sampleRate: RATE })
    expect(loudness(decoder.conceal())).toBe(0)
    for (const frame of toneFrames(10)) decoder.decode(encoder.encode(frame))
    const made = Array.from({ length: 8 }, () => decoder.conceal())
    expect(loudness(made[0] ?? new Float32Array(1))).toBeGreaterThan(0.2)
    expect(loudness(made[7] ?? new Float32Array(1))).toBe(0)
    const after = toneFrames(5).map((frame) => decoder.decode(encoder.encode(frame)) ?? new Float32Array(1))
    expect(loudness(after[4] ?? new Float32Array(1))).toBeGreaterThan(0.2)
    encoder.close()
    decoder.close()
  })

  it('that are damaged are told', async () => {
    const decoder = await createOpusFrameDecoder({ sampleRate: 48_000 })
    expect(decoder.decode(new Uint8Array(0))).toBeUndefined()
    expect(decoder.decode(Uint8Array.of(0xff, 0xff, 0xff))).toBeUndefined()
    expect(decoder.decode(new Uint8Array(20_000).fill(3))).toBeUndefined()
    decoder.close()
    decoder.close()
  })

  it.each([
    [[0x00], 10],
    [[0x08], 20],
    [[0x18], 60],
    [[0x60], 10],
    [[0x80], 2.5],
    [[0xf8], 20],
    [[0xf9], 40],
    [[0xfb, 6], 120],
    [[0xfb, 7], undefined],
    [[0xfb, 0], undefined],
    [[0x03], undefined],
    [[], undefined],
  ])('of head %j take %s ms', (head, ms) => {
    expect(readOpusDuration(Uint8Array.from(head))).toBe(ms)
  })

  it('of a wrong length are refused', async () => {
    const encoder = await createOpusFrameEncoder({ sampleRate: 24_000 })
    expect(() => encoder.encode(new Float32Array(10))).toThrow('480 samples')
    encoder.close()
    expect(() => encoder.encode(new Float32Array(480))).toThrow('closed')
    await expect(createOpusFrameEncoder({ sampleRate: 24_000, bitRate: -5 })).rejects.toThrow('opus')
  })
})
