import { AudioError, encodeWavHeader, type ReadWavOptions, readWav, readWavHeader, type WavHeader } from '@svc/audio'
import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAt } from './tones.ts'

interface Layout {
  readonly riff?: string
  readonly riffSize?: number
  readonly tag?: number
  readonly channels?: number
  readonly rate?: number
  readonly bits?: number
  readonly align?: number
  readonly format?: Buffer
  readonly before?: readonly Buffer[]
  readonly dataSize?: number
  readonly data?: readonly number[]
}

function chunk(id: string, body: Uint8Array, size = body.length): Buffer {
  const header = Buffer.alloc(8)
  header.write(id, 'latin1')
  header.writeUInt32LE(size, 4)
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)])
}

function wav(layout: Layout = {}): Buffer {
  const { tag = 1, channels = 1, rate = 16_000, bits = 16, data = [1, 2, 3, 4] } = layout
  const align = layout.align ?? (channels * bits) / 8
  const body = Buffer.alloc(16)
  body.writeUInt16LE(tag, 0)
  body.writeUInt16LE(channels, 2)
  body.writeUInt32LE(rate, 4)
  body.writeUInt32LE((rate * align) >>> 0, 8)
  body.writeUInt16LE(align, 12)
  body.writeUInt16LE(bits, 14)
  const head = Buffer.from(`${layout.riff ?? 'RIFF'}????WAVE`, 'latin1')
  head.writeUInt32LE(layout.riffSize ?? 0, 4)
  const format = layout.format ?? chunk('fmt ', body)
  const samples = chunk('data', Uint8Array.from(data), layout.dataSize)
  return Buffer.concat([head, ...(layout.before ?? []), format, samples])
}

function extensible(tag: number, tail = '000000001000800000aa00389b71', bits = 16): Buffer {
  const body = Buffer.alloc(40)
  body.writeUInt16LE(0xfffe, 0)
  body.writeUInt16LE(1, 2)
  body.writeUInt32LE(48_000, 4)
  body.writeUInt16LE(bits / 8, 12)
  body.writeUInt16LE(bits, 14)
  body.writeUInt16LE(22, 16)
  body.writeUInt16LE(tag, 24)
  body.write(tail, 26, 'hex')
  return chunk('fmt ', body)
}

async function read(
  file: Uint8Array,
  options?: ReadWavOptions,
  lengths = [7],
): Promise<{ header: WavHeader; samples: number[] }> {
  const { header, samples } = await readWav(cutAt(new Uint8Array(file), lengths), options)
  const all: number[] = []
  for await (const piece of samples) all.push(...piece)
  return { header, samples: all }
}

const float = (value: number) => [...new Uint8Array(Float32Array.of(value).buffer)]
const double = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)]

