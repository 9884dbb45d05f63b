import type { GalleryState } from '../../../galleries/gallery-indexes.ts'

/** Gives the faults of a gallery as replies carry them; an empty object for a gallery without faults. */
export function toWireProblem({ error, warnings }: GalleryState): {
  readonly error?: string
  readonly warnings?: string[]
} {
  return {
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  }
}
