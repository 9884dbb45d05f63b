import type { Span } from '../../span.ts'
import { PHONE_PLANS, type PhonePlan } from '../phone-regions.ts'
import { isCallingCode } from './calling-codes.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric, isDigit } from './characters.ts'
import { ContextReader, contextIndex } from './context.ts'
import type { StructuredKind } from './kind.ts'
import { hasTrunkForm, isChineseMobile, isRegional } from './phone-national.ts'
import {
  extensionEnd,
  FEWEST,
  isMark,
  MOST,
  MOST_MARKS,
  mayBeExtension,
  type PhoneNumber,
  readNumber,
} from './phone-number.ts'

const BLANK = 0x20
const PLUS = 0x2b
const HASH = 0x23
const OPEN = 0x28
const DOT = 0x2e
const HYPHEN = 0x2d
const TILDE = 0x7e
const ZERO = 0x30
/** Most digits of a first group with the trunk prefix. */
const LONGEST_TRUNK = 5
/** Fewest digits of a number with its country code. */
const FEWEST_INTERNATIONAL = 8
/** Most digits of an international number without any mark. */
const LONGEST_UNBROKEN = 14

/**
 * A telephone number: with its country code, in the groups of the North American plan, or after a word that announces
 * it; with its extension.
 */
export const PHONE: StructuredKind = createPhone([])

/** The kind with the national numbers of some regions, also where no word announces them. */
function createPhone(plans: readonly PhonePlan[]): StructuredKind {
  return {
    name: 'phone',
    group: 'PHONE',
    numbers: [1, MOST],
    mixed: [9, 24],
    fits: ({ first, length, before, after }) =>
      first !== 'letter' &&
      (length >= FEWEST ||
        before === PLUS ||
        before === OPEN ||
        (isMark(after) &&
          (plans.length > 0 ||
            first === 'zero' ||
            length === 3 ||
            length === 1 ||
            ((length === 2 || length === 5) && after === BLANK && (before === 0 || before === BLANK))))),
    labelledBy: 'phone',
    findUnchecked: findShort,
    find(candidate) {
      const { text } = candidate
      const start = numberStart(candidate)
      if (start === undefined) return undefined
      if (start === candidate.start && isShort(candidate)) return undefined
      if (!mayBePhone(candidate, start) && !mayBeRegional(candidate, plans)) return undefined
      const number = readNumber(text, start)
      if (number === undefined) return undefined
      if (!isPhone(candidate, number) && !isRegional(text, number, plans)) return undefined
      return { start, end: extensionEnd(text, number.end) }
    },
    forRegions: (regions) => createPhone(regions.flatMap((region) => PHONE_PLANS.get(region) ?? [])),
  }
}

/** Whether a word without a sign before it and the groups behind it have too few digits. */
function isShort({ text, start, end }: Candidate): boolean {
  let digits = end - start
  let at = end
  while (digits < FEWEST) {
    let from = at
    while (from - at < MOST_MARKS && isMark(text.charCodeAt(from))) from++
    let to = from
    while (isDigit(text.charCodeAt(to))) to++
    if (from === at || to === from) return true
    if (isAlphanumeric(text.charCodeAt(to)) && !mayBeExtension(text, to)) return true
    digits += to - from
    at = to
  }
  return false
}

/** Whether a word may begin a number of a region: enough digits follow, or a bracket. */
function mayBeRegional(candidate: Candidate, plans: readonly PhonePlan[]): boolean {
  if (plans.length === 0) return false
  return (candidate.digitSums & PHONE_SUMS) !== 0 || isMark(candidate.after)
}

/** The start with the plus sign and the brackets before the first digit. */
function numberStart({ text, start: at }: Candidate): number | undefined {
  if (!isDigit(text.charCodeAt(at))) return undefined
  let start = at
  if (text.charCodeAt(start - 1) === PLUS) start--
  if (text.charCodeAt(start - 1) === OPEN) start--
  if (start < at && text.charCodeAt(start) === OPEN && text.charCodeAt(start - 1) === PLUS) start--
  const before = start === 0 ? -1 : text.charCodeAt(start - 1)
  if (isAlphanumeric(before) || before === PLUS || before === DOT || before === 0x5f) return undefined
  if ((before === HYPHEN && isAlphanumeric(text.charCodeAt(start - 2))) || before === TILDE) return undefined
  return start
}