describe('a WAV file', () => {
  it.each<[string, Layout, WavHeader['sampleFormat'], number[]]>([
    ['8 bits', { bits: 8, data: [0, 128, 255] }, 'u8', [-1, 0, 127 / 128]],
    ['16 bits', { data: [0, 0x80, 0, 0x40] }, 's16', [-1, 0.5]],
    ['24 bits', { bits: 24, data: [0, 0, 0x80, 0, 0, 0x40] }, 's24', [-1, 0.5]],
    ['20 bits in 24', { bits: 20, data: [0, 0, 0x80, 0, 0, 0x40] }, 's24', [-1, 0.5]],
    ['32 bits', { bits: 32, data: [0, 0, 0, 0x80, 0, 0, 0, 0x40] }, 's32', [-1, 0.5]],
    ['floats', { tag: 3, bits: 32, data: [...float(0.25), ...float(-2)] }, 'f32', [0.25, -2]],
    ['damaged floats', { tag: 3, bits: 32, data: [...float(NaN), ...float(Infinity)] }, 'f32', [0, 10]],
    ['long floats', { tag: 3, bits: 64, data: double(-0.5) }, 'f64', [-0.5]],
    ['A-law', { tag: 6, bits: 8, data: [0xaa, 0x2a] }, 'alaw', [32_256 / 32_768, -32_256 / 32_768]],
    ['mu-law', { tag: 7, bits: 8, data: [0x80, 0xff] }, 'mulaw', [32_124 / 32_768, 0]],
    ['three channels', { channels: 3, data: [0, 0, 0, 0x40, 0, 0x80] }, 's16', [0, 0.5, -1]],
    ['extensible format', { format: extensible(1), data: [0, 0x40] }, 's16', [0.5]],
    ['extensible floats', { format: extensible(3, undefined, 32), data: float(0.5) }, 'f32', [0.5]],
    ['a wrong frame size', { align: 77, data: [0, 0x40] }, 's16', [0.5]],
    [
      'odd chunks before',
      { before: [chunk('LIST', Buffer.from('abc')), chunk('fact', Buffer.alloc(4))] },
      's16',
      [513 / 32_768, 1027 / 32_768],
    ],
    ['an unknown size', { dataSize: 0xffff_ffff, data: [0, 0x40] }, 's16', [0.5]],
    ['a size of 0', { dataSize: 0, data: [0, 0x40] }, 's16', [0.5]],
    ['a size beyond its end', { dataSize: 5000, data: [0, 0x40] }, 's16', [0.5]],
    ['a size within its samples', { dataSize: 2, data: [0, 0x40, 0, 0x40] }, 's16', [0.5]],
    ['an odd size', { dataSize: 3, data: [0, 0x40, 0, 0x40] }, 's16', [0.5]],
    ['half a sample at its end', { dataSize: 3, data: [0, 0x40, 9] }, 's16', [0.5]],
    ['no samples', { data: [] }, 's16', []],
    ['a wrong size of the whole', { riffSize: 3, data: [0, 0x40] }, 's16', [0.5]],
  ])('with %s', async (_, layout, sampleFormat, samples) => {
    for (const lengths of [[1], [7], [100_000]]) {
      const result = await read(wav(layout), {}, lengths)
      expect(result.header.sampleFormat).toBe(sampleFormat)
      expect(result.samples).toEqual(samples)
    }
  })

  it('of more than 4 GiB has its size in a chunk of its own', async () => {
    const ds64 = Buffer.alloc(28)
    ds64.writeBigUInt64LE(2n, 8)
    const layout = { riff: 'RF64', before: [chunk('ds64', ds64)], dataSize: 0xffff_ffff, data: [0, 0x40, 0, 0x40] }
    expect(await read(wav(layout))).toMatchObject({ header: { dataBytes: 2 }, samples: [0.5] })
    ds64.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 8)
    const unknown = await read(wav({ ...layout, before: [chunk('ds64', ds64)] }))
    expect(unknown).toMatchObject({ header: { dataBytes: undefined }, samples: [0.5, 0.5] })
    expect((await read(wav({ ...layout, riff: 'BW64' }))).header.dataBytes).toBe(2)
  })

  it('of our own has the header that others read', async () => {
    const known = encodeWavHeader({ sampleRate: 22_050, channels: 2, frames: 3 })
    expect(Buffer.from(known).toString('hex')).toBe(
      '5249464630000000574156' + '45666d7420100000000100020022560000885801000400100064617461' + '0c000000',
    )
    const { header } = await readWavHeader([known])
    expect(header).toEqual({ sampleFormat: 's16', sampleRate: 22_050, channels: 2, frameBytes: 4, dataBytes: 12 })
    const unknown = encodeWavHeader({ sampleRate: 8000 })
    expect([...unknown.subarray(4, 8), ...unknown.subarray(40)]).toEqual(new Array(8).fill(255))
  })

  it.each([
    ['a rate of 0', { sampleRate: 0 }],
    ['three channels', { sampleRate: 8000, channels: 3 }],
    ['4 GiB', { sampleRate: 8000, frames: 2 ** 31 }],
    ['less than nothing', { sampleRate: 8000, frames: -1 }],
    ['half a sample', { sampleRate: 8000, frames: 0.3 }],
  ])('is not written with %s', (_, options) => {
    expect(() => encodeWavHeader(options)).toThrow(expect.objectContaining({ code: 'invalid_audio_option' }))
  })
})

