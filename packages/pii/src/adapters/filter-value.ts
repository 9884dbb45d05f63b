import { defaultDetectors } from '../default-detectors.ts'
import type { Detector } from '../detector.ts'
import { piiBlocked } from '../errors.ts'
import { type FilterBodyOptions, filterBody } from '../filter-body.ts'
import type { TokenMap } from '../reversible/token-map.ts'
import { encodeTree, hasLeaf, putBackLeaves, toTree, unclear } from './plain-tree.ts'

/** Options of filtering in a program: each has a default. */
export interface ValueOptions extends Omit<FilterBodyOptions, 'detectors' | 'format' | 'correlationId'> {
  /** @default every built-in secret and structured text */
  readonly detectors?: readonly Detector[] | undefined
}

/** Options of filtering the requests of a conversation, whose replies are restored. */
export interface ConversationOptions extends Omit<ValueOptions, 'reversible'> {
  /** The form of tokens; `false` writes fixed masks, which nothing restores. @default {} */
  readonly reversible?: ValueOptions['reversible'] | false
}

/** A filtered value. */
export interface FilteredValue<T> {
  readonly value: T
  /** Restores values in the reply; undefined unless tokens were asked for and written. */
  readonly tokens: TokenMap | undefined
}

/** Options of {@link filterValue}. */
interface FilterValueOptions extends ValueOptions, Pick<FilterBodyOptions, 'format'> {
  /** Whether bytes, dates and addresses (`URL`) may be in the value. They are not scanned. @default false */
  readonly keepsLeaves?: boolean | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Filters the messages of a call of a model, and what goes with them. @throws as {@link filterValue} */
export function filterCall<T>(
  value: T,
  { reversible = {}, ...options }: ConversationOptions,
): Promise<FilteredValue<T>> {
  return filterValue(value, {
    ...options,
    reversible: reversible || undefined,
    format: 'chat-completions',
    keepsLeaves: true,
  })
}

/**
 * Filters a value of a program as the body that it becomes in JSON.
 *
 * @throws SvcError `pii_blocked` when a policy refuses it, `pii_unclear_body` for a value that cannot be filtered,
 *   `pii_ner_unavailable` when a detector fails: nothing of the value may go on then
 */
export async function filterValue<T>(
  value: T,
  { detectors = defaultDetectors(), keepsLeaves = false, ...options }: FilterValueOptions,
): Promise<FilteredValue<T>> {
  const tree = toTree(value)
  if (!keepsLeaves && hasLeaf(tree)) throw unclear('it holds bytes, a date or another value that JSON does not have')
  const text = encodeTree(tree)
  if (text === undefined) return { value, tokens: undefined }
  const filtered = await filterBody(encoder.encode(text), { ...options, detectors })
  if (filtered.blocked) throw piiBlocked()
  const { body, tokens } = filtered
  return { value: putBackLeaves(tree, JSON.parse(decoder.decode(body))) as T, tokens }
}
