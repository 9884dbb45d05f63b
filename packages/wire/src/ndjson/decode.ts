import { SvcError } from '@svc/errors'
import { PendingBytes } from '../pending-bytes.ts'

/** Options of {@link createNdjsonDecoder}. */
export interface NdjsonDecoderOptions {
  /** The longest line, in bytes. @default 16 MiB */
  readonly maxLineBytes?: number | undefined
}

/** A line as it came. */
export interface NdjsonLine {
  /** Its text without the line break; empty for a blank line. */
  readonly text: string
  /** Its bytes as they came, line break included. The bytes of all lines are the stream. */
  readonly raw: Uint8Array
}

/** A push decoder, for relays of lines. */
export interface NdjsonDecoder {
  /**
   * Takes the next bytes, cut anywhere, and returns the lines they complete. The bytes must not be changed
   * afterwards: lines are views of them.
   *
   * @throws SvcError `too_large`, code `ndjson_line_too_large`
   */
  push(chunk: Uint8Array): NdjsonLine[]
  /** Ends the stream and returns the last line when it had no line break. */
  end(): NdjsonLine[]
}

const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024
const LF = 0x0a

/** A decoder for lines of JSON, for any cut of the bytes; blank lines are returned too. */
export function createNdjsonDecoder(options: NdjsonDecoderOptions = {}): NdjsonDecoder {
  const maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES
  const pending = new PendingBytes()
  const text = new TextDecoder()
  const toLine = (raw: Uint8Array): NdjsonLine => ({ text: text.decode(raw).trim(), raw })
  const checkSize = (size: number): void => {
    if (size <= maxLineBytes) return
    throw new SvcError('too_large', `a line of the stream is larger than ${maxLineBytes} bytes`, {
      code: 'ndjson_line_too_large',
    })
  }
  return {
    push(chunk) {
      const lines: NdjsonLine[] = []
      const searched = pending.length
      const bytes = pending.append(chunk)
      let start = 0
      for (let end = bytes.indexOf(LF, searched); end !== -1; end = bytes.indexOf(LF, start)) {
        checkSize(end + 1 - start)
        lines.push(toLine(bytes.subarray(start, end + 1)))
        start = end + 1
      }
      pending.keepFrom(start)
      checkSize(pending.length)
      return lines
    },
    end() {
      if (pending.length === 0) return []
      const raw = pending.append(new Uint8Array(0))
      pending.keepFrom(raw.length)
      return [toLine(raw)]
    },
  }
}

/**
 * The values of a stream of JSON lines; blank lines are skipped, the last line needs no line break.
 *
 * @throws SvcError `too_large`, code `ndjson_line_too_large`; `invalid_request`, code `ndjson_syntax`, with
 *   `details.line`, counted from 1
 */
export async function* decodeNdjson(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options?: NdjsonDecoderOptions,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = createNdjsonDecoder(options)
  let line = 0
  const toValues = function* (lines: readonly NdjsonLine[]): Generator<unknown, void, undefined> {
    for (const { text } of lines) {
      line += 1
      if (text !== '') yield parseLine(text, line)
    }
  }
  for await (const chunk of source) yield* toValues(decoder.push(chunk))
  yield* toValues(decoder.end())
}

function parseLine(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SvcError('invalid_request', `line ${line} of the stream is not JSON`, {
      code: 'ndjson_syntax',
      cause,
      details: { line },
    })
  }
}
