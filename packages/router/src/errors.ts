import { SvcError } from '@svc/errors'

/** Codes of {@link RouterError}. */
export type RouterErrorCode =
  | 'router_depth'
  | 'router_no_fallback'
  | 'router_model_missing'
  | 'router_classifier'
  | 'router_timeout'
  | 'router_busy'
  | 'router_corpus_entry'
  | 'router_corpus_full'
  | 'router_corpus_changed'
  | 'router_corpus_busy'
  | 'router_corpus_sync'
  | 'router_samples'

/** Everything this package throws on purpose. No message holds a prompt or a text of the corpus. */
export class RouterError extends SvcError {
  override readonly name = 'RouterError'
}

/** A model that a router picked is a router itself: 500 `router_depth`. */
export function depthError(role: 'candidate' | 'fallback', model: string): RouterError {
  return new RouterError('internal', `router ${role} "${model}" is itself a router (depth-1 invariant)`, {
    code: 'router_depth',
  })
}

/** A model that a router picked cannot be served: 500 `router_model_missing`. */
export function missingModelError(role: 'candidate' | 'fallback', model: string): RouterError {
  return new RouterError('internal', `router ${role} "${model}" not loadable: not found`, {
    code: 'router_model_missing',
  })
}

/** A prompt that no candidate covers, without a fallback: 500 `router_no_fallback`. */
export function noFallbackError(reason: string, cause?: unknown): RouterError {
  return new RouterError('internal', `router: ${reason} and no fallback configured`, {
    code: 'router_no_fallback',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** A classifier or a model behind it that gave no usable answer. */
export function classifierError(message: string, cause?: unknown): RouterError {
  return new RouterError('internal', message, {
    code: 'router_classifier',
    ...(cause === undefined ? {} : { cause }),
  })
}
