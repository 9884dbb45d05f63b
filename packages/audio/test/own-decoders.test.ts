import { AudioError, type AudioFormat, type DecodeAudioOptions, decodeAudio, sniffAudio } from '@svc/audio'
import { float32ToS16 } from '@svc/audio/samples'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOggEncoder } from 'wasm-media-encoders'
import { readOggPages } from '../src/decode/ogg-pages.ts'
import { ByteReader } from '../src/streams/byte-reader.ts'
import { type Lacing, writeWebm } from './matroska.ts'
import { cutAt, encodeAll, makeTone, measureTone } from './tones.ts'

const RATE = 44_100
const FRAMES = RATE
const TONE = { rate: RATE, frames: FRAMES, hz: [440, 440], level: 0.5 }
const PCM = float32ToS16(makeTone(TONE))
/** The decoded files have as many samples. */
const SAMPLES = 16_000

async function decodeAll(file: Uint8Array, options?: DecodeAudioOptions, lengths = [5000]): Promise<Float32Array> {
  const pieces: Float32Array[] = []
  for await (const piece of decodeAudio(cutAt(file, lengths), options)) pieces.push(piece)
  return new Float32Array(pieces.flatMap((piece) => [...piece]))
}

const encode = (format: AudioFormat) => encodeAll(PCM, { format, inputRate: RATE, channels: 2 })

async function encodeVorbis(): Promise<Uint8Array> {
  const encoder = await createOggEncoder()
  encoder.configure({ sampleRate: RATE, channels: 2, vbrQuality: 3 })
  const channel = makeTone({ ...TONE, hz: [440] })
  const first = encoder.encode([channel, channel]).slice()
  return Buffer.concat([first, encoder.finalize().slice()])
}

/** The head and the packets of an Opus file. */
async function readPackets(file: Uint8Array): Promise<{ readonly head: Uint8Array; readonly packets: Uint8Array[] }> {
  const packets: Uint8Array[] = []
  for await (const page of readOggPages(new ByteReader([file]))) packets.push(...page.packets)
  const [head = new Uint8Array(0), , ...sound] = packets
  return { head, packets: sound }
}

async function encodeWebm(options: { lacing?: Lacing; isLive?: boolean } = {}): Promise<Uint8Array> {
  const { head, packets } = await readPackets(await encode('opus'))
  // Packets of one length, as fixed lacing needs them.
  const length = Math.max(...packets.map((packet) => packet.length))
  const padded = packets.map((packet) => Buffer.concat([packet, Buffer.alloc(length - packet.length)]))
  return writeWebm(head, options.lacing === 'fixed' ? padded : packets, options)
}

const FILES: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  mp3: () => encode('mp3'),
  flac: () => encode('flac'),
  vorbis: encodeVorbis,
  opus: () => encode('opus'),
  webm: () => encodeWebm(),
}

describe.each(Object.keys(FILES))('a file of %s', (name) => {
  it('is decoded without a converter, whatever its pieces', async () => {
    const file = (await FILES[name]?.()) ?? new Uint8Array(0)
    expect(sniffAudio(file)).toBeDefined()
    const samples = await decodeAll(file)
    // A decoder of packets does not know how many samples of the last one are meant.
    expect(Math.abs(samples.length - SAMPLES)).toBeLessThanOrEqual(name === 'webm' || name === 'mp3' ? 1200 : 1)
    const { toneDb, restDb } = measureTone(samples.subarray(2000, 14_000), { rate: 16_000, hz: 440 })
    expect(toneDb).toBeCloseTo(20 * Math.log10(0.5), 0)
    expect(restDb).toBeLessThan(-40)
    expect(await decodeAll(file, {}, [1, 7, 400])).toEqual(samples)
    expect(Math.abs((await decodeAll(file, { sampleRate: 24_000 })).length - 24_000)).toBeLessThan(2000)
  })

  it('that is cut off gives what is there', async () => {
    const file = (await FILES[name]?.()) ?? new Uint8Array(0)
    const samples = await decodeAll(file.subarray(0, Math.floor(file.length * 0.7)))
    expect(samples.length).toBeGreaterThan(5000)
    expect(samples.length).toBeLessThan(15_000)
  })

  it('is refused beyond the limit', async () => {
    const file = (await FILES[name]?.()) ?? new Uint8Array(0)
    await expect(decodeAll(file, { maxSeconds: 0.5 })).rejects.toMatchObject({ code: 'audio_limit' })
  })

  it('that is damaged gives samples or an AudioError', { timeout: 300_000 }, async () => {
    const file = (await FILES[name]?.()) ?? new Uint8Array(0)
    const place = fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true })
    const changes = fc.array(fc.tuple(place, fc.integer({ min: 0, max: 255 })), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(changes, place, async (flips, length) => {
        const changed = file.slice(0, Math.ceil(length * file.length))
        for (const [at, value] of flips) changed[Math.floor(at * changed.length)] = value
        const outcome = await decodeAll(changed, { maxSeconds: 1000 }).catch((error: unknown) => error)
        expect(outcome instanceof Float32Array || outcome instanceof AudioError).toBe(true)
      }),
      { numRuns: 25 },
    )
  })
})

