import { SvcError } from '@svc/errors'

/** The refusal of an id that names nothing of the caller. */
export function documentNotFound(what: string, id: string, param: string): SvcError {
  return new SvcError('not_found', `No ${what} found with id '${id.slice(0, 64)}'.`, {
    code: `${param.replace(/_id$/u, '')}_not_found`,
    details: { type: 'invalid_request_error', param },
  })
}

/** The refusal of a request that a store in its state does not take. */
export function refuseDocuments(code: string, message: string, param?: string): SvcError {
  return new SvcError('invalid_request', message, { code, details: { type: 'invalid_request_error', param } })
}

/** The refusal of more than a store, or an owner, may have. */
export function documentsFull(message: string): SvcError {
  return new SvcError('insufficient_storage', message, { code: 'vector_store_full' })
}

/** The refusal of a store whose vectors are those of another model. */
export function otherModel(): SvcError {
  return new SvcError('conflict', 'the model of this store makes vectors of another length now; make a new store', {
    code: 'vector_store_model_changed',
  })
}
