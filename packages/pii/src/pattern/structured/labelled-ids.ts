import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric } from './characters.ts'
import type { Context } from './context.ts'
import type { StructuredKind } from './kind.ts'

/** A number of a paper whose form depends on its country, directly beside a label. */
interface LabelledId {
  readonly name: Extract<StructuredKind['name'], Context>
  /** The form without marks, in any case. */
  readonly form: RegExp
}

/** Five digits or more, with letters before, between and behind. */
const LABELLED_IDS: readonly LabelledId[] = [
  { name: 'identity_card', form: /^(?=(?:[A-Z]*\d){5})[A-Z\d]{6,18}$/i },
  { name: 'health_insurance_number', form: /^(?=(?:[A-Z]*\d){6})[A-Z]{0,4}\d[A-Z\d]{5,19}$/i },
  { name: 'tax_number', form: /^(?:[A-Z]{0,2}\d{8,14}[A-Z]{0,3}|\d{9}B\d\d)$/i },
]

const MOST_WORDS = 5
/** One more group behind a blank, a hyphen, a dot or a slash, with a digit or with capitals alone. */
const NEXT = /[ .\-/](?:(?=[A-Z\d]*\d)[A-Z\d]{1,10}|[A-Z]{1,3}(?=$|[^\w]))(?!\w)/y
/** A letter before the first word with a digit. */
const LEAD = /(?<![\w-])[A-Z][ -]?$/
const DATE = /^(?:(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./](?:19|20)\d\d)$/

function toLabelledKind({ name, form }: LabelledId): StructuredKind {
  return {
    name,
    group: name.toUpperCase(),
    numbers: [1, 18],
    mixed: [3, 20],
    announcedBy: name,
    // Nothing but the label speaks for it.
    find: () => undefined,
    findUnchecked: (candidate) => readGroups(candidate, form),
  }
}

/** The longest run of groups that has the form. */
function readGroups({ text, start, end }: Candidate, form: RegExp): Span | undefined {
  const [lead = ''] = LEAD.exec(text.slice(Math.max(0, start - 3), start)) ?? []
  const from = start - lead.length
  if (isAlphanumeric(text.charCodeAt(from - 1))) return undefined
  const ends = [end]
  for (let at = end; ends.length < MOST_WORDS; ) {
    NEXT.lastIndex = at
    if (!NEXT.test(text)) break
    at = NEXT.lastIndex
    ends.push(at)
  }
  for (const last of ends.toReversed()) {
    const written = text.slice(from, last)
    if (form.test(written.replaceAll(/[ .\-/]/g, '')) && !DATE.test(written)) return { start: from, end: last }
  }
  return undefined
}

/** Identity cards, health insurance and taxes, in any country, by their labels. */
export const LABELLED_ID_KINDS: readonly StructuredKind[] = LABELLED_IDS.map(toLabelledKind)
