import type { Clock, Logger } from '../../ports.ts'
import { createKeptTraces, type KeptTrace } from './kept-traces.ts'
import { type ListedTrace, listPage, type TracePage, type TraceQuery } from './list-page.ts'
import { SegmentFiles, type SegmentLimits } from './segment-files.ts'
import { createTraceIntake, type WriteHead } from './trace-intake.ts'
import { decodeTraceBodies } from './trace-lines.ts'
import { createTraceWriter, type TraceWriter } from './trace-writer.ts'

/** A trace that is under way. */
export interface TraceSlot {
  /** Ends it. It is stored soon. @param bodies the bodies to keep beside the head */
  finish(write: WriteHead, bodies?: readonly (Uint8Array | undefined)[]): void
  /** Ends it and forgets it. */
  drop(): void
}

/** Traces in memory and on disk: the newest ones, and those under way. */
export interface TraceLog {
  /** Begins a trace. @param write gives its head while it is under way */
  begin(write: WriteHead): TraceSlot
  /** Lists traces, the newest first. */
  list(page: TraceQuery): Promise<TracePage>
  find(id: string): Promise<ListedTrace | undefined>
  /** Forgets every finished trace. */
  clear(): Promise<void>
  /** Resolves when the disk has everything that was finished. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link createTraceLog}. */
export interface TraceLogOptions {
  readonly folder: string
  /** The traces to keep; read again at each use. */
  readonly maxItems: () => number
  /** The bytes to keep on disk. @default 256 MiB */
  readonly maxBytes?: number | undefined
  readonly segments?: SegmentLimits | undefined
  /** Called with the number of traces that could not be stored. */
  readonly onLost: (count: number) => void
  /** @default 250 */
  readonly gatherMs?: number | undefined
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

const MAX_BYTES = 256 * 1024 * 1024
const GATHER_MS = 250

/** Creates the log. The first use reads the stored traces; a request never waits for the disk. */
export function createTraceLog(options: TraceLogOptions): TraceLog {
  const { maxItems, maxBytes = MAX_BYTES, onLost, gatherMs = GATHER_MS, clock, logger } = options
  const files = new SegmentFiles(options.folder, { logger, limits: options.segments })
  const kept = createKeptTraces({ files, maxItems, maxBytes, onEmpty: (segment) => writer.removeSoon(segment) })
  const intake = createTraceIntake({ files, kept, writer: { add: (trace) => writer.add(trace) } })
  const writer: TraceWriter = createTraceWriter({
    files,
    ready: intake.load,
    onStored: kept.trim,
    onLost,
    gatherMs,
    clock,
    logger,
  })
  const running = new Map<number, WriteHead>()
  let begun = 0
  let isClosed = false

  return {
    begin(write) {
      const number = begun
      begun += 1
      running.set(number, write)
      void intake.load()
      return {
        finish(finished, bodies = []) {
          if (!running.delete(number) || isClosed) return
          intake.take({ number, write: finished, bodies })
        },
        drop: () => void running.delete(number),
      }
    },
    async list(query) {
      await intake.load()
      kept.trim()
      const first = intake.base
      const open = [...running].map(([number, write]) => ({ sequence: first + number, write }))
      return listPage(
        { kept: kept.all, open, toListed: (one) => ('write' in one ? toRunning(one) : toListed(one, files)) },
        query,
      )
    },
    async find(id) {
      if (!/^[1-9]\d{0,14}$/.test(id)) return undefined
      await intake.load()
      kept.trim()
      const sequence = Number(id)
      const write = running.get(sequence - intake.base)
      if (write !== undefined) return toRunning({ sequence, write })
      const entry = kept.all.find((one) => one.sequence === sequence)
      return entry && toListed(entry, files)
    },
    async clear() {
      await intake.load()
      kept.clear()
      writer.clear()
      await writer.flush()
      await files.clear()
    },
    async flush() {
      if (!intake.isLoading) return
      await intake.load()
      await writer.flush()
    },
    async close() {
      if (intake.isLoading) {
        await intake.load()
        await writer.flush()
      }
      isClosed = true
      writer.close()
      await files.close()
    },
  }
}

function toRunning({ sequence, write }: { readonly sequence: number; readonly write: WriteHead }): ListedTrace {
  return { head: write(String(sequence)), readBodies: () => Promise.resolve([]) }
}

function toListed(trace: KeptTrace, files: SegmentFiles): ListedTrace {
  return {
    head: trace.head,
    async readBodies() {
      if (trace.place === undefined) return trace.bodies.map((body) => body && Buffer.from(body).toString('base64'))
      const line = await files.read(trace.place)
      return (line && decodeTraceBodies(line)) ?? []
    },
  }
}
