import { checkArgument } from '@svc/errors'
import { type HostEntry, readHostEntry } from './host-entry.ts'

/** The hosts that are intercepted while nobody claims any. */
export const DEFAULT_HOSTS: readonly string[] = ['api.openai.com', 'api.anthropic.com']

/** The hosts that an owner, such as a model, wants intercepted. */
export interface HostClaim {
  readonly owner: string
  /** Names, addresses, and patterns such as `*.openai.azure.com`: see {@link readHostEntry}. */
  readonly hosts: readonly string[]
}

/** The listed hosts with their owners. */
export interface Allowlist {
  /** The listed hosts and patterns in canonical form, in order of the claims. */
  readonly hosts: readonly string[]
  /** The claims with their hosts and patterns in canonical form. */
  readonly claims: readonly HostClaim[]
  /** Listed hosts and patterns that several owners claim, also by a pattern: the rules of all of them apply. */
  readonly conflicts: readonly { readonly host: string; readonly owners: readonly string[] }[]
  /** Entries that can match no host, each with the reason. */
  readonly invalid: readonly { readonly owner: string; readonly entry: string; readonly reason: string }[]
  /**
   * Finds the owners of a host in canonical form; a default host has none.
   *
   * @returns undefined for a host that is not listed
   */
  owners(host: string): readonly string[] | undefined
}

interface ListedEntry {
  readonly entry: HostEntry
  readonly owners: Set<string>
}

/** Unites the claims. Without any host, {@link DEFAULT_HOSTS} are listed and belong to nobody. */
export function createAllowlist(claims: Iterable<HostClaim>): Allowlist {
  const listed = new Map<string, ListedEntry>()
  const read: HostClaim[] = []
  const invalid: { owner: string; entry: string; reason: string }[] = []
  const isIterable = typeof claims === 'object' && typeof claims?.[Symbol.iterator] === 'function'
  checkArgument(isIterable, 'createAllowlist: claims', 'a list of claims', claims)
  const add = (text: string, owner?: string): string | undefined => {
    const entry = readHostEntry(text)
    if (typeof entry === 'string') {
      if (owner !== undefined) invalid.push({ owner, entry: text, reason: entry })
      return undefined
    }
    const known = listed.get(entry.text) ?? { entry, owners: new Set() }
    if (owner !== undefined) known.owners.add(owner)
    listed.set(entry.text, known)
    return entry.text
  }
  for (const claim of claims) {
    checkArgument(Array.isArray(claim?.hosts), 'createAllowlist: hosts', 'a list of texts', claim?.hosts)
    const { owner, hosts } = claim
    read.push({ owner, hosts: [...new Set(hosts.flatMap((host) => add(host, owner) ?? []))] })
  }
  if (listed.size === 0) for (const host of DEFAULT_HOSTS) add(host)
  const patterns = [...listed.values()].filter(({ entry }) => entry.text.includes('*'))
  const owners = (host: string): readonly string[] | undefined => {
    const exact = listed.get(host)
    const found = patterns.filter(({ entry }) => entry.matches(host))
    if (exact === undefined && found.length === 0) return undefined
    return [...new Set([...(exact?.owners ?? []), ...found.flatMap((pattern) => [...pattern.owners])])]
  }
  const hosts = [...listed.keys()]
  const conflicts = hosts.flatMap((host) => {
    const claimed = owners(host) ?? []
    return claimed.length > 1 ? [{ host, owners: claimed }] : []
  })
  return { hosts, claims: read, conflicts, invalid, owners }
}
