import type { BodyFilter, HostPolicy, HostRules } from '@svc/mitm'
import { type ConsumerPolicy, hasWork } from '../pii/consumer-policy.ts'
import type { Logger } from '../ports.ts'
import type { ClaimSource } from './claim-source.ts'
import type { ClaimedHosts } from './claims.ts'

/** Hosts whose rules are kept. */
const MAX_HOSTS = 1000

/** Options of {@link createHostPolicy}. */
export interface HostPolicyOptions {
  readonly claims: ClaimSource
  readonly toFilter: (policy: ConsumerPolicy) => BodyFilter
  readonly logger: Logger
}

/**
 * Creates the policy of the proxy. Each question looks at the model files, so that a changed file acts on the next
 * connection and the next request.
 */
export function createHostPolicy({ claims, toFilter, logger }: HostPolicyOptions): HostPolicy {
  let known: ClaimedHosts | undefined
  let rules = new Map<string, HostRules>()
  let reported = new Set<string>()

  /** Logs the notes that have come since the last change. */
  function report(current: ClaimedHosts): void {
    const notes = new Map(listNotes(current).map((note) => [JSON.stringify(note), note]))
    for (const [key, { text, ...fields }] of notes) if (!reported.has(key)) logger.warn(fields, text)
    reported = new Set(notes.keys())
  }

  return {
    find(host) {
      const current = claims.current()
      if (current !== known) {
        known = current
        rules = new Map()
        report(current)
      }
      const found = rules.get(host)
      if (found !== undefined) return found
      const policy = current.findPolicy(host)
      if (policy === undefined) return undefined
      // Patterns have any number of hosts, and clients name them.
      if (rules.size >= MAX_HOSTS) rules.clear()
      const made: HostRules = { filter: hasWork(policy) ? toFilter(policy) : undefined, paths: current.findPaths(host) }
      rules.set(host, made)
      return made
    },
  }
}

interface Note extends Readonly<Record<string, unknown>> {
  readonly text: string
}

/** Lists likely mistakes in model files. */
function listNotes({ allowlist, findPolicy }: ClaimedHosts): Note[] {
  const unfiltered = allowlist.hosts.filter((host) => {
    const policy = findPolicy(host)
    return policy?.enabled === true && !hasWork(policy)
  })
  return [
    ...allowlist.invalid.map(({ owner, entry, reason }) => ({
      text: 'an entry of mitm.hosts can match no host',
      model: owner,
      entry,
      reason,
    })),
    ...allowlist.conflicts.map(({ host, owners }) => ({
      text: 'several models list an intercepted host; the detectors of all of them apply',
      host,
      models: owners,
    })),
    ...unfiltered.map((host) => ({
      text: 'an intercepted host has no detectors; its requests are not filtered',
      host,
    })),
  ]
}
