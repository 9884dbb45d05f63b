import { systemClock } from '../../clock.ts'
import type { LogFields } from '../../ports.ts'
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
} from '../client.ts'

/** A client whose log lines are kept, with default options of a fetch. */
export interface TestClient {
  readonly client: OutboundClient
  readonly logged: readonly LogFields[]
  readonly request: OutboundRequest
}

/** Creates a client that by default reaches only public addresses and looks up no names. */
export function openClient(
  options: Partial<OutboundClientOptions> = {},
  request: Partial<OutboundRequest> = {},
): TestClient {
  const logged: LogFields[] = []
  const keep = (fields: LogFields) => void logged.push(fields)
  return {
    client: createOutboundClient({
      allow: { cidrs: [], hosts: [] },
      clock: systemClock,
      log: { debug: keep, info: keep, warn: keep, error: keep },
      userAgent: 'svc/test',
      resolve: async (host) => {
        throw new Error(`looked up ${host}`)
      },
      ...options,
    }),
    logged,
    request: {
      signal: new AbortController().signal,
      trust: 'operator',
      maxBytes: 1_000_000,
      timeoutMs: 20_000,
      ...request,
    },
  }
}
