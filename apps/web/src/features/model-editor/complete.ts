import { findCompletionContext } from './completion-context.ts'
import type { ConfigField } from './field-catalogue.ts'

/** A word that can be typed at a place. */
export interface CompletionOption {
  readonly label: string
  readonly detail?: string
  /** The text that is written. @default the label */
  readonly apply?: string
}

/** Completions for a place. */
export interface Completions {
  readonly from: number
  readonly options: readonly CompletionOption[]
}

/** Parts of {@link completeAt}. */
export interface CompletionParts {
  readonly fields: readonly ConfigField[]
  /** Names of a provider, such as `models`. */
  readonly listNames: (provider: string) => Promise<readonly string[]>
  /** Names of detectors and models for keys without a provider. */
  readonly listModels: () => Promise<readonly string[]>
}

/** Keys whose values are names of models, although the server names no provider. */
const MODEL_LISTS: ReadonlySet<string> = new Set(['pii.detectors', 'failover.targets'])

/** Keys, options and names that can be written at an offset of a model file. */
export async function completeAt(
  text: string,
  offset: number,
  { fields, listNames, listModels }: CompletionParts,
): Promise<Completions | undefined> {
  const context = findCompletionContext(text, offset)
  if (context === undefined) return undefined
  const { parents, key, from } = context
  if (key === undefined) return { from, options: listKeys(fields, parents) }
  const path = [...parents, key].join('.')
  if (MODEL_LISTS.has(path)) return { from, options: (await listModels()).map((label) => ({ label })) }
  const field = fields.find((one) => one.path === path)
  if (field === undefined) return undefined
  if (field.provider !== undefined)
    return { from, options: (await listNames(field.provider)).map((label) => ({ label })) }
  const words = field.component === 'toggle' ? ['true', 'false'] : field.options
  return { from, options: words.map((label) => ({ label })) }
}

/** The keys below some parents, each once: keys of maps below them end in a colon and a line. */
function listKeys(fields: readonly ConfigField[], parents: readonly string[]): readonly CompletionOption[] {
  const prefix = parents.length === 0 ? '' : `${parents.join('.')}.`
  const found = new Map<string, CompletionOption>()
  for (const { path, description } of fields) {
    if (!path.startsWith(prefix)) continue
    const [key = '', ...below] = path.slice(prefix.length).split('.')
    if (below.length > 0) found.set(key, { label: key, apply: `${key}:\n${'  '.repeat(parents.length + 1)}` })
    else found.set(key, { label: key, detail: description, apply: `${key}: ` })
  }
  return [...found.values()]
}
