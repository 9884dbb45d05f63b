import { SvcError } from '@svc/errors'
import { RE2JS } from 're2js'

/** A pattern of a model file, in the syntax of RE2. */
export interface ReplyPattern {
  /** Removes all matches from a text. */
  cut(text: string): string
  /** Gives the first match; empty when there is none. */
  first(text: string): string
}

/** Maximum length of the source in bytes. */
export const MAX_PATTERN_BYTES = 1024
/** Maximum product of a text's length and the pattern's instructions: the time of a search grows with both. */
const MAX_WORK = 2 ** 27
/** Maximum time for all matches of a pattern. Each search may read far ahead. */
const MAX_CUT_MS = 2000

/**
 * Compiles a pattern.
 *
 * @throws {SvcError} `invalid_request`, code `invalid_pattern`, for an invalid pattern or one longer than {@link
 *   MAX_PATTERN_BYTES}. Using the pattern throws `internal`, code `reply_too_long`, for a text that would take too long
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
