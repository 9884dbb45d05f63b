import type { Clock, Logger } from '../../ports.ts'
import { createGatheredWrites } from '../traces/gathered-writes.ts'
import type { FinishedSpan } from './finished-span.ts'
import type { SpanExporter } from './span-exporter.ts'

/** Spans that wait for their receiver. */
export interface SpanQueue {
  /** Takes a span. Never waits: above the limit it is lost. */
  add(span: FinishedSpan): void
  /** Number of spans that did not reach the receiver. */
  readonly lost: number
  /** Sends the waiting spans, for a short time, and ends. */
  close(): Promise<void>
}

/** Options of {@link createSpanQueue}. */
export interface SpanQueueOptions {
  readonly exporter: SpanExporter
  /** @default 8192 */
  readonly maxWaiting?: number | undefined
  /** @default 512 */
  readonly batch?: number | undefined
  /** @default 1000 */
  readonly gatherMs?: number | undefined
  /** @default 1500 */
  readonly closeMs?: number | undefined
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

const MAX_WAITING = 8192
const BATCH = 512
const GATHER_MS = 1000
const CLOSE_MS = 1500
const MAX_REASON = 200

/** Creates the queue. One batch is on its way at a time; a receiver that is slow or gone costs spans and nothing else. */
export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { exporter, clock, logger } = options
  const { maxWaiting = MAX_WAITING, batch = BATCH, gatherMs = GATHER_MS, closeMs = CLOSE_MS } = options
  let waiting: FinishedSpan[] = []
  let lost = 0
  let isFailing = false
  let isClosed = false

  const writes = createGatheredWrites({ write: sendBatch, waits: () => waiting.length > 0, gatherMs, clock })

  async function sendBatch(): Promise<void> {
    const spans = waiting.slice(0, batch)
    waiting = waiting.slice(batch)
    try {
      await exporter.send(spans)
      if (isFailing) logger.info({}, 'spans reach their receiver again')
      isFailing = false
    } catch (error) {
      lost += spans.length
      if (!isFailing && !isClosed) logger.warn(describe(error), 'spans do not reach their receiver')
      isFailing = true
    }
  }

  return {
    add(span) {
      if (isClosed || waiting.length >= maxWaiting) {
        lost += 1
        return
      }
      waiting.push(span)
      writes.wake()
      if (waiting.length >= batch) writes.hurry()
    },
    get lost() {
      return lost
    },
    async close() {
      isClosed = true
      const ended = new AbortController()
      const late = clock.sleep(closeMs, { signal: ended.signal }).catch(() => undefined)
      await Promise.race([writes.flush(), late])
      ended.abort()
      lost += waiting.length
      waiting = []
      exporter.close()
    },
  }
}

/** Status or code, and the beginning of the reason. The text of the receiver is not a part of it. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return {}
  const code = 'code' in error ? error.code : undefined
  return { code, reason: error.message.slice(0, MAX_REASON) }
}
