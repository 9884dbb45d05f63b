import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { ApiError, isRecord } from '../../lib/api-error.ts'
import { installedModelsQuery, type middlewareQuery } from '../../lib/server-state.ts'
import { type Entity, type Finding, locateFindings } from './findings.ts'

export type Policies = Awaited<ReturnType<NonNullable<typeof middlewareQuery.queryFn>>>['pii']

/** Models that the viewer may name: those with texts, and those that can be detectors. */
export const filterModelsQuery = queryOptions({
  ...installedModelsQuery,
  select(models) {
    const isDetector = ({ backend, capabilities }: (typeof models)[number]) =>
      backend === 'pattern' || capabilities.includes('FLAG_TOKEN_CLASSIFY')
    return {
      models: models.filter((model) => model.capabilities.length > 0 && !isDetector(model)).map(({ id }) => id),
      detectors: models.filter(isDetector).map(({ id }) => id),
    }
  },
})

/** A text to try. */
export interface Trial {
  readonly text: string
  readonly model: string | undefined
  readonly detectors: readonly string[] | undefined
  readonly reveal: boolean
  readonly signal: AbortSignal
}

/** What the filter makes of a text. */
export interface Outcome {
  /** The text that was sent. */
  readonly text: string
  readonly findings: readonly Finding[]
  /** Undefined for a text that is refused. */
  readonly redacted: string | undefined
  readonly correlationId: string | undefined
  /** From sending to the whole reply, in milliseconds. */
  readonly tookMs: number
}

/** Runs the filter on a text. A refusal is an outcome. @throws ApiError */
export async function runFilter({ text, model, detectors, reveal, signal }: Trial): Promise<Outcome> {
  const began = performance.now()
  const body = {
    text,
    ...(model === undefined ? {} : { model }),
    ...(detectors === undefined ? {} : { detectors: [...detectors] }),
    ...(reveal ? { reveal } : {}),
  }
  const finish = (entities: readonly Entity[], rest: Pick<Outcome, 'redacted' | 'correlationId'>): Outcome => ({
    ...{ text, findings: locateFindings(text, entities), ...rest },
    tookMs: performance.now() - began,
  })
  try {
    const reply = await unwrap(api.POST('/api/pii/redact', { body, signal }))
    return finish(reply.entities, { redacted: reply.redacted_text, correlationId: reply.correlation_id })
  } catch (error) {
    const refusal = error instanceof ApiError ? readRefusal(error) : undefined
    if (refusal === undefined) throw error
    return finish(refusal.entities, { redacted: undefined, correlationId: refusal.correlationId })
  }
}

/** Reads the findings of a refused text; undefined for any other failure. */
function readRefusal({ status, body }: Pick<ApiError, 'status' | 'body'>) {
  if (status !== 400 || !isRecord(body) || !isRecord(body.error)) return undefined
  if (body.error.type !== 'pii_blocked' && body.error.code !== 'pii_blocked') return undefined
  const { correlation_id: correlationId, entities } = body
  return {
    entities: Array.isArray(entities) ? entities.filter(isEntity) : [],
    correlationId: typeof correlationId === 'string' ? correlationId : undefined,
  }
}

function isEntity(value: unknown): value is Entity {
  return (
    isRecord(value) &&
    typeof value.entity_type === 'string' &&
    (value.source === 'ner' || value.source === 'pattern') &&
    [value.start, value.end, value.score].every((number) => typeof number === 'number') &&
    (value.action === 'mask' || value.action === 'block' || value.action === 'allow')
  )
}
