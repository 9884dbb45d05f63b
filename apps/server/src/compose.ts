import { ALL_FEATURES } from './features/all-features.ts'
import { createFeatureSet, type FeatureSet } from './features/feature-set.ts'
import { createApp } from './http/app.ts'
import { holdRequests } from './http/hold-requests.ts'
import type { RouteInfo } from './http/route-info.ts'
import { type Closers, createClosers } from './platform/closers.ts'
import { openEdge } from './platform/open-edge.ts'
import { openListener } from './platform/open-listener.ts'
import { openPlatform, type PlatformOptions } from './platform/open-platform.ts'
import { stopServing } from './platform/stop-serving.ts'

/** Options of {@link compose}. */
export interface ComposeOptions extends PlatformOptions {
  /**
   * Called once the server listens, which is before it serves more than health checks. The server can be closed from
   * then on.
   */
  readonly onListening?: ((server: RunningServer) => void) | undefined
}

/** A running server. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Whether every visitor needs a key. */
  readonly needsKey: boolean
  /** Gives the model that answers a chat without a model name; undefined when there is none. */
  defaultModel(): string | undefined
  /** The served routes. */
  readonly routes: readonly RouteInfo[]
  /**
   * Stops within 5 s: refuses new requests, lets running ones finish for a while, ends the rest with an error in their
   * format, then stops the backends and closes everything.
   */
  close(): Promise<void>
  /** Sends KILL to every backend, for an exit that waits for nothing. */
  killBackends(): void
}

/** Builds a server and starts it: the platform that features share, the features, and the listener. */
export async function compose(options: ComposeOptions): Promise<RunningServer> {
  const features = createFeatureSet({ logger: options.log })
  const closers = createClosers()
  try {
    return await start(options, features, closers)
  } catch (error) {
    await features.close()
    // The start failed for another reason.
    await closers.closeAll().catch((err: unknown) => options.log.error({ err }, 'the server did not close cleanly'))
    throw error
  }
}

async function start(options: ComposeOptions, features: FeatureSet, closers: Closers): Promise<RunningServer> {
  let ownPort: number | undefined
  const { routes: listRoutes, unready } = features
  const facts = { listens: true, routes: listRoutes, unready, ownPort: () => ownPort }
  const platform = await openPlatform(options, facts, closers)
  for (const createFeature of ALL_FEATURES) features.add(await createFeature(platform))

  const { bus, authenticator, models, backends, clock } = platform
  closers.push(
    bus.subscribe('settings.changed', ({ keys }) => features.settingsChanged(new Set(keys))),
    bus.subscribe('models.changed', ({ changed, removed }) => features.modelsChanged([...changed, ...removed])),
  )
  const edge = await openEdge(platform, closers)
  const routes = features.routes()
  platform.innerCalls.open(edge, routes)
  // Health checks are answered while the parser loads.
  const { app, release } = holdRequests(createApp(routes, edge))
  const listener = await openListener(app, platform)
  closers.push(() => listener.destroy())
  ownPort = listener.port
  let isClosing = false
  const server: RunningServer = {
    url: listener.url,
    port: listener.port,
    needsKey: authenticator.isConfigured,
    defaultModel: () => models.findDefault('chat')?.name,
    routes,
    killBackends() {
      backends.killNow()
      platform.toolServers.killNow()
    },
    async close() {
      isClosing = true
      await features.drain()
      await stopServing({
        listener,
        clock,
        edge,
        closeFeatures: () => features.close(),
        stopBackends: (graceMs) => backends.stop({ graceMs }),
      })
      await closers.closeAll()
    },
  }
  options.onListening?.(server)
  await platform.loadParser()
  release()
  if (!isClosing) await features.start()
  return server
}
