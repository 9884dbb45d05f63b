import type { Span } from '../../span.ts'
import { isPlaceholder, looksRandom } from '../random-text.ts'
import { isPassword } from './judge-password.ts'
import { hasAddressFirst } from './labels.ts'
import { take } from './names.ts'
import { isKey } from './tokens.ts'
import { readValue } from './value.ts'

/** From the name of a header to its value, in a message and in the code of many languages. */
const TO_VALUE =
  /s?\\?["'`]?[\])]{0,2}[ \t]{0,8}(?::=|=>|->|[:=,(]|\|\||<-)\s{0,8}(?:new \w{1,24}\()?(?:[fbrL$@]|~c)?\\?["'`]?[ \t]{0,2}/y
const BASIC =
  /basic(?:[ \t]{1,4}|%20|["'`][ \t]{0,4}[+,.&][ \t]{0,4}\\?["'`])(?:\\?["'`][ \t]{0,4}[+.&][ \t]{0,4}\\?["'`])?/iy
/** The name of a scheme, and a value that the code joins to it. */
const SCHEME =
  /[A-Za-z][A-Za-z0-9_-]{1,20}(?:[ \t:]{1,4}|%20|\\?["'`][ \t]{0,4}[+,.&][ \t]{0,4})(?:[ \t]{0,4}\\?["'`][ \t]{0,4}[+.&][ \t]{0,4})?(?:"?(?:token|key|apikey|credential)"?[ \t]{0,2}[=:][ \t]{0,2})?\\?["'`]?/iy
/** The value, up to a blank or a mark of quotation. */
const VALUE = /[A-Za-z0-9._~+/=|:!$%*^@-]{12,600}/y
const ENCODED = /[A-Za-z0-9+/_-]{8,600}={0,2}/y

/** Finds the credentials of any scheme but `Basic` behind the name of their header. */
export function findAuthorization(text: string, label: Span): Span | undefined {
  const lead = take(TO_VALUE, text, label.end)
  if (lead === undefined) return undefined
  const at = label.end + lead.length
  if (take(BASIC, text, at) !== undefined) return undefined
  const scheme = take(SCHEME, text, at)
  return (scheme === undefined ? undefined : findRandom(text, at + scheme.length)) ?? findRandom(text, at)
}

/** Finds the credentials of the scheme `Basic`. */
export function findBasic(text: string, label: Span): Span | undefined {
  const lead = take(TO_VALUE, text, label.end)
  if (lead === undefined) return undefined
  const scheme = take(BASIC, text, label.end + lead.length)
  if (scheme === undefined) return undefined
  const start = label.end + lead.length + scheme.length
  const value = take(ENCODED, text, start)
  return value !== undefined && !isPlaceholder(value) && (looksRandom(value) || isUserAndPassword(value))
    ? { start, end: start + value.length }
    : undefined
}

/** Whether a text is the base64 of a user and a password. */
function isUserAndPassword(value: string): boolean {
  try {
    return /^[\x21-\x39\x3b-\x7e]{1,64}:[\x20-\x7e]{3,128}$/.test(atob(value))
  } catch {
    return false
  }
}

/** Between the word `Bearer` and its token. */
const TO_TOKEN = /(?:[ \t]{1,4}|%20|\+|\(\s{0,4})?(?:\\?["'`][ \t]{0,4}[+,.&)(][ \t]{0,4}(?:[fbrL$@]|~c)?)?\\?["'`]?/y

/** Finds a token behind the word `Bearer`, or behind a function that sends one. */
export function findBearer(text: string, label: Span): Span | undefined {
  const lead = take(TO_TOKEN, text, label.end) ?? ''
  return lead === '' ? undefined : findRandom(text, label.end + lead.length)
}

const CALL = /_?[A-Za-z]{0,12} ?\(\s{0,4}/y
/** Finds the last text of a call that sends a user and a password. */
export function findCallPassword(text: string, label: Span): Span | undefined {
  const call = take(CALL, text, label.end)
  if (call === undefined) return undefined
  let at: number | undefined = label.end + call.length
  if (hasAddressFirst(text.slice(label.start, label.end))) at = behindText(text, at)
  if (at !== undefined) at = behindText(text, at)
  return at === undefined ? undefined : readQuoted(text, at)
}

/** Where the next text of a call begins, behind a text and a comma. */
function behindText(text: string, at: number): number | undefined {
  const value = readValue(text, at)
  if (value?.isQuoted !== true) return undefined
  const comma = take(/["'`][ \t]{0,2},\s{0,8}/y, text, value.end)
  return comma === undefined ? undefined : value.end + comma.length
}

function readQuoted(text: string, at: number): Span | undefined {
  const value = readValue(text, at)
  return value?.isQuoted === true && isPassword(value, 'named') ? value : undefined
}

function findRandom(text: string, at: number): Span | undefined {
  const value = take(VALUE, text, at)?.replace(/[.:!]+$/, '')
  if (value === undefined || value.length < LEAST_TOKEN) return undefined
  const found = { start: at, end: at + value.length, text: value, isQuoted: false }
  return isKey(found) ? { start: at, end: found.end } : undefined
}

const LEAST_TOKEN = 16
