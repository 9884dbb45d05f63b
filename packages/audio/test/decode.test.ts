import {
  type AudioConverter,
  AudioError,
  createFfmpeg,
  type DecodeAudioOptions,
  decodeAudio,
  encodeAudio,
  encodeWavHeader,
} from '@svc/audio'
import { float32ToS16 } from '@svc/audio/samples'
import { createDeferred } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect, cutAt, makeTone, measureTone } from './tones.ts'

async function decodeAll(file: Uint8Array, options?: DecodeAudioOptions, lengths = [5000]): Promise<Float32Array> {
  const pieces: Float32Array[] = []
  for await (const piece of decodeAudio(cutAt(file, lengths), options)) pieces.push(piece)
  return new Float32Array(pieces.flatMap((piece) => [...piece]))
}

const STEREO = float32ToS16(makeTone({ rate: 44_100, frames: 44_100, hz: [440, 440] }))
const wavFile = () => collect(encodeAudio([STEREO], { format: 'wav', inputRate: 44_100, channels: 2 }))

/** Gives the decoded samples that it is made with, whatever the file. */
function createConverter(pcm: Uint8Array) {
  const calls: unknown[] = []
  const converter: AudioConverter = {
    require: async () => undefined,
    encode: () => [] as never,
    async *decode(file, { signal, ...options }) {
      calls.push({ ...options, bytes: (await collect(file)).length, isAborted: signal.aborted })
      yield* cutAt(pcm, [333])
    },
  }
  return { converter, calls }
}

it('decodes WAV to mono of 16,000 samples a second', async () => {
  const file = await wavFile()
  const samples = await decodeAll(file)
  expect(samples.length).toBe(16_000)
  const { toneDb, restDb } = measureTone(samples.subarray(2000, 14_000), { rate: 16_000, hz: 440 })
  expect(toneDb).toBeCloseTo(20 * Math.log10(0.5), 2)
  expect(restDb).toBeLessThan(-80)
  expect(await decodeAll(file, {}, [1, 7, 4000])).toEqual(samples)
  expect((await decodeAll(file, { sampleRate: 8000 })).length).toBe(8000)
})

describe.each(['mp3', 'flac'] as const)('%s', (format) => {
  const encode = (options: { readonly channels: 1 | 2; readonly rate?: number }) =>
    collect(encodeAudio([STEREO], { format, inputRate: 44_100, ...options }))

  it('is decoded without a converter, however it is cut', async () => {
    const file = await encode({ channels: 2 })
    const samples = await decodeAll(file)
    // MP3 has frames of 26 ms, and a delay at its start
    expect(Math.abs(samples.length - 16_000)).toBeLessThan(1500)
    const { toneDb, restDb } = measureTone(samples.subarray(2000, 14_000), { rate: 16_000, hz: 440 })
    // MP3 changes the level a little
    expect(Math.abs(toneDb - 20 * Math.log10(0.5))).toBeLessThan(format === 'mp3' ? 1 : 0.1)
    expect(restDb).toBeLessThan(-45)
    expect(await decodeAll(file, {}, [1, 7, 4000])).toEqual(samples)
  })

  it('has a limited length', async () => {
    const limited = decodeAll(await encode({ channels: 1 }), { maxSeconds: 1.5 })
    await expect(limited).rejects.toMatchObject({ code: 'audio_limit' })
  })

  it('is refused when nothing of it can be decoded, and read up to a damaged part', async () => {
    const file = await encode({ channels: 2 })
    const head = file.subarray(0, 64)
    await expect(decodeAll(head)).rejects.toMatchObject({
      code: format === 'flac' ? 'bad_audio' : 'unsupported_audio',
    })
    const damaged = file.slice()
    damaged.fill(0, file.length / 2, file.length / 2 + 500)
    expect((await decodeAll(damaged)).length).toBeGreaterThan(7000)
  })

  it('never ends in anything but an error of audio or samples', async () => {
    const file = await encode({ channels: 1 })
    const changes = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(changes, async (places) => {
        const damaged = file.slice()
        for (const [place, value] of places) damaged[place] = value
        const read = await decodeAll(damaged, { maxSeconds: 60 }).catch((error: unknown) => error)
        expect(read instanceof Float32Array || AudioError.is(read)).toBe(true)
      }),
      { numRuns: 15 },
    )
  })

  it('ends while it is decoded', async () => {
    const leaving = new AbortController()
    const reading = async () => {
      for await (const _ of decodeAudio([await encode({ channels: 1 })], leaving)) leaving.abort(new Error('gone'))
    }
    await expect(reading()).rejects.toThrow('gone')
  })
})

