import type { BackendClient, CallOptions } from '@svc/backend-client'
import { backendMethods } from '@svc/backend-client/proto'
import { HOP_HEADER } from '@svc/proxy'

/** Headers that the next instance gets: the number of servers that the request has passed, and its trace. */
const CARRIED = [HOP_HEADER, 'traceparent'] as const
/** Headers that a backend on this machine gets. */
const TRACE = ['traceparent'] as const
const MAX_VALUE = 256

/** Reads a client's header by lower-case name. */
export type RequestHeader = (name: string) => string | undefined

/** Adds the hop headers to all calls of a client. Returns the same client when there are none. */
export const carryHopHeaders = (client: BackendClient, header: RequestHeader | undefined): BackendClient =>
  carry(CARRIED, client, header)

/** Adds the trace of the request to all calls of a client, as metadata. Returns the same client when there is none. */
export const carryTrace = (client: BackendClient, header: RequestHeader | undefined): BackendClient =>
  carry(TRACE, client, header)

function carry(names: readonly string[], client: BackendClient, header: RequestHeader | undefined): BackendClient {
  if (header === undefined || !names.some((name) => isCarriable(header(name)))) return client
  const given = names.map((name) => [name, header(name)] as const).filter(([, value]) => isCarriable(value))
  const metadata = Object.fromEntries(given)
  return new Proxy(client, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver)
      if (typeof value !== 'function' || typeof key !== 'string' || !Object.hasOwn(backendMethods, key)) return value
      return (request: unknown, options: CallOptions = {}) => value(request, { ...options, metadata })
    },
  })
}

function isCarriable(value: string | undefined): boolean {
  return value !== undefined && value.length <= MAX_VALUE && /^[\x20-\x7e]+$/.test(value)
}
