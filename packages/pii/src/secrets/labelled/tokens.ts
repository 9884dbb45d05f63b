import type { Span } from '../../span.ts'
import { isPlaceholder, looksRandom, measureBits } from '../random-text.ts'
import { findPlace, type NamedPlace } from './names.ts'
import { hasDigitAhead, lookBehind } from './quick-look.ts'
import { readToldValue } from './sentences.ts'
import { readBare, readValue, type Value } from './value.ts'

/** Shortest value that is taken for a key by its randomness alone. */
const LEAST = 16
/** Shortest one with letters of both sizes, digits and signs. */
const LEAST_MIXED = 8
const LEAST_MIXED_BITS = 2.75
const LONGEST = 600

/** Finds the key that a label names in settings and code, in an element or as an argument. */
export function findKey(text: string, label: Span): Span | undefined {
  const following = lookBehind(text, label.end)
  if (following === 'end' || (following === 'word' && !hasDigitAhead(text, label.end))) return undefined
  const place = findPlace(text, label)
  const value = place && readPlace(text, place)
  if (value !== undefined && isKey(value, isSetting(text, value.start))) return value
  const told = readToldValue(text, label.end)
  return told && isKey(told) ? told : undefined
}

function readPlace(text: string, { link, at }: NamedPlace): Value | undefined {
  if (link === 'element') return readBare(text, at)
  const value = readValue(text, at)
  if (value === undefined || value.isQuoted) return value
  if (link === 'called' || link === 'compared') return undefined
  if (link !== 'listed') return value
  // A row of a table: up to the next comma.
  const comma = value.text.indexOf(',')
  return comma < 0 ? value : { ...value, end: value.start + comma, text: value.text.slice(0, comma) }
}

function isSetting(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) === EQUALS && SETTING.test(text.slice(Math.max(0, at - SETTING_UNITS), at))
}

const EQUALS = 0x3d
const SETTING_UNITS = 80

/** Values that are somewhere else. */
const ELSEWHERE =
  /\s|\$\{|\$\([\w ./-]+\)|#\{|\{\{|\{%|<[^>]*>|%\(\w+\)|^\$[A-Za-z_]\w*$|^\{|^\[|^(?:https?|file|env|vault|op|arn|secret|data|urn):|^(?:\.{1,2}|~)\/|^\/[a-z]+\/|^[@:&*][A-Za-z_.]+$|^--[a-z]|\(\)|^['"]\s?\+/
const CODE = /[(){}[\]<>]|&&|\|\||===?|=>|\+\+|\?\?|^[@:&*$'"+]/
/** A line of a file of settings before a name: what follows the sign is no code there. */
const SETTING = /(?:^|\n|\\n|"|')(?:export[ \t]+)?[A-Z][A-Z0-9_]*=$/
/** Names of members: `request.headers.token2`. */
const MEMBERS = /^[A-Za-z_$][A-Za-z_$]*\d{0,3}(?:(?:\??\.|->|::)[A-Za-z_$][A-Za-z_$]*\d{0,3})*(?:\[\d*\])?$/

/** Types and members of a program. */
const NAMES = /(?:Private|Public|Secret|Access|Api|API)(?:Key|Token)s?$|^(?:exports|module|this|self)\.[A-Za-z_$]/

/** Whether a value behind the name of a key is one. */
export function isKey({ text, isQuoted }: Value, isSetting = false): boolean {
  if (text.length < LEAST_MIXED || text.length > LONGEST || ELSEWHERE.test(text) || isPlaceholder(text)) return false
  if (NAMES.test(text)) return false
  if (!isQuoted && ((MEMBERS.test(text) && !looksScrambled(text)) || (!isSetting && CODE.test(text)))) return false
  return text.length >= LEAST ? looksRandom(text) || looksScrambled(text) : isMixed(text, isQuoted)
}

const WORDS = /[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]/g
/** Names have longer words, of letters alone even more so. */
const MOST_WORD_LENGTH = 2.6
const MOST_LETTERS_A_WORD = 2.4
const LEAST_SCRAMBLED_BITS = 3.3

/** Whether small letters and capitals change too often for a name. */
function looksScrambled(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || measureBits(text) < LEAST_SCRAMBLED_BITS) return false
  return measureWords(text) < (/\d/.test(text) ? MOST_WORD_LENGTH : MOST_LETTERS_A_WORD)
}

function measureWords(text: string): number {
  return text.length / (text.match(WORDS)?.length ?? 1)
}

function isMixed(text: string, isQuoted: boolean): boolean {
  const hasDigit = /\d/.test(text)
  if (![/[a-z]/, /[A-Z]/, /[^\w\s]/].every((kind) => kind.test(text))) return false
  if (!hasDigit && (!isQuoted || measureWords(text) >= MOST_WORD_LENGTH)) return false
  return measureBits(text) >= LEAST_MIXED_BITS && (!hasDigit || !/^[\w]+(?:[-./:][\w]+)*$/.test(text))
}