describe('WebM', () => {
  it.each<[Lacing, boolean]>([
    ['none', true],
    ['xiph', false],
    ['ebml', false],
    ['fixed', true],
  ])('with the lacing %s is read, live: %s', async (lacing, isLive) => {
    const samples = await decodeAll(await encodeWebm({ lacing, isLive }))
    expect(samples.length).toBeGreaterThan(15_900)
    // Packets that are filled up decode a little differently.
    const { restDb } = measureTone(samples.subarray(2000, 14_000), { rate: 16_000, hz: 440 })
    expect(restDb).toBeLessThan(lacing === 'fixed' ? -20 : -40)
  })

  it('with an element of unknown size that must have one is damaged', async () => {
    const file = Buffer.from(await encodeWebm())
    const at = file.indexOf(Buffer.from('a3', 'hex'), 100)
    file.fill(0xff, at + 2, at + 9)
    await expect(decodeAll(file)).rejects.toMatchObject({ code: 'bad_audio' })
  })
})

it.each(['vorbis', 'opus'])('%s with other bytes between its pages is read', async (name) => {
  const file = Buffer.from((await FILES[name]?.()) ?? [])
  const sound = file.lastIndexOf('OggS')
  const junk = Buffer.concat([Buffer.from('OOggOggOggS'), Buffer.alloc(100, 0x4f)])
  const samples = await decodeAll(Buffer.concat([file.subarray(0, sound), junk, file.subarray(sound)]))
  expect(Math.abs(samples.length - SAMPLES)).toBeLessThanOrEqual(1)
})

describe('Opus', () => {
  it('of two files, one behind the other, is read as one', async () => {
    const file = await encode('opus')
    expect((await decodeAll(Buffer.concat([file, file]))).length).toBe(2 * SAMPLES)
  })

  it('with tags of any length is read', async () => {
    const file = await encode('opus')
    const second = Buffer.from(file).indexOf('OggS', 4)
    const page = (flags: number, sequence: number): Buffer => {
      const head = Buffer.alloc(27)
      head.write('OggS')
      head[5] = flags
      head.set(file.subarray(second + 14, second + 18), 14)
      head.writeBigInt64LE(-1n, 6)
      head.writeUInt32LE(sequence, 18)
      head[26] = 255
      return Buffer.concat([head, Buffer.alloc(255, 255), Buffer.alloc(255 * 255, 65)])
    }
    const last = page(1, 41)
    last[27 + 254] = 10
    const tags = Buffer.concat([
      page(0, 1),
      ...Array.from({ length: 39 }, (_, index) => page(1, index + 2)),
      last.subarray(0, -245),
    ])
    const third = Buffer.from(file).indexOf('OggS', second + 4)
    const longer = Buffer.concat([file.subarray(0, second), tags, file.subarray(third)])
    expect((await decodeAll(longer)).length).toBe(SAMPLES)
  })

  it('of more than two channels has no reader', async () => {
    const file = (await encode('opus')).slice()
    file[28 + 18] = 1
    await expect(decodeAll(file)).rejects.toMatchObject({ code: 'unsupported_audio' })
  })
})

/** Splits a Vorbis file behind its headers, and gives the head of its pages. */
async function splitVorbis(): Promise<{ readonly headers: Buffer; readonly page: Buffer }> {
  const file = Buffer.from(await encodeVorbis())
  const sound = file.indexOf('OggS', file.indexOf('OggS', 4) + 4)
  return { headers: file.subarray(0, sound), page: Buffer.from(file.subarray(sound, sound + 27)) }
}

describe('Vorbis', () => {
  it('of more channels than the format has places for is refused before it is decoded', async () => {
    const file = (await encodeVorbis()).slice()
    file[28 + 11] = 100
    await expect(decodeAll(file)).rejects.toMatchObject({ code: 'unsupported_audio' })
  })

  it('whose sound comes before its setup is damaged', async () => {
    const file = Buffer.from(await encodeVorbis())
    file.fill(9, 28, 29)
    await expect(decodeAll(file, {}, [file.length])).rejects.toBeInstanceOf(AudioError)
  })

  it('with a packet that never ends is refused', { timeout: 60_000 }, async () => {
    const { headers, page } = await splitVorbis()
    page[5] = 1
    page[26] = 255
    const open = Buffer.concat([page, Buffer.alloc(255, 255), Buffer.alloc(255 * 255)])
    const file = [headers, ...Array.from({ length: 300 }, () => open)]
    const reading = (async () => {
      for await (const _ of decodeAudio(file));
    })()
    await expect(reading).rejects.toMatchObject({ message: 'a packet of the Ogg file is too long' })
  })

  it('of many samples in few bytes comes in short pieces', async () => {
    const { headers, page } = await splitVorbis()
    page[26] = 255
    const silence = Buffer.concat([page, Buffer.alloc(255, 1), Buffer.alloc(255, 2)])
    let longest = 0
    for await (const piece of decodeAudio([headers, silence])) longest = Math.max(longest, piece.length)
    expect(longest).toBeGreaterThan(1000)
    expect(longest).toBeLessThan(20_000)
  })
})

describe('FLAC', () => {
  it('without a frame leaves other work its turns', async () => {
    const file = await encode('flac')
    const head = file.subarray(0, 42)
    const start = Buffer.from(file).indexOf(Buffer.from('fff8', 'hex'), 42)
    // Heads of frames, each of which may be the next one.
    const heads = Buffer.alloc(48 * 1024)
    for (let at = 0; at + 6 <= heads.length; at += 6) heads.set(file.subarray(start, start + 6), at)
    const leaving = new AbortController()
    setImmediate(() => leaving.abort(new Error('gone')))
    await expect(decodeAll(Buffer.concat([head, heads]), { signal: leaving.signal }, [100_000])).rejects.toThrow('gone')
  })
})
