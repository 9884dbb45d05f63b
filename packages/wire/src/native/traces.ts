import * as z from 'zod'
import { REQUEST_MARKS, REQUEST_STAGES, type RequestPhase } from '../stages/index.ts'

const count = z.int().min(0)

/** One side of a traced request. */
const tracedBody = {
  /** Base64; null if it was not asked for or not kept. */
  body: z.string().nullable(),
  /** True if the body was longer than the limit of kept bodies. */
  body_truncated: z.literal(true).exactOptional(),
  /** Size of a body that was cut. */
  body_bytes: count.exactOptional(),
}

const milliseconds = z.number().exactOptional()

/** Gives each phase of a request its schema with its sentence. */
function describePhases(): { readonly [Phase in RequestPhase]: typeof milliseconds } {
  const stages = Object.entries(REQUEST_STAGES).map(
    ([name, { about }]) => [name, `the stage ${name}: ${about}`] as const,
  )
  const sentences = [...stages, ...Object.entries(REQUEST_MARKS)]
  // The names come from the two tables.
  return Object.fromEntries(
    sentences.map(([name, about]) => [name, milliseconds.describe(`Milliseconds: ${about}.`)]),
  ) as ReturnType<typeof describePhases>
}

/** A traced inference request: an entry of `GET /api/traces`, and the reply of `GET /api/traces/:id`. */
export const trace = z.looseObject({
  /** A decimal number; later requests have larger ones. */
  id: z.string(),
  /** Arrival of the request. */
  timestamp: z.iso.datetime(),
  /** Nanoseconds; of a running request so far. */
  duration: count,
  correlation_id: z.string(),
  request: z.looseObject({
    method: z.string(),
    /** Route pattern. */
    path: z.string(),
    ...tracedBody,
  }),
  response: z.looseObject({
    /** 0 while the request runs; 499 when the client left. */
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    ...tracedBody,
  }),
  /** The request failed: its status is 500 or above, or the reply had begun and ended with an error. */
  failed: z.literal(true).exactOptional(),
  error: z.string().exactOptional(),
  error_code: z.string().exactOptional(),
  user_id: z.string(),
  user_name: z.string(),
  /** The name that the client asked for. */
  model: z.string().exactOptional(),
  served_model: z.string().exactOptional(),
  prompt_tokens: count.exactOptional(),
  completion_tokens: count.exactOptional(),
  /** Length of sound and film, in seconds with fractions; absent without any. */
  media_seconds: z.number().min(0).exactOptional(),
  /** Characters of text that became sound; absent without any. */
  spoken_characters: count.exactOptional(),
  /** Images that were made; absent without any. */
  images: count.exactOptional(),
  /** Milliseconds by {@link RequestPhase}. */
  phases: z.object(describePhases()).catchall(z.number()),
})

/** Reply of `GET /api/traces`. */
export const traceList = z.array(trace)

/** Reply of `GET /api/traces/summary`. */
export const traceSummary = z.looseObject({
  total: count,
  /** Replies of 500 and above, transport errors, and streams that ended with an error. */
  errors: count,
  /** Nearest rank. */
  p95_ms: count,
  window_hours: z.int().min(1).max(168),
  /** Twelve, the oldest first. */
  buckets: z.array(z.looseObject({ start: z.iso.datetime(), count, errors: count })),
})

/** A traced call to a backend or an upstream: an entry of `GET /api/backend-traces`. */
export const backendTrace = z.looseObject({
  id: z.string(),
  timestamp: z.iso.datetime(),
  /** Nanoseconds; of a running call so far. */
  duration: count,
  status: z.enum(['running', 'completed', 'failed']),
  /** Kind of the call, such as `llm` or `model_load`. */
  type: z.string(),
  model_name: z.string(),
  backend: z.string(),
  /** One line without text of the request. */
  summary: z.string(),
  error: z.string().exactOptional(),
  /** The request that the call was part of. */
  correlation_id: z.string().exactOptional(),
  /** Figures of the call. */
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
})

/** Reply of `GET /api/backend-traces`. */
export const backendTraceList = z.array(backendTrace)

/** Counts of requests over time. */
export type TraceSummary = z.infer<typeof traceSummary>
