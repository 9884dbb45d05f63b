import type { HandlerContext } from '@svc/backend-kit'
import type { ServiceCall } from './service/transport.ts'

/** A call on the instance for a call of the host, whose metadata may tell how many servers the request has passed. */
export function toCall({ signal, metadata }: HandlerContext): ServiceCall {
  return { signal, client: (name) => metadata[name] }
}
