import { type Allowlist, createAllowlist, createScannedPaths, type ScannedPaths } from '@svc/mitm'
import type { ModelConfig } from '../catalog/model-config.ts'
import { type ConsumerPolicy, findConsumerPolicy, unitePolicies } from '../pii/consumer-policy.ts'

/** A model that lists hosts. */
export interface HostClaimant {
  readonly model: ModelConfig
  /** Hosts and patterns in canonical form, each once. */
  readonly hosts: readonly string[]
}

/** The intercepted hosts of one state of the model files. */
export interface ClaimedHosts {
  readonly allowlist: Allowlist
  readonly claimants: readonly HostClaimant[]
  /**
   * Finds the policy of a listed host: the policies of its models united, or the detectors of the instance for a
   * default host.
   */
  findPolicy(host: string): ConsumerPolicy | undefined
  /** Gives the scanned paths of a listed host: the paths of its models united. */
  findPaths(host: string): ScannedPaths
}

/**
 * Reads the `mitm` blocks of models (§2.14). A disabled model still lists its hosts: it serves no requests here, and
 * its rules protect requests that go elsewhere.
 *
 * @param defaults the detectors of the instance
 */
export function readClaims(models: readonly ModelConfig[], defaults: readonly string[]): ClaimedHosts {
  const byName = new Map<string, ModelConfig>()
  for (const model of models) {
    if (model.alias === undefined && (model.mitm.hosts ?? []).length > 0) byName.set(model.name, model)
  }
  const allowlist = createAllowlist(
    [...byName.values()].map(({ name, mitm }) => ({ owner: name, hosts: mitm.hosts ?? [] })),
  )
  return {
    allowlist,
    claimants: [...byName.values()].map((model) => ({
      model,
      hosts: allowlist.claims.find(({ owner }) => owner === model.name)?.hosts ?? [],
    })),
    findPaths: (host) =>
      createScannedPaths((allowlist.owners(host) ?? []).flatMap((name) => byName.get(name)?.mitm.paths ?? [])),
    findPolicy(host) {
      const owners = allowlist.owners(host)
      if (owners === undefined) return undefined
      const policies = owners.flatMap((name) => {
        const model = byName.get(name)
        return model === undefined ? [] : [findConsumerPolicy(model, defaults)]
      })
      const [first, ...others] = policies
      return first === undefined ? toDefaultPolicy(defaults) : unitePolicies(first, others)
    },
  }
}

function toDefaultPolicy(defaults: readonly string[]): ConsumerPolicy {
  return { enabled: true, detectors: [...new Set(defaults)], isDefault: true, blocksMedia: false }
}
