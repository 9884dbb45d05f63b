/**
 * A hook of pino that masks private text in lines of the log. It imports nothing of pino.
 *
 * @module
 */
import { applySplices, parseJson } from '@svc/json'
import { createDetector } from '../create-detector.ts'
import { collectSegments } from '../documents/index.ts'
import { listRewritten } from '../documents/rewritten-texts.ts'
import { PiiError } from '../errors.ts'
import { startFilter } from '../filter.ts'
import type { DetectionSettings } from '../settings.ts'

/** Options of {@link createLineRedactor}. */
export interface LineOptions {
  /** Patterns and their actions. A line with a blocked finding is replaced. @default every built-in, masked */
  readonly settings?: DetectionSettings | undefined
}

/** In place of a line that cannot be filtered or is blocked. */
const REPLACEMENT = '{"level":50,"msg":"[REDACTED: a line that could not be filtered]"}\n'

/**
 * Creates a function that masks the private text of a line of JSON: of its message, its fields, their names, and JSON
 * in strings. It answers at once, so that lines stay in order. A line that is not JSON, or cannot be filtered, is
 * replaced, and never goes out as it is.
 *
 * @throws SvcError `pii_config` for settings that a detector refuses, and for encodings, whose search takes several turns
 *   of the event loop
 * @example
 * pino({ hooks: { streamWrite: createLineRedactor() } })
 */
export function createLineRedactor({ settings = { builtins: ['all'] } }: LineOptions = {}): (line: string) => string {
  if ((settings.encodings?.length ?? 0) > 0) {
    throw new PiiError('invalid_request', 'encodings are not read in lines of a log', { code: 'pii_config' })
  }
  // one slice of any length: the hook cannot wait
  const detector = createDetector({ name: 'log', settings, slices: { sliceMs: Number.POSITIVE_INFINITY } })
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  return (line) => {
    try {
      const text = line.trimEnd()
      const bytes = encoder.encode(text)
      const collection = collectSegments(parseJson(bytes), 'log-line')
      const outcome = startFilter(collection, { detectors: [detector] })
      if (collection.refusal !== undefined || outcome instanceof Promise || outcome.blocked) return REPLACEMENT
      if (!outcome.masked) return line
      const rewrite = collection.toSplices(listRewritten(collection.segments, outcome))
      return rewrite.kind === 'splices'
        ? decoder.decode(applySplices(bytes, rewrite.splices)) + line.slice(text.length)
        : REPLACEMENT
    } catch {
      return REPLACEMENT
    }
  }
}
