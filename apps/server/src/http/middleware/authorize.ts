import { SvcError } from '@svc/errors'
import { RE2JS } from 're2js'
import type { Feature } from '../../principal.ts'
import { ANONYMOUS_PRINCIPAL, type Principal } from '../../principal.ts'
import type { ServerRequest } from '../messages.ts'
import type { RouteInfo } from '../route-info.ts'
import type { Authenticator } from './authenticate.ts'

/** The operator's exceptions from the gate (§4.1). */
export interface GateOptions {
  /** Path prefixes that need no credentials, any method. */
  readonly pathWithoutAuth: readonly string[]
  /** Expressions over route patterns of GET routes that need no legacy key; empty unless the flag is on. */
  readonly getExemptions: readonly string[]
}

/** Decides for a matched route whether the caller may go on. */
export interface Gate {
  /**
   * @returns who is calling; at once unless credentials have to be looked up
   * @throws {SvcError} `unauthenticated` or `forbidden`; what the look-up failed with
   */
  admit(route: RouteInfo, matched: MatchedPath, incoming: ServerRequest): Principal | Promise<Principal>
}

/** How a request found its route. */
export interface MatchedPath {
  /** The pattern of the route, or that of an alias. */
  readonly pattern: string
  /** The path that matched it, as it is executed: whatever stood in the request target. */
  readonly path: string
}

const MAX_EXPRESSION_LENGTH = 1024

function compileExemptions(expressions: readonly string[]): (pattern: string) => boolean {
  const compiled = expressions.map((source) => {
    if (source.length > MAX_EXPRESSION_LENGTH)
      throw new RangeError('an exempted-endpoints expression is longer than 1024 characters')
    return RE2JS.compile(source)
  })
  return (pattern) => compiled.some((expression) => expression.matcher(pattern).find())
}

/** Whether a path is that of a prefix or goes on from it with another segment. */
function isBelow(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  return path.length === prefix.length || prefix.endsWith('/') || path[prefix.length] === '/'
}

/** The specified refusal of missing and wrong credentials (§7.1); the reply carries `WWW-Authenticate: Bearer`. */
function authenticationRequired(): SvcError {
  return new SvcError('unauthenticated', 'An authentication key is required', {
    details: { type: 'invalid_request_error' },
  })
}

function holds({ role, features }: Principal, feature: Feature): boolean {
  return role === 'admin' || features === undefined || features.has(feature)
}

/** The gate over the route table: one place, keyed on the matched route, never on the path a client typed. */
export function createGate(authenticator: Authenticator, options: GateOptions): Gate {
  const isExempt = compileExemptions(options.getExemptions)
  const isOpen = (route: RouteInfo, { pattern, path }: MatchedPath): boolean => {
    if (route.access === 'none') return true
    if (route.method === 'GET' && isExempt(pattern)) return true
    // A prefix opens the global gate only: what a route itself asks for still holds (§4.1).
    return route.access !== 'admin' && options.pathWithoutAuth.some((prefix) => isBelow(path, prefix))
  }
  const check = (route: RouteInfo, matched: MatchedPath, principal: Principal | undefined): Principal => {
    if (principal === undefined) {
      if (isOpen(route, matched)) return ANONYMOUS_PRINCIPAL
      throw authenticationRequired()
    }
    if (route.access === 'admin' && principal.role !== 'admin') {
      throw new SvcError('forbidden', 'Admin access required', { details: { type: 'authorization_error' } })
    }
    if (route.feature !== undefined && !holds(principal, route.feature)) {
      throw new SvcError('forbidden', `feature not enabled for your account: ${route.feature}`, {
        details: { type: 'authorization_error' },
      })
    }
    return principal
  }
  return {
    admit(route, matched, incoming) {
      const found = authenticator.authenticate(incoming)
      if (!(found instanceof Promise)) return check(route, matched, found)
      return found.then((principal) => check(route, matched, principal))
    },
  }
}

/** Whether an error of the gate is a verdict on the caller, and not the failure of a look-up. */
export function isRefusal(error: unknown): boolean {
  return SvcError.is(error) && (error.kind === 'unauthenticated' || error.kind === 'forbidden')
}
