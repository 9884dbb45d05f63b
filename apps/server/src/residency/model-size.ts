import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelConfig } from '../catalog/model-config.ts'

/** Reads the size of a model's weights on disk in bytes; 0 when none are found. */
export async function measureWeights({ folder, parameters, gguf }: ModelConfig): Promise<number> {
  if (gguf !== undefined) return gguf.sizeBytes
  if (parameters.model === undefined || parameters.model === '') return 0
  const found = await stat(join(folder, parameters.model)).catch(() => undefined)
  return found?.isFile() === true ? found.size : 0
}
