import { SvcError } from '@svc/errors'

/** The refusal of an id that names no file of the caller. */
export function fileNotFound(id: string): SvcError {
  return new SvcError('not_found', `No such File object: ${id.slice(0, 64)}`, {
    code: 'file_not_found',
    details: { type: 'invalid_request_error', param: 'file_id' },
  })
}

/** The refusal of bytes that another server has. */
export function fileElsewhere(): SvcError {
  return new SvcError('conflict', 'the bytes of this file are on another server that shares the database', {
    code: 'file_elsewhere',
    details: { type: 'invalid_request_error', param: 'file_id' },
  })
}

/** The refusal of an upload beyond a bound of an account. */
export function filesFull(bound: string): SvcError {
  return new SvcError('insufficient_storage', `your files would be more than ${bound}`, { code: 'files_full' })
}

/** The refusal of a cursor that names no item. */
export function unknownCursor(name: 'after' | 'before'): SvcError {
  return new SvcError('invalid_request', `${name}: no such item`, {
    code: 'unknown_cursor',
    details: { type: 'invalid_request_error', param: name },
  })
}
