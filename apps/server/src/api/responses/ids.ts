import { randomBytes, randomUUID } from 'node:crypto'

/** A new id of a response: nobody can guess it. */
export function newResponseId(): string {
  return `resp_${randomUUID().replaceAll('-', '')}`
}

/** A new id of an item of a response, by its kind. */
export function newItemId(kind: 'message' | 'reasoning' | 'function_call'): string {
  const prefix = { message: 'msg', reasoning: 'rs', function_call: 'fc' }[kind]
  return `${prefix}_${randomBytes(16).toString('hex')}`
}
