import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import { createCredentialHeaders, readUpstreamKey, type SecretReader } from '@svc/proxy'
import type { CheckUpstream } from '../inference/serving/upstream/own-address.ts'
import type { Clock, Logger } from '../ports.ts'
import { createFederation, type Federation } from './federation.ts'
import type { PeerChoice } from './peer.ts'
import type { PeerSettings } from './read-peers.ts'

/** Options of {@link openFederation}. */
export interface FederationParts {
  readonly config: {
    readonly federatedPeers: readonly PeerSettings[]
    readonly federatedChoice: PeerChoice
    readonly federatedCheckIntervalMs: number
  }
  readonly upstream: Upstream
  readonly secrets: SecretReader
  /** Refuses the address of this server itself. */
  readonly checkUpstream: CheckUpstream
  readonly userAgent: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Creates a federation of the configured peers. A peer that is this server itself is left out.
 *
 * @throws {SvcError} `invalid_request` for a key that cannot be read
 */
export async function openFederation(parts: FederationParts): Promise<Federation> {
  const { config, upstream, userAgent, clock, logger } = parts
  const credentials = await Promise.all(config.federatedPeers.map((peer) => readCredential(peer, parts)))
  const federation = createFederation({
    choice: config.federatedChoice,
    intervalMs: config.federatedCheckIntervalMs,
    upstream,
    userAgent,
    clock,
    logger,
  })
  for (const [index, { name, url, passKey }] of config.federatedPeers.entries()) {
    if (url.startsWith('http:')) logger.info({ peer: name }, 'a peer of the federation is reached without TLS')
    const isOwn = await parts.checkUpstream(new URL(url)).then(
      () => false,
      () => true,
    )
    if (isOwn) logger.warn({ peer: name }, 'a peer of the federation is this server itself and is left out')
    else federation.add({ id: url, name, label: name, url, passKey, credential: credentials[index] ?? [] })
  }
  return federation
}

async function readCredential(peer: PeerSettings, { secrets }: FederationParts) {
  try {
    return createCredentialHeaders('provider_a', await readUpstreamKey(peer, secrets))
  } catch (cause) {
    const reason = SvcError.is(cause) ? cause.message.replace(/^proxy\./, '') : 'its key cannot be read'
    throw new SvcError('invalid_request', `peer ${peer.name}: ${reason}`, { code: 'invalid_peer', cause })
  }
}
