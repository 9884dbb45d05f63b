import { setImmediate } from 'node:timers/promises'

/** A listed trace. */
export interface ListedTrace {
  readonly head: string
  /** Reads the bodies in base64, in their order; empty when there are none. */
  readBodies(): Promise<readonly (string | undefined)[]>
}

/** A part of the list as it is asked for. */
export interface TraceQuery {
  readonly offset: number
  /** 0 = all. */
  readonly limit: number
  /** Leaves out the traces whose heads do not match. @default all match */
  readonly matches?: ((head: string) => boolean) | undefined
}

/** A part of the list. */
export interface TracePage {
  readonly traces: readonly ListedTrace[]
  /** Number of all traces that match, those under way included. */
  readonly total: number
}

/** A trace with its place in the order of requests. */
interface Sequenced {
  readonly sequence: number
}

/** Finished traces and those under way, each with the oldest first. */
export interface TraceSources<Kept extends Sequenced, Open extends Sequenced> {
  readonly kept: readonly Kept[]
  readonly open: readonly Open[]
  readonly toListed: (trace: Kept | Open) => ListedTrace
}

/** Heads that are matched before other work runs. */
const MATCHED_AT_ONCE = 256

/** Lists a part of the traces, the newest first. */
export async function listPage<Kept extends Sequenced, Open extends Sequenced>(
  { kept, open, toListed }: TraceSources<Kept, Open>,
  { offset, limit, matches }: TraceQuery,
): Promise<TracePage> {
  const end = limit === 0 ? Number.POSITIVE_INFINITY : offset + limit
  const traces: ListedTrace[] = []
  let index = 0
  if (matches === undefined) {
    for (const trace of readNewestFirst(kept, open)) {
      if (index >= end) break
      if (index >= offset) traces.push(toListed(trace))
      index += 1
    }
    return { traces, total: kept.length + open.length }
  }
  let total = 0
  // The lists change while other work runs.
  for (const trace of readNewestFirst([...kept], open)) {
    const listed = toListed(trace)
    if (matches(listed.head)) {
      if (total >= offset && total < end) traces.push(listed)
      total += 1
    }
    index += 1
    if (index % MATCHED_AT_ONCE === 0) await setImmediate()
  }
  return { traces, total }
}

/** Merges two lists, each with the oldest first. Traces that nobody reads are not merged. */
function* readNewestFirst<Kept extends Sequenced, Open extends Sequenced>(
  kept: readonly Kept[],
  open: readonly Open[],
): Generator<Kept | Open, void, undefined> {
  let left = kept.length - 1
  let right = open.length - 1
  while (left >= 0 || right >= 0) {
    const one = kept[left]
    const other = open[right]
    if (other !== undefined && (one === undefined || other.sequence > one.sequence)) {
      yield other
      right -= 1
    } else if (one !== undefined) {
      yield one
      left -= 1
    }
  }
}
