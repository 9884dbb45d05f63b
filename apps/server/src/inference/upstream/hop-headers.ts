import type { BackendClient, CallOptions } from '@svc/backend-client'
import { backendMethods } from '@svc/backend-client/proto'
import { HOP_HEADER } from '@svc/proxy'

/** What another instance is told of the request that it is asked for: how many servers it has passed, and its trace. */
const CARRIED = [HOP_HEADER, 'traceparent'] as const
const MAX_VALUE = 256

/** A client's header, by lower-case name. */
export type RequestHeader = (name: string) => string | undefined

/**
 * A client whose calls carry what must not be lost on the way to another instance; the same client where there is
 * nothing to carry.
 */
export function carryHopHeaders(client: BackendClient, header: RequestHeader | undefined): BackendClient {
  if (header === undefined) return client
  const given = CARRIED.map((name) => [name, header(name)] as const).filter(([, value]) => isCarriable(value))
  if (given.length === 0) return client
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
