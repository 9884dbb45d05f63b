import { readJsonFile } from '../files/read-json-file.ts'
import type { ModelShape } from './memory-estimate.ts'
import { isFields } from './to-entry.ts'

/** The shapes that a file remembers, by the addresses of the models; none where it cannot be read. */
export async function readKnownShapes(path: string): Promise<Map<string, ModelShape>> {
  const read = await readJsonFile(path)
  const value: unknown = read.state === 'read' ? read.root.toValue() : undefined
  const shapes = Object.entries(isFields(value) ? value : {}).flatMap(([key, shape]) => {
    if (!isFields(shape) || typeof shape.weightsBytes !== 'number') return []
    const number = (name: string): number | undefined => {
      const found = shape[name]
      return typeof found === 'number' ? found : undefined
    }
    const rest = { layers: number('layers'), maxContext: number('maxContext') }
    const one = { weightsBytes: shape.weightsBytes, cacheBytesPerToken: number('cacheBytesPerToken'), ...rest }
    return [[key, one] as const]
  })
  return new Map(shapes)
}
