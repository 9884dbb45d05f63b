import { join } from 'node:path'
import type { SvcError } from '@svc/errors'
import type { UpstreamStatusError } from '@svc/proxy'
import type { ServerConfig } from '../config/schema.ts'
import { toStatus } from '../http/error-map.ts'
import { createTraces, type Traces } from '../monitoring/traces/create-traces.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { LazySpans } from './lazy/lazy-spans.ts'

/** Name of the folder of traces in the data path. */
const TRACES_FOLDER = 'traces'

/** Parts of {@link openTraces}. */
export interface TracesParts {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly spans: Pick<LazySpans, 'recorder'>
  readonly clock: Clock
  readonly log: Logger
}

/** Opens the traces of the data path. They follow the settings. */
export function openTraces({ config, settings, spans, clock, log: logger }: TracesParts): Traces {
  return createTraces({
    folder: join(config.dataPath, TRACES_FOLDER),
    policy: {
      get isOn() {
        return settings.get('enable_tracing')
      },
      get maxItems() {
        return settings.get('tracing_max_items')
      },
      get maxBodyBytes() {
        return settings.get('tracing_max_body_bytes')
      },
    },
    toStatus: (error) => (isRelayed(error) && !config.opaqueErrors ? error.status : toStatus(error)),
    spans: () => spans.recorder,
    clock,
    logger,
  })
}

/** Whether the client gets the status of an upstream. The class of the error would load the proxy with the start. */
function isRelayed(error: SvcError): error is UpstreamStatusError {
  return error.name === 'UpstreamStatusError'
}
