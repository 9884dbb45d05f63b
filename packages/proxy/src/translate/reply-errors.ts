import type { SvcError } from '@svc/errors'
import { isFields, toFields, toText } from '../fields.ts'
import { quoteUpstream } from '../quote.ts'
import { brokenUpstream } from '../upstream-error.ts'

/** The error for a refusal by the upstream's model (§6.5). The client may already have the text before it. */
export function refused(): SvcError {
  return brokenUpstream('the upstream refused to answer', { code: 'upstream_refusal' })
}

/** The error for a stream that ended in the middle. */
export function cutOff(): SvcError {
  return brokenUpstream("the upstream's stream ended before its end event", { code: 'upstream_cut' })
}

/** The error for an unreadable reply. */
export function unreadable(): SvcError {
  return brokenUpstream("the upstream's reply is not an answer of its format", { code: 'upstream_unreadable' })
}

/** The error inside a reply or stream of status 200; undefined without one. */
export function findErrorInside(value: unknown): SvcError | undefined {
  const { error, type } = toFields(value)
  if (error == null && type !== 'error') return undefined
  const said = toFields(error)
  const message = toText(said.message) ?? (isFields(error) ? 'no reason given' : (toText(error) ?? 'no reason given'))
  return brokenUpstream(`the upstream failed: ${quoteUpstream(message)}`, {
    code: 'upstream_error',
    details: { type: toText(said.type) },
  })
}
