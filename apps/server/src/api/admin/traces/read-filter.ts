import { SvcError } from '@svc/errors'
import type { StatusRange, TraceFilter } from '../../../monitoring/traces/trace-filter.ts'

/** Reads a parameter of a query. */
type ReadQuery = (name: string) => string | undefined

const MAX_TEXT_LENGTH = 256
const RUNNING: StatusRange = { from: 0, to: 0 }
const STATES = ['running', 'completed', 'failed']
/** RFC 3339. A plus sign that was not escaped arrives as a blank. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+ -]\d{2}:\d{2})$/i

/** Reads the filter of the list of requests. @throws {SvcError} `invalid_request` naming the parameter */
export function readRequestFilter(query: ReadQuery): TraceFilter {
  return {
    ...readSharedFilter(query),
    ...readStatuses(query),
    user: readText('user', query),
  }
}

/** Reads the filter of the list of calls to backends. @throws {SvcError} `invalid_request` naming the parameter */
export function readCallFilter(query: ReadQuery): TraceFilter {
  const state = readText('status', query)
  if (state !== undefined && !STATES.includes(state)) throw refuse('status', `must be one of ${STATES.join(', ')}`)
  return { ...readSharedFilter(query), state, type: readText('type', query) }
}

function readSharedFilter(query: ReadQuery): TraceFilter {
  return {
    model: readText('model', query),
    correlationId: readText('correlation_id', query),
    minDurationMs: readDuration('min_duration_ms', query),
    since: readTime('since', query),
    until: readTime('until', query),
    text: readText('q', query),
  }
}

function readText(name: string, query: ReadQuery): string | undefined {
  const text = query(name)
  if (text === undefined || text === '') return undefined
  if (text.length > MAX_TEXT_LENGTH) throw refuse(name, `must have at most ${MAX_TEXT_LENGTH} characters`)
  return text
}

function readStatuses(query: ReadQuery): Pick<TraceFilter, 'statuses' | 'isFailed'> {
  const asked = readText('status', query)?.split(',')
  if (asked === undefined) return {}
  return { statuses: asked.filter((text) => text !== 'failed').map(readStatus), isFailed: asked.includes('failed') }
}

function readStatus(text: string): StatusRange {
  if (text === 'running') return RUNNING
  const [, family] = /^([1-5])xx$/i.exec(text) ?? []
  if (family !== undefined) return { from: Number(family) * 100, to: Number(family) * 100 + 99 }
  if (/^[1-5]\d\d$/.test(text)) return { from: Number(text), to: Number(text) }
  throw refuse('status', 'must be a list of classes such as 5xx, of codes such as 404, failed or running')
}

function readDuration(name: string, query: ReadQuery): number | undefined {
  const text = readText(name, query)
  if (text === undefined) return undefined
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  throw refuse(name, 'must be a number of milliseconds, 0 or above')
}

function readTime(name: string, query: ReadQuery): number | undefined {
  const text = readText(name, query)
  if (text === undefined) return undefined
  const time = TIME.test(text) ? Date.parse(text.replace(' ', '+')) : Number.NaN
  if (Number.isNaN(time)) throw refuse(name, 'must be a time such as 2026-01-31T09:30:00Z')
  return time
}

const refuse = (name: string, reason: string): SvcError =>
  new SvcError('invalid_request', `${name} ${reason}`, { details: { param: name } })
