import { setMaxListeners } from 'node:events'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { ShapeReader } from './estimator.ts'
import type { Listed, ModelEntry } from './gallery.ts'
import { DEFAULT_CONTEXT, estimateMemory, type ModelShape } from './memory-estimate.ts'
import type { VariantParts } from './variants.ts'

/** The size of a model of a gallery, and whether it fits this machine. Unknown fields are undefined. */
export interface Assessment {
  readonly weightsBytes: number | undefined
  /** Estimated memory with a context of {@link DEFAULT_CONTEXT}. */
  readonly memoryBytes: number | undefined
  readonly fits: boolean | undefined
}

/** Parts of assessments. */
export interface AssessmentParts extends Pick<VariantParts, 'memoryBytes' | 'canRun' | 'findEntryBackend'> {
  readonly shapes: ShapeReader
}

/** Sizes that a list waits for. */
const WAIT_MS = 1500
/**
 * Assesses entries in their order. The sizes of the first ones are asked for where they are not known, and waited for
 * shortly: a later result is there for the next list.
 *
 * @param options.measured number of entries that origins are asked about; for the others, only known sizes count
 */
export async function assessEntries(
  entries: readonly Listed<ModelEntry>[],
  parts: AssessmentParts,
  { measured, signal }: { readonly measured: number; readonly signal: AbortSignal },
): Promise<readonly Assessment[]> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  // Every entry of a page waits on it.
  setMaxListeners(0, patience)
  const memory = await parts.memoryBytes()
  const usable = new Map<string, Promise<boolean>>()
  const canRun = (entry: ModelEntry): Promise<boolean> => {
    const backend = parts.findEntryBackend(entry)
    const ask = (): Promise<boolean> => parts.canRun(backend, { signal }).catch(() => true)
    const found = usable.get(backend) ?? (backend === '' ? Promise.resolve(true) : ask())
    usable.set(backend, found)
    return found
  }
  return Promise.all(
    entries.map(async ({ entry }, index): Promise<Assessment> => {
      const [shape, isUsable] = await Promise.all([
        index < measured ? readShortly(entry, parts.shapes, patience) : parts.shapes.peek(entry),
        // The gallery of the backends may be slow as well.
        untilAborted(canRun(entry), patience).catch(() => true),
      ])
      signal.throwIfAborted()
      const memoryBytes = shape && estimateMemory(shape, { contextSize: DEFAULT_CONTEXT })
      const fits = memoryBytes === undefined ? undefined : memoryBytes <= memory
      return { weightsBytes: shape?.weightsBytes, memoryBytes, fits: isUsable ? fits : false }
    }),
  )
}

async function readShortly(
  entry: ModelEntry,
  shapes: ShapeReader,
  patience: AbortSignal,
): Promise<ModelShape | undefined> {
  try {
    return await shapes.read(entry, { signal: patience })
  } catch {
    return shapes.peek(entry)
  }
}
