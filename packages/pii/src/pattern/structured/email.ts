import type { Span } from '../../span.ts'
import { isInsideCharacter } from '../../well-formed.ts'
import { isDigit } from './characters.ts'
import { matchSpelled } from './email-spelled.ts'
import { isWord, readUnitAt, readUnitBefore } from './email-text.ts'
import { findSpelled, SPELLED_ANCHORS } from './email-words.ts'
import type { StructuredKind } from './kind.ts'

const DOT = 0x2e
const SMALL_D = 0x64
const HYPHEN = 0x2d
const PLUS = 0x2b
const EQUALS = 0x3d
/** Marks of a local part, but for those that separate the parts of a web address. */
const LOCAL_MARKS = new Set([..."!$%'*+^_`{|}~-."].map((char) => char.charCodeAt(0)))
const MAX_LOCAL = 64
const MAX_DOMAIN = 253

const isLocal = (unit: number): boolean => isWord(unit) || LOCAL_MARKS.has(unit)
const isLabel = (unit: number): boolean => isWord(unit) || unit === HYPHEN

/**
 * An address: a name, `@` or `%40`, and a domain of two labels or more, the last of which is not a number. The parts of
 * a web address are texts of their own, read as if they were decoded. Also `name at host dot tld`.
 */
export const EMAIL: StructuredKind = {
  name: 'email',
  group: 'EMAIL',
  atSigns: true,
  dots: true,
  words: { anchors: SPELLED_ANCHORS, find: findSpelled },
  find: ({ text, start, end }) => {
    return text.charCodeAt(start) === SMALL_D ? matchSpelled(text, start) : matchEmail(text, start, end)
  },
}

/** Names in front of the host of a repository, as in `git@host:path`: they are not mailboxes. */
const REPOSITORY_USERS = new Set(['git', 'hg', 'svn'])

/** Ends of the names of units and of files, as in `getty@tty1.service` and `logo@dark.png`: domains never end so. */
const NO_DOMAIN =
  /\.(?:service|socket|timer|target|mount|slice|scope|png|jpe?g|gif|svg|webp|avif|css|scss|[cm]?jsx?|[cm]?ts|tsx|html?|json|woff2?|map|po|gmo|header)$/i
const LONGEST_END = 8

function matchEmail(text: string, at: number, after: number): Span | undefined {
  const start = localStart(text, at)
  const end = domainEnd(text, after)
  if (start === at || end === undefined) return undefined
  if (isUserPart(text, start) && isHost(text, { start, at, after, end })) return undefined
  const isPath = text.charAt(end) === ':' || text.charAt(end) === '/'
  if (isPath && REPOSITORY_USERS.has(text.slice(start, at))) return undefined
  return NO_DOMAIN.test(text.slice(Math.max(after, end - LONGEST_END), end)) ? undefined : { start, end }
}

/** The start of a web address up to its user or to the password of one. */
const USER_PART = /:\/\/(?:[^\s/?#"'<>@:]{0,64}:[^\s/?#"'<>@:]{0,64})?$/
const LONGEST_USER_PART = 136

function isUserPart(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1)
  // Only then can it be one; a sentence has a blank there.
  if (before <= 0x20) return false
  return USER_PART.test(text.slice(Math.max(0, start - LONGEST_USER_PART), start))
}

/** Schemes of addresses of mail. */
const MAIL_SCHEME = /(?:mailto|smtp|sip|xmpp|im):\/\/$/i
const LONGEST_SCHEME = 9
/** The rest of a web address up to the `@` before its host. */
const BEFORE_HOST = /[^\s/?#"'<>@]{0,128}@/y

/** Whether the domain behind `scheme://name@` is the host of a web address, so that the name is a user of it. */
function isHost(text: string, { start, at, after, end }: Span & { readonly at: number; readonly after: number }) {
  // An encoded `@` is a part of the name.
  if (after - at > 1 || MAIL_SCHEME.test(text.slice(Math.max(0, start - LONGEST_SCHEME), start))) return false
  BEFORE_HOST.lastIndex = end
  return !BEFORE_HOST.test(text)
}

function localStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < MAX_LOCAL) {
    const { unit, width } = readUnitBefore(text, start)
    if (!isLocal(unit) && !(unit === EQUALS && isReturnPath(text, start - width))) break
    start -= width
  }
  if (isInsideCharacter(text, start)) start++
  while (start < at) {
    const { unit, width } = readUnitAt(text, start)
    if (isWord(unit)) break
    start += width
  }
  return start
}

/** Whether the `=` at an offset stands for the `@` of an address in a return path: `list+ada=lab.example@host`. */
function isReturnPath(text: string, at: number): boolean {
  for (let start = at; start > 0 && at - start < MAX_LOCAL; start--) {
    const unit = text.charCodeAt(start - 1)
    if (unit === PLUS) return true
    if (!isLocal(unit)) return false
  }
  return false
}

/** The end of the domain that begins at an offset: after the last label that follows a dot and is not a number. */
function domainEnd(text: string, from: number): number | undefined {
  let end: number | undefined
  let position = from
  let labels = 0
  while (position - from < MAX_DOMAIN) {
    const start = position
    position = labelEnd(text, start, from + MAX_DOMAIN)
    if (position === start) break
    let last = isInsideCharacter(text, position) ? position - 1 : position
    while (text.charCodeAt(last - 1) === HYPHEN) last--
    // `package@1.2.3-rc.final` and `icon@2x.png` name no host.
    if (++labels === 1 && isVersionLabel(text.slice(start, last))) return undefined
    if (labels > 1 && last - start > 1 && !isDigit(text.charCodeAt(start))) end = last
    const { unit, width } = readUnitAt(text, position)
    if (unit !== DOT) break
    position += width
  }
  return end
}

/** The end of the run of letters, digits and hyphens from an offset on. */
function labelEnd(text: string, from: number, limit: number): number {
  let position = from
  while (position < limit) {
    const { unit, width } = readUnitAt(text, position)
    if (!isLabel(unit)) break
    position += width
  }
  return position
}

function isVersionLabel(label: string): boolean {
  return /^\d+x?$/.test(label)
}
