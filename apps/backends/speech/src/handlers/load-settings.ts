import path from 'node:path'
import type { ModelOptions } from '@svc/backend-client/proto'
import { parseOptions, readInteger } from '@svc/backend-kit/options'
import type { LoadSettings } from '../engines/engine.ts'
import { invalidRequest } from '../errors.ts'

const DEFAULT_WAITING = 256
const DEFAULT_MEMORY_MB = 4096
const LIMITS = { parallel: 16, waiting: 100_000, threads: 512, memoryMb: 1_048_576 } as const
const MB = 1024 * 1024

/** Options of every engine. */
export const SHARED_OPTIONS = ['parallel', 'n_parallel', 'queue', 'memory_limit_mb', 'engine'] as const

/** Reads the settings in a LoadModel request. @throws SvcError `invalid_request` for a setting that cannot be honoured */
export function toLoadSettings(request: ModelOptions): LoadSettings {
  const options = parseOptions(request.Options)
  const count = (names: readonly string[], min: number, max: number, otherwise: number): number =>
    readInteger(options, names, { min, max, otherwise })
  if (request.Threads > LIMITS.threads) throw invalidRequest(`Threads must be at most ${LIMITS.threads}`, 'Threads')
  return {
    path: toModelPath(request),
    threads: Math.max(1, request.Threads),
    parallel: count(['parallel', 'n_parallel'], 1, LIMITS.parallel, 1),
    maxWaiting: count(['queue'], 0, LIMITS.waiting, DEFAULT_WAITING),
    memoryLimit: count(['memory_limit_mb'], 64, LIMITS.memoryMb, DEFAULT_MEMORY_MB) * MB,
    options,
  }
}

/** The path of the model, which is below the models folder if the request names that folder. */
function toModelPath({ ModelFile: file, ModelPath: root, Model: model }: ModelOptions): string {
  if (file === '' && model === '') throw invalidRequest('no model is named', 'ModelFile')
  const place = path.resolve(file || path.join(root, model))
  if (root === '') return place
  const inner = path.relative(path.resolve(root), place)
  if (inner === '' || inner.split(path.sep)[0] === '..' || path.isAbsolute(inner)) {
    throw invalidRequest('the model lies outside the models folder', 'ModelFile')
  }
  return place
}
