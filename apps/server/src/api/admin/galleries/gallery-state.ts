import type { GalleryState } from '../../../galleries/gallery-indexes.ts'

/** What was found wrong with a gallery, as replies have it; nothing where nothing was. */
export function toWireProblem({ error, warnings }: GalleryState): {
  readonly error?: string
  readonly warnings?: string[]
} {
  return {
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  }
}
