import type { HandlerContext } from '@svc/backend-kit'
import type { ServiceCall } from './service/transport.ts'

/** Makes a call on the instance for a call of the host; its metadata may carry the hop count. */
export function toCall({ signal, metadata }: HandlerContext): ServiceCall {
  return { signal, client: (name) => metadata[name] }
}
