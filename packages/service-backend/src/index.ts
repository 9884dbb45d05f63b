/**
 * A model of another instance as a model backend: the handlers of the contract, over the service of `@svc/proxy`.
 *
 * @module
 */
export { createServiceHandlers } from './handlers.ts'
export type { ServiceContext } from './host.ts'
