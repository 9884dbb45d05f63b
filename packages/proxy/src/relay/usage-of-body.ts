import { type Fields, isFields, tryParseJson } from '../fields.ts'
import { depthChange, findStringEnd, isQuote, skipBlanks } from '../json-scan.ts'

const KEY = '"usage"'
/** Most false matches; after them the body counts as one without figures. */
const MAX_CANDIDATES = 32

/**
 * The top-level `usage` of a JSON object, found from its end without parsing the rest.
 *
 * @param text the object or the end of it, each byte as one character
 */
export function findUsage(text: string): Fields | undefined {
  let at = text.lastIndexOf(KEY)
  for (let tries = 0; at >= 0 && tries < MAX_CANDIDATES; tries += 1) {
    const start = isKey(text, at) ? findValueStart(text, at + KEY.length) : -1
    const end = start < 0 ? -1 : findObjectEnd(text, start)
    if (end >= 0 && isTopLevel(text, end)) {
      const usage = tryParseJson(text.slice(start, end))
      return isFields(usage) ? usage : undefined
    }
    at = at === 0 ? -1 : text.lastIndexOf(KEY, at - 1)
  }
  return undefined
}

const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

/** Inside a string the quote would be escaped. */
function isKey(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) !== BACKSLASH
}

/** Start of the object that is the value of a key; -1 for any other value. */
function findValueStart(text: string, from: number): number {
  let at = skipBlanks(text, from)
  if (text.charCodeAt(at) !== COLON) return -1
  at = skipBlanks(text, at + 1)
  return text.charCodeAt(at) === OPEN_BRACE ? at : -1
}

/** The offset after an object; -1 for an unclosed one. */
function findObjectEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isQuote(code)) at = findStringEnd(text, at) - 1
    else depth += depthChange(code)
    if (depth === 0) return at + 1
  }
  return -1
}

/** Whether exactly one container is still open at an offset outside of strings. */
function isTopLevel(text: string, from: number): boolean {
  let depth = 1
  for (let at = from; at < text.length && depth >= 0; at += 1) {
    const code = text.charCodeAt(at)
    if (isQuote(code)) at = findStringEnd(text, at) - 1
    else depth += depthChange(code)
  }
  return depth === 0
}
