import { readdir, readFile, writeFile } from 'node:fs/promises'
import { type TempDir, tempDir, writeCt2Folder } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { convertModel } from './convert-model.ts'
import { fromHalves, toHalves } from './half-floats.ts'

const { signal } = new AbortController()

let dir: TempDir
let model: Buffer
beforeAll(async () => {
  dir = await tempDir()
  model = await writeCt2Folder(dir.join('faster whisper'))
})
afterAll(() => dir.close())

const convert = (source: string, options: { readonly name?: string; readonly signal?: AbortSignal } = {}) =>
  convertModel({ source: dir.join(source), folder: dir.join('models'), signal, ...options })

describe('the conversion of a folder', () => {
  it('writes a ggml file and a model file under the name of the folder', async () => {
    const made = await convert('faster whisper')
    expect(made).toMatchObject({
      name: 'faster-whisper',
      weightsFile: 'ggml-faster-whisper.bin',
      configFile: 'faster-whisper.yaml',
    })
    expect(await readFile(dir.join('models', made.configFile), 'utf8')).toBe(
      'name: faster-whisper\nbackend: whisper\nparameters:\n  model: ggml-faster-whisper.bin\n',
    )
    const bytes = await readFile(dir.join('models', made.weightsFile))
    expect(bytes.length).toBe(made.sizeBytes)
    const numbers = Array.from({ length: 12 }, (_, index) => bytes.readInt32LE(4 * index))
    expect(numbers).toEqual([0x67676d6c, 51_864, 1500, 16, 1, 1, 64, 16, 1, 1, 80, 1])
    // 16-bit weights are the same bytes
    const tokens = bytes.indexOf('decoder.token_embedding.weight') + 'decoder.token_embedding.weight'.length
    const source = model.indexOf('decoder/embeddings/weight') + 'decoder/embeddings/weight'.length + 1 + 1 + 8 + 1 + 4
    expect(bytes.subarray(tokens, tokens + 4000).equals(model.subarray(source, source + 4000))).toBe(true)
  })

  it('overwrites nothing', async () => {
    await expect(convert('faster whisper')).rejects.toMatchObject({ code: 'model_exists' })
    await writeFile(dir.join('models', 'ggml-other.bin'), 'mine')
    await expect(convert('faster whisper', { name: 'other' })).rejects.toMatchObject({ code: 'model_exists' })
    expect(await readFile(dir.join('models', 'ggml-other.bin'), 'utf8')).toBe('mine')
  })

  it('takes weights of 32 bits', async () => {
    await writeCt2Folder(dir.join('wide'), { type: 'float32' })
    expect((await convert('wide')).sizeBytes).toBeGreaterThan(1_000_000)
  })

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['of quantized weights', () => writeCt2Folder(dir.join('bad'), { type: 'int8' }), /as int8: convert a float16/],
    ['that is cut off', () => writeBad(model.subarray(0, 500_000)), /^model.bin is cut off$/],
    [
      'with other weights',
      () => writeBad(Buffer.concat([model.subarray(0, 8), Buffer.alloc(99)])),
      /not a WhisperSpec/,
    ],
    ['of another version', () => writeBad(Buffer.from('GGUF and other bytes')), /version \d+ of the CTranslate2/],
    ['without a size', () => writeBad(withBadSize()), /contradicts its size/],
    ['of too many bands', () => writeBad(withShape('encoder/conv1/weight', [1, 3840, 1])), /hears 3840 bands/],
    [
      'whose weights have no parts',
      () => writeBad(withShape('encoder/layer_0/self_attention/linear_0/weight', [1, 768])),
      /without 3 equal parts/,
    ],
    ['without words', () => writeFile(dir.join('bad', 'tokenizer.json'), '{"model": {"vocab": {}}}'), /no words/],
    ['with another tokenizer', () => writeFile(dir.join('bad', 'tokenizer.json'), '[1'), /not the tokenizer/],
  ])('refuses a folder %s', async (_name, prepare, message) => {
    await writeCt2Folder(dir.join('bad'))
    await prepare()
    const before = await readdir(dir.join('models'))
    await expect(convert('bad')).rejects.toMatchObject({
      kind: 'unprocessable',
      code: 'bad_model_file',
      message: expect.stringMatching(message),
    })
    expect(await readdir(dir.join('models'))).toEqual(before)
  })

  it('leaves nothing behind when it is broken off, and misses files by name', async () => {
    const before = await readdir(dir.join('models'))
    const stopped = convert('faster whisper', { name: 'stopped', signal: AbortSignal.abort(new Error('gone')) })
    await expect(stopped).rejects.toThrow('gone')
    await expect(convert('nothing')).rejects.toThrow('the folder has no tokenizer.json')
    expect(await readdir(dir.join('models'))).toEqual(before)
  })
})

async function writeBad(bytes: Buffer): Promise<void> {
  await writeFile(dir.join('bad', 'model.bin'), bytes)
}

/** The model with another shape of as many numbers. */
function withShape(name: string, shape: readonly number[]): Buffer {
  const bytes = Buffer.from(model)
  const start = bytes.indexOf(name) + name.length + 1 + 1
  for (const [index, length] of shape.entries()) bytes.writeUInt32LE(length, start + 4 * index)
  return bytes
}

function withBadSize(): Buffer {
  const bytes = Buffer.from(model)
  const name = 'encoder/position_encodings/encodings'
  bytes.writeUInt32LE(7, bytes.indexOf(name) + name.length + 1 + 1 + 8 + 1)
  return bytes
}

it('half floats are the nearest ones', () => {
  const given = [0, -0, 1, -1.5, 65_504, 70_000, 1e-9, 2 ** -24, 0.1, 2 ** -15]
  const floats = new Uint8Array(Float32Array.from(given).buffer)
  const back = new Float32Array(fromHalves(toHalves(floats)).buffer)
  expect([...back]).toEqual([0, -0, 1, -1.5, 65_504, Number.POSITIVE_INFINITY, 0, 2 ** -24, 0.0999755859375, 2 ** -15])
})
