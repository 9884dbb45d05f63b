import { AUDIO_FORMATS, type AudioConverter, encodeAudio, findEncodedRate } from '@svc/audio'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { collect } from './tones.ts'

const OWN_FORMATS = AUDIO_FORMATS.filter((format) => format !== 'aac')

function watched(pieceBytes = 4800) {
  const state = { given: 0, ended: 0 }
  async function* pieces() {
    try {
      for (;;) {
        state.given++
        yield new Uint8Array(pieceBytes)
      }
    } finally {
      state.ended++
    }
  }
  return { state, pieces: pieces() }
}

describe.each(OWN_FORMATS)('%s', (format) => {
  it('comes while the samples come, and ends their source when its reader leaves', async () => {
    const { state, pieces } = watched()
    let bytes = 0
    for await (const piece of encodeAudio(pieces, { format, inputRate: 24_000 })) {
      bytes += piece.length
      if (bytes > 3000) break
    }
    expect(state.ended).toBe(1)
    // Silence takes few bytes in some formats.
    expect(state.given).toBeLessThan(1000)
  })

  it('asks for nothing before it is read', async () => {
    const { state, pieces } = watched()
    const encoded = encodeAudio(pieces, { format, inputRate: 24_000 })
    expect(state.given).toBe(0)
    await encoded.return?.()
    expect(state).toEqual({ given: 0, ended: 0 })
    expect(await encoded.next()).toEqual({ done: true, value: undefined })
  })

  it('ends with the reason of the signal, also while its source is silent', async () => {
    const never = createDeferred<Uint8Array>()
    const asked = createDeferred<void>()
    async function* silent() {
      yield new Uint8Array(9600)
      asked.resolve()
      yield await never.promise
    }
    const controller = new AbortController()
    const encoding = collect(encodeAudio(silent(), { format, inputRate: 24_000, signal: controller.signal }))
    const refused = expect(encoding).rejects.toThrow('gone')
    await asked.promise
    controller.abort(new Error('gone'))
    await refused
  })

  it('passes the error of its source on', async () => {
    async function* broken() {
      yield new Uint8Array(4800)
      throw new Error('engine')
    }
    await expect(collect(encodeAudio(broken(), { format, inputRate: 24_000 }))).rejects.toThrow('engine')
  })

  it('refuses pieces that are not bytes', async () => {
    const refused = collect(encodeAudio(['abc'] as never, { format, inputRate: 24_000 }))
    await expect(refused).rejects.toMatchObject({ code: 'bad_audio' })
  })

  it('gives other work its turn during one large piece', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    try {
      const pcm = new Uint8Array(48_000 * 2 * 4)
      await collect(encodeAudio([pcm], { format, inputRate: 48_000, rate: 44_100 }))
    } finally {
      clearInterval(timer)
    }
    expect(turns).toBeGreaterThan(0)
  })
})

it('encodes many streams at the same time', async () => {
  const pcm = Uint8Array.from({ length: 4800 }, (_, index) => index % 251)
  const streams = Array.from({ length: 120 }, () => collect(encodeAudio([pcm], { format: 'opus', inputRate: 24_000 })))
  const sizes = new Set((await Promise.all(streams)).map(({ length }) => length))
  expect(sizes.size).toBe(1)
})

describe('rates', () => {
  it.each([
    ['wav', 12_345, 12_345],
    ['pcm', 192_000, 192_000],
    ['flac', 7350, 7350],
    ['mp3', 24_000, 24_000],
    ['mp3', 23_000, 24_000],
    ['mp3', 96_000, 48_000],
    ['opus', 22_050, 24_000],
    ['opus', 44_100, 48_000],
    ['opus', 4000, 8000],
    ['aac', 96_000, 96_000],
    ['aac', 50_000, 64_000],
  ] as const)('%s from %i is %i', (format, rate, expected) => {
    expect(findEncodedRate(format, rate)).toBe(expected)
  })
})

describe('bit rates', () => {
  const pcm = Uint8Array.from({ length: 96_000 }, (_, index) => (index * 7919) % 256)
  it.each(['mp3', 'opus'] as const)('%s obeys them, and takes the nearest possible', async (format) => {
    const sizes: number[] = []
    for (const bitRate of [1, 16_000, 64_000, 10_000_000]) {
      sizes.push((await collect(encodeAudio([pcm], { format, inputRate: 24_000, bitRate }))).length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
    expect(sizes[2]).toBeGreaterThan((sizes[1] ?? 0) * 2)
  })
})

describe('options are refused', () => {
  const fit = { format: 'mp3', inputRate: 24_000 } as const
  it.each([
    ['a rate of 0', { ...fit, inputRate: 0 }, 'invalid_audio_option'],
    ['a rate that is not a number', { ...fit, rate: Number.NaN }, 'invalid_audio_option'],
    ['a rate of a million', { ...fit, rate: 1_000_000 }, 'invalid_audio_option'],
    ['three channels', { ...fit, channels: 3 as 2 }, 'invalid_audio_option'],
    ['a bit rate of 0', { ...fit, bitRate: 0 }, 'invalid_audio_option'],
    ['a negative bit rate', { ...fit, bitRate: -5 }, 'invalid_audio_option'],
    ['half a bit', { ...fit, bitRate: 0.5 }, 'invalid_audio_option'],
    ['an endless bit rate', { ...fit, bitRate: Number.POSITIVE_INFINITY }, 'invalid_audio_option'],
    ['a format of another world', { ...fit, format: '__proto__' as 'mp3' }, 'invalid_argument'],
  ])('%s', (_, options, code) => {
    expect(() => encodeAudio([], options)).toThrow(expect.objectContaining({ code }))
  })
})

describe('aac', () => {
  it('needs a converter', async () => {
    const { state, pieces } = watched()
    const refused = collect(encodeAudio(pieces, { format: 'aac', inputRate: 24_000 }))
    await expect(refused).rejects.toMatchObject({ kind: 'unsupported_media', code: 'converter_missing' })
    expect(state.given).toBe(0)
  })

  it('gives the converter samples of the rate that the format can have', async () => {
    const asked: unknown[] = []
    const converter: AudioConverter = {
      require: async () => undefined,
      async *encode(pcm, options) {
        asked.push({ ...options, signal: undefined })
        yield* pcm
      },
      decode: () => [] as never,
    }
    const pcm = new Uint8Array(4800)
    const bytes = await collect(encodeAudio([pcm], { format: 'aac', inputRate: 24_000, rate: 47_000, converter }))
    expect(bytes.length).toBe(9600)
    expect(asked).toEqual([{ format: 'aac', sampleRate: 48_000, channels: 1, bitRate: undefined, signal: undefined }])
  })
})
