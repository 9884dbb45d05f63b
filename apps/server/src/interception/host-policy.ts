import type { BodyFilter, HostPolicy, HostRules } from '@svc/mitm'
import type { ModelConfig } from '../catalog/model-config.ts'
import { type ConsumerPolicy, hasWork } from '../pii/consumer-policy.ts'
import type { Logger } from '../ports.ts'
import { type ClaimedHosts, readClaims } from './claims.ts'

/** Options of {@link createHostPolicy}. */
export interface HostPolicyOptions {
  /** Looks at the model files; gives the same list while nothing has changed. */
  readonly look: () => readonly unknown[]
  /** The models of the last look, with their defaults. */
  readonly models: () => readonly ModelConfig[]
  /** The detectors of the instance; the same list while nothing has changed. */
  readonly defaults: () => readonly string[]
  readonly toFilter: (policy: ConsumerPolicy) => BodyFilter
  readonly logger: Logger
}

/** The rules of one state of files and settings. */
interface Snapshot {
  readonly looked: readonly unknown[]
  readonly defaults: readonly string[]
  readonly claims: ClaimedHosts
  readonly rules: Map<string, HostRules>
}

/**
 * Creates the policy of the proxy from the models. Each question looks at the files, as a request for a model does, so
 * that a changed file acts on the next connection and the next request.
 */
export function createHostPolicy({ look, models, defaults, toFilter, logger }: HostPolicyOptions): HostPolicy {
  let last: Snapshot | undefined

  function snapshot(): Snapshot {
    const looked = look()
    const detectors = defaults()
    if (last?.looked === looked && last.defaults === detectors) return last
    const claims = readClaims(models(), detectors)
    last = { looked, defaults: detectors, claims, rules: new Map() }
    return last
  }

  const reported = new Set<string>()
  function report({ claims }: Snapshot): void {
    const notes = listNotes(claims)
    for (const { text, ...fields } of notes) {
      const key = JSON.stringify([text, fields])
      if (!reported.has(key)) logger.warn(fields, text)
    }
    reported.clear()
    for (const { text, ...fields } of notes) reported.add(JSON.stringify([text, fields]))
  }

  function toRules(policy: ConsumerPolicy): HostRules {
    return { filter: hasWork(policy) ? toFilter(policy) : undefined }
  }

  return {
    find(host) {
      const before = last
      const now = snapshot()
      if (now !== before) report(now)
      const known = now.rules.get(host)
      if (known !== undefined) return known
      const policy = now.claims.findPolicy(host)
      if (policy === undefined) return undefined
      const rules = toRules(policy)
      now.rules.set(host, rules)
      return rules
    },
  }
}

interface Note extends Readonly<Record<string, unknown>> {
  readonly text: string
}

/** What an operator most likely did not mean. */
function listNotes({ allowlist, findPolicy }: ClaimedHosts): Note[] {
  const unfiltered = allowlist.hosts.filter((host) => {
    const policy = findPolicy(host)
    return policy?.enabled === true && !hasWork(policy)
  })
  return [
    ...allowlist.invalid.map(({ owner, entry }) => ({
      text: 'an entry of mitm.hosts is no host',
      model: owner,
      entry,
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
