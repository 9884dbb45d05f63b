import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isCapital, isDigit } from './characters.ts'
import { contextIndex } from './context.ts'
import type { StructuredKind } from './kind.ts'

const NAME = "[\\p{Lu}][\\p{L}'’.-]{0,24}"
const ENGLISH_TYPES =
  'Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Parkway|Pkwy|Circle|Cir|Highway|Hwy|Crescent|Close|Gardens|Grove|Row|Mews'
/** A number, up to four names, and the kind of the street. */
const ENGLISH = new RegExp(
  `\\d{1,5}[A-Za-z]? (?:(?:[NSEW]|North|South|East|West)\\.? )?(?:(?:${NAME}|\\d{1,3}(?:st|nd|rd|th)) ){1,4}?(?:${ENGLISH_TYPES})(?![\\p{L}\\d])\\.?(?: (?:North|South|East|West|[NSEW]|[NS][EW])(?![\\p{L}\\d.]))?(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|#)\\.? ?#?[\\dA-Z-]{1,6}(?![\\p{L}\\d]))?`,
  'uy',
)
const FRENCH = new RegExp(
  `\\d{1,4}(?: ?(?:bis|ter|quater))?,? (?:rue|avenue|av\\.|boulevard|bd|place|allée|chemin|impasse|quai|route|cours|passage|square)(?: (?:de|du|des|la|le|les|d['’]|de l['’]|l['’])| (?:d|l)['’])*(?:[ '’]${NAME}){1,4}`,
  'uy',
)
/** Ends of the names of streets, before a number: German and Dutch. */
const ENDINGS =
  /(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|damm|ufer|ring|straat|laan|plein|gracht|kade|dijk|singel|hof)$/i
const HOUSE = /\d{1,4}(?: ?[a-hA-H](?![\p{L}\d]))?(?:[-/]\d{1,3}[a-z]?)?(?![\p{L}\d]|[.,:]\d|[.]? ?%)/uy
/** A year, which is seldom the number of a house. */
const YEAR = /^(?:19|20)\d\d$/
/** Words that end like a street and count or rank something, or name a way or a yard of any kind. */
const COMMON =
  /^(?:(?:start|sitz|steh|stell|park|spiel|arbeits|studien|ausbildungs|lehr|tabellen|\p{L}*listen|rang|podest|podiums|zelt|liege|lager|schlaf|fenster|gang|speicher|stamm|ehren|spitzen|rast|pflege|therapie)platz|(?:um|aus|irr|rück|heim|arbeits|lösungs|rechts|dienst|geh|flucht|hin|zahlungs)weg|(?:bahn|hauptbahn|busbahn|bauern|fried|gast|innen|hinter|gerichts)hof)$/iu
/** English words in `-ring`, and what German names of ring roads do not have before it. */
const NO_RING = /(?:[eiou]|ea|sp|(?<![oer])st|^h|^b|^w)ring$/i
const AT_A_PLACE = /^(?:am|im|an|zum|beim)$/i

function isOtherWord(name: string, before: string | undefined): boolean {
  if (NO_RING.test(name)) return true
  return COMMON.test(name) && !AT_A_PLACE.test(before ?? '')
}

/** A street that begins with its kind, before a number: Spanish, Italian, Portuguese. */
const KIND_FIRST = new RegExp(
  `(?<![\\p{L}\\d])(?:Calle|C/|Avenida|Avda\\.?|Av\\.|Plaza|Paseo|Camino|Via|Viale|Piazza|Corso|Largo|Vicolo|Rua|Travessa|Praça|Ronda|Glorieta|Estrada|Alameda) ?(?:(?:de|del|della|delle|dei|degli|la|las|los|el|da|do|dos|das|di|y|e) )*${NAME}(?: (?:(?:de|del|della|la|los|da|do|dos|di|y|e) ){0,2}${NAME}){0,3},? (?:n[.º°o]{1,2} ?)?$`,
  'u',
)
/** The last two characters of {@link ENDINGS}. */
const LAST_TWO = new Set('ße se r. eg tz ee mm er ng at an in ht de jk el of'.split(' '))
const FRENCH_FIRST = 'rabpciqst'
/** What is before a name in a text. */
const BEFORE_NAME = new Uint8Array(128)
for (const mark of ' \n\t("\'>:;,') BEFORE_NAME[mark.charCodeAt(0)] = 1
const STREET = contextIndex('street')
const BLANK = 0x20
const COMMA = 0x2c
const DOT = 0x2e
/** Code units before a house number in which a street may begin. */
const LEAD_UNITS = 64

/** The address of a street, with its number, by its form in several languages. */
export const STREET_ADDRESS: StructuredKind = {
  name: 'street_address',
  group: 'STREET_ADDRESS',
  numbers: [1, 5],
  mixed: [2, 6],
  fits: ({ first, before, after }) =>
    first !== 'letter' && (after === BLANK || after === COMMA || before === BLANK || before === DOT),
  find(candidate) {
    const { text, start, end, before, after } = candidate
    const isBeforeName = after === BLANK || (after === COMMA && text.charCodeAt(end + 1) === BLANK)
    if (isBeforeName) {
      const pattern = before === DOT ? undefined : choosePattern(text, after === COMMA ? end + 2 : end + 1)
      const found = pattern && matchAt(pattern, text, start)
      if (found !== undefined) return found
    }
    if (before > 0x3000) return findEastern(text, start)
    return before === BLANK || before === 0xba || before === 0xb0 || before === DOT ? findBefore(candidate) : undefined
  },
}

