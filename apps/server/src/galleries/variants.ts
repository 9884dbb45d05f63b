import { SvcError } from '@svc/errors'
import type { Listed, ModelEntry } from './gallery.ts'
import type { GalleryIndexes } from './gallery-indexes.ts'

/** One form of a model, and whether it fits this machine. */
export interface Variant {
  readonly listed: Listed<ModelEntry>
  readonly backend: string
  /** Memory that it is estimated to take; undefined where nothing is known. */
  readonly memoryBytes: number | undefined
  readonly fits: boolean
  readonly isBase: boolean
}

/** The forms of a model, and the one that fits best. */
export interface VariantChoice {
  readonly variants: readonly Variant[]
  readonly best: Variant
}

/** Takes the form of a model that is asked for, or the best one. @throws {SvcError} `not_found`, code `variant_not_found` */
export type ChooseVariant = (
  asked: Listed<ModelEntry>,
  options: { readonly pinned: string | undefined; readonly signal: AbortSignal },
) => Promise<Listed<ModelEntry>>

/** Parts of the choice. */
export interface VariantParts {
  readonly indexes: GalleryIndexes<ModelEntry>
  /** Memory for models: of the graphics device, else of the machine. */
  readonly memoryBytes: () => Promise<number>
  readonly estimate: (entry: ModelEntry, options: { readonly signal: AbortSignal }) => Promise<number | undefined>
  readonly findEntryBackend: (entry: ModelEntry) => string
  /** Whether a backend runs on this machine, or could be installed for it. */
  readonly canRun: (backend: string, options: { readonly signal: AbortSignal }) => Promise<boolean>
}

/** The forms of an entry: the ones that it names, and itself. */
export async function listVariants(
  asked: Listed<ModelEntry>,
  parts: VariantParts,
  options: { readonly signal: AbortSignal },
): Promise<VariantChoice> {
  const named = await Promise.all(
    asked.entry.variants.map((name) => parts.indexes.find(`${asked.gallery.name}@${name}`, options)),
  )
  const distinct = new Map(
    [...named, asked].flatMap((listed) => (listed === undefined ? [] : [[listed.id.toLowerCase(), listed]])),
  )
  const memory = await parts.memoryBytes()
  const variants = await Promise.all(
    [...distinct.values()].map(async (listed): Promise<Variant & { readonly canRun: boolean }> => {
      const backend = parts.findEntryBackend(listed.entry)
      const [memoryBytes, canRun] = await Promise.all([
        parts.estimate(listed.entry, options),
        backend === '' ? true : parts.canRun(backend, options),
      ])
      const fits = canRun && memoryBytes !== undefined && memoryBytes <= memory
      return { listed, backend, memoryBytes, fits, isBase: listed.id === asked.id, canRun }
    }),
  )
  const [best = variants.at(-1)] = variants.filter(({ canRun }) => canRun).toSorted(compareVariants)
  if (best === undefined) throw new Error('an entry is always a variant of itself')
  return { variants, best }
}

/** Proven fit first, then the base entry, then unknown sizes; the largest of the fitting ones. */
function compareVariants(one: Variant, other: Variant): number {
  const rank = ({ fits, isBase, memoryBytes }: Variant): number => {
    if (fits) return 0
    if (isBase) return 1
    return memoryBytes === undefined ? 2 : 3
  }
  return rank(one) - rank(other) || (other.memoryBytes ?? 0) - (one.memoryBytes ?? 0)
}

/** The choice of a variant for installations. */
export function createVariantChooser(parts: VariantParts): ChooseVariant {
  return async (asked, { pinned, signal }) => {
    if (asked.entry.variants.length === 0 && pinned === undefined) return asked
    if (pinned !== undefined && pinned.toLowerCase() === asked.entry.name.toLowerCase()) return asked
    if (pinned === undefined) return (await listVariants(asked, parts, { signal })).best.listed
    const name = asked.entry.variants.find((variant) => variant.toLowerCase() === pinned.toLowerCase())
    const found = name && (await parts.indexes.find(`${asked.gallery.name}@${name}`, { signal }))
    if (found) return found
    throw new SvcError('not_found', `"${asked.entry.name}" has no variant "${pinned}"`, { code: 'variant_not_found' })
  }
}
