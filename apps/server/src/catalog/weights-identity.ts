import { stat } from 'node:fs/promises'

/** The weights of a model, as far as their file tells. */
export interface WeightsIdentity {
  /** Name as the model file has it. */
  readonly file: string
  readonly size: number
  /** Time of the last write, ISO 8601. */
  readonly mtime: string
}

/** Identifies weights by name, size and time; undefined for a folder, and for weights that are not here. */
export async function identifyWeights(path: string, name: string): Promise<WeightsIdentity | undefined> {
  const found = path === '' ? undefined : await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile()) return undefined
  return { file: name, size: found.size, mtime: found.mtime.toISOString() }
}
