import { startUpstream, type Upstream } from '@svc/test-kit'
import { stringify } from 'yaml'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** A server with detectors, models that are filtered, and an upstream. */
export interface PiiWorld extends AsyncDisposable {
  readonly server: TestServer
  readonly upstream: Upstream
  /** Writes a detector of the mock: it finds e-mail addresses and towns. */
  ner(name: string, detection?: Record<string, unknown>): Promise<void>
  /** Writes a detector of patterns. */
  patterns(name: string, patterns: Readonly<Record<string, string>>, detection?: Record<string, unknown>): Promise<void>
  /** Writes a model upstream of the chat format. */
  far(name: string, keys?: Record<string, unknown>, proxy?: Record<string, unknown>): Promise<void>
  /** Gives the requests of a model since its load, as text. */
  asked(model: string): string
  events(query?: string): Promise<Record<string, unknown>[]>
}

/** Starts the server and the upstream. */
export async function startPiiWorld(options: TestServerOptions = {}): Promise<PiiWorld> {
  const server = await startTestServer(options)
  const upstream = await startUpstream()
  return {
    server,
    upstream,
    ner: (name, detection = {}) =>
      server.model(name, {}, { known_usecases: ['token_classify'], pii_detection: detection }),
    patterns: (name, patterns, detection = {}) =>
      server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend: 'pattern',
          pii_detection: {
            patterns: Object.entries(patterns).map(([group, match]) => ({ name: group, match })),
            ...detection,
          },
        }),
      ),
    far: (name, keys = {}, proxy = {}) =>
      server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend: 'cloud-proxy',
          known_usecases: ['chat'],
          proxy: { upstream_url: `${upstream.origin}/${name}`, ...proxy },
          ...keys,
        }),
      ),
    asked(model) {
      const calls = server.records(model).filter(({ event, rpc }) => event === 'start' && rpc !== 'LoadModel')
      return JSON.stringify(calls.map(({ request }) => request ?? ''))
    },
    async events(query = '') {
      const reply = await server.call(`/api/pii/events${query}`)
      return (reply.json() as { events: Record<string, unknown>[] }).events
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await upstream.close()
    },
  }
}
