import type { SvcError } from '@svc/errors'
import { toStatus } from './error-map.ts'
import type { ErrorFamily } from './route-info.ts'

/** Codes that go out by name; everywhere else `error.code` is the integer status. */
const NAMED_CODES: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_loading',
  'admission_rejected',
  'context_length_exceeded',
  'quota_exceeded',
  'limit_exceeded',
  'budget_exceeded',
  'price_unknown',
  'invalid_tags',
])

/** Types that every family has in its `type` field where the specification names them. */
const NAMED_TYPES: ReadonlySet<string> = new Set([
  'pii_blocked',
  'pii_ner_unavailable',
  'pii_unsupported_transport',
  'rate_limit_error',
])

function compatibleType(error: SvcError, status: number): string {
  if (error.details?.type !== undefined) return error.details.type
  if (status === 429) return 'rate_limit_error'
  if (status === 403) return 'authorization_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function compatible(error: SvcError, status: number): Record<string, unknown> {
  const { loading } = error.details ?? {}
  return {
    error: {
      code: NAMED_CODES.has(error.code) ? error.code : status,
      message: error.message,
      type: compatibleType(error, status),
      param: error.details?.param ?? null,
      // A widely used client knows a wrong key by this text.
      ...(status === 401 ? { detail: 'Incorrect API key provided' } : {}),
    },
    ...(loading === undefined ? {} : { loading }),
  }
}

function messagesType(error: SvcError, status: number): string {
  const type = error.details?.type
  if (type !== undefined && NAMED_TYPES.has(type)) return type
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}

/** The word by which clients of the messages format know the faults that they mend by themselves. */
function messagesDetails({ code }: SvcError): { details?: { error_code: string } } {
  return code === 'thread_not_found' ? { details: { error_code: code } } : {}
}

function responsesType(error: SvcError, status: number): string {
  if (error.details?.type !== undefined) return error.details.type
  if (status === 404) return 'not_found'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** The error of the responses format, without what is around it. */
export function responsesError(error: SvcError): Readonly<Record<'type' | 'message' | 'code' | 'param', string>> {
  return {
    type: responsesType(error, toStatus(error)),
    message: error.message,
    code: NAMED_CODES.has(error.code) ? error.code : '',
    param: error.details?.param ?? '',
  }
}

/**
 * The body of an error in a route's family (§7.1). The only place where bodies of errors are made.
 *
 * @example
 * errorBody(new SvcError('not_found', 'Resource not found', { details: { type: '' } }), 'compatible')
 */
export function errorBody(error: SvcError, family: ErrorFamily): Record<string, unknown> {
  return { ...toErrorFields(error, family), ...readFurtherFields(error) }
}

/** Further fields beside `error`, in the refusals that have them by the specification. */
function readFurtherFields({ details }: SvcError): object {
  const beside = details?.beside
  return typeof beside === 'object' && beside !== null ? beside : {}
}

function toErrorFields(error: SvcError, family: ErrorFamily): Record<string, unknown> {
  const status = toStatus(error)
  switch (family) {
    case 'compatible':
      return compatible(error, status)
    case 'vendor':
      return { ...compatible(error, status), detail: { status: error.code, message: error.message } }
    case 'rerank':
      return { ...compatible(error, status), message: error.message }
    case 'messages':
      return {
        type: 'error',
        error: { type: messagesType(error, status), message: error.message, ...messagesDetails(error) },
      }
    case 'responses':
      return { error: responsesError(error) }
    case 'string':
      return { error: error.message, type: compatibleType(error, status) }
    case 'flat':
      return isGate(error, status) ? compatible(error, status) : { error: error.message }
    case 'model-file':
      return isGate(error, status)
        ? compatible(error, status)
        : { success: false, message: error.message, error: error.message, pending_cleanup: 0 }
    case 'settings':
      return isGate(error, status) ? compatible(error, status) : { success: false, error: error.message }
  }
}

/** Gates name the type and speak the specified envelope on every route (§7.1); the route's own errors do not. */
function isGate({ details }: SvcError, status: number): boolean {
  return (status === 401 || status === 403) && details?.type !== undefined
}
