import { checkArgument } from '@svc/errors'
import { canonicalHost } from './host.ts'

/** The hosts that are intercepted while nobody claims any. */
export const DEFAULT_HOSTS: readonly string[] = ['api.openai.com', 'api.anthropic.com']

/** The hosts that an owner, such as a model, wants intercepted. */
export interface HostClaim {
  readonly owner: string
  readonly hosts: readonly string[]
}

/** The listed hosts with their owners. */
export interface Allowlist {
  /** The listed hosts in canonical form, in order of the claims. */
  readonly hosts: readonly string[]
  /** Hosts that several owners claim: the rules of all of them apply. */
  readonly conflicts: readonly { readonly host: string; readonly owners: readonly string[] }[]
  /** Entries that are no hosts. */
  readonly invalid: readonly { readonly owner: string; readonly entry: string }[]
  /**
   * Finds the owners of a host in canonical form; none for a default host.
   *
   * @returns undefined for a host that is not listed
   */
  owners(host: string): readonly string[] | undefined
}

/** Unites the claims. Without any host, {@link DEFAULT_HOSTS} are listed and belong to nobody. */
export function createAllowlist(claims: Iterable<HostClaim>): Allowlist {
  const listed = new Map<string, string[]>()
  const invalid: { owner: string; entry: string }[] = []
  const isIterable = typeof claims === 'object' && typeof claims?.[Symbol.iterator] === 'function'
  checkArgument(isIterable, 'createAllowlist: claims', 'a list of claims', claims)
  for (const claim of claims) {
    checkArgument(Array.isArray(claim?.hosts), 'createAllowlist: hosts', 'a list of texts', claim?.hosts)
    const { owner, hosts } = claim
    for (const entry of hosts) {
      const host = canonicalHost(entry)
      if (host === undefined) {
        invalid.push({ owner, entry })
        continue
      }
      const owners = listed.get(host) ?? []
      if (!owners.includes(owner)) owners.push(owner)
      listed.set(host, owners)
    }
  }
  if (listed.size === 0) for (const host of DEFAULT_HOSTS) listed.set(host, [])
  const conflicts = [...listed].filter(([, owners]) => owners.length > 1).map(([host, owners]) => ({ host, owners }))
  return { hosts: [...listed.keys()], conflicts, invalid, owners: (host) => listed.get(host) }
}
