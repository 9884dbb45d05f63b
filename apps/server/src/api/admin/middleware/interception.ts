import type { MiddlewareStatus } from '@svc/wire/native'
import { isPiiEnabled } from '../../../catalog/capabilities.ts'
import { formatAddress } from '../../../config/places.ts'
import type { ClaimedHosts } from '../../../interception/claims.ts'
import type { ListenerSwitch } from '../../../interception/listener-switch.ts'
import { hasWork } from '../../../pii/consumer-policy.ts'

/** The intercepting proxy, as the status shows it. */
export interface InterceptionFacts extends Pick<ListenerSwitch, 'asked' | 'running' | 'fault'> {
  readClaims(): Promise<ClaimedHosts>
  hasCertificate(): Promise<boolean>
}

/** The path of the certificate. */
const CERTIFICATE_PATH = '/api/middleware/proxy-ca.crt'

/** Describes the intercepting proxy and the hosts that model files list (§2.14). */
export async function describeInterception(facts: InterceptionFacts): Promise<MiddlewareStatus['mitm']> {
  const { asked, running, fault } = facts
  const hasCertificate = await facts.hasCertificate()
  return {
    running: running !== undefined,
    listen_addr: running === undefined ? '' : formatAddress({ host: running.proxy.address, port: running.proxy.port }),
    configured_addr: asked,
    ...(fault === undefined ? {} : { error: fault }),
    ...describeHosts(await facts.readClaims()),
    ca_available: hasCertificate,
    ca_cert_url: hasCertificate ? CERTIFICATE_PATH : '',
    ...(running === undefined ? {} : { counts: toCounts(running.proxy.counts) }),
  }
}

function describeHosts({
  allowlist,
  claimants,
  findPolicy,
  findPaths,
}: ClaimedHosts): Pick<MiddlewareStatus['mitm'], 'hosts' | 'host_owners' | 'host_conflicts' | 'models'> {
  const hosts = allowlist.hosts.map((host) => {
    const policy = findPolicy(host)
    const filtered = policy !== undefined && hasWork(policy)
    const models = [...(allowlist.owners(host) ?? [])]
    const { paths, unread } = findPaths(host)
    return {
      host,
      models,
      detectors: filtered ? [...policy.detectors] : [],
      filtered,
      scanned_paths: filtered ? [...paths] : [],
      unread_paths: filtered ? [...unread] : [...paths, ...unread],
    }
  })
  return {
    hosts,
    host_owners: Object.fromEntries(
      hosts.flatMap(({ host, models: [first] }) => (first === undefined ? [] : [[host, first]])),
    ),
    host_conflicts: allowlist.conflicts.map(({ host, owners }) => ({ host, models: [...owners] })),
    models: claimants.map(({ model, hosts: listed }) => ({
      name: model.name,
      hosts: [...listed],
      pii_enabled: isPiiEnabled(model),
      backend: model.backend,
    })),
  }
}

type Running = NonNullable<ListenerSwitch['running']>

function toCounts({
  bufferedBytes,
  ...counts
}: Running['proxy']['counts']): Required<MiddlewareStatus['mitm']>['counts'] {
  return { ...counts, buffered_bytes: bufferedBytes }
}
