import { randomFillSync } from 'node:crypto'
import { formatTraceparent, type TraceParent } from './traceparent.ts'

/** A span under way: its ids, and those of its parent. */
export class SpanScope implements TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  readonly parent: TraceParent | undefined
  /** Whether the parent is a span of another program. */
  readonly isParentRemote: boolean

  constructor(
    traceId: string,
    { isSampled, parent, isParentRemote }: Pick<SpanScope, 'isSampled' | 'parent' | 'isParentRemote'>,
  ) {
    this.traceId = traceId
    this.spanId = newId(SPAN_BYTES)
    this.isSampled = isSampled
    this.parent = parent
    this.isParentRemote = isParentRemote
  }

  /** The header that makes a callee's spans children of this one. */
  get traceparent(): string {
    return formatTraceparent(this)
  }

  /** Begins a span inside of this one. */
  child(): SpanScope {
    return new SpanScope(this.traceId, { isSampled: this.isSampled, parent: this, isParentRemote: false })
  }
}

const SPAN_BYTES = 8
const TRACE_BYTES = 16
const pool = Buffer.alloc(4096)
let used = pool.length

/** Random bytes as hexadecimal digits, never all 0. A call of the generator for each id would cost more than the rest of a span. */
function newId(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const id = pool.toString('hex', used, used + bytes)
  used += bytes
  return /^0+$/.test(id) ? newId(bytes) : id
}

/** Gives the id of a new trace. */
export const newTraceId = (): string => newId(TRACE_BYTES)
