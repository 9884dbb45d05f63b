import type { KeptTrace, KeptTraces } from './kept-traces.ts'
import type { SegmentFiles } from './segment-files.ts'
import type { TraceWriter } from './trace-writer.ts'

/** Gives the head of a trace as JSON. It has `id` as a field. */
export type WriteHead = (id: string) => string

/** A trace that has ended, by its number in this process. */
export interface EndedTrace {
  readonly number: number
  readonly write: WriteHead
  readonly bodies: readonly (Uint8Array | undefined)[]
}

/** Gives ended traces their sequence numbers, which follow those on disk. */
export interface TraceIntake {
  /** Whether the stored traces were asked for. */
  readonly isLoading: boolean
  /** The sequence number of the first trace of this process; 0 until the stored ones are read. */
  readonly base: number
  /** Reads the stored traces with the first call. */
  load(): Promise<void>
  /** Keeps a trace. Before the stored ones are read it waits for them. */
  take(trace: EndedTrace): void
}

/** Creates the intake of a log. */
export function createTraceIntake({
  files,
  kept,
  writer,
}: {
  readonly files: SegmentFiles
  readonly kept: KeptTraces
  readonly writer: Pick<TraceWriter, 'add'>
}): TraceIntake {
  let arrivals: EndedTrace[] = []
  let base: number | undefined
  let loading: Promise<void> | undefined

  async function readStored(): Promise<void> {
    const stored: KeptTrace[] = []
    for (const { head, place } of await files.load()) {
      const sequence = readSequence(head)
      if (sequence !== undefined) stored.push({ sequence, head, place, bodies: [], bytes: 0, isForgotten: false })
    }
    kept.insertStored(stored)
    base = stored.reduce((last, { sequence }) => Math.max(last, sequence), 0) + 1
    const early = arrivals
    arrivals = []
    for (const trace of early) keep(trace, base)
    kept.trim()
  }

  function keep({ number, write, bodies }: EndedTrace, first: number): void {
    const sequence = first + number
    const bytes = bodies.reduce((sum, body) => sum + (body?.length ?? 0), 0)
    const head = write(String(sequence))
    const trace: KeptTrace = { sequence, head, bodies, bytes, place: undefined, isForgotten: false }
    kept.insert(trace)
    writer.add(trace)
    kept.trim()
  }

  return {
    get isLoading() {
      return loading !== undefined
    },
    get base() {
      return base ?? 0
    },
    load() {
      loading ??= readStored()
      return loading
    },
    take(trace) {
      if (base === undefined) arrivals.push(trace)
      else keep(trace, base)
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
