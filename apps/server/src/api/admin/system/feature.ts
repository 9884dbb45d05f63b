import { PATTERN_BACKEND } from '../../../catalog/serving.ts'
import { readDeviceMemory } from '../../../monitoring/drm-vram.ts'
import { createProcessStats } from '../../../monitoring/process-stats.ts'
import { createReadiness } from '../../../monitoring/readiness.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { healthRoutes } from './health.ts'
import { listModelProblems } from './model-problems.ts'
import { createStateReader } from './read-state.ts'
import { createResourceReader, resourceRoute } from './resources.ts'
import { systemRoutes } from './system.ts'

/** State of the process, its backends and its host. */
export function systemFeature(platform: Platform): ServerFeature {
  const { config, clock, settings, metrics, backends, inference, modelFiles } = platform
  const { catalog, residency, memory } = backends
  const { lock, database, unready: passing } = platform
  const processes = createProcessStats({ clock })
  const readResources = createResourceReader({
    memory,
    modelsPath: config.modelsPath,
    watchdog: () => ({
      reclaims: settings.get('memory_reclaimer_enabled'),
      threshold: settings.get('memory_reclaimer_threshold'),
      interval: settings.get('watchdog_interval'),
    }),
  })
  return {
    routes: [
      ...healthRoutes(
        createReadiness({
          passing,
          lock,
          dataPath: config.dataPath,
          database,
          clock,
          storageTrouble: platform.storage && (() => platform.storage?.watch.reason()),
          isBusConnected: platform.cluster && (() => platform.cluster?.messenger.isConnected === true),
        }),
      ),
      ...systemRoutes({
        version: platform.version,
        async readMetrics() {
          // The request path has metrics of its own.
          await inference.open()
          return (await metrics.registry()).metrics()
        },
        metricsAccess: config.disableMetricsEndpoint ? undefined : config.metricsAccess,
        // The pattern detector runs in the server itself and needs no program.
        backendNames: () => [...new Set([...catalog.names(), PATTERN_BACKEND])].sort(),
        loaded: () => residency.loaded(),
        readProcess: (pid) => processes.read(pid),
        readVram: (pid) => readDeviceMemory(pid),
        readResources,
        problems: () => listModelProblems(modelFiles, residency.failures()),
        readState: createStateReader({ residency, clock }),
      }),
      resourceRoute(readResources),
    ],
  }
}
