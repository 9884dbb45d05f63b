/**
 * Checks of entries in lists of hosts and paths, without the proxy.
 *
 * @module
 */

export { findPathFault } from './filter/scanned-paths.ts'
export { findHostFault } from './hosts/host-entry.ts'
