import type { Clock, Logger } from '../../ports.ts'
import { createGatheredWrites } from './gathered-writes.ts'
import { type ListedTrace, listPage, type TracePage, type TraceQuery } from './list-page.ts'
import { type LinePlace, type Segment, SegmentFiles, type SegmentLimits } from './segment-files.ts'
import { decodeTraceBodies, encodeTraceLine } from './trace-lines.ts'

/** Gives the head of a trace as JSON. It has `id` as a field. */
export type WriteHead = (id: string) => string

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
  /** Told of traces that could not be stored. */
  readonly onLost: (count: number) => void
  /** @default 250 */
  readonly gatherMs?: number | undefined
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

const MAX_BYTES = 256 * 1024 * 1024
/** Bodies that wait for the disk together; above it they are lost and the heads are kept. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const BATCH_BYTES = 1024 * 1024
const GATHER_MS = 250

/** A finished trace. */
interface Kept {
  readonly sequence: number
  readonly head: string
  /** Bodies that are not on disk yet; empty once they are there, or lost. */
  bodies: readonly (Uint8Array | undefined)[]
  bytes: number
  place: LinePlace | undefined
  isForgotten: boolean
}

/** A trace that ended before the stored ones were read. */
interface Arrival {
  readonly number: number
  readonly write: WriteHead
  readonly bodies: readonly (Uint8Array | undefined)[]
}

