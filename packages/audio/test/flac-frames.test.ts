import { decodeAudio } from '@svc/audio'
import { float32ToS16 } from '@svc/audio/samples'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runDecoder } from '../src/decode/run-decoder.ts'
import { CRC8, CRC16 } from '../src/flac/crc.ts'
import { createFrameFinder } from '../src/flac/find-frames.ts'
import { cutAt, encodeAll, makeTone } from './tones.ts'

const HEAD_BYTES = 42
const PCM = float32ToS16(makeTone({ rate: 16_000, frames: 9 * 4096 + 7, hz: [440] }))
let file = new Uint8Array(0)
let frames: readonly Uint8Array[] = []

const find = (bytes: Uint8Array, lengths: readonly number[] = [5000]): Uint8Array[] => {
  const finder = createFrameFinder()
  const found: Uint8Array[] = []
  for (const piece of cutAt(bytes, lengths)) for (const frame of finder.push(piece)) found.push(frame.slice())
  for (const frame of finder.end()) found.push(frame.slice())
  return found
}

beforeAll(async () => {
  file = Uint8Array.from(await encodeAll(PCM, { format: 'flac', inputRate: 16_000, channels: 1 }))
  frames = find(file)
})
afterEach(() => vi.restoreAllMocks())

/** The head of a frame: `codes` of its block and rate, then its channels and bits. */
function writeHead(codes: number, layout: number, rest: readonly number[]): number[] {
  const head = [0xff, 0xf8, codes, layout, ...rest]
  return [...head, head.reduce((crc, byte) => CRC8[crc ^ byte] ?? 0, 0)]
}

/** Many heads, each of a frame that never ends. */
const writeHeads = (bytes: number, codes: number, layout: number, rest: readonly number[]): Uint8Array => {
  const heads = Array.from({ length: 128 }, (_, number) => writeHead(codes, layout, [number, ...rest])).flat()
  return Uint8Array.from({ length: bytes }, (_, index) => heads[index % heads.length] ?? 0)
}

/** A frame with right checksums whose sound has no valid form. */
function writeBadFrame(): Uint8Array {
  const bad = (frames[0] ?? new Uint8Array(0)).slice()
  bad[6] = 0x04
  const crc = bad.subarray(0, -2).reduce((sum, byte) => ((sum << 8) & 0xffff) ^ (CRC16[(sum >> 8) ^ byte] ?? 0), 0)
  bad.set([crc >> 8, crc & 0xff], bad.length - 2)
  return bad
}

describe('frames', () => {
  it('are all of the file behind its head', () => {
    expect(frames).toHaveLength(10)
    expect(Buffer.concat(frames)).toEqual(Buffer.from(file.subarray(HEAD_BYTES)))
  })

  it('are found whatever the pieces, but those that have other bytes behind them', () => {
    const gaps = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 9000 }), (between, length) => {
        const parts = frames.flatMap((frame, index) => [frame, between[index] ?? new Uint8Array(0)])
        const found = find(Buffer.concat(parts), [length, 1, 700])
        expect(found).toEqual(frames.filter((_, index) => between[index]?.length === 0))
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    ['nothing', ''],
    ['a tag', `TAG${'x'.repeat(125)}`],
    ['another stream', 'fLaC'],
  ])('are complete before %s', (_, text) => {
    expect(find(Buffer.concat([file, Buffer.from(text)]))).toEqual(frames)
  })

  it('that are damaged are left out, and no other', () => {
    const damaged = file.slice()
    const at = HEAD_BYTES + (frames[0]?.length ?? 0) + 100
    damaged[at] = (damaged[at] ?? 0) ^ 0x55
    expect(find(damaged)).toEqual(frames.filter((_, index) => index !== 1))
  })

  it('that are cut off are left out', () => {
    expect(find(file.subarray(0, -1))).toEqual(frames.slice(0, -1))
  })
})

describe('heads without frames', () => {
  it.each<[string, number, number, readonly number[]]>([
    ['small', 0xc5, 0x08, []],
    ['large', 0x75, 0x7c, [0xff, 0xff]],
  ])('%s, four million bytes of them, take a short time', { timeout: 30_000 }, async (_, codes, layout, rest) => {
    const heads = writeHeads(4_000_000, codes, layout, rest)
    // Frames behind them are found.
    const found = find(Buffer.concat([file, heads, Buffer.alloc(600 * 1024), file]), [65_536])
    expect(found.length).toBeGreaterThanOrEqual(19)
    await expect(
      (async () => {
        for await (const piece of decodeAudio([file.subarray(0, HEAD_BYTES), heads])) expect(piece).toBeUndefined()
      })(),
    ).rejects.toMatchObject({ code: 'bad_audio' })
  })
})

it('damaged frames write nothing to the console', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  let count = 0
  for await (const piece of decodeAudio([file, writeBadFrame(), file])) count += piece.length
  expect(count).toBe(PCM.length)
  expect(written).not.toHaveBeenCalled()
})

it('decoders write nothing to the console, and give it back', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const write = () => {
    console.error('a line for each frame')
    return { channelData: [], sampleRate: 16_000, samplesDecoded: 0 }
  }
  const decoder = { decode: write, flush: async () => write(), free: () => undefined }
  const pieces = (async function* () {
    yield new Uint8Array(1)
  })()
  for await (const _ of runDecoder(decoder, pieces));
  expect(written).not.toHaveBeenCalled()
  write()
  expect(written).toHaveBeenCalledOnce()
})
