import type { ModelOptions } from '@svc/backend-client/proto'
import { parseOptions, readInteger, readModelPath, readThreads } from '@svc/backend-kit/options'
import type { LoadSettings } from '../engines/engine.ts'

const DEFAULT_WAITING = 256
const DEFAULT_MEMORY_MB = 4096
const LIMITS = { parallel: 16, waiting: 100_000, memoryMb: 1_048_576 } as const
const MB = 1024 * 1024

/** Options of every engine. */
export const SHARED_OPTIONS = ['parallel', 'n_parallel', 'queue', 'memory_limit_mb', 'engine'] as const

/** Reads the settings in a LoadModel request. @throws SvcError `invalid_request` for a setting that cannot be honoured */
export function toLoadSettings(request: ModelOptions): LoadSettings {
  const options = parseOptions(request.Options)
  const count = (names: readonly string[], min: number, max: number, otherwise: number): number =>
    readInteger(options, names, { min, max, otherwise })
  return {
    path: readModelPath(request),
    threads: Math.max(1, readThreads(request)),
    parallel: count(['parallel', 'n_parallel'], 1, LIMITS.parallel, 1),
    maxWaiting: count(['queue'], 0, LIMITS.waiting, DEFAULT_WAITING),
    memoryLimit: count(['memory_limit_mb'], 64, LIMITS.memoryMb, DEFAULT_MEMORY_MB) * MB,
    options,
  }
}
