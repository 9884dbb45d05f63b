import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric, isCapital } from './characters.ts'
import type { StructuredKind } from './kind.ts'

/** The areas of British postcodes. */
const AREAS = new Set(
  'AB AL B BA BB BD BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE'.split(
    ' ',
  ),
)
const OUTWARD = /^[A-Z]{1,2}(?:\d{1,2}|\d[A-Z])$/
const INWARD = /^\d[ABD-HJLNP-UW-Z]{2}$/
const CANADIAN = /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z]$/
const CANADIAN_SECOND = /^\d[ABCEGHJ-NPRSTV-Z]\d$/
const STATES = new Set(
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR'.split(
    ' ',
  ),
)

/** Shortest British or Canadian postcode without a blank, which must be labelled. */
const SHORTEST_CLOSED = 5

/** A postcode: of Britain and Canada by its form, of the United States after a state, of others after a label. */
export const POSTCODE: StructuredKind = {
  name: 'postcode',
  group: 'POSTCODE',
  numbers: [4, 9],
  mixed: [2, 7],
  fits: ({ length, isNumber, first, before, after }) =>
    isNumber
      ? (length === 5 && before === BLANK) ||
        (length <= 5 && isBeforePlace(before) && (after === BLANK || after === HYPHEN))
      : first === 'letter' && length < SHORTEST_CLOSED && after === BLANK,
  labelledBy: 'postcode',
  findUnchecked({ text, start }) {
    FORM.lastIndex = start
    const [found] = FORM.exec(text) ?? []
    return found === undefined ? undefined : { start, end: start + found.length }
  },
  find(candidate) {
    const isLetter = candidate.text.charCodeAt(candidate.start) > 0x39
    const found = isLetter ? findInTwoParts(candidate) : (findAmerican(candidate) ?? findBehindStreet(candidate))
    return found ?? findLabelled(candidate)
  },
}

/** A British or Canadian postcode of any area and case. */
const FORM = /(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z][ -]?\d[A-Z]\d)(?![A-Z\d])/iy

function findInTwoParts(candidate: Candidate): Span | undefined {
  const { text, start, end, word } = candidate
  if (!/^[A-Z]/.test(word)) return undefined
  if (word.length >= SHORTEST_CLOSED) return findClosed(candidate)
  if (text.charAt(end) !== ' ' || /[\w.-]/.test(text.charAt(start - 1))) return undefined
  const second = text.slice(end + 1, end + 4)
  if (isAlphanumeric(text.charCodeAt(end + 4))) return undefined
  const isPostcode =
    (OUTWARD.test(word) && AREAS.has(word.replace(/\d.*$/, '')) && INWARD.test(second)) ||
    (CANADIAN.test(word) && CANADIAN_SECOND.test(second))
  return isPostcode ? { start, end: end + 4 } : undefined
}

/** A postcode without the blank between its parts, after a label. */
function findClosed(candidate: Candidate): Span | undefined {
  const { start, end, word } = candidate
  const [first, second] = [word.slice(0, -3), word.slice(-3)]
  const isBritish = OUTWARD.test(first) && AREAS.has(first.replace(/\d.*$/, '')) && INWARD.test(second)
  const isCanadian = CANADIAN.test(first) && CANADIAN_SECOND.test(second)
  return (isBritish || isCanadian) && (candidate.isLabelled('postcode') || candidate.isLabelled('zip'))
    ? { start, end }
    : undefined
}

const ZIP_END = /(?:-\d{4})?(?![\dA-Za-z]|[-.,]\d)/y

function findAmerican(candidate: Candidate): Span | undefined {
  const { text, start, end } = candidate
  if (
    end - start !== 5 ||
    candidate.before !== BLANK ||
    !isCapital(text.charCodeAt(start - 2)) ||
    !STATES.has(text.slice(start - 3, start - 1))
  )
    return undefined
  // A state follows a place: `Springfield, IL 62704`. Changelogs have `PR 29972` behind a word.
  const place = text.slice(Math.max(0, start - 6), start - 3)
  if (!(text.startsWith('PR', start - 3) ? /\p{Ll}, $/u : /\p{Ll},? $/u).test(place)) return undefined
  if (!/^\d+$/.test(candidate.word)) return undefined
  ZIP_END.lastIndex = end
  const [more] = ZIP_END.exec(text) ?? []
  return more === undefined ? undefined : { start, end: end + more.length }
}

