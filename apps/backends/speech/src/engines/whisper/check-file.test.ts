import { writeFile } from 'node:fs/promises'
import { type TempDir, tempDir, whisperBytes } from '@svc/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkWhisperFile } from './check-file.ts'

const good = whisperBytes()
const FILTERS = 48
const VOCABULARY = FILTERS + 8 + 4 * 80 * 201
const signal = new AbortController().signal

let dir: TempDir
beforeAll(async () => {
  dir = await tempDir()
})
afterAll(() => dir.close())

async function check(bytes: Buffer): Promise<string | undefined> {
  const file = dir.join('model.bin')
  await writeFile(file, bytes)
  const error: unknown = await checkWhisperFile(file, { signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error === undefined) return undefined
  expect(error).toMatchObject({ kind: 'unprocessable', code: 'bad_model_file' })
  const { message } = error as Error
  expect(message).not.toContain(dir.path)
  return message
}

/** Changes one number of the file. */
function withNumber(place: number, value: number): Buffer {
  const bytes = Buffer.from(good)
  bytes.writeInt32LE(value, place)
  return bytes
}
/** Place of a number of the header, counted from the magic number. */
const header = (index: number): number => 4 * index
const tensors = good.indexOf('encoder.positional_embedding')

describe('the check of a Whisper file', () => {
  it.each([
    ['small', good],
    ['multilingual', whisperBytes({ isMultilingual: true, layers: 2 })],
  ])('takes a %s file', async (_name, bytes) => {
    expect(await check(bytes)).toBeUndefined()
  })

  it.each<[string, () => Buffer, string]>([
    ['empty', () => Buffer.alloc(0), 'not a ggml file'],
    ['of 20 bytes', () => good.subarray(0, 20), 'ends in its header'],
    ['cut in its filters', () => good.subarray(0, FILTERS + 100), 'ends in its filters'],
    ['cut in its vocabulary', () => good.subarray(0, VOCABULARY + 1000), 'ends in its vocabulary'],
    ['cut in its weights', () => good.subarray(0, tensors + 1000), 'ends in the weights'],
    ['cut at its tail', () => good.subarray(0, -1), 'ends in the weights'],
    ['longer than its weights', () => Buffer.concat([good, Buffer.alloc(5)]), 'ends in its weights'],
    ['text', () => Buffer.from('this is not a model, but a long enough text'.repeat(10)), 'not a ggml file'],
    ['with another magic number', () => withNumber(0, 0x46554747), 'not a ggml file'],
    ['with a huge vocabulary', () => withNumber(header(1), 2_000_000_000), 'vocabulary 2000000000'],
    ['with a negative vocabulary', () => withNumber(header(1), -1), 'vocabulary -1'],
    ['with other numbers of entries', () => withNumber(VOCABULARY, 60_000), 'the vocabulary has 60000 entries'],
    ['with more layers than weights', () => withNumber(header(5), 2), 'encoder.blocks.1.attn.query.weight are missing'],
    ['with a million heads', () => withNumber(header(4), 1_000_000), 'audioHeads 1000000'],
    ['without heads', () => withNumber(header(4), 0), 'audioHeads 0'],
    ['without heads of the text', () => withNumber(header(8), 0), 'textHeads 0'],
    ['whose state does not divide by its heads', () => withNumber(header(4), 3), 'does not divide'],
    ['of an unknown type', () => withNumber(header(11), 99), 'unknown type 99'],
    ['with huge filters', () => withNumber(FILTERS, 1_000_000_000), 'the filters are 1000000000 by 201'],
    ['with an entry of length -1', () => withNumber(VOCABULARY + 4, -1), 'a length of -1 bytes'],
    ['with a long entry', () => withNumber(VOCABULARY + 4, 2000), 'a length of 2000 bytes'],
    ['with weights of a wrong size', () => withNumber(tensors - 8, 8), 'encoder.positional_embedding are 8x1500'],
    ['with a huge context', () => withNumber(header(6), 4000), 'decoder.positional_embedding are 16x64, not 16x4000'],
    ['with a bad length of a name', () => withNumber(tensors - 16, -5), 'the name of weights has a length of -5'],
    ['with weights of an unknown type', () => withNumber(tensors - 12, 77), 'of the unknown type 77'],
    [
      'of another kind of model',
      () => Buffer.concat([good.subarray(0, 4), Buffer.from([10, 0, 0, 0]), Buffer.from('silero-16k'.padEnd(60))]),
      'voice activity detection',
    ],
  ])('refuses a file that is %s', async (_name, make, message) => {
    expect(await check(make())).toContain(message)
  })

  it('ends for every damaged header with a verdict', async () => {
    const flips = fc.array(fc.tuple(fc.integer({ min: 0, max: 47 }), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
    })
    await fc.assert(
      fc.asyncProperty(flips, async (changes) => {
        const bytes = Buffer.from(good.subarray(0, VOCABULARY + 100))
        for (const [place, value] of changes) bytes[place] = (bytes[place] ?? 0) ^ value
        expect(await check(bytes)).toContain('model.bin: ')
      }),
      { numRuns: 50 },
    )
  })

  it('stops when it is no longer wanted', async () => {
    await writeFile(dir.join('model.bin'), good)
    await expect(checkWhisperFile(dir.join('model.bin'), { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
  })
})
