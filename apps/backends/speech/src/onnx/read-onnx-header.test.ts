import { writeFile } from 'node:fs/promises'
import { demoModels } from '@svc/demo-models'
import { SvcError } from '@svc/errors'
import { type TempDir, tempDir, toOnnxFile } from '@svc/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeMetadata } from '../engines/sherpa/encode-metadata.ts'
import { readOnnxHeader } from './read-onnx-header.ts'

const weights = demoModels.find(({ name }) => name === 'demo-vad')?.file ?? ''
const small = toOnnxFile({
  nodes: [{ op: 'Identity', inputs: ['in'], outputs: ['out'] }],
  tensors: [],
  inputs: [{ name: 'in', kind: 'float32', dims: [1] }],
  outputs: [{ name: 'out', kind: 'float32', dims: [1] }],
})

let folder: TempDir
beforeAll(async () => {
  folder = await tempDir()
})
afterAll(() => folder.close())

async function read(bytes: Uint8Array) {
  const file = folder.join('graph.onnx')
  await writeFile(file, bytes)
  return await readOnnxHeader(file)
}

describe('readOnnxHeader', () => {
  it('reads names and metadata', async () => {
    const text = 'ü'.repeat(300)
    const header = await read(Buffer.concat([small, encodeMetadata({ sample_rate: '22050', text })]))
    expect(header).toMatchObject({ inputs: ['in'], outputs: ['out'] })
    expect([...header.metadata]).toEqual([
      ['sample_rate', '22050'],
      ['text', text],
    ])
  })

  it('reads the file of the demo model', async () => {
    const { inputs, outputs } = await readOnnxHeader(weights)
    expect([inputs, outputs]).toEqual([
      ['input', 'state', 'sr'],
      ['output', 'stateN'],
    ])
  })

  it('refuses texts that would fill the memory', async () => {
    const texts = Array.from({ length: 70 }, (_, index) => [`text${index}`, 'x'.repeat(250_000)])
    const bytes = Buffer.concat([small, encodeMetadata(Object.fromEntries(texts))])
    await expect(read(bytes)).rejects.toThrow('its texts are too long')
  })

  it('refuses every cut of a file', async () => {
    for (let length = 0; length < small.length; length++) {
      // the last field, the version of the operations, is not needed for a header
      const outcome = await read(small.subarray(0, length)).catch((error: unknown) => error)
      const isRefused = outcome instanceof Error && outcome.message.startsWith('graph.onnx: not an ONNX model')
      expect(isRefused || length >= small.length - 8, `${length} bytes`).toBe(true)
    }
  })

  it('refuses a missing file and a folder', async () => {
    await expect(readOnnxHeader(folder.join('none.onnx'))).rejects.toThrow('none.onnx: there is no such file')
    await expect(readOnnxHeader(folder.path)).rejects.toThrow(
      /not an ONNX model, or a damaged one \(it is not a file\)/,
    )
  })

  it('reads or refuses any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.nat(small.length), async (noise, place) => {
        const bytes = Buffer.from(small)
        bytes.set(noise.subarray(0, small.length - place), place)
        const outcome = await read(bytes).catch((error: unknown) => error)
        expect(outcome instanceof Error ? SvcError.is(outcome) : typeof outcome).toEqual(
          outcome instanceof Error ? true : 'object',
        )
      }),
    )
  })
})
