import type { Span } from '../../span.ts'
import { isInsideCharacter } from '../../well-formed.ts'
import { isAlphanumeric, isBeyondAscii } from './characters.ts'

const AT = 0x40
const DOT = 0x2e
const HYPHEN = 0x2d
const LOCAL_MARKS = new Set([..."!#$%&'*+/=?^_`{|}~-."].map((char) => char.charCodeAt(0)))
const MAX_LOCAL = 64
const MAX_DOMAIN = 253

const isLocal = (unit: number): boolean => isAlphanumeric(unit) || isBeyondAscii(unit) || LOCAL_MARKS.has(unit)
const isLabel = (unit: number): boolean => isAlphanumeric(unit) || isBeyondAscii(unit) || unit === HYPHEN

/** An address around the `@` at an offset: a name, and a domain of two labels or more. */
export function matchEmail(text: string, at: number): Span | undefined {
  let start = at
  while (start > 0 && at - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--
  if (isInsideCharacter(text, start)) start++
  while (start < at && !isAlphanumeric(text.charCodeAt(start)) && !isBeyondAscii(text.charCodeAt(start))) start++
  const end = domainEnd(text, at + 1)
  return start === at || end === undefined ? undefined : { start, end }
}

/** The end of the domain that begins at an offset: after the last label that follows a dot. */
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
    labels++
    if (labels > 1 && labelEnd - start > 1) end = labelEnd
    if (text.charCodeAt(position) !== DOT) break
    position++
  }
  return end
}

/** The trigger of an address. */
export const isAtSign = (unit: number): boolean => unit === AT
