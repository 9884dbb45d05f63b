import { checkArgument } from '@svc/errors'
import { RouterError } from '../errors.ts'
import { hashText } from '../sha256.ts'

/** A text and its labels. */
export interface CorpusEntry {
  readonly text: string
  readonly labels: readonly string[]
}

/** The most entries of one request. */
export const MAX_ENTRIES_PER_REQUEST = 10_000
/** The longest text, in UTF-16 code units. */
export const MAX_ENTRY_LENGTH = 65_536

/** Tells a text from others without holding it: 16 hex digits. */
export function createEntryId(text: string): string {
  checkArgument(typeof text === 'string', 'createEntryId: text', 'a text', text)
  return hashText(text).slice(0, 16)
}

/**
 * Checks the entries of a request, all of them before anything is done.
 *
 * @throws `router_corpus_entry`, kind `invalid_request`, with the path of the entry at fault
 */
export function checkEntries(entries: readonly CorpusEntry[], declared: ReadonlySet<string>): void {
  if (!Array.isArray(entries) || entries.length === 0) throw entryError('entries', 'is required')
  if (entries.length > MAX_ENTRIES_PER_REQUEST) {
    throw entryError('entries', `must have at most ${MAX_ENTRIES_PER_REQUEST} entries`)
  }
  for (const [index, { text, labels }] of entries.entries()) {
    const path = `entries[${index}]`
    if (typeof text !== 'string' || text.trim() === '') throw entryError(`${path}.text`, 'is empty')
    if (text.length > MAX_ENTRY_LENGTH) {
      throw entryError(`${path}.text`, `must have at most ${MAX_ENTRY_LENGTH} characters`)
    }
    if (!Array.isArray(labels) || labels.length === 0)
      throw entryError(`${path}.labels`, 'must name at least one label')
    checkLabels(labels, declared, path)
  }
}

function checkLabels(labels: readonly string[], declared: ReadonlySet<string>, path: string): void {
  const seen = new Set<string>()
  for (const [place, label] of labels.entries()) {
    const at = `${path}.labels[${place}]`
    if (typeof label !== 'string' || label.trim() === '') throw entryError(at, 'is empty')
    if (!declared.has(label)) throw entryError(at, `"${label.slice(0, 100)}" is not a label of policies`)
    if (seen.has(label)) throw entryError(at, `repeats the label "${label}"`)
    seen.add(label)
  }
}

/** An entry that is refused: 400. */
export function entryError(path: string, problem: string): RouterError {
  return new RouterError('invalid_request', `${path} ${problem}`, {
    code: 'router_corpus_entry',
    details: { param: path },
  })
}