describe('a file is refused', () => {
  it.each<[string, Buffer, string, string]>([
    ['of no bytes', Buffer.alloc(0), 'bad_audio', 'not a WAV file'],
    ['of text', Buffer.from('hello'.repeat(20)), 'bad_audio', 'not a WAV file'],
    ['that is an AVI', Buffer.concat([Buffer.from('RIFF????AVI '), wav()]), 'bad_audio', 'not a WAV file'],
    ['cut in its first chunk', wav().subarray(0, 20), 'bad_audio', 'cut off'],
    ['cut before its samples', wav().subarray(0, 36), 'bad_audio', 'cut off'],
    [
      'with a chunk that is longer than it',
      wav({ before: [chunk('LIST', Buffer.alloc(2), 1000)] }),
      'bad_audio',
      'cut',
    ],
    ['with a chunk of 4 GiB', wav({ before: [chunk('LIST', Buffer.alloc(2), 0xffff_fff0)] }), 'audio_limit', 'begin'],
    ['without a format', wav({ format: Buffer.alloc(0) }), 'bad_audio', 'no format'],
    ['with a short format', wav({ format: chunk('fmt ', Buffer.alloc(10)) }), 'bad_audio', 'cut off'],
    ['without channels', wav({ channels: 0 }), 'bad_audio', '0 channels'],
    ['with 65,535 channels', wav({ channels: 65_535, align: 2 }), 'bad_audio', '65535 channels'],
    ['with a rate of 0', wav({ rate: 0 }), 'bad_audio', '0 samples a second'],
    ['with a rate of 4 billion', wav({ rate: 4_000_000_000, align: 2 }), 'bad_audio', 'samples a second'],
    ['with 0 bits', wav({ bits: 0 }), 'unsupported_audio', '0 bits'],
    ['with 65,535 bits', wav({ bits: 65_535, align: 2 }), 'unsupported_audio', '65535 bits'],
    ['of ADPCM', wav({ tag: 2, bits: 4 }), 'unsupported_audio', '0x0002'],
    ['of MP3', wav({ tag: 0x55 }), 'unsupported_audio', '0x0055'],
    ['of another extensible format', wav({ format: extensible(1, 'ff'.repeat(14)) }), 'unsupported_audio', 'codec'],
    ['with a short extensible format', wav({ tag: 0xfffe }), 'bad_audio', 'cut off'],
    [
      'with a short chunk of sizes',
      wav({ riff: 'RF64', before: [chunk('ds64', Buffer.alloc(4))], dataSize: 0xffff_ffff }),
      'bad_audio',
      'cut off',
    ],
  ])('%s', async (_, file, code, message) => {
    const refusal = { name: 'AudioError', code, message: expect.stringContaining(message) }
    await expect(read(file)).rejects.toMatchObject(refusal)
  })

  it('that never comes to its samples', async () => {
    let sent = 0
    function* endless() {
      yield wav().subarray(0, 36)
      for (;;) {
        sent += 1024
        yield Buffer.concat(Array.from({ length: 102 }, () => chunk('JUNK', Buffer.alloc(2))))
      }
    }
    await expect(readWavHeader(endless())).rejects.toMatchObject({ code: 'bad_audio' })
    expect(sent).toBeLessThan(1_000_000)
    sent = 0
    await expect(readWavHeader(endless(), { maxHeaderBytes: 5000 })).rejects.toMatchObject({ code: 'audio_limit' })
    expect(sent).toBeLessThan(20_000)
  })
})

describe('whatever the bytes', () => {
  it('the answer is samples or an AudioError', async () => {
    const files = [wav(), wav({ bits: 24, channels: 2 }), wav({ format: extensible(3, undefined, 32) })]
    const change = fc.record({
      file: fc.constantFrom(...files),
      length: fc.double({ min: 0, max: 1, noNaN: true }),
      flips: fc.array(fc.tuple(fc.nat(80), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }),
      pieces: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ file, length, flips, pieces }) => {
        const changed = Buffer.from(file.subarray(0, Math.round(file.length * length)))
        for (const [at, value] of flips) if (at < changed.length) changed[at] = value
        try {
          const { samples } = await read(changed, {}, pieces)
          expect(samples.length).toBeLessThanOrEqual(changed.length)
          expect(samples.every((sample) => Math.abs(sample) <= 10)).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(AudioError)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('a stream of something else is refused', async () => {
    await expect(readWavHeader(['RIFF'] as never)).rejects.toSatisfy(SvcError.is)
  })
})

describe('the source of a file', () => {
  function watched(file: Uint8Array) {
    const state = { ended: 0, given: 0 }
    async function* pieces() {
      try {
        for (;;) {
          state.given++
          yield file
        }
      } finally {
        state.ended++
      }
    }
    return { state, pieces: pieces() }
  }

  it('ends when the file is refused', async () => {
    const { state, pieces } = watched(Buffer.from('hello hello hello'))
    await expect(readWavHeader(pieces)).rejects.toThrow()
    expect(state.ended).toBe(1)
  })

  it('ends when its reader leaves, before or after the first sample', async () => {
    const endless = wav({ dataSize: 0xffff_ffff })
    const first = watched(endless)
    await (await readWav(first.pieces)).samples.return?.()
    const second = watched(endless)
    for await (const piece of (await readWav(second.pieces)).samples) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    expect([first.state.ended, second.state.ended]).toEqual([1, 1])
    expect(second.state.given).toBe(1)
  })

  it('may be silent when the signal aborts', async () => {
    const never = createDeferred<Uint8Array>()
    async function* silent() {
      yield wav().subarray(0, 30)
      yield await never.promise
    }
    const controller = new AbortController()
    const reading = readWavHeader(silent(), { signal: controller.signal })
    controller.abort(new Error('gone'))
    await expect(reading).rejects.toThrow('gone')
    await expect(readWavHeader([wav()], { signal: controller.signal })).rejects.toThrow('gone')
  })

  it('passes its own errors on', async () => {
    async function* broken() {
      yield wav().subarray(0, 30)
      throw new Error('disk')
    }
    await expect(readWavHeader(broken())).rejects.toThrow('disk')
  })
})