/** A postcode before the name of a place. */
const BEFORE_PLACE = /(?:\d{5}(?:-\d{3})?|\d{4}-\d{3}|\d{4}(?: [A-Z]{2})?)(?= \p{L}{3})/uy
/** A street shortly before it: its kind, and nothing but its name and the house behind. */
const STREET_BEFORE =
  /(?:\p{Ll}(?:stra(?:ß|ss)e|str\.|weg|platz|gasse|allee|damm|ufer|ring|straat|laan|plein|gracht|kade|berg|hof|markt)|(?<!\p{L})(?:Straße|Weg|Platz|Allee|[Rr]ue|[Aa]venue|[Bb]oulevard|[Bb]d|[Pp]lace|[Aa]llée|[Cc]hemin|[Ii]mpasse|[Qq]uai|[Cc]ours|[Rr]oute|Calle|C\/|Avenida|Avda\.?|Plaza|Paseo|Ronda|Camino|Via|Viale|Piazza|Corso|Largo|Rua|Travessa|Praça|Av\.))(?!\p{L})[^\n;:!?]{0,40}?(?:,| [–-]| in| à| en|\n)?[ \n](?:[A-Z]{1,2}-)?$/u
const STREET_UNITS = 72

/** Whether a postcode behind a street may follow a code unit. */
function isBeforePlace(unit: number): boolean {
  return unit === BLANK || unit === NEW_LINE || unit === HYPHEN
}

function findBehindStreet({ text, start, end, before }: Candidate): Span | undefined {
  const after = text.charCodeAt(end)
  if (!isBeforePlace(before) || (after !== BLANK && after !== HYPHEN)) return undefined
  // The place has a capital.
  const next = text.charCodeAt(end + 1)
  if (after === BLANK && !isCapital(next) && next < 0xc0) return undefined
  if (end - start === 4 && after === BLANK && YEAR.test(text.slice(start, end))) return undefined
  BEFORE_PLACE.lastIndex = start
  const [found] = BEFORE_PLACE.exec(text) ?? []
  if (found === undefined || YEAR.test(found)) return undefined
  if (!STREET_BEFORE.test(text.slice(Math.max(0, start - STREET_UNITS), start))) return undefined
  const from = before === HYPHEN && /[A-Z]/.test(text.charAt(start - 2)) ? start - 2 : start
  return { start: from, end: start + found.length }
}

const LABELLED = /(?:\d{4}-\d{3}|\d{5}-\d{3,4}|\d{3}-\d{4}|\d{4} ?[A-Z]{2}|\d{2}-\d{3}|\d{4,6})(?![\dA-Za-z]|[.,]\d)/y
const ZIP = /\d{5}(?:-\d{4})?(?![\dA-Za-z]|[.,]\d)/y
const DUTCH = /\d{4} ?[A-Z]{2}(?![\dA-Za-z])/y
const YEAR = /^(?:19|20)\d\d$/

function findLabelled(candidate: Candidate): Span | undefined {
  const { text, start, before } = candidate
  if (!candidate.isAnnouncedAtAll || before === DOT || before === EQUALS || before === HASH) return undefined
  const isPostcode = candidate.isLabelled('postcode')
  const pattern = isPostcode ? [LABELLED] : candidate.isLabelled('zip') ? [ZIP, DUTCH] : []
  for (const form of pattern) {
    form.lastIndex = start
    const [found] = form.exec(text) ?? []
    if (found !== undefined && !YEAR.test(found)) return { start, end: start + found.length }
  }
  return undefined
}

const BLANK = 0x20
const DOT = 0x2e
const EQUALS = 0x3d
const HASH = 0x23
const HYPHEN = 0x2d
const NEW_LINE = 0x0a
