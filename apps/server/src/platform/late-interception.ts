import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { ModelDirectory } from '../catalog/resolve.ts'
import type { InterceptionParts } from '../compose-interception.ts'
import type { ClaimSource } from '../interception/claim-source.ts'
import type { ClaimedHosts } from '../interception/claims.ts'
import { createListenerSwitch, type ListenerSwitch } from '../interception/listener-switch.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Settings } from '../settings/settings.ts'

/** The intercepting proxy. The first address loads its code. */
export interface LateInterception extends ListenerSwitch {
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

/** Options of {@link createLateInterception}. */
export interface LateInterceptionParts extends Omit<InterceptionParts, 'registry' | 'counts' | 'claims'> {
  readonly settings: Pick<Settings, 'get'>
  readonly models: Pick<ModelDirectory, 'list'>
  readonly modelFiles: Pick<ConfigStore, 'list' | 'problems'>
  readonly metrics: Pick<Metrics, 'registry'>
}

/** Makes the intercepting proxy of a server. Nothing of it is loaded yet. */
export function createLateInterception(parts: LateInterceptionParts): LateInterception {
  let opening: Promise<ReturnType<typeof import('../compose-interception.ts').composeInterception>> | undefined

  let claims: Promise<ClaimSource> | undefined

  function openClaims(): Promise<ClaimSource> {
    const { settings, models, modelFiles } = parts
    claims ??= import('../interception/claim-source.ts').then(({ createClaimSource }) =>
      createClaimSource({
        look: () => modelFiles.list(),
        models: () => models.list(),
        brokenFiles: () => modelFiles.problems().map(({ file }) => file),
        defaults: () => settings.get('pii_default_detectors'),
      }),
    )
    return claims
  }

  async function load() {
    const [{ composeInterception }, registry, source] = await Promise.all([
      import('../compose-interception.ts'),
      parts.metrics.registry(),
      openClaims(),
    ])
    return composeInterception({ ...parts, claims: source, registry, counts: () => listener.running?.proxy.counts })
  }
  const listener = createListenerSwitch({
    async start(address) {
      opening ??= load()
      return (await opening)(address)
    },
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
    readClaims: async () => (await openClaims()).current(),
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
      const { createCaFolder, readAuthority } = await import('@svc/mitm')
      return (await readAuthority({ store: createCaFolder(parts.caFolder) }))?.certificate
    },
  }
}
