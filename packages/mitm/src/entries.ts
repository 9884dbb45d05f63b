/**
 * Checks of entries in lists of hosts and paths, without the proxy.
 *
 * @module
 */
export { findHostFault } from './host-entry.ts'
export { findPathFault } from './scanned-paths.ts'
