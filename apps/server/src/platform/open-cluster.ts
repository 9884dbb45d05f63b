import type { BusLink } from '../bus/bus.ts'
import { createNatsLink } from '../cluster/nats/create-nats-link.ts'
import { createNatsMessenger, type NatsMessenger } from '../cluster/nats/create-nats-messenger.ts'
import { createNodeCredentials, frontEndInbox, type NodeCredentials } from '../cluster/nats/node-credentials.ts'
import { type Nodes, type NodesParts, openClusterNodes } from '../cluster/nodes/open-nodes.ts'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { readServerId } from '../operations/server-id.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Closers } from './closers.ts'

/** What joins this server with other front ends and with workers. */
export interface ClusterConnection {
  /** Name of this server among several. */
  readonly instanceId: string
  readonly messenger: NatsMessenger
  /** Mints credentials of workers; undefined without a seed of the account: workers bring their own. */
  readonly nodeCredentials: NodeCredentials | undefined
  /** Carries the hints of the bus. */
  readonly link: BusLink
}

/** Connects to the message bus. The server starts without it when it cannot be reached. */
export async function openCluster(
  options: { readonly config: ServerConfig; readonly clock: Clock; readonly log: Logger },
  closers: Closers,
): Promise<ClusterConnection> {
  const { config, clock, log: logger } = options
  const { natsServiceJwt: jwt = '', natsServiceSeed: seed = '', natsUrl: url = '' } = config
  const instanceId = config.instanceId || (await readServerId(config.dataPath))
  const nodeCredentials = await openNodeCredentials(config)
  const messenger = await createNatsMessenger({
    url,
    credentials: jwt === '' ? undefined : { jwt, seed },
    tls: { ca: config.natsTlsCa, cert: config.natsTlsCert, key: config.natsTlsKey },
    name: `svc ${instanceId}`,
    inboxPrefix: frontEndInbox(instanceId),
    clock,
    logger,
  })
  closers.push(() => messenger.close())
  return { instanceId, messenger, nodeCredentials, link: createNatsLink(messenger) }
}

/**
 * Opens the workers, once the bus that tells of their changes is there.
 *
 * @throws {StartRefused} for scheduling rules of the configuration that cannot be read
 */
export async function openWorkers(parts: NodesParts, closers: Closers): Promise<Nodes> {
  const nodes = await openClusterNodes(parts)
  closers.push(() => nodes.close())
  return nodes
}

async function openNodeCredentials(config: ServerConfig): Promise<NodeCredentials | undefined> {
  const { natsAccountSeed: accountSeed = '', natsWorkerJwtTtlMs: ttlMs } = config
  if (accountSeed === '') return undefined
  try {
    return await createNodeCredentials({ accountSeed, ttlMs })
  } catch (cause) {
    throw new StartRefused('SVC_NATS_ACCOUNT_SEED is not the seed of a NATS account', { exitCode: 78, cause })
  }
}
