import { checkArgument } from '@svc/errors'
import { hasAddress } from '../addresses.ts'
import { AuthError } from '../errors.ts'
import type { Principal } from '../principal.ts'
import { FEATURES, type Feature } from './features.ts'

/** The rights that a route requires (§4, §5.4). */
export interface RouteRequirement {
  /** `none` is open to everybody; `self` is an account's own data; `node` is for workers, and for no account. */
  readonly access: 'none' | 'any' | 'self' | 'admin' | 'node'
  readonly feature?: Feature | undefined
  /**
   * The name of the route in scopes of keys.
   *
   * @default the feature, else `admin` for admin routes, `account` for an account's own data, `general` for the rest
   */
  readonly group?: string | undefined
}

/** The reason why a caller may not use a route or a model. */
export type Refusal =
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'not-admin' }
  | { readonly kind: 'no-feature'; readonly feature: Feature }
  | { readonly kind: 'out-of-scope'; readonly group: string }
  | { readonly kind: 'no-model'; readonly model: string }
  | { readonly kind: 'address-not-allowed' }

/** The groups that {@link routeGroup} gives to routes without a group of their own. */
export const ROUTE_GROUPS: readonly string[] = ['general', 'account', 'admin', ...FEATURES.map(({ key }) => key)]

/** The group of a route, as scopes of keys name it. */
export function routeGroup({ access, feature, group }: RouteRequirement): string {
  if (group !== undefined) return group
  if (feature !== undefined) return feature
  if (access === 'admin') return 'admin'
  return access === 'self' ? 'account' : 'general'
}

const ACCESSES: ReadonlySet<unknown> = new Set([
  'none',
  'any',
  'self',
  'admin',
  'node',
] satisfies RouteRequirement['access'][])
const ROLES: ReadonlySet<unknown> = new Set(['admin', 'user', 'none'] satisfies Principal['role'][])

/** Refuses an object that is not a principal: a principal without limits may use everything. */
function checkPrincipal(principal: Principal): void {
  checkArgument(ROLES.has(principal?.role), 'principal', 'a Principal', principal)
}

/**
 * Decides whether a caller may use a route. Returns undefined, or the reason why not. Admins have every feature; the
 * scopes of a key bind admins too.
 */
export function decideAccess(principal: Principal, requirement: RouteRequirement): Refusal | undefined {
  checkArgument(ACCESSES.has(requirement?.access), 'decideAccess: access', 'an access of routes', requirement?.access)
  if (requirement.access === 'none') return undefined
  checkPrincipal(principal)
  if (principal.role === 'none' || requirement.access === 'node') return { kind: 'unauthenticated' }
  if (requirement.access === 'admin' && principal.role !== 'admin') return { kind: 'not-admin' }
  const group = routeGroup(requirement)
  const { routes } = principal.scopes ?? {}
  if (routes !== undefined && !routes.includes(group)) return { kind: 'out-of-scope', group }
  const { feature } = requirement
  if (feature === undefined || principal.features === undefined || principal.features.has(feature)) return undefined
  return { kind: 'no-feature', feature }
}

/**
 * Decides whether a caller may use a model, by the name that is executed. Returns undefined, or the reason why not.
 *
 * @param through further names by which the model is called: an alias, a router that picked it. A list of models with
 *   one of these names allows the call. @default none
 */
export function decideModelAccess(
  principal: Principal,
  model: string,
  through: readonly string[] = [],
): Refusal | undefined {
  checkPrincipal(principal)
  const { models } = principal
  const scope = principal.scopes?.models
  if (models === undefined && scope === undefined) return undefined
  const names = [model, ...through]
  const isAllowed =
    (models === undefined || names.some((name) => models.has(name))) &&
    (scope === undefined || names.some((name) => scope.includes(name)))
  return isAllowed ? undefined : { kind: 'no-model', model }
}

/**
 * Decides whether a caller may come from an address. Returns undefined, or the reason why not.
 *
 * @param address IPv4 or IPv6, as the server has determined it; any other text is no address that a key allows
 */
export function decideAddress(principal: Principal, address: string): Refusal | undefined {
  checkPrincipal(principal)
  const addresses = principal.scopes?.addresses
  return addresses === undefined || hasAddress(addresses, address) ? undefined : { kind: 'address-not-allowed' }
}

function messageFor(refusal: Exclude<Refusal, { readonly kind: 'unauthenticated' }>): string {
  switch (refusal.kind) {
    case 'not-admin':
      return 'Admin access required'
    case 'no-feature':
      return `feature not enabled for your account: ${refusal.feature}`
    case 'out-of-scope':
      return `the API key does not cover: ${refusal.group}`
    case 'no-model':
      return `access denied to model: ${refusal.model}`
    case 'address-not-allowed':
      return 'the API key may not be used from this address'
  }
}

/** The error of a refusal, with the texts of §7.1: 401, or 403 with the type `authorization_error`. */
export function toAccessError(refusal: Refusal): AuthError {
  if (refusal.kind === 'unauthenticated') {
    return new AuthError('unauthenticated', 'An authentication key is required', {
      details: { type: 'invalid_request_error' },
    })
  }
  const code = refusal.kind.replaceAll('-', '_')
  return new AuthError('forbidden', messageFor(refusal), { code, details: { type: 'authorization_error' } })
}

/**
 * Passes a caller who may use a route.
 *
 * @throws {AuthError} `unauthenticated` or `forbidden`
 */
export function checkAccess(principal: Principal, requirement: RouteRequirement): void {
  const refusal = decideAccess(principal, requirement)
  if (refusal !== undefined) throw toAccessError(refusal)
}

/**
 * Passes a caller who may use a model.
 *
 * @param through as {@link decideModelAccess} takes it. @default none
 * @throws {AuthError} `forbidden`
 */
export function checkModelAccess(principal: Principal, model: string, through: readonly string[] = []): void {
  const refusal = decideModelAccess(principal, model, through)
  if (refusal !== undefined) throw toAccessError(refusal)
}

/**
 * Passes a caller who may come from an address.
 *
 * @throws {AuthError} `forbidden`, without a hint of the addresses that are allowed
 */
export function checkAddress(principal: Principal, address: string): void {
  const refusal = decideAddress(principal, address)
  if (refusal !== undefined) throw toAccessError(refusal)
}
