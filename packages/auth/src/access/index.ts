/**
 * The rights of callers: roles, feature switches, model lists and the scopes of keys; and the cookies of a request.
 *
 * @module
 */

export { readCookies } from '../credentials.ts'
export { readServiceId, toServicePrincipal } from '../principal.ts'
export {
  checkAccess,
  checkAddress,
  checkModelAccess,
  decideAccess,
  decideAddress,
  decideModelAccess,
  type Refusal,
  ROUTE_GROUPS,
  type RouteRequirement,
  routeGroup,
  toAccessError,
} from './access.ts'
export { FEATURES, type Feature, isFeature, resolveFeatures } from './features.ts'