/** The pattern for the word behind a number: a name, an ordinal number, the kind of a French street. */
function choosePattern(text: string, at: number): RegExp | undefined {
  const unit = text.charCodeAt(at)
  if (isDigit(unit)) return isOrdinal(text, at) ? ENGLISH : undefined
  if (isCapital(unit)) return ENGLISH
  const next = text.charAt(at)
  if (unit > 0x7f && next !== next.toLowerCase()) return ENGLISH
  return FRENCH_FIRST.includes(next) ? FRENCH : undefined
}

/** Whether one to three digits with the end of an ordinal number are at an offset. */
function isOrdinal(text: string, at: number): boolean {
  let end = at + 1
  while (end < at + 3 && isDigit(text.charCodeAt(end))) end++
  return 'snrt'.includes(text.charAt(end))
}

function matchAt(pattern: RegExp, text: string, at: number): Span | undefined {
  pattern.lastIndex = at
  const [found] = pattern.exec(text) ?? []
  return found === undefined ? undefined : { start: at, end: at + found.length }
}

/** A street whose number is the candidate. */
function findBefore(candidate: Candidate): Span | undefined {
  const { text, start, before } = candidate
  const mayBeGerman = before === BLANK && isNameBefore(text, start - 1)
  const mayBeginWithKind = candidate.isAnnouncedBy(STREET)
  if (!mayBeGerman && !mayBeginWithKind) return undefined
  const house = matchAt(HOUSE, text, start)
  if (house === undefined) return undefined
  const isYear = YEAR.test(text.slice(house.start, house.end))
  const from = Math.max(0, start - LEAD_UNITS)
  const lead = text.slice(from, start)
  const street =
    (mayBeGerman && !isYear ? germanStart(lead) : undefined) ??
    (mayBeginWithKind ? KIND_FIRST.exec(lead)?.index : undefined)
  return street === undefined ? undefined : { start: from + street, end: house.end }
}

/** The name of a road, after a place, before the number of a house. */
const EASTERN_ROAD =
  /[\p{Script=Han}]{1,24}(?:路|街|道|巷|弄|里|胡同|村)(?:[一二三四五六七八九十]段|[东西南北中])?[甲乙丙丁]?$/u
/** Words before an address. */
const EASTERN_LEAD = /^.*(?:[到在居址于於往住是寄]|(?:地|住)址)/u
const EASTERN_HOUSE =
  /\d{1,5}(?:弄\d{1,4})?(?:之\d{1,3})?[号號弄](?:院)?(?:[\p{Script=Han}]{0,4}?[A-Z]?\d{0,4}(?:号楼|號樓|栋|棟|幢|座|单元|單元|层|層|楼|樓|室)){0,4}(?:\d{1,5}(?!\d))?/uy

/** An address in Chinese: a road and the number of a house with floor and room. */
function findEastern(text: string, start: number): Span | undefined {
  const house = matchAt(EASTERN_HOUSE, text, start)
  const lead = text.slice(Math.max(0, start - LEAD_UNITS), start)
  const road = house && EASTERN_ROAD.exec(lead)?.[0]
  if (house === undefined || road === undefined) return undefined
  const length = road.replace(EASTERN_LEAD, '').length
  return length < 3 ? undefined : { start: start - length, end: house.end }
}

/** Whether a word that ends at an offset begins with a capital and ends like a street. */
function isNameBefore(text: string, end: number): boolean {
  const least = Math.max(0, end - LEAD_UNITS)
  let at = end
  while (at > least && BEFORE_NAME[text.charCodeAt(at - 1)] !== 1) at--
  const first = text.charCodeAt(at)
  if (first < 0x80 && (first < 0x41 || first > 0x5a)) return false
  return LAST_TWO.has(text.slice(end - 2, end).toLowerCase())
}

/** The start of a name with one of the endings, with up to two names before it: `Große Bergstraße`. */
function germanStart(lead: string): number | undefined {
  const words = lead.trimEnd().split(' ')
  const last = words.pop() ?? ''
  const name = last.replace(/^.*[\n\t("'>:;,]/s, '')
  if (!ENDINGS.test(name) || isOtherWord(name, words.at(-1))) return undefined
  const isAlone = /^(?:stra(?:ß|ss)e|str\.|weg|platz|allee|ring|hof|laan|straat)$/i.test(name)
  let start = lead.trimEnd().length - name.length
  if (!/^[\p{Lu}]/u.test(name)) return undefined
  if (name !== last) return isAlone ? undefined : start
  let names = 0
  for (let word = words.pop(); word !== undefined && names < 2; word = words.pop()) {
    const isName = /^[\p{Lu}][\p{L}.-]+$/u.test(word) && /(?:er|en|e|-|[Ss]t\.|Am|Im)$/.test(word)
    if (!isName) break
    start -= word.length + 1
    names++
  }
  return isAlone && names === 0 ? undefined : start
}
