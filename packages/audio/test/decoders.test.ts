import { type AudioFormat, encodeAudio, findEncodedRate, readWav, sniffAudio } from '@svc/audio'
import { float32ToS16, s16ToFloat32 } from '@svc/audio/samples'
import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { MPEGDecoder } from 'mpg123-decoder'
import { OggOpusDecoder } from 'ogg-opus-decoder'
import { describe, expect, it } from 'vitest'
import { collect, cutAt, encodeAll, makeTone, measureTone, takeChannel } from './tones.ts'

interface Decoded {
  readonly sampleRate: number
  readonly channels: readonly Float32Array[]
}

/** Decodes with libraries that share no code with the encoders. */
async function decodeForeign(bytes: Uint8Array, format: AudioFormat): Promise<Decoded> {
  if (format === 'mp3') {
    const decoder = new MPEGDecoder()
    await decoder.ready
    const { channelData, sampleRate, errors } = decoder.decode(bytes)
    decoder.free()
    expect(errors).toEqual([])
    return { sampleRate, channels: channelData }
  }
  const decoder = format === 'opus' ? new OggOpusDecoder() : new FLACDecoder()
  await decoder.ready
  const { channelData, sampleRate, errors } = await decoder.decodeFile(bytes)
  decoder.free()
  expect(errors).toEqual([])
  return { sampleRate, channels: channelData }
}

const SECONDS = 0.6

describe.each<[AudioFormat, number, 1 | 2, number | undefined]>([
  ['mp3', 24_000, 1, undefined],
  ['mp3', 8000, 1, undefined],
  ['mp3', 44_100, 2, undefined],
  ['mp3', 16_000, 2, 44_100],
  ['mp3', 22_050, 1, 16_000],
  ['opus', 24_000, 1, undefined],
  ['opus', 8000, 1, undefined],
  ['opus', 48_000, 2, undefined],
  ['opus', 22_050, 1, undefined],
  ['opus', 44_100, 2, 16_000],
  ['flac', 24_000, 1, undefined],
  ['flac', 44_100, 2, undefined],
  ['flac', 22_050, 1, 48_000],
  ['flac', 24_000, 1, 12_345],
])('%s from %i samples a second, %i channels, to %s', (format, inputRate, channels, rate) => {
  const hz = [440, 1000].slice(0, channels)
  const frames = inputRate * SECONDS
  const pcm = float32ToS16(makeTone({ rate: inputRate, frames, hz, level: 0.5 }))

  it('decodes to the same tones of the same length', async () => {
    const bytes = await encodeAll(pcm, { format, inputRate, channels, rate })
    expect(sniffAudio(bytes)).toMatchObject({ codec: format })
    const decoded = await decodeForeign(bytes, format)
    const encodedRate = findEncodedRate(format, rate ?? inputRate)
    expect(decoded.sampleRate).toBe(format === 'opus' ? 48_000 : encodedRate)
    const expected = Math.round(SECONDS * decoded.sampleRate)
    for (const [channel, wanted] of hz.entries()) {
      const samples = decoded.channels[channel] ?? new Float32Array(0)
      // The header of MP3 has no place for the delay of its encoder.
      if (format === 'mp3') expect(Math.abs(samples.length - expected)).toBeLessThan(4 * 1152)
      else expect(samples.length).toBe(expected)
      const middle = samples.subarray(Math.round(samples.length * 0.3), Math.round(samples.length * 0.8))
      const { toneDb, restDb } = measureTone(middle, { rate: decoded.sampleRate, hz: wanted })
      expect(Math.abs(toneDb - 20 * Math.log10(0.5))).toBeLessThan(0.5)
      expect(restDb).toBeLessThan(toneDb - 20)
    }
    expect(decoded.channels.length).toBeGreaterThanOrEqual(channels)
  })
})

