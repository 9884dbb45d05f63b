import type { Environment } from '../backends/child-environment.ts'
import { createInProcessBackends } from '../inference/serving/upstream/in-process-backends.ts'
import type { Closers } from './closers.ts'
import { type BackendModule, type BackendParts, composeBackends } from './compose-backends.ts'
import { createDataPathCheck } from './data-path-check.ts'
import type { LazyPeerNetwork } from './lazy/lazy-peer-network.ts'
import type { LazyVectorStores } from './lazy/lazy-vector-stores.ts'
import type { OpenData } from './open-data.ts'
import type { OpenUpstreams } from './open-upstreams.ts'

interface BackendOptions extends Pick<BackendParts, 'config' | 'environment' | 'clock'> {
  /** Shipped backends by name. */
  readonly builtInBackends: BackendParts['builtIn']
  readonly log: BackendParts['logger']
}

/** Opens the backends: processes, and those that this process answers for. */
export async function openBackends(
  { config, environment, builtInBackends, clock, log: logger }: BackendOptions,
  opened: OpenData &
    OpenUpstreams &
    Pick<BackendParts, 'traces' | 'series' | 'checkFiles'> & { readonly vectorStores: LazyVectorStores },
  closers: Closers,
): Promise<BackendModule> {
  const { settings, lock, upstream, secrets, ca, wayOut, checkUpstream, traces, series, checkFiles } = opened
  const openStores = () => opened.vectorStores.open()
  const backends = await composeBackends({
    config,
    settings,
    environment,
    builtIn: builtInBackends,
    inProcess: createInProcessBackends({ upstream, secrets, ca, wayOut, checkUpstream, openStores, logger }),
    checkDataPath: createDataPathCheck(lock),
    traces,
    series,
    checkFiles,
    clock,
    logger,
  })
  closers.push(() => backends.close())
  return backends
}

/** The environment in which backends start: with the workers of the network at that moment beside the operator's own. */
export function withRpcServers(environment: Environment, network: Pick<LazyPeerNetwork, 'rpcServers'>): Environment {
  const { LLAMACPP_GRPC_SERVERS: own, ...others } = environment
  return {
    ...others,
    get LLAMACPP_GRPC_SERVERS() {
      const all = [own, network.rpcServers()].filter((list) => list !== undefined && list !== '')
      return all.length === 0 ? undefined : all.join(',')
    },
  }
}
