import { SvcError } from '@svc/errors'

/**
 * The refusal of a request that came over a socket for a model whose requests are filtered (§6.2): the filter reads
 * bodies, and not conversations that are kept with a connection. The socket stays open.
 */
export function unsupportedTransport(model: string): SvcError {
  return new SvcError(
    'invalid_request',
    `requests for model "${model}" are filtered, which WebSockets do not support; use POST`,
    { code: 'pii_unsupported_transport', details: { type: 'pii_unsupported_transport', param: 'model' } },
  )
}
