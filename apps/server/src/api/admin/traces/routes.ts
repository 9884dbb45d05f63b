import { SvcError } from '@svc/errors'
import type { TraceSummary } from '@svc/wire/native'
import type { Call } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Traces } from '../../../monitoring/traces/create-traces.ts'
import { type RequestSummary, readHours } from '../../../monitoring/traces/summarize.ts'
import { createTraceMatcher, type TraceFilter } from '../../../monitoring/traces/trace-filter.ts'
import type { TraceLog } from '../../../monitoring/traces/trace-log.ts'
import { readCallFilter, readRequestFilter } from './read-filter.ts'
import { readPage } from './read-page.ts'
import { writeTrace, writeTraces } from './write-traces.ts'

const wire = () => import('@svc/wire/native')
const schemas = () => import('./schemas.ts')

const get = { method: 'GET', access: 'admin', family: 'compatible', tag: 'traces', quiet: true } as const
const clear = {
  method: 'POST',
  access: 'admin',
  family: 'compatible',
  tag: 'traces',
  audit: { change: 'trace.clear' },
} as const
const cleared = { 204: { description: 'Cleared.' } } as const

/** `/api/traces` and `/api/backend-traces` (§4.7). */
export function traceRoutes(traces: Omit<Traces, 'close' | 'flush'>): Route[] {
  const { requestLog, backendLog } = traces
  return [
    defineRoute({
      ...get,
      path: '/api/traces/summary',
      summary: 'Requests, failures and durations of the last hours',
      query: async () => (await schemas()).summaryQuery,
      responses: {
        200: {
          description: 'Every traced request of the window; with filters the listed ones that match.',
          schema: async () => (await wire()).traceSummary,
        },
      },
      async handler(call) {
        const hours = readHours(call.query('hours'))
        const matches = createTraceMatcher(readRequestFilter((name) => call.query(name)))
        return json(toWireSummary(await traces.summarize(hours, matches), hours))
      },
    }),
    defineRoute({
      ...get,
      path: '/api/traces',
      summary: 'Traces of inference requests',
      query: async () => (await schemas()).requestListQuery,
      responses: {
        200: {
          description:
            'The newest first, running requests included; the number of all that match is in `X-Total-Count`.',
          schema: async () => (await wire()).traceList,
        },
      },
      handler: (call) => replyWithList(call, requestLog, readRequestFilter),
    }),
    defineRoute({
      ...get,
      path: '/api/traces/:id',
      summary: 'One trace of an inference request, with its bodies',
      responses: { 200: { description: 'The trace.', schema: async () => (await wire()).trace } },
      handler: (call) => replyWithOne(call, requestLog),
    }),
    defineRoute({
      ...clear,
      path: '/api/traces/clear',
      summary: 'Forget the traces of inference requests and their summary',
      responses: cleared,
      async handler() {
        await traces.clearRequests()
        return new HttpReply(null, { status: 204 })
      },
    }),
    defineRoute({
      ...get,
      path: '/api/backend-traces',
      summary: 'Traces of calls to backends and upstreams',
      query: async () => (await schemas()).callListQuery,
      responses: {
        200: {
          description: 'The newest first, running calls included; the number of all that match is in `X-Total-Count`.',
          schema: async () => (await wire()).backendTraceList,
        },
      },
      handler: (call) => replyWithList(call, backendLog, readCallFilter),
    }),
    defineRoute({
      ...get,
      path: '/api/backend-traces/:id',
      summary: 'One trace of a call to a backend',
      responses: { 200: { description: 'The trace.', schema: async () => (await wire()).backendTrace } },
      handler: (call) => replyWithOne(call, backendLog),
    }),
    defineRoute({
      ...clear,
      path: '/api/backend-traces/clear',
      summary: 'Forget the traces of calls to backends',
      responses: cleared,
      async handler() {
        await backendLog.clear()
        return new HttpReply(null, { status: 204 })
      },
    }),
  ]
}

async function replyWithList(
  call: Call,
  log: Pick<TraceLog, 'list'>,
  readFilter: (query: (name: string) => string | undefined) => TraceFilter,
): Promise<HttpReply> {
  const query = (name: string): string | undefined => call.query(name)
  const { offset, limit, isFull } = readPage(query)
  const { traces, total } = await log.list({ offset, limit, matches: createTraceMatcher(readFilter(query)) })
  return new HttpReply(await writeTraces(traces, isFull), {
    headers: {
      'content-type': 'application/json',
      'x-total-count': String(total),
      'x-trace-offset': String(offset),
      'x-trace-limit': String(limit),
    },
  })
}

async function replyWithOne(call: Call, log: Pick<TraceLog, 'find'>): Promise<HttpReply> {
  const trace = await log.find(call.param('id'))
  if (trace === undefined) throw new SvcError('not_found', 'trace not found', { details: { type: '' } })
  return new HttpReply(await writeTrace(trace), { headers: { 'content-type': 'application/json' } })
}

function toWireSummary({ total, errors, p95Ms, buckets }: RequestSummary, hours: number): TraceSummary {
  return {
    total,
    errors,
    p95_ms: p95Ms,
    window_hours: hours,
    buckets: buckets.map(({ start, count, errors: failed }) => ({
      start: new Date(start).toISOString(),
      count,
      errors: failed,
    })),
  }
}
