import { type RecordedRequest, startUpstream, type Upstream, type UpstreamReply } from '@svc/test-kit'
import { stringify } from 'yaml'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** Every way in which a model may be served elsewhere, by the name of a model. */
export const WAYS = {
  'relay-a': { backend: 'cloud-proxy', provider: 'provider_a' },
  'relay-b': { backend: 'cloud-proxy', provider: 'provider_b' },
  'text-a': { backend: 'cloud-proxy', mode: 'translate', provider: 'provider_a' },
  'full-a': { backend: 'cloud-proxy', mode: 'translate', provider: 'provider_a', translate: 'full' },
  'full-b': { backend: 'cloud-proxy', mode: 'translate', provider: 'provider_b', translate: 'full' },
  far: { backend: 'service-proxy' },
} as const

export type Way = keyof typeof WAYS

/** A server with a scripted provider. */
export interface UpstreamWorld extends AsyncDisposable {
  readonly server: TestServer
  readonly upstream: Upstream
  /** Writes a model that is served in this way. */
  model(name: string, way: Way, proxy?: Record<string, unknown>): Promise<void>
  /** The body of the last request of the provider. */
  asked(): Record<string, unknown>
}

/** Starts both, with a model for each of {@link WAYS}. */
export async function startUpstreamWorld(options: TestServerOptions = {}): Promise<UpstreamWorld> {
  const server = await startTestServer(options)
  const upstream = await startUpstream()
  const world: UpstreamWorld = {
    server,
    upstream,
    model(name, way, proxy = {}) {
      const { backend, ...keys } = WAYS[way]
      return server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend,
          known_usecases: ['chat', 'completion'],
          pii: { enabled: false },
          proxy: { upstream_url: `${upstream.origin}/v1/x`, ...keys, ...proxy },
        }),
      )
    },
    asked: () => JSON.parse(upstream.requests.at(-1)?.text() ?? 'null'),
    async [Symbol.asyncDispose]() {
      await server.close()
      await upstream.close()
    },
  }
  for (const way of Object.keys(WAYS) as Way[]) await world.model(way, way)
  return world
}

const EVENTS = { 'content-type': 'text/event-stream' }

/** A whole reply. */
export const whole = (value: unknown): UpstreamReply => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** A stream of chunks of the compatible format, with its end. */
export const chunks = (...list: readonly unknown[]): UpstreamReply => ({
  headers: EVENTS,
  body: [...list.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'],
})

/** A stream of events of the messages format. */
export const events = (...list: readonly { readonly type: string }[]): UpstreamReply => ({
  headers: EVENTS,
  body: list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
})

/** One chunk with a delta. */
export const chunk = (delta: object, finish: string | null = null, rest: object = {}): object => ({
  id: 'up',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'big',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest,
})

/** Whether a request asks for a stream. */
export const streams = (request: RecordedRequest): boolean => JSON.parse(request.text()).stream === true

/** The data of each event of a stream that is JSON. */
export function readEvents(text: string): Record<string, never>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}
