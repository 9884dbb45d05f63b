import { float32ToMuLaw, float32ToS16 } from '@svc/audio/samples'
import { describe, expect, it } from 'vitest'
import { createHeardSound } from './heard-sound.ts'
import { createInputAudio, readSound } from './input-audio.ts'
import type { SoundFormat } from './sound-format.ts'

const PCM_16K: SoundFormat = { type: 'audio/pcm', rate: 16_000 }
const tone = (length: number, rate = 16_000): Float32Array =>
  Float32Array.from({ length }, (_, index) => 0.5 * Math.sin((2 * Math.PI * 300 * index) / rate))
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function world(room = Number.POSITIVE_INFINITY) {
  const heard: number[] = []
  let held = 0
  const memory = {
    get bytes() {
      return held
    },
    add(bytes: number) {
      if (held + bytes > room) return false
      held += bytes
      return true
    },
    subtract(bytes: number) {
      held -= bytes
    },
  }
  const input = createInputAudio({
    memory,
    hear(samples) {
      for (const sample of samples) heard.push(sample)
    },
  })
  return { input, heard, memory }
}

describe('sound in events', () => {
  it.each([
    ['PCM of 16 kHz', PCM_16K, (samples: Float32Array) => float32ToS16(samples), 1],
    [
      'PCM of 24 kHz',
      { type: 'audio/pcm', rate: 24_000 } as const,
      (samples: Float32Array) => float32ToS16(samples),
      1.5,
    ],
    [
      'PCM of 48 kHz',
      { type: 'audio/pcm', rate: 48_000 } as const,
      (samples: Float32Array) => float32ToS16(samples),
      3,
    ],
    ['mu-law', { type: 'audio/pcmu' } as const, (samples: Float32Array) => float32ToMuLaw(samples), 0.5],
  ])('is heard at 16 kHz: %s', (_, format, encode, ratio) => {
    const { input, heard } = world()
    const bytes = encode(tone(16_000 * ratio, 16_000 * ratio))
    // pieces end within a sample
    for (let at = 0; at < bytes.length; at += 4801) void input.append(base64(bytes.subarray(at, at + 4801)), format)
    expect(heard.length).toBeGreaterThan(15_900)
    expect(heard.length).toBeLessThanOrEqual(16_000)
    const expected = tone(16_000)
    const worst = Math.max(
      ...heard.slice(500, 15_000).map((sample, index) => Math.abs(sample - (expected[index + 500] ?? 0))),
    )
    expect(worst).toBeLessThan(0.02)
  })

  it.each([
    ['none', '', 'missing_audio_data'],
    ['no base64', 'a*b!', 'invalid_audio_data'],
    ['a lone digit', 'AAAAA', 'invalid_audio_data'],
    ['too much', 'A'.repeat(10 * 1024 * 1024 + 4), 'buffer_size_exceeded'],
  ])('is refused: %s', (_, audio, code) => {
    const { input } = world()
    expect(() => input.append(audio, PCM_16K)).toThrow(expect.objectContaining({ code }))
  })

  it('is refused where all sessions together hold too much, and the memory comes back at the end', () => {
    const { input, memory } = world(200_000)
    void input.append(base64(float32ToS16(tone(16_000))), PCM_16K)
    expect(memory.bytes).toBeGreaterThan(0)
    const fill = (): void => {
      for (let second = 0; second < 20; second += 1) void input.append(base64(float32ToS16(tone(16_000))), PCM_16K)
    }
    expect(fill).toThrow(expect.objectContaining({ code: 'buffer_size_exceeded' }))
    input.close()
    expect(memory.bytes).toBe(0)
  })

  it('gives the server time between its parts where there is much of it', async () => {
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    }, 1)
    const { input } = world()
    const audio = Buffer.alloc(1_000_000, 0x55).toString('base64')
    await input.append(audio, { type: 'audio/pcmu' })
    clearInterval(counting)
    expect(turns).toBeGreaterThan(5)
    expect(input.sound.endMs).toBeCloseTo(125_000, -2)
    await expect(
      input.append(Buffer.alloc(7_000_000).toString('base64'), { type: 'audio/pcmu' }),
    ).rejects.toMatchObject({ code: 'buffer_size_exceeded' })
  })

  it('begins with a whole sample after the buffer was cleared', () => {
    const { input, heard, memory } = world()
    void input.append(base64(new Uint8Array([1])), PCM_16K)
    input.clear()
    void input.append(base64(float32ToS16(new Float32Array(4).fill(0.5))), PCM_16K)
    expect(heard).toEqual([0.5, 0.5, 0.5, 0.5])
    input.clear()
    expect(memory.bytes).toBe(0)
  })

  it('of an item is read whole', async () => {
    const sound = readSound(base64(new Uint8Array(480_000)), { type: 'audio/pcm', rate: 24_000 })
    expect(sound.bytes).toBe(640_000)
    expect((await sound.read()).length).toBe(160_000)
    expect(() => readSound('*', PCM_16K)).toThrow(expect.objectContaining({ code: 'invalid_audio_data' }))
  })
})

describe('heard sound', () => {
  it('is read by the time since the beginning, also after earlier sound was dropped', () => {
    const sound = createHeardSound({ maxMs: 10_000 })
    for (let second = 0; second < 4; second += 1) sound.add(new Float32Array(16_000).fill(second / 8))
    sound.dropBefore(2000)
    expect([sound.startMs, sound.endMs]).toEqual([2000, 4000])
    expect(sound.read(0, 2500)).toEqual(new Float32Array(8000).fill(0.25))
    for (let second = 4; second < 9; second += 1) sound.add(new Float32Array(16_000).fill(second / 16))
    expect(sound.read(8500, 9000)).toEqual(new Float32Array(8000).fill(0.5))
  })

  // verifies realtime:bound:buffer
  it('takes no more than its bound', () => {
    const sound = createHeardSound({ maxMs: 1000 })
    expect(sound.add(new Float32Array(16_000))).toBe(true)
    expect(sound.add(new Float32Array(1))).toBe(false)
    sound.clear()
    expect(sound.add(new Float32Array(16_000))).toBe(true)
    expect(sound.endMs).toBe(2000)
  })
})
