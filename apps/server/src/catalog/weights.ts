import { isDeepStrictEqual } from 'node:util'
import { GgufError } from '@svc/gguf'
import { toReason } from '../files/file-error.ts'
import type { FoundFile } from './found-file.ts'
import { type GgufSummary, readGgufSummary } from './gguf-summary.ts'
import { type ModelFolder, withOpenFile } from './model-folder.ts'

/** Header of a GGUF file, or the reason why the file is unusable. */
export type Weights =
  | { readonly usable: true; readonly summary: GgufSummary }
  | { readonly usable: false; readonly fault: string }

/** Inspects GGUF files and remembers the results. */
export interface WeightsInspector {
  /**
   * Gives the file of a path relative to the folder; undefined when there is none. Gives the same object while nothing
   * has changed.
   */
  inspect(relativePath: string): Weights | undefined
  /** Forgets all other files. */
  keep(relativePaths: ReadonlySet<string>): void
}

/**
 * Creates an inspector of one folder. It reads a header again only after size, time or place of the file has changed.
 */
export function createWeightsInspector(folder: ModelFolder): WeightsInspector {
  const known = new Map<string, { readonly signature: string; readonly weights: Weights }>()
  return {
    inspect(relativePath) {
      const file = folder.find(relativePath)
      if (file === undefined) {
        known.delete(relativePath)
        return undefined
      }
      const signature = file.found ? file.signature : file.fault
      const before = known.get(relativePath)
      if (before?.signature === signature) return before.weights
      const seen: Weights = file.found ? read(file) : { usable: false, fault: file.fault }
      const weights = before !== undefined && isDeepStrictEqual(before.weights, seen) ? before.weights : seen
      known.set(relativePath, { signature, weights })
      return weights
    },
    keep(relativePaths) {
      for (const path of known.keys()) if (!relativePaths.has(path)) known.delete(path)
    },
  }
}

function read(file: FoundFile): Weights {
  try {
    return { usable: true, summary: withOpenFile(file, readGgufSummary) }
  } catch (error) {
    if (error instanceof GgufError) return { usable: false, fault: error.message }
    return { usable: false, fault: `cannot be read: ${toReason(error)}` }
  }
}
