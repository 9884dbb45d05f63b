import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isCapital } from './characters.ts'
import { contextIndex } from './context.ts'
import type { StructuredKind } from './kind.ts'
import { DISTRICTS, INDIAN_STATES } from './plate-places.ts'

/** Forms that few other texts have. */
const UNMISTAKABLE = [
  // China: a province, an office, five or six letters and digits.
  /[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领][A-Z][·•・ ]?(?=[A-Z\d]*\d)[A-HJ-NP-Z\d]{4,6}[挂学警港澳领试超]?/u,
  // Russia: a letter, three digits, two letters, a region, in the letters that Latin has too.
  /(?<![\u0400-\u04ff])[АВЕКМНОРСТУХавекмнорстух] ?\d{3} ?[АВЕКМНОРСТУХавекмнорстух]{2} ?\d{2,3}/u,
  // Ukraine, in Cyrillic.
  /(?<![\u0400-\u04ff])[АВЕІКМНОРСТХ]{2} ?\d{4} ?[АВЕІКМНОРСТХ]{2}/u,
  // Japan: a place, a class, a kana, four digits.
  /[\u4e00-\u9fff]{1,4} ?\d{3} ?[\u3042-\u3093] ?(?:\d\d-\d\d|[・.]{1,3}\d{1,3}|\d{4})/u,
  // Korea: a class, a syllable, four digits.
  /\d{2,3}[가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주바사아자하허호배] ?\d{4}/u,
  // India: a state, a district, a series, a number.
  new RegExp(`(?:${INDIAN_STATES})[ -]?\\d{1,2}[ -]?[A-Z]{1,3}[ -]?\\d{4}`, 'u'),
  // Germany: a district, a hyphen, letters, a number.
  new RegExp(`(?:${DISTRICTS})-[A-Z]{1,2} [1-9]\\d{2,3}[EH]?`, 'u'),
] as const

/** Forms of countries that other codes have too. */
const FORMS = [
  ...UNMISTAKABLE,
  new RegExp(`(?:${DISTRICTS})[ :-]{0,2}[A-Z]{1,2}[ -]?[1-9]\\d{0,3}[EH]?`, 'u'),
  // France and Italy since 1994 and 2009: two letters, three digits, two letters; France before.
  /[A-HJ-NP-TV-Z]{2}[ -]?\d{3}[ -]?[A-HJ-NP-TV-Z]{2}/u,
  /\d{1,4} ?[A-Z]{2,3} ?(?:\d[\dAB]|97\d)/u,
  // The United Kingdom: since 2001, and before.
  /[A-Z]{2}\d{2} ?[A-Z]{3}/u,
  /[A-Z]\d{1,3} ?[A-Z]{3}/u,
  /[A-Z]{3} ?\d{1,3}[A-Z]/u,
  // Spain, Sweden, Finland, Hungary, Lithuania, Belgium, the Netherlands, Portugal, Poland.
  /\d{4}[ -]?[BCDFGHJ-NPR-TV-Z]{3}/u,
  /[1-9]-[A-Z]{3}-\d{3}/u,
  /[A-Z]{3}[ -]?\d{2}[A-Z\d]/u,
  /(?:[A-Z]{1,3}|\d{1,3})-(?:[A-Z]{1,3}|\d{1,3})-(?:[A-Z]{1,3}|\d{1,3})/u,
  /[A-Z]{2,3} ?(?=[A-Z\d]*\d)[A-Z\d]{4,5}/u,
  // Brazil, Argentina, Chile, Mexico, Turkey, the United States.
  /[A-Z]{3}[ -]?\d[A-Z\d]\d{2}/u,
  /[A-Z]{4}[ -]?\d{2}/u,
  /[A-Z]{3}-\d{2}-\d{2}/u,
  /\d{2} ?[A-Z]{1,3} ?\d{2,4}/u,
  /\d [A-Z]{3} ?\d{3}/u,
] as const

const MARKED = /^(?=.*\d)(?=.*\p{L})/u
/** Any code behind a label: a letter and a digit or more, in up to four groups. */
const LOOSE = /[\p{Lu}\d]{1,5}(?:[ ·•-][\p{Lu}\d]{1,5}){0,3}|[a-z\d]{5,8}/u
/** Names of things that have a number. */
const NO_PLATE =
  /^(?:RTX|GTX|GT|RX|RFC|ISO|DIN|EN|IEC|UTF|USB|DDR|SSD|CPU|GPU|PCI|MP|HD|LED|LCD|MHZ|GHZ|GB|MB|KB|TB|ATX|AM)\b/

const PLATE_LABEL = contextIndex('plate')
const HINT_LABEL = contextIndex('plate_hint')
/** Code units before a candidate in which its plate may begin. */
const LEAD_UNITS = 12
/** Up to three groups before the candidate. */
const GROUPS_BEFORE = /(?<![\p{L}\d])(?:[\p{Lu}\d]{1,5}[ ·•:-]{0,2}){1,3}$/u
const HYPHEN = 0x2d
const BLANK = 0x20
const MIDDLE_DOT = 0xb7

