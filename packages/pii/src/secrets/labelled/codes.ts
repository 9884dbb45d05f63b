import type { Span } from '../../span.ts'
import { isCodeOfCard, isCodeOfThing, isNameOfCode } from './labels.ts'
import { take } from './names.ts'
import { readToldValue } from './sentences.ts'

/** Digits in one or two groups, or letters and digits. */
const CODE =
  /^(?:[A-Z]{1,2}-)?(?:\d{4,10}|\d{3,4}[- ]\d{3,4}|(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{2,6}(?:-?[A-Z0-9]{2,6}){1,3})$/
/** The same directly behind the name, without a word between. */
const BARE_CODE = /^(?:\d{4,8}|\d{3}[- ]\d{3})$/
const PARTED = /[ \t\u00a0]{0,2}[:：#]?[ \t\u00a0]{1,2}(?:\*\*)?["'`“「]?(?=\d)/y
const EQUALS = /\\?["']?[ \t]{0,2}[:：=][ \t]{0,2}["'`“「]?/y
/** What the code is for, before it. */
const PURPOSE =
  /(?:s|\))?(?:[ \t]+(?:for|to|of|from|für|von|zum|zur|pour|de|du|para|per|di|voor|do|для)(?:[ \t]+[\p{L}\p{N}'’._-]{1,20}){1,5}?)(?:[ \t]+(?:is|was|ist|lautet|war|est|es|è|é|luidt|to|jest)|[ \t]*[:：])[ \t]+["'`“「]?/uy
const EAST = /(?:是|为|は|が|：|:)[ \t]{0,2}/y
const DIGITS = /\d{3,4}[- ]\d{3,4}(?![\d-])|[A-Z]{1,2}-\d{4,8}|[A-Z0-9]{2,10}(?:-[A-Z0-9]{2,8}){0,3}/y
const MOST_UNITS = 200

/** Finds a code of a few characters that a name announces: a PIN, a code sent by message. */
export function findCode(text: string, label: Span): Span | undefined {
  if (isCodeOfThing(text, label.start, label.end)) return findCodeOfThing(text, label)
  if (isCodeOfCard(text, label.start, label.end)) return findCodeOfCard(text, label)
  if (!isNameOfCode(text, label.start, label.end)) return undefined
  const name = text.slice(label.start, label.end)
  const end = label.end - (/(?: is|: |=)$/.exec(name)?.[0].length ?? 0)
  if (/^[A-Za-z_]/.test(text.charAt(end)) && !/^(?:s?[ \t:]|[_-][Cc])/.test(text.slice(end, end + 3))) return undefined
  const told = readToldValue(text, end)
  if (told !== undefined) {
    const code = readCode(text, told.start)
    if (code !== undefined && CODE.test(text.slice(code.start, code.end))) return code
  }
  for (const lead of [EQUALS, PURPOSE, EAST]) {
    const code = readBehind(text, end, lead)
    if (code !== undefined && CODE.test(text.slice(code.start, code.end))) return code
  }
  const code = readBehind(text, end, PARTED)
  return code !== undefined && BARE_CODE.test(text.slice(code.start, code.end)) && !isYear(text, code)
    ? code
    : undefined
}

/** A name with the thing that the code opens, and the word that tells the code. */
const OF_THING =
  /(?:c[óo]digo|codice|code|pin|digicode)(?<thing>(?:[ \t]+[\p{L}’'-]{1,24}){0,6}?)(?:[ \t]+(?:is|was|ist|lautet|est|c['’]est|es|é|è)(?:[ \t]+(?:el|le|la|o|il|der|die))?|[ \t]*[:：])?[ \t]+["'«“„]?[ \t\u00a0]?(?=[A-Z]?\d)/iuy
const THINGS =
  /(?:^|[^\p{L}])(?:portail|porte|immeuble|coffre|bo[iî]te|garage|alarme?|portal|puerta|caja|llaves|alarma|tarjeta|m[óo]vil|celular|port[ãa]o|porta|cofre|cart[ãa]o|cancello|portone|cassetta|allarme|(?:haus)?tür|tor|\p{L}*kasten|\p{L}*tresor|safe|alarmanlage|handy|karte|gate|door|lockbox|box|phone|card|carte|t[ée]l[ée]phone|telefono|tel[ée]fono|cellulare|carta|keypad|entrance|building)(?![\p{L}])/iu
const OF_THING_VALUE = /(?:\d{4,8}|[A-Z]\d{3,6}|\d{2,4}[A-Z]\d{0,3})(?![\p{L}\d]|[.,:/-]\d)/uy

/** Finds the code that opens a thing: `le code du portail est le …`. */
function findCodeOfThing(text: string, { start, end }: Span): Span | undefined {
  const from = text.startsWith('digicode', start) ? start : start - 1
  const around = text.slice(from, from + MOST_UNITS)
  OF_THING.lastIndex = 0
  const found = OF_THING.exec(around)
  if (found === null || (from < start && !THINGS.test(found.groups?.thing ?? ''))) return undefined
  const value = take(OF_THING_VALUE, text, from + found[0].length)
  const at = from + found[0].length
  return value === undefined || at < end || isYear(text, { start: at, end: at + value.length })
    ? undefined
    : { start: at, end: at + value.length }
}

const TO_CARD_CODE = /(?:[ \t]+(?:is|code|ist|est|es|é|è))?[ \t\u00a0]{0,2}[:：=#]?[ \t\u00a0]{0,2}(?=\d)/y
const CARD_CODE = /\d{3,4}(?![\p{L}\d]|[.,:/-]\d)/uy

/** Finds the code on a card. */
function findCodeOfCard(text: string, { start, end }: Span): Span | undefined {
  const name = /^[rc]/.test(text.slice(start, end)) ? text.slice(Math.max(0, start - 2), start) : ''
  if (/\p{L}{2}$|[_\d]$/u.test(name)) return undefined
  const lead = take(TO_CARD_CODE, text, end)
  const code = lead === undefined ? undefined : take(CARD_CODE, text, end + lead.length)
  if (lead === undefined || code === undefined) return undefined
  return { start: end + lead.length, end: end + lead.length + code.length }
}

function readBehind(text: string, end: number, lead: RegExp): Span | undefined {
  const taken = take(lead, text.slice(end, end + MOST_UNITS), 0)
  return taken === undefined ? undefined : readCode(text, end + taken.length)
}

function readCode(text: string, at: number): Span | undefined {
  const start = at + (/^(?:\*\*)?["'`“「]?/.exec(text.slice(at, at + 3))?.[0].length ?? 0)
  const digits = take(DIGITS, text, start)
  if (
    digits === undefined ||
    /^[A-Za-z0-9_@]|^[.,:/-]\d|^\(/.test(text.slice(start + digits.length, start + digits.length + 2))
  )
    return undefined
  return { start, end: start + digits.length }
}

function isYear(text: string, { start, end }: Span): boolean {
  return /^(?:19|20)\d\d$/.test(text.slice(start, end))
}
