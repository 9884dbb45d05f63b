import { type JsonNode, parseJson } from '@svc/json'
import { JsonScanner } from './json-scanner.ts'
import { MAX_CALL_LENGTH, MAX_JSON_DEPTH } from './limits.ts'

/**
 * Converts a text to JSON: escapes raw line breaks inside its strings and changes nothing else. Undefined when it is
 * not JSON.
 */
export function toJsonText(text: string): string | undefined {
  const scanner = new JsonScanner()
  const end = scanner.scan(text, 0, text.length)
  if (end === text.length) scanner.finish()
  if (scanner.status !== 'done' || !isBlankFrom(text, end)) return undefined
  return scanner.hasRawLineBreak ? escapeLineBreaks(text) : text
}

/** Converts a text to JSON when it is an object. */
export function toJsonObjectText(text: string): string | undefined {
  const json = toJsonText(text)
  return json?.trimStart().startsWith('{') === true ? json : undefined
}

/** Escapes the raw line breaks inside the strings of otherwise valid JSON. */
export function escapeLineBreaks(json: string): string {
  const parts: string[] = []
  let from = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const letter = json[at]
    if (letter === '"') isInString = !isInString
    else if (letter === '\\') at++
    else if (isInString && (letter === '\n' || letter === '\r')) {
      parts.push(json.slice(from, at), letter === '\n' ? '\\n' : '\\r')
      from = at + 1
    }
  }
  return parts.join('') + json.slice(from)
}

function isBlankFrom(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    if (!' \t\n\r'.includes(text.charAt(at))) return false
  }
  return true
}

/** Parses JSON that a scanner accepted, after escaping its raw line breaks. */
export function parseCallJson(json: string): JsonNode {
  return parseJson(Buffer.from(json), { maxDepth: MAX_JSON_DEPTH, maxNodes: MAX_CALL_LENGTH }).root
}
