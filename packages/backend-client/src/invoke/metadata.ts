import { SvcError } from '@svc/errors'

const NAME = /^[0-9a-z_.-]+$/i
const VISIBLE_ASCII = /^[ -~]*$/
/** Names that belong to the connection, to the body or to gRPC itself. */
const RESERVED =
  /^(?:grpc-.*|.*-bin|connection|content-length|host|http2-settings|keep-alive|proxy-connection|te|transfer-encoding|upgrade)$/i

/**
 * Checks the metadata of a call: names of gRPC, values of visible ASCII.
 *
 * @throws `backend_metadata` (invalid_request) with the name that cannot be sent
 */
export function checkMetadata(metadata: Readonly<Record<string, string>> | undefined): void {
  if (metadata === undefined) return
  for (const name of Object.keys(metadata)) {
    const isSendable = NAME.test(name) && !RESERVED.test(name) && VISIBLE_ASCII.test(metadata[name] ?? '')
    if (isSendable) continue
    const shown = JSON.stringify(name.slice(0, 100))
    throw new SvcError('invalid_request', `metadata ${shown} cannot be sent to a backend`, { code: 'backend_metadata' })
  }
}
