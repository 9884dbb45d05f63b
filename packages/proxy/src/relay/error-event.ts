import type { SvcError } from '@svc/errors'
import type { Provider } from '../ports.ts'

/** An error inside a stream after its status was sent, and the end of the stream, in a wire format; ASCII only. */
export function writeErrorEvent(provider: Provider, { message }: SvcError): string {
  if (provider === 'provider_b') {
    return `event: error\ndata: ${toAsciiJson({ type: 'error', error: { type: 'api_error', message } })}\n\n`
  }
  const error = { message, type: 'server_error', code: 'server_error', param: null }
  return `data: ${toAsciiJson({ error })}\n\ndata: [DONE]\n\n`
}

function toAsciiJson(value: unknown): string {
  const toEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, toEscape)
}
