import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { PiiEntity, PiiEvent, PiiTextRequest } from '@svc/wire/native'
import type { AuditOrigin, AuditReader, RecordedEvent } from '../../../audit/audit-event.ts'
import { AUDIT_ORIGINS, CHANGE_KINDS, DECISION_KINDS } from '../../../audit/audit-row.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { readCount } from '../../../http/read-count.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { HashedEntity, TextScan, TextScanner } from '../../../pii/scan-text.ts'
import { DEFAULT_LIMIT } from './default-limit.ts'

const wire = () => import('@svc/wire/native')

/** Options of {@link piiRoutes}. */
export interface PiiRouteParts {
  /** The scanner; the first call loads it. */
  readonly scanner: () => Promise<TextScanner>
  readonly events: Pick<AuditReader, 'list'>
  readonly bodies: BodyReader
}

const MAX_KINDS = 20
/** The audit log keeps 10,000 events of a kind. */
const MAX_LIMIT = 10_000
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** `POST /api/pii/analyze`, `POST /api/pii/redact` and `GET /api/pii/events` (§4.8). */
export function piiRoutes(parts: PiiRouteParts): Route[] {
  const { scanner, events, bodies } = parts
  const shared = {
    method: 'POST',
    access: 'any',
    feature: 'pii_filter',
    family: 'compatible',
    tag: 'pii',
    body: async () => (await wire()).piiTextRequest,
  } as const
  return [
    defineRoute({
      ...shared,
      path: '/api/pii/analyze',
      summary: 'The findings of detectors in a text',
      responses: {
        200: { description: 'The findings; never the text itself.', schema: async () => (await wire()).piiAnalysis },
      },
      async handler(call) {
        const { scan, entities } = await scanBody(call, 'pii_analyze', { scanner, bodies })
        return json({ entities, blocked: scan.blocked, correlation_id: scan.correlationId })
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/pii/redact',
      summary: 'A text with the findings of detectors masked',
      responses: {
        200: { description: 'The masked text.', schema: async () => (await wire()).piiRedaction },
        400: {
          description: 'The text is blocked, or names no detector.',
          schema: async () => (await wire()).piiRefusal,
        },
      },
      async handler(call) {
        const { scan, entities } = await scanBody(call, 'pii_redact', { scanner, bodies })
        if (scan.blocked) {
          const { blockedText } = await import('../../../pii/scan-text.ts')
          throw blockedText(scan.correlationId, entities)
        }
        const { redactedText, masked, correlationId } = scan
        return json({
          redacted_text: redactedText,
          entities,
          blocked: false,
          masked,
          correlation_id: correlationId,
        })
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/pii/events',
      access: 'admin',
      family: 'compatible',
      tag: 'pii',
      summary: 'The audit log: findings of the filter, refusals, and changes of the server and of accounts',
      quiet: true,
      query: async () => (await import('./schemas.ts')).eventQuery,
      responses: { 200: { description: 'The newest first.', schema: async () => (await wire()).piiEventList } },
      async handler(call) {
        const origin = toOrigin(call.query('origin'))
        const [change, target] = [call.query('change') || undefined, call.query('target') || undefined]
        const asksChanges = origin === 'api' || origin === 'command' || change !== undefined || target !== undefined
        const found = await events.list({
          correlationId: call.query('correlation_id'),
          userId: call.query('user_id'),
          patternId: call.query('pattern_id'),
          kinds: readKinds(call.query('kind')) ?? (asksChanges ? CHANGE_KINDS : DECISION_KINDS),
          origin,
          change,
          target,
          since: readTime('since', call.query('since')),
          until: readTime('until', call.query('until')),
          limit: readCount(call.query('limit'), { usual: DEFAULT_LIMIT, most: MAX_LIMIT }),
        })
        return json({ events: found.map(toWireEvent) })
      },
    }),
  ]
}

/** Reads the body of a call and scans its text. */
async function scanBody(
  call: Call,
  origin: 'pii_analyze' | 'pii_redact',
  { scanner, bodies }: Pick<PiiRouteParts, 'scanner' | 'bodies'>,
): Promise<{ scan: TextScan; entities: PiiEntity[] }> {
  const held = await bodies.read(call)
  try {
    const body = await readRequest(held.bytes, call.signal)
    const scan = await (await scanner()).scan({
      text: body.text,
      detectors: body.detectors ?? undefined,
      model: body.model ?? undefined,
      offsetEncoding: body.offset_encoding ?? 'utf8',
      origin,
      principal: call.principal,
      signal: call.signal,
    })
    const reveals = body.reveal === true && call.principal.role === 'admin'
    return { scan, entities: scan.entities.map((entity) => toWireEntity(entity, reveals)) }
  } finally {
    held.release()
  }
}

async function readRequest(bytes: Uint8Array, signal: AbortSignal): Promise<PiiTextRequest> {
  try {
    const [{ readBody }, { piiTextRequest }] = await Promise.all([
      import('../../../inference/documents/read-body.ts'),
      wire(),
    ])
    return await readBody(piiTextRequest, await parseJsonCooperatively(bytes, {}, { signal }), signal)
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
    throw new SvcError('invalid_request', `invalid request body: ${error.message}`, {
      code: 'invalid_body',
      details: { type: 'invalid_request', param: error.details?.param },
    })
  }
}

function toWireEntity(entity: HashedEntity, reveals: boolean): PiiEntity {
  const { entityType, source, start, end, score, action } = entity
  return {
    entity_type: entityType,
    source,
    start,
    end,
    score,
    action,
    ...(entity.checked === false ? { checked: false } : {}),
    ...(reveals ? { hash_prefix: entity.hashPrefix } : {}),
  }
}

/** Reads the kinds of the query, separated by commas; undefined without one. Nothing is of an unknown kind. */
function readKinds(asked: string | undefined): readonly string[] | undefined {
  const kinds = asked?.split(',', MAX_KINDS).filter((kind) => kind !== '')
  return kinds === undefined || kinds.length === 0 ? undefined : kinds
}

/** Reads the origin of the query. @throws {SvcError} `invalid_request` for an unknown origin */
function toOrigin(asked: string | undefined): AuditOrigin | undefined {
  if (asked === undefined || asked === '') return undefined
  const known = AUDIT_ORIGINS.find((origin) => origin === asked)
  if (known !== undefined) return known
  throw new SvcError(
    'invalid_request',
    `unknown origin: ${JSON.stringify(asked)}; known: ${AUDIT_ORIGINS.join(', ')}`,
    {
      code: 'unknown_origin',
      details: { type: 'invalid_request', param: 'origin' },
    },
  )
}

/** Reads a time of the query, milliseconds since the epoch. @throws {SvcError} `invalid_request` for another text */
function readTime(param: string, asked: string | undefined): number | undefined {
  if (asked === undefined || asked === '') return undefined
  const time = RFC_3339.test(asked) ? Date.parse(asked) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new SvcError('invalid_request', `${param} must be a time such as 2026-11-28T10:00:00Z`, {
    code: 'invalid_time',
    details: { type: 'invalid_request', param },
  })
}

function toWireEvent(event: RecordedEvent): PiiEvent {
  const { id, kind, origin, correlationId, userId, patternId, facts, createdAt } = event
  return {
    id,
    kind,
    ...(origin ? { origin } : {}),
    ...(correlationId ? { correlation_id: correlationId } : {}),
    ...(userId ? { user_id: userId } : {}),
    ...(patternId ? { [CHANGE_KINDS.includes(kind) ? 'change' : 'pattern_id']: patternId } : {}),
    ...facts,
    created_at: new Date(createdAt).toISOString(),
  }
}
