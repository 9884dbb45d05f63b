/** The caller's span of a request, from its header `traceparent` (W3C Trace Context, level 1). */
export interface TraceParent {
  /** 32 lower-case hexadecimal digits, not all of them 0. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits, not all of them 0. */
  readonly spanId: string
  readonly isSampled: boolean
}

const MAX_LENGTH = 512
const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const FIRST_VERSION = '00'
const NO_VERSION = 'ff'
const SAMPLED = 1

/** Reads the header; undefined for an invalid one, as the standard says: the request then begins a trace of its own. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(header) ?? []
  if (version === undefined || version === NO_VERSION) return undefined
  if (version === FIRST_VERSION && rest !== undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** Writes the header. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `${FIRST_VERSION}-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
