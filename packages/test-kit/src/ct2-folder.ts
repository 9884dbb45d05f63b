import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A small faster-whisper model with random weights. */
export interface TinyCt2 {
  /** @default 'float16' */
  readonly type?: 'float16' | 'float32' | 'int8' | undefined
  /** Size of its state. @default 16 */
  readonly state?: number | undefined
}

const ENTRIES = 51_864
const TYPES = { float32: { id: 0, bytes: 4 }, int8: { id: 1, bytes: 1 }, float16: { id: 4, bytes: 2 } } as const

/** Writes a folder as faster-whisper has it, with one layer on each side. @returns the bytes of its `model.bin` */
export async function writeCt2Folder(folder: string, { type = 'float16', state = 16 }: TinyCt2 = {}): Promise<Buffer> {
  const variables = listVariables(state)
  const parts = [u32(6), text('WhisperSpec'), u32(3), u32(variables.length + 2)]
  let seed = 1
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed / 2 ** 32 - 0.5
  }
  for (const [name, shape] of variables) {
    const { id, bytes } = TYPES[type]
    const data = Buffer.alloc(shape.reduce((product, length) => product * length, bytes))
    for (let at = 0; at < data.length; at += bytes) {
      if (bytes === 4) data.writeFloatLE(random(), at)
      // an exponent below 0: numbers of -1 to 1
      else if (bytes === 2) data.writeUInt16LE(Math.floor((random() + 0.5) * 0x3c00) | (random() < 0 ? 0x8000 : 0), at)
      else data.writeInt8(Math.floor(random() * 100), at)
    }
    parts.push(text(name), Buffer.from([shape.length]), ...shape.map(u32), Buffer.from([id]), u32(data.length), data)
  }
  for (const side of ['encoder', 'decoder']) {
    parts.push(text(`${side}/num_heads`), Buffer.from([0, 2]), u32(2), Buffer.from([1, 0]))
  }
  const model = Buffer.concat([...parts, u32(0)])
  const words = Object.fromEntries(Array.from({ length: 50_256 }, (_, id) => [`Ġw${id.toString(36)}`, id]))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'model.bin'), model)
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify({ model: { vocab: words } }))
  return model
}

function listVariables(state: number): readonly (readonly [name: string, shape: readonly number[]])[] {
  const norm = (name: string) => [[`${name}/gamma`, [state]] as const, [`${name}/beta`, [state]] as const]
  const linear = (name: string, outputs: number, inputs: number) => [
    [`${name}/weight`, [outputs, inputs]] as const,
    [`${name}/bias`, [outputs]] as const,
  ]
  const layer = (side: string) => [
    ...norm(`${side}/layer_0/self_attention/layer_norm`),
    ...linear(`${side}/layer_0/self_attention/linear_0`, 3 * state, state),
    ...linear(`${side}/layer_0/self_attention/linear_1`, state, state),
    ...norm(`${side}/layer_0/ffn/layer_norm`),
    ...linear(`${side}/layer_0/ffn/linear_0`, 4 * state, state),
    ...linear(`${side}/layer_0/ffn/linear_1`, state, 4 * state),
  ]
  return [
    ['encoder/position_encodings/encodings', [1500, state]],
    ['encoder/conv1/weight', [state, 80, 3]],
    ['encoder/conv1/bias', [state]],
    ['encoder/conv2/weight', [state, state, 3]],
    ['encoder/conv2/bias', [state]],
    ...norm('encoder/layer_norm'),
    ...layer('encoder'),
    ['decoder/position_encodings/encodings', [64, state]],
    ['decoder/embeddings/weight', [ENTRIES, state]],
    ...norm('decoder/layer_norm'),
    ...layer('decoder'),
    ...norm('decoder/layer_0/attention/layer_norm'),
    ...linear('decoder/layer_0/attention/linear_0', state, state),
    ...linear('decoder/layer_0/attention/linear_1', 2 * state, state),
    ...linear('decoder/layer_0/attention/linear_2', state, state),
  ]
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** A text with its length before it and a zero behind it. */
function text(value: string): Buffer {
  const bytes = Buffer.from(`${value}\0`)
  const length = Buffer.alloc(2)
  length.writeUInt16LE(bytes.length)
  return Buffer.concat([length, bytes])
}
