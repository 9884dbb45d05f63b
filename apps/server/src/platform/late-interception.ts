import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { InterceptionParts } from '../compose-interception.ts'
import { createListenerSwitch, type ListenerSwitch } from '../interception/listener-switch.ts'
import type { Metrics } from '../monitoring/metrics.ts'

/** The intercepting proxy. The first address loads its code. */
export interface LateInterception extends ListenerSwitch {
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
export interface LateInterceptionParts extends Omit<InterceptionParts, 'registry' | 'counts'> {
  readonly metrics: Pick<Metrics, 'registry'>
}

/** Makes the intercepting proxy of a server. Nothing of it is loaded yet. */
export function createLateInterception(parts: LateInterceptionParts): LateInterception {
  let opening: Promise<ReturnType<typeof import('../compose-interception.ts').composeInterception>> | undefined

  async function load() {
    const [{ composeInterception }, registry] = await Promise.all([
      import('../compose-interception.ts'),
      parts.metrics.registry(),
    ])
    return composeInterception({ ...parts, registry, counts: () => listener.running?.proxy.counts })
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
