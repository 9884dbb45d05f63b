import { SvcError } from '@svc/errors'
import { createLiveFeed, type FeedReader, type LiveFeed } from '../live-feed/live-feed.ts'
import { cutToBytes, escapeControls } from './log-text.ts'

/** Lines kept for each model (§4.7). */
const LOG_RING_LINES = 1000
/** Bytes of text kept for each model. */
const LOG_RING_BYTES = 1024 * 1024
/** Maximum number of readers of one model's output. */
const LOG_READERS = 16
/** Maximum bytes of a line; the rest of a longer line is dropped. */
const LOG_LINE_BYTES = 8 * 1024
/** Bytes of one stream that become lines in each {@link BUDGET_WINDOW_MS}; above it only the newest chunk is kept. */
const BUDGET_BYTES = LOG_RING_BYTES
const BUDGET_WINDOW_MS = 1000
/** Cost of a line in the budget beside its bytes, because many empty lines cost time too. */
const LINE_COST_BYTES = 128
const CUT_MARKER = ' (cut)'
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** One line of output of a backend process. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly stream: 'stdout' | 'stderr'
  /** The line with control characters escaped and invalid UTF-8 replaced. */
  readonly text: string
}

/** A reader of a ring. */
export interface LogReader extends FeedReader<LogLine> {
  /** Number of the first line that it takes. */
  readonly position: number
}

/** The newest lines of one model's backend, limited in lines and bytes. Survives the process. */
export interface LogRing extends Pick<LiveFeed<LogLine>, 'end'> {
  append(line: LogLine): void
  /** Lists the lines, oldest first. */
  lines(): readonly LogLine[]
  clear(): void
  /** Opens a reader. @param from number of the first line to take @default the next one */
  open(from?: number): LogReader
}

/** Cuts one output stream of one process into lines. */
export interface LogStream {
  write(chunk: Uint8Array): void
  /** Ends the last line, with or without a line feed. */
  end(): void
  /** Makes lines of output that waits for the budget. */
  flush(): void
}

/**
 * Creates an empty ring. Readers that fall behind continue with the oldest kept line; sequence numbers show the gap.
 */
export function createLogRing(limits: { maxLines?: number; maxBytes?: number } = {}): LogRing {
  const feed = createLiveFeed<LogLine>({
    maxEvents: limits.maxLines ?? LOG_RING_LINES,
    maxSize: limits.maxBytes ?? LOG_RING_BYTES,
    sizeOf: ({ text }) => Buffer.byteLength(text),
    maxReaders: LOG_READERS,
    onFull: tooManyReaders,
  })
  return {
    append: (line) => feed.publish(line),
    lines: () => feed.kept(),
    clear: () => feed.clear(),
    open(from = feed.next) {
      const { wait, take, close } = feed.open(from)
      return { position: from, wait, take, close }
    },
    end: () => feed.end(),
  }
}

function tooManyReaders(): SvcError {
  return new SvcError('rate_limited', `no more than ${LOG_READERS} readers can follow the log of a model at a time`, {
    code: 'log_readers',
    retryAfterMs: 1000,
    details: { type: 'rate_limit_error' },
  })
}

/**
 * Feeds the chunks of one stream into a sink as lines.
 *
 * The child never waits for the server, and its output costs the server limited time: above a budget for each second a
 * chunk replaces the previous one unread, and one line reports the number of skipped bytes. The newest output is always
 * kept, because it explains a crash.
 */
export function createLogStream(options: {
  readonly stream: LogLine['stream']
  readonly clock: { now(): number; monotonic(): number }
  readonly onLine: (line: LogLine) => void
}): LogStream {
  const { stream, clock, onLine } = options
  let partial: Uint8Array[] = []
  let partialBytes = 0
  let waiting: Uint8Array | undefined
  let passedOver = 0
  let windowStart = Number.NEGATIVE_INFINITY
  let windowBytes = 0

  const emit = (text: string) => {
    windowBytes += LINE_COST_BYTES
    onLine({ timestamp: clock.now(), stream, text })
  }
  const hold = (piece: Uint8Array) => {
    if (partialBytes > LOG_LINE_BYTES) return
    // A copy, because the chunk may be a slice of a much larger read buffer.
    partial.push(Uint8Array.from(piece.subarray(0, LOG_LINE_BYTES + 1 - partialBytes)))
    partialBytes += Math.min(piece.length, LOG_LINE_BYTES + 1 - partialBytes)
  }
  const endLine = () => {
    const bytes = Buffer.concat(partial)
    partial = []
    partialBytes = 0
    emit(toLineText(bytes))
  }
  const split = (chunk: Uint8Array) => {
    let start = 0
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, at))
      endLine()
      start = at + 1
    }
    if (start < chunk.length) hold(chunk.subarray(start))
  }
  const flush = () => {
    if (waiting === undefined) return
    const chunk = waiting
    waiting = undefined
    if (passedOver > 0) {
      if (partialBytes > 0) endLine()
      emit(`(${passedOver} bytes of output passed over)`)
      passedOver = 0
    }
    split(chunk)
  }

  return {
    write(chunk) {
      const now = clock.monotonic()
      if (now - windowStart >= BUDGET_WINDOW_MS) {
        flush()
        windowStart = now
        windowBytes = 0
      }
      windowBytes += chunk.length
      if (windowBytes <= BUDGET_BYTES) {
        split(chunk)
        return
      }
      passedOver += waiting?.length ?? 0
      waiting = chunk
    },
    end() {
      flush()
      if (partialBytes > 0) endLine()
    },
    flush,
  }
}

function toLineText(bytes: Buffer): string {
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length
  const cut = end > LOG_LINE_BYTES
  const text = escapeControls(bytes.toString('utf8', 0, Math.min(end, LOG_LINE_BYTES)))
  if (!cut && Buffer.byteLength(text) <= LOG_LINE_BYTES) return text
  return cutToBytes(text, LOG_LINE_BYTES - CUT_MARKER.length) + CUT_MARKER
}
