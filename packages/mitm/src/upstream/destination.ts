import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { upstreamFailed } from '@svc/http-client'
import { MitmError } from '../errors.ts'
import { isForbiddenAddress, isOwnAddress } from '../hosts/addresses.ts'
import type { HostAndPort } from '../hosts/host.ts'

/** A server of this machine to which the proxy must not connect. */
export interface Listener {
  readonly address: string
  readonly port: number
}

/** Options of {@link resolveDestination}. */
export interface ResolveOptions {
  readonly lookup: LookupFunction
  readonly listeners: readonly Listener[]
}

/** The refusal of a target that the proxy must not connect to. */
function forbidden(reason: string): MitmError {
  return new MitmError('forbidden', `connections to ${reason} are not allowed`, { code: 'forbidden_target' })
}

/**
 * Resolves a host and refuses it when any of its addresses is forbidden: link-local addresses, addresses at which
 * clouds hand out credentials, and the own listeners.
 *
 * @throws {SvcError} `forbidden_target`, kind `forbidden`; `upstream_failed` for a name that cannot be resolved
 */
export async function resolveDestination(
  { host, port }: HostAndPort,
  { lookup, listeners }: ResolveOptions,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host)
  const addresses = family === 0 ? await resolveName(host, lookup) : [{ address: host, family }]
  for (const { address } of addresses) {
    if (isForbiddenAddress(address)) throw forbidden('link-local and metadata addresses')
    if (listeners.some((listener) => listener.port === port && isAt(listener, address))) {
      throw forbidden('this server')
    }
  }
  return addresses
}

function isAt(listener: Listener, address: string): boolean {
  return listener.address === address || isOwnAddress(address)
}

function resolveName(host: string, lookup: LookupFunction): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, result, family) => {
      if (error !== null) {
        reject(upstreamFailed('unresolvable', error))
        return
      }
      resolve(typeof result === 'string' ? [{ address: result, family: family ?? isIP(result) }] : result)
    })
  })
}

/** Makes a look-up that answers with addresses that were resolved and checked before. */
export function pinLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses
    if (first === undefined) callback(upstreamFailed('unresolvable'), '', 0)
    else if (options.all === true) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }
}
