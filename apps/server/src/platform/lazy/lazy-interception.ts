import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigStore } from '../../catalog/folder-store.ts'
import type { ModelDirectory } from '../../catalog/resolve.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import type { ClaimedHosts } from '../../interception/claims.ts'
import { createListenerSwitch, type ListenerSwitch } from '../../interception/listener-switch.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { Settings } from '../../settings/settings.ts'
import type { InterceptionParts } from '../compose-interception.ts'

/** The intercepting proxy. The first address loads its code. */
export interface LazyInterception extends ListenerSwitch {
  /** Gives the intercepted hosts of this moment. */
  readClaims(): Promise<ClaimedHosts>
  /** Whether there is a certificate for clients to trust. */
  hasCertificate(): Promise<boolean>
  /**
   * Gives the certificate of the authority, PEM; undefined before the proxy has run once.
   *
   * @throws {SvcError} `mitm_authority_unusable`
   */
  readCertificate(): Promise<string | undefined>
}

/** Options of {@link createLazyInterception}. */
export interface LazyInterceptionParts extends Omit<InterceptionParts, 'registry' | 'counts' | 'claims'> {
  readonly settings: Pick<Settings, 'get'>
  readonly models: Pick<ModelDirectory, 'list'>
  readonly modelFiles: Pick<ConfigStore, 'list' | 'problems'>
  readonly metrics: Pick<Metrics, 'registry'>
}

/** Makes the intercepting proxy of a server. Nothing of it is loaded yet. */
export function createLazyInterception(parts: LazyInterceptionParts): LazyInterception {
  const claims = createLazy(async () => {
    const { settings, models, modelFiles } = parts
    const { createClaimSource } = await import('../../interception/claim-source.ts')
    return createClaimSource({
      look: () => modelFiles.list(),
      models: () => models.list(),
      brokenFiles: () => modelFiles.problems().map(({ file }) => file),
      defaults: () => settings.get('pii_default_detectors'),
    })
  })
  const starter = createLazy(async () => {
    const [{ composeInterception }, registry, source] = await Promise.all([
      import('../compose-interception.ts'),
      parts.metrics.registry(),
      claims.open(),
    ])
    return composeInterception({ ...parts, claims: source, registry, counts: () => listener.running?.proxy.counts })
  })
  const listener: ListenerSwitch = createListenerSwitch({
    start: async (address) => (await starter.open())(address),
    logger: parts.logger,
  })
  return {
    follow: (address) => listener.follow(address),
    get asked() {
      return listener.asked
    },
    get running() {
      return listener.running
    },
    get fault() {
      return listener.fault
    },
    settled: () => listener.settled(),
    readClaims: async () => (await claims.open()).current(),
    drain: () => listener.drain(),
    close: () => listener.close(),
    async hasCertificate() {
      if (listener.running !== undefined) return true
      return access(join(parts.caFolder, 'ca.crt')).then(
        () => true,
        () => false,
      )
    },
    async readCertificate() {
      if (listener.running !== undefined) return listener.running.authority.certificate
      const [{ readAuthority }, { openCaStore }] = await Promise.all([
        import('@svc/mitm'),
        import('../compose-interception.ts'),
      ])
      return (await readAuthority({ store: openCaStore(parts) }))?.certificate
    },
  }
}