/** Creates the log. The first use reads the stored traces; a request never waits for the disk. */
export function createTraceLog(options: TraceLogOptions): TraceLog {
  const { folder, maxItems, maxBytes = MAX_BYTES, onLost, gatherMs = GATHER_MS, clock, logger } = options
  const files = new SegmentFiles(folder, { logger, limits: options.segments })
  const running = new Map<number, WriteHead>()
  /** By sequence number, the oldest first. */
  const kept: Kept[] = []
  let waiting: Kept[] = []
  let waitingBytes = 0
  let removals: Segment[] = []
  let arrivals: Arrival[] = []
  let begun = 0
  /** Sequence number of the first trace of this process; undefined until the stored ones are read. */
  let base: number | undefined
  let loading: Promise<void> | undefined
  let isFailing = false
  let isClosed = false

  const writes = createGatheredWrites({
    write: writeWaiting,
    waits: () => !isClosed && (waiting.length > 0 || removals.length > 0),
    gatherMs,
    clock,
  })
  const load = (): Promise<void> => {
    loading ??= readStored()
    return loading
  }

  async function readStored(): Promise<void> {
    const stored: Kept[] = []
    let last = 0
    for (const { head, place } of await files.load()) {
      const sequence = readSequence(head)
      if (sequence === undefined) continue
      last = Math.max(last, sequence)
      stored.push({ sequence, head, place, bodies: [], bytes: 0, isForgotten: false })
    }
    stored.sort((one, other) => one.sequence - other.sequence)
    kept.push(...stored)
    base = last + 1
    const early = arrivals
    arrivals = []
    for (const { number, write, bodies } of early) keep(base + number, write, bodies)
    trim()
  }

  function keep(sequence: number, write: WriteHead, bodies: readonly (Uint8Array | undefined)[]): void {
    const size = bodies.reduce((sum, body) => sum + (body?.length ?? 0), 0)
    const fits = waitingBytes + size <= MAX_WAITING_BYTES
    if (!fits) onLost(1)
    const bytes = fits ? size : 0
    const entry: Kept = {
      sequence,
      head: write(String(sequence)),
      bodies: fits ? bodies : [],
      bytes,
      place: undefined,
      isForgotten: false,
    }
    let at = kept.length
    while (at > 0 && (kept[at - 1]?.sequence ?? 0) > sequence) at -= 1
    kept.splice(at, 0, entry)
    waiting.push(entry)
    waitingBytes += bytes
    trim()
    writes.wake()
  }

  /** Drops what is above the limits, the oldest first. */
  function trim(): void {
    const surplus = kept.length - maxItems()
    if (surplus > 0) for (const entry of kept.splice(0, surplus)) forget(entry)
    while (files.bytes > maxBytes) {
      const { oldest } = files
      if (oldest === undefined) return
      const [gone, rest] = [[] as Kept[], [] as Kept[]]
      for (const entry of kept) (entry.place?.segment === oldest ? gone : rest).push(entry)
      kept.splice(0, kept.length, ...rest)
      for (const entry of gone) entry.isForgotten = true
      oldest.bytes = 0
      oldest.live = 0
      removals.push(oldest)
    }
  }

  function forget(entry: Kept): void {
    entry.isForgotten = true
    if (entry.place === undefined || !files.release(entry.place)) return
    removals.push(entry.place.segment)
    writes.wake()
  }

  async function writeWaiting(): Promise<void> {
    await load()
    const gone = removals
    removals = []
    for (const segment of gone) await files.remove(segment)
    const batch: Kept[] = []
    for (let bytes = 0; bytes < BATCH_BYTES; ) {
      const entry = waiting.shift()
      if (entry === undefined) break
      waitingBytes -= entry.bytes
      if (entry.isForgotten) continue
      batch.push(entry)
      bytes += entry.bytes + entry.head.length
    }
    if (batch.length > 0) await store(batch)
  }

  async function store(batch: readonly Kept[]): Promise<void> {
    try {
      const places = await files.append(batch.map((entry) => Buffer.from(encodeTraceLine(entry))))
      batch.forEach((entry, index) => {
        entry.place = places[index]
      })
      for (const { place, isForgotten } of batch) if (isForgotten && place !== undefined) files.release(place)
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'traces cannot be written to disk')
      isFailing = true
      onLost(batch.length)
    }
    for (const entry of batch) {
      entry.bodies = []
      entry.bytes = 0
    }
    trim()
  }

  function toListed(entry: Kept): ListedTrace {
    return {
      head: entry.head,
      async readBodies() {
        if (entry.place === undefined) return entry.bodies.map((body) => body && Buffer.from(body).toString('base64'))
        const line = await files.read(entry.place)
        return (line && decodeTraceBodies(line)) ?? []
      },
    }
  }

  const toRunning = ({ sequence, write }: { sequence: number; write: WriteHead }): ListedTrace => ({
    head: write(String(sequence)),
    readBodies: () => Promise.resolve([]),
  })

  return {
    begin(write) {
      const number = begun
      begun += 1
      running.set(number, write)
      void load()
      return {
        finish(finished, bodies = []) {
          if (!running.delete(number) || isClosed) return
          if (base === undefined) arrivals.push({ number, write: finished, bodies })
          else keep(base + number, finished, bodies)
        },
        drop: () => void running.delete(number),
      }
    },
    async list(query) {
      await load()
      trim()
      const first = base ?? 0
      const open = [...running].map(([number, write]) => ({ sequence: first + number, write }))
      return listPage({ kept, open, toListed: (one) => ('write' in one ? toRunning(one) : toListed(one)) }, query)
    },
    async find(id) {
      if (!/^[1-9]\d{0,14}$/.test(id)) return undefined
      await load()
      trim()
      const sequence = Number(id)
      const write = running.get(sequence - (base ?? 0))
      if (write !== undefined) return toRunning({ sequence, write })
      const entry = kept.find((one) => one.sequence === sequence)
      return entry && toListed(entry)
    },
    async clear() {
      await load()
      for (const entry of kept.splice(0)) entry.isForgotten = true
      waiting = []
      waitingBytes = 0
      removals = []
      await writes.flush()
      await files.clear()
    },
    async flush() {
      if (loading === undefined) return
      await load()
      await writes.flush()
    },
    async close() {
      if (loading !== undefined) {
        await load()
        await writes.flush()
      }
      isClosed = true
      await files.close()
    },
  }
}

function readSequence(head: string): number | undefined {
  try {
    const { id } = JSON.parse(head) as { readonly id?: unknown }
    const sequence = typeof id === 'string' ? Number(id) : Number.NaN
    return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : undefined
  } catch {
    return undefined
  }
}