/** A quick check: a prefix, a group of the size of an area, or an announcing word. */
function mayBePhone(candidate: Candidate, start: number): boolean {
  const { text, start: at, end } = candidate
  if (start < at || (text.startsWith('00', at) && candidate.before !== HASH)) return true
  const first = text.charCodeAt(at)
  if (isChineseMobile(text, candidate)) return true
  if (isMark(candidate.after)) {
    if (end - at === 3) return true
    if (candidate.after === BLANK && (end - at === 2 || (end - at === 5 && first >= 0x36))) return true
    if (end - at === 1 && (first === 0x31 || first === 0x39)) return true
  }
  if (first === ZERO && end - at <= LONGEST_TRUNK && isMark(candidate.after)) return true
  if (end - at === 1 && first === 0x38 && candidate.after !== DOT && isMark(candidate.after)) return true
  if (candidate.isAnnouncedAtAll && (candidate.isAnnounced('phone') || candidate.isAnnounced('call'))) return true
  return (candidate.digitSums & PHONE_SUMS) !== 0 && isNamedBehind(candidate, candidate.runEnd)
}

/** A bit for each number of digits that a telephone has. */
const PHONE_SUMS = 0x7f80
const PHONE_LABEL = contextIndex('phone')
const LINE_LABEL = contextIndex('line')
/** A label that ends a clause: `office supplies` is not one. */
const LINE_END =
  /[^\p{L}\n]{1,4}\p{L}+(?: (?:number|line|phone|no\.?))?(?:$|[^\p{L}\p{N} ]| (?:and|or|und|et|y|e|o|en) )/uy
/** Numbers with a blank, a dot or an apostrophe between thousands. */
const THOUSANDS = /^\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})+$/

/** Whether a label such as `office` is behind a number that does not count something. */
function isNamedBehind(candidate: Candidate, end: number): boolean {
  const written = candidate.text.slice(candidate.start, end)
  if (THOUSANDS.test(written)) return false
  if (candidate.isLabelBehind(PHONE_LABEL, end)) return true
  if (!candidate.isLabelBehind(LINE_LABEL, end) || /^\d+$/.test(written)) return false
  LINE_END.lastIndex = end
  return LINE_END.test(candidate.text)
}

/** A number of five or six digits, as in small places. */
function findShort(candidate: Candidate): Span | undefined {
  const { text, start } = candidate
  SHORT.lastIndex = start
  const [found] = isAlphanumeric(text.charCodeAt(start - 1)) ? [] : (SHORT.exec(text) ?? [])
  return found === undefined ? undefined : { start, end: start + found.length }
}

const SHORT = /(?:\d{5,6}|\d{2,3}[ /-]\d{2,3}|\d{2} \d{2} \d{2})(?![\w]|[.,:/-]\d| \d)/y

