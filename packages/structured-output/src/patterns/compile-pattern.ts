import { RE2JS } from 're2js'
import { MAX_PATTERN_LENGTH } from '../limits.ts'

/** Whether a text contains a match. */
export type TextTest = (text: string) => boolean

/**
 * Compiles the regular expression of a schema for matching in linear time.
 *
 * @returns the reason of a refusal, as words that follow the name of the keyword
 */
export function compilePattern(source: string): TextTest | string {
  if (source.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => compiled.test(text)
  } catch {
    return 'cannot be matched in linear time (look-around and back references cannot) or is not a regular expression'
  }
}
