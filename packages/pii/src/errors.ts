/**
 * Refusals of the filter.
 *
 * @module
 */
import { SvcError, type SvcErrorDetails } from '@svc/errors'

/** The class of expected errors of this package. No message, cause or detail holds matched or surrounding text. */
export class PiiError extends SvcError {
  override readonly name = 'PiiError'
}

/** Members beside `error` in the body of a refusal (§6.3), by their wire names. */
export interface RefusalFields {
  readonly correlation_id?: string | undefined
  /** The event that explains the refusal. */
  readonly pii_event_id?: string | undefined
  /** On the redact route: the found entities. */
  readonly entities?: readonly object[] | undefined
}

/** The refused thing: a whole request, or the text of an analyze or redact call. */
export type RefusedThing = 'request' | 'text'

/** A block: 400 `pii_blocked`. Reveals neither the finding nor its place. */
export function piiBlocked(fields: RefusalFields = {}, what: RefusedThing = 'request'): PiiError {
  return new PiiError('invalid_request', `${what} blocked by content policy (sensitive data detected)`, {
    code: 'pii_blocked',
    details: refusalDetails('pii_blocked', fields),
  })
}

/** The failure of a detector. */
export interface DetectorFailure {
  /** The name of the detector model. */
  readonly detector: string
  /** It took too long, returned impossible spans, or failed by itself. */
  readonly reason: 'timeout' | 'bad_span' | 'failed'
  /** The code of the underlying failure, if any. Its message is left out, because it may quote the text. */
  readonly code?: string | undefined
}

/** A detector that is missing, failed or took too long: 503 `pii_ner_unavailable`. */
export function piiUnavailable(
  failures: readonly DetectorFailure[],
  fields: Omit<RefusalFields, 'entities'> = {},
): PiiError {
  return new PiiError('unavailable', 'request blocked: PII NER check is configured but unavailable', {
    code: 'pii_ner_unavailable',
    retryAfterMs: 1000,
    details: { ...refusalDetails('pii_ner_unavailable', fields), failures },
  })
}

/** A way of sending requests that cannot be filtered (§6.2): `pii_unsupported_transport`. */
export function piiUnsupportedTransport(): PiiError {
  return new PiiError(
    'invalid_request',
    'requests of this model are filtered for private data, which this transport cannot do; send them by POST',
    { code: 'pii_unsupported_transport', details: { type: 'pii_unsupported_transport' } },
  )
}

/** `beside` holds the members beside `error` in the body. */
function refusalDetails(type: string, fields: RefusalFields): SvcErrorDetails {
  const beside = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return Object.keys(beside).length === 0 ? { type } : { type, beside }
}