/** A version with the date of its release, `0.18.14 (2021-05-28`, and numbers of characters in four digits. */
const OTHER_NUMBERS = /\((?:19|20)\d\d[-./]|^(?:0\d{3}[ \t]+)+0\d{3}$/

function isPhone(candidate: Candidate, number: PhoneNumber): boolean {
  const text = candidate.text.slice(number.start, number.end)
  if (OTHER_NUMBERS.test(text)) return false
  if (isInternational(candidate, number)) return true
  if (isNorthAmerican(candidate.text, number)) return true
  if (isDate(number) || number.goesOn) return false
  if (hasTrunkForm(candidate.text, number) || isChineseMobile(candidate.text, number)) return true
  if (isNamedBehind(candidate, number.end)) return true
  if (candidate.isAnnounced('phone')) return !isNameOfNumber(candidate, number)
  const written = candidate.text.slice(number.start, number.end)
  // Versions, tables and numbers of standards follow such words too.
  if (/[ \t]{2}|\.\d+-|\b\d\.\d\b/.test(written)) return false
  const isShaped = number.groups.length > 1 || number.digits.length >= 10 || number.digits.startsWith('0')
  return isShaped && candidate.isAnnounced('call')
}

/** The word directly before a number, without a mark between. */
const WORD_BEFORE = /(?:^|[^\p{L}])(\p{L}{2,})[ \t\u00a0]$/u
const LONGEST_WORD = 32
/** Words between a label and its number. */
const CONNECTORS = new Set(
  (
    'number numbers num no nr is at on to or and under unter am ist lautet nummer numéro numero número est es é è op au al ' +
    'home work office mobile direct private privat büro dienstlich bureau casa oficina ufficio kantoor now via with by for ' +
    'the me us ' +
    // The people whose number it is.
    'owner mother father mom dad wife husband partner brother sister son daughter boss driver tenant patient him her them ' +
    'mutter vater frau mann bruder schwester sohn tochter besitzer besitzerin fahrer fahrerin chef chefin kollegin mieter ' +
    'mère père femme mari frère sœur fils fille propriétaire conducteur conductrice voisin voisine locataire ' +
    'madre padre mujer marido esposa hermano hermana hijo hija dueño dueña conductor vecino vecina ' +
    'mãe pai mulher irmão irmã filho filha dono dona motorista vizinho vizinha proprietário ' +
    'mamma papà moglie marito fratello sorella figlio figlia proprietario autista vicino ' +
    'moeder vader vrouw man broer zus zoon dochter eigenaar chauffeur мамы папы жены мужа владельца водителя'
  ).split(' '),
)

/** Whether the word directly before a number gives it another meaning: a model of a phone, a place behind an abbreviation. */
function isNameOfNumber({ text, start }: Candidate, number: PhoneNumber): boolean {
  if (number.start < start || number.digits.startsWith('0')) return false
  const [, word] = WORD_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_WORD), start)) ?? []
  if (word === undefined || CONNECTORS.has(word.toLowerCase())) return false
  const alone = new ContextReader(`${word} `)
  return !alone.isAnnounced(PHONE_LABEL, word.length + 1) && !alone.isAnnounced(LINE_LABEL, word.length + 1)
}

/** What is dialled before a number abroad: from Europe, North America, Australia, Japan. */
const ABROAD = /^(?:0011|011|010|00)(?=[1-9])/

/** Whether a plus sign or two zeros and a calling code begin the number. */
function isInternational(candidate: Candidate, { start, end, groups, digits, goesOn }: PhoneNumber): boolean {
  const { text } = candidate
  const hasPlus = text.slice(start, candidate.start).includes('+')
  const number = hasPlus ? digits : digits.replace(ABROAD, '')
  if (number.length < FEWEST_INTERNATIONAL || !isCallingCode(number)) return false
  const hasDots = text.slice(start, end).includes('.')
  // A decimal fraction has one dot; a number with dots has short groups.
  if (hasDots && (groups.length < 3 || groups.some(({ length }) => length > 5))) return false
  if (hasPlus) return groups.length > 1 || number.length <= LONGEST_UNBROKEN
  if (number === digits || goesOn) return false
  const isAlone =
    !/\d\s+$/.test(text.slice(Math.max(0, start - 3), start)) && !/[ \t]{2}|\t/.test(text.slice(start, end))
  const isShaped =
    groups.length > 2 &&
    (groups[0] === digits.slice(0, -number.length) || (groups[0]?.length ?? 0) > 3) &&
    number.length >= 10
  return (isAlone && isShaped) || candidate.isAnnounced('phone')
}

/** Whether the groups are area, exchange and line of the North American plan. */
function isNorthAmerican(text: string, { start, end, groups, goesOn }: PhoneNumber): boolean {
  const own = groups[0] === '1' ? groups.slice(1) : groups
  const [area = '', exchange = '', line = '', ...more] = own
  if (more.length > 0 || area.length !== 3 || exchange.length !== 3 || line.length !== 4) return false
  if (goesOn || !/^[2-9]/.test(area) || !/^[2-9]/.test(exchange)) return false
  const written = text.slice(start, end)
  if (written.includes('.') && /[- ]/.test(written)) return false
  if (/[-.()]/.test(written)) return true
  return !/[\d.,]\s$/.test(text.slice(Math.max(0, start - 2), start)) && !/^[\s,]+\d/.test(text.slice(end, end + 3))
}

function isDate({ groups }: PhoneNumber): boolean {
  const sizes = groups.map(({ length }) => length).join('-')
  if (sizes === '4-4') return groups.every((year) => /^(?:19|20)/.test(year))
  return /^(?:4-[12]-[12](?:$|-)|[12]-[12]-(?:2|4)$)/.test(sizes) && !groups[0]?.startsWith('0')
}
