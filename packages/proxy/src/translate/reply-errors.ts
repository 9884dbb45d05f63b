import type { SvcError } from '@svc/errors'
import { fieldsOf, isFields, textOf } from '../fields.ts'
import { quoteUpstream } from '../quote.ts'
import { brokenUpstream } from '../upstream-error.ts'

/** The model of the upstream refused to answer (§6.5). What came before it may have reached the client already. */
export function refused(): SvcError {
  return brokenUpstream('the upstream refused to answer', { code: 'upstream_refusal' })
}

/** A stream that ended in the middle. */
export function cutOff(): SvcError {
  return brokenUpstream("the upstream's stream ended before its end event", { code: 'upstream_cut' })
}

/** A reply that is none. */
export function unreadable(): SvcError {
  return brokenUpstream("the upstream's reply is no answer of its format", { code: 'upstream_unreadable' })
}

/** The error that an upstream tells inside a reply or stream of status 200; nothing where there is none. */
export function errorInside(value: unknown): SvcError | undefined {
  const { error, type } = fieldsOf(value)
  if (error == null && type !== 'error') return undefined
  const said = fieldsOf(error)
  const message = textOf(said.message) ?? (isFields(error) ? 'no reason given' : (textOf(error) ?? 'no reason given'))
  return brokenUpstream(`the upstream failed: ${quoteUpstream(message)}`, {
    code: 'upstream_error',
    details: { type: textOf(said.type) },
  })
}
