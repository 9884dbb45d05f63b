import { isRecord } from '../../lib/api-error.ts'

/** A model of a gallery that a new server could begin with. */
export interface Starter {
  /** The name to install it by. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly memoryBytes?: number | undefined
}

/** Reads the models of a gallery page that are neither installed nor on their way. */
export function readStarters(page: unknown): readonly Starter[] {
  const models = isRecord(page) && Array.isArray(page.models) ? page.models : []
  return models.flatMap((model: unknown) => {
    if (!isRecord(model) || typeof model.id !== 'string' || model.installed === true || model.processing === true)
      return []
    const { id, name, description } = model
    return [
      {
        id,
        name: typeof name === 'string' && name !== '' ? name : id,
        description: typeof description === 'string' ? (description.split('\n')[0] ?? '') : '',
      },
    ]
  })
}

/** The memory that the first fitting variant of a model takes; undefined where none fits this machine. */
export function readFit(reply: unknown): Pick<Starter, 'memoryBytes'> | undefined {
  const variants = isRecord(reply) && Array.isArray(reply.variants) ? reply.variants.filter(isRecord) : []
  const variant = variants.find(({ fits }) => fits === true)
  if (variant === undefined) return undefined
  return { memoryBytes: typeof variant.memory_bytes === 'number' ? variant.memory_bytes : undefined }
}
