import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { errorBody } from '../../../http/error-envelopes.ts'
import { retryAfterSeconds, toStatus } from '../../../http/error-map.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import type { LoadReport } from '../../../residency/load-with-parts.ts'
import type { loadReply } from './bodies.ts'

type Reply = z.infer<typeof loadReply>

/**
 * Converts a load report to a reply. A failure has the envelope of its family and also lists the loaded models, so that
 * a client sees a partial failure (§4.5).
 *
 * @throws {SvcError} the failure, when its errors have no body
 */
export function toLoadResponse(
  { loaded, failures }: LoadReport,
  options: { readonly opaqueErrors: boolean },
): HttpReply {
  const error = toError(failures)
  if (error === undefined) return json({ loaded: [...loaded], message: 'model loaded' } satisfies Reply)
  if (options.opaqueErrors) throw error
  const reply: Reply = { loaded: [...loaded], message: error.message }
  const retryAfter = retryAfterSeconds(error)
  return json(
    { ...errorBody(error, 'compatible'), ...reply },
    { status: toStatus(error), headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } },
  )
}

/** Merges all failures into one error. A single temporary refusal keeps its status and time. */
function toError(failures: LoadReport['failures']): SvcError | undefined {
  const [first] = failures
  if (first === undefined) return undefined
  const isAlone = failures.length === 1
  const reasons = failures.map(({ name, error }) => (isAlone ? error.message : `${name}: ${error.message}`))
  const message = `failed to load model: ${reasons.join('; ')}`
  const { kind, code, retryAfterMs, details } = first.error
  if (!isAlone) return new SvcError('internal', message, { code: 'model_load_failed' })
  return new SvcError(kind, message, { code, retryAfterMs, details, cause: first.error })
}
