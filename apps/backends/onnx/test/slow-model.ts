import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OnnxNode, TINY_EMBEDDING_SIZE, toOnnxFile, writeTinyEmbedder } from '@svc/test-kit'

const WIDTH = 1024

/** Writes an embedding model that computes a tenth of a second or more for a text of a hundred tokens and 24 layers. */
export async function writeSlowEmbedder(folder: string, layers = 24): Promise<void> {
  await writeTinyEmbedder(folder)
  const layer = (from: string, matrix: string, to: string): OnnxNode => ({
    op: 'MatMul',
    inputs: [from, matrix],
    outputs: [to],
  })
  const zeros = (name: string): OnnxNode => ({ op: 'ConstantOfShape', inputs: [`${name}_shape`], outputs: [name] })
  const shape = (name: string, ...dims: number[]) => ({
    name: `${name}_shape`,
    dims: [2],
    data: BigInt64Array.from(dims, BigInt),
  })
  const graph = toOnnxFile({
    nodes: [
      { op: 'Cast', inputs: ['input_ids'], outputs: ['numbers'], attributes: { to: 1 } },
      { op: 'Unsqueeze', inputs: ['numbers', 'last_axis'], outputs: ['column'] },
      ...['first', 'inner', 'last'].map(zeros),
      layer('column', 'first', 'x0'),
      ...Array.from({ length: layers }, (_, index) => layer(`x${index}`, 'inner', `x${index + 1}`)),
      layer(`x${layers}`, 'last', 'last_hidden_state'),
    ],
    tensors: [
      { name: 'last_axis', dims: [1], data: BigInt64Array.of(2n) },
      shape('first', 1, WIDTH),
      shape('inner', WIDTH, WIDTH),
      shape('last', WIDTH, TINY_EMBEDDING_SIZE),
    ],
    inputs: [{ name: 'input_ids', kind: 'int64', dims: ['batch', 'length'] }],
    outputs: [{ name: 'last_hidden_state', kind: 'float32', dims: ['batch', 'length', TINY_EMBEDDING_SIZE] }],
  })
  await writeFile(join(folder, 'onnx', 'model.onnx'), graph)
}
