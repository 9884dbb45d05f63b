import { queryOptions } from '@tanstack/react-query'
import { api } from '../../lib/api-client.ts'
import { readFailure } from '../../lib/api-error.ts'
import type { paths } from '../../lib/schema.gen.ts'
import { installedModelsQuery, type middlewareQuery } from '../../lib/server-state.ts'
import { type Entity, type Finding, locateFindings } from './findings.ts'

export type Policies = Awaited<ReturnType<NonNullable<typeof middlewareQuery.queryFn>>>['pii']

/** Models that the viewer may name: models for texts, and models that can be detectors. */
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

/** Result of the filter for a text. */
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
    text,
    findings: locateFindings(text, entities),
    ...rest,
    tookMs: performance.now() - began,
  })
  const { data, error, response } = await api.POST('/api/pii/redact', { body, signal })
  if (data !== undefined)
    return finish(data.entities, { redacted: data.redacted_text, correlationId: data.correlation_id })
  if (response.status === 400 && isBlock(error)) {
    const { entities = [], correlation_id: correlationId } = error
    return finish(entities, { redacted: undefined, correlationId })
  }
  throw readFailure(response, error)
}

type Failures = paths['/api/pii/redact']['post']['responses']
type Refusal = Failures[400]['content']['application/json']

/** Whether a refusal is about a blocked text. */
function isBlock(failure: Refusal | Failures['default']['content']['application/json']): failure is Refusal {
  return failure.error.type === 'pii_blocked' || failure.error.code === 'pii_blocked'
}
