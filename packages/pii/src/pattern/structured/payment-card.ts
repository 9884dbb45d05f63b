import type { Span } from '../../span.ts'
import { type Candidate, formatSizes, type GroupedNumber, listNumbers } from './candidate.ts'
import { isDigit } from './characters.ts'
import { passesLuhn } from './checksums.ts'
import type { StructuredKind } from './kind.ts'

const SHORTEST = 12
const LONGEST = 19
/** Shortest number that needs neither groups nor a word that announces it. */
const SHORTEST_BARE = 13

/** A number with the length, the first digits and the check of a payment card (ISO/IEC 7812-1), in groups or not. */
export const PAYMENT_CARD: StructuredKind = {
  name: 'credit_card',
  group: 'CREDITCARD',
  numbers: [3, LONGEST],
  digits: [SHORTEST, LONGEST],
  find(candidate) {
    if (!'3456'.includes(candidate.text.charAt(candidate.start)) && candidate.text.charAt(candidate.start) !== '2') {
      return undefined
    }
    return listNumbers(candidate, SHORTEST, LONGEST).find((number) => isCard(candidate, number))
  },
}

function isCard(candidate: Candidate, number: GroupedNumber): boolean {
  const { digits, groups } = number
  if (!isIssued(digits) || !passesLuhn(digits)) return false
  if (groups.length === 1) {
    if (candidate.isPart || isDecimalPoint(candidate, number)) return false
    return digits.length >= SHORTEST_BARE || candidate.isAnnounced('card')
  }
  const [, second, ...more] = groups
  const marks = new Set([second, ...more].map((group) => group?.separator))
  // Blanks and hyphens may be mixed; a dot, a slash or a low line is the same between all groups.
  if ((marks.has('.') || marks.has('/') || marks.has('_')) && marks.size > 1) return false
  if (isColumnOfTable(candidate, number)) return candidate.isAnnounced('card')
  return groups.every(({ start, end }) => end - start >= 2) || candidate.isAnnounced('card')
}

/** Whether digits follow a dot behind the number: a version or an amount. */
function isDecimalPoint({ text }: Candidate, { end }: Span): boolean {
  return text.charAt(end) === '.' && isDigit(text.charCodeAt(end + 1))
}

/** Whether the number goes on in groups of the same size, as a row of a table does. */
function isColumnOfTable(candidate: Candidate, { groups }: GroupedNumber): boolean {
  const next = candidate.groups.slice(groups.length, groups.length + 2)
  const sizes = formatSizes(groups)
  return next.length === 2 && sizes.endsWith('4-4') && formatSizes(next) === '4-4'
}

/** Whether cards of these first digits and this length are issued; test numbers of zeros only are not. */
function isIssued(digits: string): boolean {
  const first = Number(digits.charAt(0))
  const two = Number(digits.slice(0, 2))
  const four = Number(digits.slice(0, 4))
  if (first === 4) return digits.length === 13 || digits.length === 16 || digits.length === 19
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return digits.length === 16
  if (two === 34 || two === 37) return digits.length === 15
  if (two === 36 || two === 38 || two === 39 || two === 30) return digits.length >= 14
  if (two === 35 || two === 62 || two === 64 || two === 65 || four === 6011) return digits.length >= 16
  return two === 50 || (two >= 56 && two <= 63) || (two >= 66 && two <= 69)
}