it('gives other files to the converter, whole', async () => {
  const file = await collect(encodeAudio([STEREO], { format: 'opus', inputRate: 44_100, channels: 2 }))
  const { converter, calls } = createConverter(STEREO.subarray(0, 4001))
  expect((await decodeAll(file, { converter, maxSeconds: 9 })).length).toBe(2000)
  const type = { container: 'ogg', codec: 'opus', mediaType: 'audio/ogg' }
  expect(calls).toEqual([
    { type, sampleRate: 16_000, channels: 1, maxSeconds: 10, bytes: file.length, isAborted: false },
  ])
})

it('gives WAV files of other codecs to the converter too', async () => {
  const file = await wavFile()
  file[20] = 2
  await expect(decodeAll(file)).rejects.toMatchObject({ code: 'unsupported_audio' })
  const { converter } = createConverter(STEREO.subarray(0, 400))
  expect((await decodeAll(file, { converter })).length).toBe(200)
})

it('asks a missing converter for nothing', async () => {
  const file = await collect(encodeAudio([STEREO], { format: 'opus', inputRate: 44_100, channels: 2 }))
  await expect(decodeAll(file)).rejects.toMatchObject({ kind: 'unsupported_media', message: 'opus needs ffmpeg' })
  const refused = decodeAll(file, { converter: createFfmpeg({ folders: [] }) })
  await expect(refused).rejects.toThrow('opus needs ffmpeg, which is not installed')
})

it.each([
  ['text', Buffer.from('hello')],
  ['nothing', new Uint8Array(0)],
  ['a playlist', Buffer.from('#EXTM3U\nfile:///etc/passwd\n')],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
])('refuses %s without the converter', async (_, file) => {
  const { converter, calls } = createConverter(STEREO)
  const refused = decodeAll(new Uint8Array(file), { converter })
  await expect(refused).rejects.toMatchObject({ kind: 'unsupported_media', code: 'unsupported_audio' })
  expect(calls).toEqual([])
})

describe('the length', () => {
  it('is limited, for the reader and for the converter', async () => {
    const limited = decodeAll(await wavFile(), { maxSeconds: 0.9 })
    await expect(limited).rejects.toMatchObject({ kind: 'too_large', code: 'audio_limit' })
    const opus = await collect(encodeAudio([STEREO], { format: 'opus', inputRate: 44_100 }))
    const { converter } = createConverter(STEREO)
    await expect(decodeAll(opus, { converter, maxSeconds: 2 })).rejects.toMatchObject({ code: 'audio_limit' })
  })

  it('of an endless file is limited', async () => {
    let ended = 0
    async function* endless() {
      try {
        yield encodeWavHeader({ sampleRate: 8000 })
        for (;;) yield new Uint8Array(16_000)
      } finally {
        ended++
      }
    }
    const reading = async () => {
      for await (const piece of decodeAudio(endless(), { maxSeconds: 20 })) expect(piece.length).toBeGreaterThan(0)
    }
    await expect(reading()).rejects.toMatchObject({ code: 'audio_limit' })
    expect(ended).toBe(1)
  })

  it('and rate out of range are refused at once', () => {
    expect(() => decodeAudio([], { sampleRate: 1 })).toThrow(expect.objectContaining({ code: 'invalid_audio_option' }))
  })
})

it('ends with the reason of the signal while its source is silent', async () => {
  const never = createDeferred<Uint8Array>()
  const asked = createDeferred<void>()
  async function* silent() {
    yield encodeWavHeader({ sampleRate: 8000 })
    asked.resolve()
    yield await never.promise
  }
  const controller = new AbortController()
  const refused = expect(decodeAudio(silent(), { signal: controller.signal }).next()).rejects.toThrow('gone')
  await asked.promise
  controller.abort(new Error('gone'))
  await refused
})

it('answers damaged files with samples or an AudioError', async () => {
  const file = (await wavFile()).subarray(0, 3000)
  const flips = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 0, max: 255 })), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(flips, fc.nat(3000), async (changes, length) => {
      const changed = file.slice(0, length)
      for (const [at, value] of changes) if (at < changed.length) changed[at] = value
      const outcome = await decodeAll(changed, { maxSeconds: 100 }).catch((error: unknown) => error)
      expect(outcome instanceof Float32Array || outcome instanceof AudioError).toBe(true)
    }),
    { numRuns: 150 },
  )
})
