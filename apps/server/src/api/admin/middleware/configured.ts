import type { MiddlewareStatus } from '@svc/wire/native'
import { isPiiEnabled } from '../../../catalog/capabilities.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'

/** Lists the hosts that model files claim (§2.14). This version does not intercept them and has no authority. */
export function describeInterception(models: readonly ModelConfig[]): MiddlewareStatus['mitm'] {
  const claims = models.flatMap((model) => {
    const hosts = [...new Set((model.mitm.hosts ?? []).map((host) => host.toLowerCase()))]
    return hosts.length === 0 ? [] : [{ model, hosts }]
  })
  const claimants = new Map<string, string[]>()
  for (const { model, hosts } of claims) {
    for (const host of hosts) claimants.set(host, [...(claimants.get(host) ?? []), model.name])
  }
  return {
    running: false,
    host_owners: Object.fromEntries([...claimants].map(([host, [owner = '']]) => [host, owner])),
    host_conflicts: [...claimants]
      .filter(([, names]) => names.length > 1)
      .map(([host, names]) => ({ host, models: names })),
    models: claims.map(({ model, hosts }) => ({
      name: model.name,
      hosts,
      pii_enabled: isPiiEnabled(model),
      backend: model.backend,
    })),
    ca_available: false,
  }
}
