import type { Clock, Logger } from '../../ports.ts'
import { createGatheredWrites } from './gathered-writes.ts'
import type { KeptTrace } from './kept-traces.ts'
import type { Segment, SegmentFiles } from './segment-files.ts'
import { encodeTraceLine } from './trace-lines.ts'

/** Bodies that wait for the disk together; above it they are lost and the heads are kept. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const BATCH_BYTES = 1024 * 1024

/** Writes finished traces to disk in the background. */
export interface TraceWriter {
  /** Takes a trace for the disk. Its bodies are dropped where too many bytes wait. */
  add(trace: KeptTrace): void
  /** Removes a segment with the next write. */
  removeSoon(segment: Segment): void
  /** Drops everything that waits. */
  clear(): void
  /** Resolves when the disk has everything that was added. */
  flush(): Promise<void>
  /** Writes nothing more. */
  close(): void
}

/** Parts of {@link createTraceWriter}. */
export interface TraceWriterOptions {
  readonly files: SegmentFiles
  /** Called before each write. */
  readonly ready: () => Promise<void>
  /** Called after each write of traces. */
  readonly onStored: () => void
  /** Called with the number of traces that could not be stored. */
  readonly onLost: (count: number) => void
  /** Time for which traces are gathered for one write, milliseconds. */
  readonly gatherMs: number
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

/** Creates a writer of a folder's segments. */
export function createTraceWriter({
  files,
  ready,
  onStored,
  onLost,
  gatherMs,
  clock,
  logger,
}: TraceWriterOptions): TraceWriter {
  let waiting: KeptTrace[] = []
  let waitingBytes = 0
  let removals: Segment[] = []
  let isFailing = false
  let isClosed = false

  const writes = createGatheredWrites({
    write: writeWaiting,
    waits: () => !isClosed && (waiting.length > 0 || removals.length > 0),
    gatherMs,
    clock,
  })

  async function writeWaiting(): Promise<void> {
    await ready()
    const gone = removals
    removals = []
    for (const segment of gone) await files.remove(segment)
    const batch: KeptTrace[] = []
    for (let bytes = 0; bytes < BATCH_BYTES; ) {
      const trace = waiting.shift()
      if (trace === undefined) break
      waitingBytes -= trace.bytes
      if (trace.isForgotten) continue
      batch.push(trace)
      bytes += trace.bytes + trace.head.length
    }
    if (batch.length > 0) await store(batch)
  }

  async function store(batch: readonly KeptTrace[]): Promise<void> {
    try {
      const places = await files.append(batch.map((trace) => Buffer.from(encodeTraceLine(trace))))
      batch.forEach((trace, index) => {
        trace.place = places[index]
      })
      for (const { place, isForgotten } of batch) if (isForgotten && place !== undefined) files.release(place)
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'traces cannot be written to disk')
      isFailing = true
      onLost(batch.length)
    }
    for (const trace of batch) dropBodies(trace)
    onStored()
  }

  return {
    add(trace) {
      if (waitingBytes + trace.bytes > MAX_WAITING_BYTES) {
        onLost(1)
        dropBodies(trace)
      }
      waiting.push(trace)
      waitingBytes += trace.bytes
      writes.wake()
    },
    removeSoon(segment) {
      removals.push(segment)
      writes.wake()
    },
    clear() {
      waiting = []
      waitingBytes = 0
      removals = []
    },
    flush: () => writes.flush(),
    close() {
      isClosed = true
    },
  }
}

function dropBodies(trace: KeptTrace): void {
  trace.bodies = []
  trace.bytes = 0
}
