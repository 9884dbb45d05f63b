import type { Span } from '../span.ts'
import { isStandIn } from './labelled/judge-password.ts'
import { isPlaceholder, looksRandom } from './random-text.ts'
import type { SecretKind, SecretPart } from './secret-kind.ts'

/** The private part of a match of a kind, in offsets of the text; undefined where the match is not a secret. */
export function findSecret(kind: SecretKind, text: string, { start, end }: Span): Span | undefined {
  if (kind.read !== undefined) return kind.read(text, { start, end })
  const part = findInMatch(kind, text.slice(start, end))
  return part && { start: start + part.start, end: start + part.end }
}

function findInMatch(kind: SecretKind, match: string): Span | undefined {
  const span = kind.part === undefined ? { start: 0, end: match.length } : findPart(kind.part, match)
  const secret = match.slice(span.start, span.end)
  if (kind.isPlaceholderChecked !== false && isPlaceholder(secret)) return undefined
  if (kind.check === 'random') return looksRandom(secret) ? span : undefined
  if (kind.check === 'password') return looksChosen(secret) && !isUser(match, span) ? span : undefined
  return span
}

/** The names and marks in front of each part. */
const LEADS: Readonly<Record<Exclude<SecretPart, 'password'>, RegExp>> = {
  value: /^[^=:,]*?(?:=>|:=|[=:,])[ \t]*["'`]?/,
  'last-value': /^[\s\S]*(?:password|pwd|secret)=/i,
  word: /^[\s\S]*\s/,
}

function findPart(part: SecretPart, match: string): Span {
  if (part !== 'password') return { start: LEADS[part].exec(match)?.[0].length ?? 0, end: match.length }
  const start = match.indexOf(':', match.indexOf('://') + 3) + 1
  return { start, end: match.lastIndexOf('@') }
}

/** A user as documents write it. */
const YOUR_NAME = /:\/\/(?:your|my)[-_]/i

/** Whether the user of an address has the same name, `guest:guest@host`, or is the reader of a document. */
function isUser(match: string, { start, end }: Span): boolean {
  const password = match.slice(start, end)
  return match.endsWith(`/${password}:`, start) || match.endsWith(`/${password}s:`, start) || YOUR_NAME.test(match)
}

/** Names of passwords, as documents write them in an address. */
const NAME_OF_PASSWORD = /^[A-Za-z_-]*(?:pass|pwd|passwd|secret|word|token)[A-Za-z_-]*\d{0,3}$/i
/** Letters or digits that documents write. */
const SHORT = /^(?:[A-Za-z]{1,3}|\d{1,3})$/
/** A port and the rest of an address whose user is its host. */
const PORT = /^\d{1,5}[/?#]/

function looksChosen(text: string): boolean {
  return text.length >= 3 && !SHORT.test(text) && !isStandIn(text) && !NAME_OF_PASSWORD.test(text) && !PORT.test(text)
}
