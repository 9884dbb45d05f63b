import type { HostPolicy } from '../ports.ts'

/**
 * Whether a TLS name is the name of a listed host. Clients choose the name: rules that fail on it must not end the
 * process, and do not list it.
 *
 * @param host in canonical form; undefined for a name without one
 */
export function isListed(policy: HostPolicy, host: string | undefined): boolean {
  try {
    return host !== undefined && policy.find(host) !== undefined
  } catch {
    return false
  }
}
