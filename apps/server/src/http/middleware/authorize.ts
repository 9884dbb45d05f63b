import type { Authentication } from '@svc/auth'
import { checkAccess, checkAddress, decideAddress, toAccessError } from '@svc/auth/access'
import { SvcError } from '@svc/errors'
import { HEALTH_CHECKS } from '../health-checks.ts'
import type { ServerRequest } from '../messages.ts'
import type { RouteInfo } from '../route-info.ts'
import { ANONYMOUS, type Authenticator } from './authenticate.ts'

/** The operator's exceptions from the gate (§4.1). */
export interface GateOptions {
  /** Path prefixes that need no credentials, any method. */
  readonly pathWithoutAuth: readonly string[]
  /** Whether a route pattern of a GET route needs no legacy key; nothing unless the flag is on. */
  readonly isExempt?: ((pattern: string) => boolean) | undefined
  /** Checks the token of a worker. @throws {SvcError} `unauthenticated`. @default no worker is let in */
  readonly checkNode?: ((headers: ServerRequest['headers']) => void) | undefined
}

/** Decides for a matched route whether the caller may go on. */
export interface Gate {
  /**
   * @returns who is calling; at once unless credentials have to be looked up
   * @throws {SvcError} `unauthenticated` or `forbidden`; what the look-up failed with
   */
  admit(
    request: Omit<AdmittedCaller, 'authentication'>,
    incoming: ServerRequest,
  ): Authentication | Promise<Authentication>
  /**
   * Asks again whether a caller may go on whom {@link admit} let in, for calls that last. A session that has a new value
   * meanwhile goes on.
   *
   * @throws {SvcError} as {@link admit} does
   */
  reauthorize(
    admitted: AdmittedCaller,
    options: { readonly signal: AbortSignal; readonly lookUps?: LookUps | undefined },
  ): Promise<Authentication>
}

/** Look-ups of callers that are under way or have ended, by credential: calls of one credential share a look-up. */
export type LookUps = Map<string, Promise<Authentication | undefined>>

/** A caller who was let in. */
export interface AdmittedCaller {
  readonly route: RouteInfo
  readonly matched: MatchedPath
  readonly authentication: Authentication
  /** Where the request comes from. Undefined inside of a request, whose own address was checked. */
  readonly clientAddress: string | undefined
}

/** The match of a request with its route. */
export interface MatchedPath {
  /** The pattern of the route, or that of an alias. */
  readonly pattern: string
  /** The path that matched it, as it is executed, not as the request target spells it. */
  readonly path: string
}

/** Whether a path is that of a prefix or goes on from it with another segment. */
function isBelow(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  return path.length === prefix.length || prefix.endsWith('/') || path[prefix.length] === '/'
}

/** The gate over the route table: one place, keyed on the matched route, never on the path a client typed. */
export function createGate(authenticator: Authenticator, options: GateOptions): Gate {
  const isOpen = (route: RouteInfo, { pattern, path }: MatchedPath, method: string | undefined): boolean => {
    // The list of public routes names HEAD only for the root (§4.1); probes ask for the health checks with it.
    if (route.access === 'none') return method !== 'HEAD' || pattern === '/' || HEALTH_CHECKS.has(pattern)
    if (route.method === 'GET' && options.isExempt?.(pattern) === true) return true
    // A prefix opens the global gate only: what a route itself asks for still holds (§4.1).
    return route.access !== 'admin' && options.pathWithoutAuth.some((prefix) => isBelow(path, prefix))
  }
  const check = (
    { route, matched, clientAddress }: Omit<AdmittedCaller, 'authentication'>,
    found: Authentication | undefined,
    method?: string,
  ): Authentication => {
    const isFromElsewhere =
      found !== undefined && clientAddress !== undefined && decideAddress(found.principal, clientAddress) !== undefined
    if (found === undefined || isFromElsewhere) {
      if (isOpen(route, matched, method)) return ANONYMOUS
      if (isFromElsewhere) checkAddress(found.principal, clientAddress)
      throw toAccessError({ kind: 'unauthenticated' })
    }
    checkAccess(found.principal, route)
    return found
  }
  const recheck = (
    authentication: Authentication,
    { signal, lookUps }: { readonly signal: AbortSignal; readonly lookUps: LookUps | undefined },
  ): Promise<Authentication | undefined> => {
    const { carrier = '', value = '' } = authentication.credential ?? {}
    const key = `${authentication.principal.sessionId ?? ''} ${carrier} ${value}`
    const found = lookUps?.get(key) ?? authenticator.recheck(authentication, { signal })
    lookUps?.set(key, found)
    return found
  }
  const admitNode = (headers: ServerRequest['headers']): Authentication => {
    if (options.checkNode === undefined) throw toAccessError({ kind: 'unauthenticated' })
    options.checkNode(headers)
    return ANONYMOUS
  }
  return {
    admit(request, { headers, method }) {
      // Workers have no account: their token opens these routes and no others.
      if (request.route.access === 'node') return admitNode(headers)
      const found = authenticator.authenticate(headers)
      if (!(found instanceof Promise)) return check(request, found, method)
      return found.then((authentication) => check(request, authentication, method))
    },
    async reauthorize(admitted, { signal, lookUps }) {
      const { route, authentication } = admitted
      if (route.access === 'node') return authentication
      return check(admitted, await recheck(authentication, { signal, lookUps }))
    },
  }
}

/** Whether an error of the gate is a verdict on the caller, and not the failure of a look-up. */
export function isRefusal(error: unknown): error is SvcError {
  return SvcError.is(error) && (error.kind === 'unauthenticated' || error.kind === 'forbidden')
}
