import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric } from './characters.ts'
import { type Context, contextIndex } from './context.ts'
import type { Lengths, StructuredKind } from './kind.ts'

/** A code of letters and digits that a state assigns to a person. */
export interface CodeId {
  readonly name: Extract<StructuredKind['name'], Context>
  /** The form, sticky and in any case, from the first word with digits or two capitals on. */
  readonly form: RegExp
  /** The check of the code in capitals without marks. @default any code of the form */
  readonly isValid?: (code: string) => boolean
  /** What may stand before that word: a sign for the end of a range. */
  readonly lead?: RegExp
  /** Lengths of the first word: of digits, of digits and letters. */
  readonly numbers?: Lengths
  readonly mixed?: Lengths
  /** Whether form and check speak for themselves. @default a word must announce it */
  readonly isAlone?: true
  /** Whether the announcing words must be directly beside it, as it has no check. @default false */
  readonly isUncheckable?: true
}

const LONGEST_LEAD = 5

/** Creates the kind of a code. Its announcing words are called like it. */
export function toCodeKind(row: CodeId): StructuredKind {
  const { name, numbers, mixed, isValid = () => true, isAlone, isUncheckable } = row
  const label = contextIndex(name)
  return {
    name,
    group: name.toUpperCase(),
    numbers,
    mixed,
    announcedBy: isAlone ? undefined : name,
    labelledBy: name,
    findUnchecked: (candidate) => readCode(candidate, row),
    find(candidate) {
      const span = readCode(candidate, row)
      if (span === undefined) return undefined
      const written = candidate.text.slice(span.start, span.end)
      if (/[a-z]/.test(written) || !isValid(written.replaceAll(/[^A-Z\dÑ]/g, ''))) return undefined
      if (isAlone && candidate.isPart) return undefined
      return isUncheckable && !candidate.isLabelBeside(label, span) ? undefined : span
    },
  }
}

function readCode({ text, start }: Candidate, { form, lead }: CodeId): Span | undefined {
  const [before = ''] = lead?.exec(text.slice(Math.max(0, start - LONGEST_LEAD), start)) ?? []
  const at = start - before.length
  if (isAlphanumeric(text.charCodeAt(at - 1))) return undefined
  form.lastIndex = at
  const [found] = form.exec(text) ?? []
  return found === undefined ? undefined : { start: at, end: at + found.length }
}
