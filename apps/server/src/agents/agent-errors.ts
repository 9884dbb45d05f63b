import { SvcError } from '@svc/errors'

/** Refuses a part of a task, a job or an agent. */
export function refuseAgent(message: string, param?: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'invalid_agent',
    details: param === undefined ? {} : { param },
  })
}

/** Creates the answer to a name or an id that means nothing. */
export function agentNotFound(what: string, name: string): SvcError {
  return new SvcError('not_found', `${what} not found: ${name}`, { code: 'not_found' })
}

/** Refuses more of something than the server keeps. */
export function tooMany(message: string): SvcError {
  return new SvcError('insufficient_storage', message, { code: 'too_many' })
}
