import type { Span } from '../../span.ts'
import { isInsideCharacter } from '../../well-formed.ts'
import { isAlphanumeric, isBeyondAscii, isDigit } from './characters.ts'
import type { StructuredKind } from './kind.ts'

const DOT = 0x2e
const HYPHEN = 0x2d
const LOCAL_MARKS = new Set([..."!#$%&'*+/=?^_`{|}~-."].map((char) => char.charCodeAt(0)))
const MAX_LOCAL = 64
const MAX_DOMAIN = 253

const isLocal = (unit: number): boolean => isAlphanumeric(unit) || isBeyondAscii(unit) || LOCAL_MARKS.has(unit)
const isLabel = (unit: number): boolean => isAlphanumeric(unit) || isBeyondAscii(unit) || unit === HYPHEN

/** An address: a name, `@` or `%40`, and a domain of two labels or more, the last of which is not a number. */
export const EMAIL: StructuredKind = {
  name: 'email',
  group: 'EMAIL',
  atSigns: true,
  find: ({ text, start, end }) => matchEmail(text, start, end),
}

/** Names in front of the host of a repository, as in `git@host:path`: they are not mailboxes. */
const REPOSITORY_USERS = new Set(['git', 'hg', 'svn'])

/** Ends of the names of units, as in `getty@tty1.service`: domains never end so. */
const UNIT = /\.(?:service|socket|timer|target|mount|slice|scope)$/
const LONGEST_UNIT = 8

function matchEmail(text: string, at: number, after: number): Span | undefined {
  const start = localStart(text, at)
  const end = domainEnd(text, after)
  if (start === at || end === undefined) return undefined
  if (text.startsWith('://', start - 3)) return undefined
  const isPath = text.charAt(end) === ':' || text.charAt(end) === '/'
  if (isPath && REPOSITORY_USERS.has(text.slice(start, at))) return undefined
  return UNIT.test(text.slice(Math.max(after, end - LONGEST_UNIT), end)) ? undefined : { start, end }
}

function localStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--
  if (isInsideCharacter(text, start)) start++
  while (start < at && !isAlphanumeric(text.charCodeAt(start)) && !isBeyondAscii(text.charCodeAt(start))) start++
  return start
}

/** The end of the domain that begins at an offset: after the last label that follows a dot and is not a number. */
function domainEnd(text: string, from: number): number | undefined {
  let end: number | undefined
  let position = from
  let labels = 0
  while (position - from < MAX_DOMAIN) {
    const start = position
    while (position - from < MAX_DOMAIN && isLabel(text.charCodeAt(position))) position++
    if (position === start) break
    let labelEnd = isInsideCharacter(text, position) ? position - 1 : position
    while (text.charCodeAt(labelEnd - 1) === HYPHEN) labelEnd--
    // `package@1.2.3-rc.final` and `icon@2x.png` name no host.
    if (++labels === 1 && isVersionLabel(text.slice(start, labelEnd))) return undefined
    if (labels > 1 && labelEnd - start > 1 && !isDigit(text.charCodeAt(start))) end = labelEnd
    if (text.charCodeAt(position) !== DOT) break
    position++
  }
  return end
}

function isVersionLabel(label: string): boolean {
  return /^\d+x?$/.test(label)
}
