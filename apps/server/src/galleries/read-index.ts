import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { SvcError } from '@svc/errors'

/** Messages of the thread. */
type IndexMessage =
  | { readonly kind: 'entries'; readonly entries: readonly unknown[] }
  | { readonly kind: 'end'; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string }

/** Largest index (threats YML-1). */
export const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_READ_MS = 60_000
const HEAP_MIB = 1024
/** The reader of YAML recurses; its nesting is bounded, and this is far more than that takes. */
const STACK_MIB = 32

/** Options of {@link readIndex}. */
export interface ReadIndexOptions {
  /** Called with the faults of entries, each as a sentence. */
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined
  readonly signal: AbortSignal
}

/**
 * Reads the YAML text of an index on a thread of its own. A fault costs the entry that has it: one that holds too much or
 * cannot be read is left out, and a key that is twice in it has its last value.
 *
 * @throws {SvcError} `unprocessable`, code `gallery_invalid`; the signal's reason
 */
export async function readIndex(bytes: Uint8Array, options: ReadIndexOptions): Promise<readonly unknown[]> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(MAX_READ_MS)])
  if (bytes.length > MAX_INDEX_BYTES) throw invalid(`it is larger than ${MAX_INDEX_BYTES} bytes`)
  signal.throwIfAborted()
  const worker = new Worker(findShippedProgram(), {
    workerData: { bytes },
    // Other flags of the program, such as a loader of its own, are not for this thread.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, stackSizeMb: STACK_MIB },
  })
  try {
    return await collect(worker, { ...options, signal })
  } catch (error) {
    options.signal.throwIfAborted()
    if (SvcError.is(error)) throw error
    throw invalid('it takes too much time or memory', error)
  } finally {
    await worker.terminate()
  }
}

function collect(worker: Worker, { signal, onWarnings }: ReadIndexOptions): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    worker.on('message', (message: IndexMessage) => {
      if (message.kind === 'entries') entries.push(...message.entries)
      else if (message.kind === 'end') {
        if (message.warnings.length > 0) onWarnings?.(message.warnings)
        resolve(entries)
      } else reject(invalid(message.message))
    })
    worker.on('error', reject)
    worker.on('exit', () => reject(invalid('its reader ended')))
  })
}

function invalid(reason: string, cause?: unknown): SvcError {
  return new SvcError('unprocessable', `the gallery index cannot be read: ${reason}`, {
    code: 'gallery_invalid',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Finds the program of the thread beside this file, or beside the bundle, where it is a bundle of its own. */
function findShippedProgram(): URL {
  const name = import.meta.url.endsWith('.ts') ? './index-worker.mjs' : './index-worker.js'
  const program = new URL(name, import.meta.url)
  if (!existsSync(program)) throw new Error(`${fileURLToPath(program)} is missing from the installation`)
  return program
}
