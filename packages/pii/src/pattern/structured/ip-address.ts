import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric, isDigit } from './characters.ts'
import type { StructuredKind } from './kind.ts'

const DOT = 0x2e
const COLON = 0x3a
const MAX_LENGTH = 45
/** Least octet that few versions and numbers of sections reach. */
const LARGE_OCTET = 32

/** Most that four equal numbers of a version have. */
const SMALL_OCTET = 7
/** A name with capitals directly before a number: what has the version. */
const PRODUCT = /(?:^|[^\w.])(?=[A-Za-z]*[A-Z])[A-Za-z][\w+#-]{1,24}[ \t]$/
const LONGEST_NAME = 32

/** An IPv4 or IPv6 address. Four numbers beside more numbers, as in versions, are not an address. */
export const IP_ADDRESS: StructuredKind = {
  name: 'ip_address',
  group: 'IP_ADDRESS',
  numbers: [1, 4],
  mixed: [2, 4],
  fits: ({ before, after }) => after === DOT || after === COLON || before === COLON,
  labelledBy: 'ip',
  findUnchecked({ text, start }) {
    FORM.lastIndex = start
    const [found] = FORM.exec(text) ?? []
    return found === undefined ? undefined : { start, end: start + found.length }
  },
  find(candidate) {
    const { before, after } = candidate
    if (after !== DOT && after !== COLON && before !== COLON) return undefined
    // A dot before a full stop, or a colon before a blank, is not part of an address.
    if (before !== COLON && !isAddressUnit(candidate.text.charCodeAt(candidate.end + 1))) return undefined
    const start = addressStart(candidate)
    return start === undefined ? undefined : matchAddress(candidate, start)
  },
}

/** Four numbers, also above 255. */
const FORM = /\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/y

/** The start of the run of address characters around a word. */
function addressStart({ text, start: at }: Candidate): number | undefined {
  let start = at
  while (start > 0 && at - start <= MAX_LENGTH && isAddressUnit(text.charCodeAt(start - 1))) start--
  // A single colon before an address belongs to the sentence.
  if (text.charCodeAt(start) === COLON && text.charCodeAt(start + 1) !== COLON) start++
  if (text.charCodeAt(start) === DOT || isAlphanumeric(text.charCodeAt(start - 1))) return undefined
  return at - start > MAX_LENGTH ? undefined : start
}

function matchAddress(candidate: Candidate, at: number): Span | undefined {
  const { text } = candidate
  let end = at
  while (end - at <= MAX_LENGTH && isAddressUnit(text.charCodeAt(end))) end++
  if (end - at > MAX_LENGTH || isAlphanumeric(text.charCodeAt(end))) return undefined
  // A full stop or colon after an address belongs to the sentence.
  while (end > at && text.charCodeAt(end - 1) === DOT) end--
  if (text.charCodeAt(end - 1) === COLON && text.charCodeAt(end - 2) !== COLON) end--
  if (!hasAddressMarks(text, at, end)) return undefined
  const address = text.slice(at, end)
  if (isIpv6(address)) return isSlice(text, at, end) ? undefined : { start: at, end }
  const [host = '', port, ...more] = address.split(':')
  if (!isIpv4(host) || more.length > 0 || port === '') return undefined
  const span = { start: at, end: at + host.length }
  return port === undefined && isVersion(candidate, span) ? undefined : span
}

/** Whether a range is the bounds and the step of a slice: `key[0::2]`. */
function isSlice(text: string, from: number, to: number): boolean {
  return text.charAt(from - 1) === '[' && text.charAt(to) === ']' && /[\w\])]/.test(text.charAt(from - 2))
}

/** Whether a range has the three dots or the two colons that an address has at least. */
function hasAddressMarks(text: string, from: number, to: number): boolean {
  let dots = 0
  let colons = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit === DOT) dots++
    else if (unit === COLON) colons++
  }
  return dots === 3 || colons > 1
}

/** Whether four numbers look like a version, a section or an identifier of a standard. */
function isVersion(candidate: Candidate, { start, end }: Span): boolean {
  const { text } = candidate
  if (/[-~+_^v]/i.test(text.charAt(start - 1)) || /[-~+_^]/.test(text.charAt(end))) return true
  const octets = text.slice(start, end).split('.').map(Number)
  if (candidate.isAnnounced('address') || text.charAt(end) === '/') return false
  if (candidate.isAnnounced('version')) return true
  const [first = 0, ...others] = octets
  if (octets.every((octet) => octet === first))
    return first <= SMALL_OCTET && PRODUCT.test(text.slice(Math.max(0, start - LONGEST_NAME), start))
  if (first === 10) return false
  return octets.every((octet) => octet < LARGE_OCTET) || (first < 10 && others.every((octet) => octet < 128))
}

function isAddressUnit(unit: number): boolean {
  return (
    isDigit(unit) || unit === DOT || unit === COLON || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
  )
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => isDecimal(part) && Number(part) <= 255)
}

function isDecimal(part: string): boolean {
  return part.length > 0 && part.length <= 3 && [...part].every((char) => isDigit(char.charCodeAt(0)))
}

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2 || !text.includes(':')) return false
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = parts.at(-1) ?? ''
  const size = parts.length + (last.includes('.') ? 1 : 0)
  const areParts = parts.every((part, index) =>
    index === parts.length - 1 && part.includes('.') ? isIpv4(part) : /^[0-9A-Fa-f]{1,4}$/.test(part),
  )
  // A bare `::`, and `a::b` of programming languages, are not real addresses.
  return areParts && (halves.length === 2 ? size >= 2 && size < 8 && /[0-9]/.test(text) : size === 8)
}
