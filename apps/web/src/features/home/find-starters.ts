/** A model of a gallery that a new server could begin with. */
export interface Starter {
  /** The name to install it by. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly memoryBytes?: number | undefined
}

/** A row of a gallery page. */
interface GalleryRow extends Starter {
  readonly installed: boolean
  readonly processing: boolean
}

/** The models of a gallery page that are neither installed nor on their way. */
export function findStarters(models: readonly GalleryRow[]): readonly Starter[] {
  return models.flatMap(({ id, name, description, installed, processing }) =>
    installed || processing ? [] : [{ id, name: name || id, description: description.split('\n')[0] ?? '' }],
  )
}

/** The memory that the first fitting variant of a model takes; undefined if no variant fits this machine. */
export function findFit(
  variants: readonly { readonly fits?: boolean; readonly memory_bytes?: number }[],
): Pick<Starter, 'memoryBytes'> | undefined {
  const variant = variants.find(({ fits }) => fits)
  return variant && { memoryBytes: variant.memory_bytes }
}
