import type { LinePlace, Segment, SegmentFiles } from './segment-files.ts'

/** A finished trace. */
export interface KeptTrace {
  readonly sequence: number
  readonly head: string
  /** Bodies that are not on disk yet; empty once they are there, or lost. */
  bodies: readonly (Uint8Array | undefined)[]
  bytes: number
  place: LinePlace | undefined
  isForgotten: boolean
}

/** The finished traces by sequence number, the oldest first. */
export interface KeptTraces {
  readonly all: readonly KeptTrace[]
  /** Puts a trace in its place. */
  insert(trace: KeptTrace): void
  /** Puts the stored traces before the present ones. */
  insertStored(traces: readonly KeptTrace[]): void
  /** Drops the traces above the limits, the oldest first. */
  trim(): void
  /** Forgets all. */
  clear(): void
}

/** Parts of {@link createKeptTraces}. */
export interface KeptTracesOptions {
  readonly files: SegmentFiles
  /** The traces to keep; read again at each use. */
  readonly maxItems: () => number
  /** The bytes to keep on disk. */
  readonly maxBytes: number
  /** Called with every segment that no longer holds traces. */
  readonly onEmpty: (segment: Segment) => void
}

/** Creates an index without traces. */
export function createKeptTraces({ files, maxItems, maxBytes, onEmpty }: KeptTracesOptions): KeptTraces {
  const kept: KeptTrace[] = []

  function forget(trace: KeptTrace): void {
    trace.isForgotten = true
    if (trace.place !== undefined && files.release(trace.place)) onEmpty(trace.place.segment)
  }

  /** Forgets all traces of the oldest segment. */
  function dropSegment(oldest: Segment): void {
    const [gone, rest] = [[] as KeptTrace[], [] as KeptTrace[]]
    for (const trace of kept) (trace.place?.segment === oldest ? gone : rest).push(trace)
    kept.splice(0, kept.length, ...rest)
    for (const trace of gone) trace.isForgotten = true
    oldest.bytes = 0
    oldest.live = 0
    onEmpty(oldest)
  }

  return {
    all: kept,
    insert(trace) {
      let at = kept.length
      while (at > 0 && (kept[at - 1]?.sequence ?? 0) > trace.sequence) at -= 1
      kept.splice(at, 0, trace)
    },
    insertStored(traces) {
      kept.push(...traces.toSorted((one, other) => one.sequence - other.sequence))
    },
    trim() {
      const surplus = kept.length - maxItems()
      if (surplus > 0) for (const trace of kept.splice(0, surplus)) forget(trace)
      while (files.bytes > maxBytes) {
        const { oldest } = files
        if (oldest === undefined) return
        dropSegment(oldest)
      }
    },
    clear() {
      for (const trace of kept.splice(0)) trace.isForgotten = true
    },
  }
}