/** The number plate of a vehicle: in an unmistakable form, or behind a word that announces it. */
export const PLATE: StructuredKind = {
  name: 'plate',
  group: 'PLATE',
  numbers: [1, 5],
  mixed: [3, 10],
  labelledBy: 'plate',
  fits: ({ first, length, before, after, isNumber }) =>
    isNumber
      ? length > 1 && length < 5 && (before === BLANK || before === HYPHEN)
      : first === 'letter' && (length > 8 || (length <= 3 && (before === HYPHEN || after === HYPHEN))),
  find(candidate) {
    const isNamed = candidate.isNamed('plate')
    if (!isNamed && !candidate.isNamed('plate_hint')) {
      return mayStand(candidate) ? match(candidate, STICKY_UNMISTAKABLE) : undefined
    }
    const found = match(candidate, STICKY_FORMS)
    if (found === undefined) return undefined
    // One word may be any code, and some labels also mean other things.
    const isAlone = !isNamed || /^[A-Z\d]+$/.test(candidate.text.slice(found.start, found.end))
    return !isAlone || isBeside(candidate, found) ? found : match(candidate, STICKY_UNMISTAKABLE)
  },
  findUnchecked(candidate) {
    const found = match(candidate, [STICKY_LOOSE])
    return found !== undefined && candidate.isLabelBeside(PLATE_LABEL, found) ? found : undefined
  },
}

const toSticky = (form: RegExp): RegExp =>
  new RegExp(`(?:${form.source})(?![A-Za-z\\d\u00c0-\u04ff]|-[A-Za-z\\d])`, 'uy')
const STICKY_UNMISTAKABLE = UNMISTAKABLE.map(toSticky)
const STICKY_FORMS = FORMS.map(toSticky)
const STICKY_LOOSE = toSticky(LOOSE)

/** A quick check of a word without a label, by what is on both sides of it. */
function mayStand({ text, start, end, before, after }: Candidate): boolean {
  if (text.charCodeAt(start) >= 0x41) return before < 128 || Number.isNaN(before) || isIn(HAN, before)
  if (before === BLANK || before === HYPHEN) {
    if (isCapital(text.charCodeAt(start - 2))) return true
    if (end - start !== 3) return false
    const next = after === BLANK ? text.charCodeAt(end + 1) : after
    return isIn(KANA, next) || (isIn(CYRILLIC, text.charCodeAt(start - 2)) && isIn(CYRILLIC, next))
  }
  if (isIn(CYRILLIC, before)) return isIn(CYRILLIC, after)
  return before === MIDDLE_DOT || isIn(KANA, after) || isIn(HANGUL, after)
}

const CYRILLIC = [0x400, 0x4ff] as const
const KANA = [0x3040, 0x309f] as const
const HAN = [0x4e00, 0x9fff] as const
const HANGUL = [0xac00, 0xd7a3] as const

function isIn([first, last]: readonly [number, number], unit: number): boolean {
  return unit >= first && unit <= last
}

function isBeside(candidate: Candidate, span: Span): boolean {
  return candidate.isLabelBeside(PLATE_LABEL, span) || candidate.isLabelBeside(HINT_LABEL, span)
}

/** The longest of the forms around a candidate, from the first place on. */
function match({ text, start, end, before }: Candidate, forms: readonly RegExp[]): Span | undefined {
  for (const at of listStarts(text, start, before)) {
    let last = 0
    for (const form of forms) {
      form.lastIndex = at
      const found = form.exec(text)?.[0]
      if (found !== undefined && at + found.length >= end && MARKED.test(found) && !NO_PLATE.test(found))
        last = Math.max(last, at + found.length)
    }
    if (last > 0) return { start: at, end: last }
  }
  return undefined
}

/** Where a plate that holds a candidate may begin, the first place first. */
function listStarts(text: string, start: number, before: number): number[] {
  const isLed = before === BLANK || before === HYPHEN || before === 0x3a || before >= 128
  if (!isLed) return [start]
  const from = Math.max(0, start - LEAD_UNITS)
  const lead = text.slice(from, start)
  const groups = GROUPS_BEFORE.exec(lead)
  const starts =
    groups === null
      ? []
      : Array.from(groups[0].matchAll(/(?<![\p{L}\d])[\p{Lu}\d]/gu), ({ index }) => from + groups.index + index)
  // Scripts whose words the plate follows without a blank.
  const joined = JOINED.exec(lead)
  for (let at = joined?.index ?? lead.length; at < lead.length && lead.charCodeAt(at) >= 128; at++)
    starts.push(from + at)
  return [...starts, start]
}

/** Letters of another script, and an office, directly before the candidate. */
const JOINED = /[\u4e00-\u9fff\u0400-\u04ff]{1,4}(?:[A-Z][·•・ ]?| )?$/u
