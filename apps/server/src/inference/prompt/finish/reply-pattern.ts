import { SvcError } from '@svc/errors'
import { RE2JS } from 're2js'

/** A pattern of a model file, in the syntax of RE2. */
export interface ReplyPattern {
  /** A text without any match. */
  cut(text: string): string
  /** The first match; empty when there is none. */
  first(text: string): string
}

/** Longest source in bytes. */
export const MAX_PATTERN_BYTES = 1024
/** Most characters of a text times instructions of the pattern: a search takes time in proportion to both. */
const MAX_WORK = 2 ** 27
/** Longest time for all matches of a pattern: each search for the next one may read far ahead. */
const MAX_CUT_MS = 2000

/**
 * Compiles a pattern.
 *
 * @throws {SvcError} `invalid_request`, code `invalid_pattern`, for what is no pattern or longer than
 *   {@link MAX_PATTERN_BYTES}. Using the pattern throws `internal`, code `reply_too_long`, for a text that it would take
 *   too long on
 */
export function compileReplyPattern(source: string): ReplyPattern {
  if (Buffer.byteLength(source) > MAX_PATTERN_BYTES) {
    throw invalid(`pattern is longer than ${MAX_PATTERN_BYTES} bytes`)
  }
  const compiled = tryCompile(source)
  const search = (text: string) => {
    if ((text.length + 1) * compiled.programSize() > MAX_WORK) throw tooLong()
    return compiled.matcher(text)
  }
  return {
    cut(text) {
      const matcher = search(text)
      const latest = performance.now() + MAX_CUT_MS
      const kept: string[] = []
      let from = 0
      while (matcher.find()) {
        kept.push(text.slice(from, matcher.start()))
        from = matcher.end()
        if (performance.now() > latest) throw tooLong()
      }
      return kept.join('') + text.slice(from)
    },
    first(text) {
      const matcher = search(text)
      return matcher.find() ? text.slice(matcher.start(), matcher.end()) : ''
    },
  }
}

function tryCompile(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    throw invalid(`not a pattern: ${error instanceof Error ? error.message : 'unknown reason'}`)
  }
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'invalid_pattern' })
}

function tooLong(): SvcError {
  return new SvcError('internal', 'the reply is too long for the patterns of its model', { code: 'reply_too_long' })
}
