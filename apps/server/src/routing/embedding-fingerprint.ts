import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelConfig } from '../catalog/model-config.ts'
import { readSystemCode } from '../files/file-error.ts'

/**
 * Changes with everything that may change the vectors of a model: its file, and size and time of its weights. Settings of
 * the server do not count, so that a flag does not embed a corpus anew.
 */
export function fingerprintModel({ name, backend, folder, parameters, raw }: ModelConfig): string {
  const weights = parameters.model ?? ''
  const facts = [name, backend, raw, weights, weights === '' ? 'none' : describeFile(join(folder, weights))]
  return hash('sha256', JSON.stringify(facts), 'hex')
}

function describeFile(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? 'absent' : `${found.size} ${found.mtimeMs}`
  } catch (error) {
    // Whether the weights can be used is up to the backend.
    return readSystemCode(error) ?? 'unreadable'
  }
}
