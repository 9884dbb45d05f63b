import { randomBytes, randomUUID } from 'node:crypto'

/** A new id of a response: nobody can guess it. */
export function newResponseId(): string {
  return `resp_${randomUUID().replaceAll('-', '')}`
}

const PREFIXES = { message: 'msg', reasoning: 'rs', function_call: 'fc', function_call_output: 'fco' } as const

/** A new id of an item of a response, by its kind. */
export function newItemId(kind: keyof typeof PREFIXES): string {
  return `${PREFIXES[kind]}_${randomBytes(16).toString('hex')}`
}