describe('flac', () => {
  const noise = (seed: number, level: number) => {
    let state = seed
    return () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return Math.round(((state >>> 8) / 2 ** 24 - 0.5) * level)
    }
  }
  const walk = (step: () => number) => {
    let value = 0
    return () => {
      value = Math.max(-32_768, Math.min(32_767, value + step()))
      return value
    }
  }
  const CASES: readonly [string, () => number, 1 | 2, number][] = [
    ['silence', () => 0, 1, 10_000],
    ['one sample', () => -7, 1, 1],
    ['a constant', () => -32_768, 2, 5000],
    ['quiet noise', noise(1, 9), 1, 9000],
    ['noise of full level', noise(2, 65_535), 1, 4096 * 3],
    ['noise of full level in stereo', noise(3, 65_535), 2, 9000],
    ['a slow walk', walk(noise(4, 60)), 1, 4096 * 3],
    ['a fast walk in stereo', walk(noise(5, 3000)), 2, 4097],
    [
      'steps of full level',
      (
        (index = 0) =>
        () =>
          index++ % 50 < 25 ? 32_767 : -32_768
      )(),
      1,
      8191,
    ],
    [
      'opposite channels',
      (
        (index = 0) =>
        () =>
          index++ % 2 === 0 ? 32_767 : -32_768
      )(),
      2,
      4500,
    ],
    ['more than 128 blocks', walk(noise(6, 20)), 1, 4096 * 130 + 3],
  ]

  it.each(CASES)('gives %s back bit for bit', async (_, next, channels, frames) => {
    const pcm = new Uint8Array(Int16Array.from({ length: frames * channels }, next).buffer)
    const bytes = await encodeAll(pcm, { format: 'flac', inputRate: 16_000, channels })
    const decoded = await decodeForeign(bytes, 'flac')
    const interleaved = Int16Array.from({ length: frames * channels }, (_, index) => {
      const sample = decoded.channels[index % channels]?.[Math.floor(index / channels)] ?? Number.NaN
      // This decoder divides by another number.
      return Math.round(sample * 32_767)
    })
    const expected = new Int16Array(pcm.buffer)
    const wrong = interleaved.findIndex((sample, index) => sample !== expected[index])
    expect([wrong, interleaved[wrong], expected[wrong]]).toEqual([-1, undefined, undefined])
  })

  it('takes fewer bytes than the samples', async () => {
    const pcm = float32ToS16(makeTone({ rate: 24_000, frames: 48_000, hz: [300], level: 0.3 }))
    const bytes = await encodeAll(pcm, { format: 'flac', inputRate: 24_000 })
    expect(bytes.length).toBeLessThan(pcm.length * 0.5)
  })
})

describe('wav and pcm', () => {
  const pcm = float32ToS16(makeTone({ rate: 24_000, frames: 24_001, hz: [440, 700] }))

  it('pass the samples on as they are', async () => {
    const raw = await encodeAll(pcm, { format: 'pcm', inputRate: 24_000, channels: 2 })
    expect(Buffer.compare(raw, pcm)).toBe(0)
    const wav = await encodeAll(pcm, { format: 'wav', inputRate: 24_000, channels: 2 })
    expect(Buffer.compare(wav.subarray(44), pcm)).toBe(0)
    const { header, samples } = await readWav([wav])
    expect(header).toEqual({
      sampleFormat: 's16',
      sampleRate: 24_000,
      channels: 2,
      frameBytes: 4,
      dataBytes: undefined,
    })
    const parts: Float32Array[] = []
    for await (const piece of samples) parts.push(piece)
    const all = new Float32Array(parts.flatMap((part) => [...part]))
    expect(all).toEqual(s16ToFloat32(pcm))
  })

  it('change the rate when asked', async () => {
    const raw = await encodeAll(pcm, { format: 'pcm', inputRate: 24_000, channels: 2, rate: 8000 })
    expect(raw.length).toBe(Math.ceil(24_001 / 3) * 4)
    const right = takeChannel(s16ToFloat32(raw), 1, 2).subarray(1000, 7000)
    expect(measureTone(right, { rate: 8000, hz: 700 }).toneDb).toBeCloseTo(20 * Math.log10(0.5), 2)
  })
})

describe('every format', () => {
  it.each(['mp3', 'flac', 'wav', 'pcm'] as const)('%s is the same for every cut of the input', async (format) => {
    const pcm = float32ToS16(makeTone({ rate: 22_050, frames: 9000, hz: [500, 800] }))
    const options = { format, inputRate: 22_050, channels: 2, rate: 24_000 } as const
    const whole = await collect(encodeAudio([pcm], options))
    for (const lengths of [[1, 2, 5, 1000], [4096], [3]]) {
      const cut = await collect(encodeAudio(cutAt(pcm, lengths), options))
      expect(Buffer.compare(cut, whole)).toBe(0)
    }
  })

  it.each(['mp3', 'opus', 'flac', 'wav', 'pcm'] as const)('%s encodes no samples', async (format) => {
    const bytes = await collect(encodeAudio([], { format, inputRate: 24_000 }))
    if (format === 'opus') expect(sniffAudio(bytes)).toMatchObject({ container: 'ogg', codec: 'opus' })
    if (format === 'wav') expect(bytes.length).toBe(44)
    if (format === 'pcm') expect(bytes.length).toBe(0)
  })
})
