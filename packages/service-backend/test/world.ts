import { type BackendClient, createBackendClient, ensureSuccess } from '@svc/backend-client'
import type { ModelOptions, ProxyOptions, Result } from '@svc/backend-client/proto'
import { listenBackend } from '@svc/backend-kit'
import { createHttpUpstream, type WayOut } from '@svc/http-client'
import { startUpstream, type TempDir, tempDir, type Upstream, type UpstreamScript } from '@svc/test-kit'
import { createServiceHandlers } from '../src/index.ts'

/** A service proxy called over gRPC, and the instance behind it. */
export interface ServiceWorld extends AsyncDisposable {
  readonly client: BackendClient
  readonly instance: Upstream
  readonly warnings: string[]
  readonly folder: TempDir
  /** Loads a model and returns the result. */
  tryLoad(proxy: Partial<ProxyOptions>, options?: Partial<ModelOptions>): Promise<Result>
  /** The JSON of the last request. */
  asked(): Record<string, unknown>
}

/**
 * Starts a proxy in this process, with a model of the instance. @param ca authorities that it trusts instead of Node's
 * own @param wayOut says which of its connections go through a proxy
 */
export async function startWorld(
  proxy: Partial<ProxyOptions> = {},
  options: Partial<ModelOptions> = {},
  ca?: string,
  wayOut?: WayOut,
): Promise<ServiceWorld> {
  const instance = await startUpstream()
  const upstream = createHttpUpstream()
  const folder = await tempDir()
  const warnings: string[] = []
  const { promptLogprobs, ...handlers } = createServiceHandlers({
    upstream,
    ca,
    wayOut,
    log: { warn: (message) => warnings.push(message), error: (message) => warnings.push(message) },
    secrets: {
      variable: (name) => (name === 'KEY' ? 'sk-secret' : undefined),
      file: () => Promise.reject(new Error('ENOENT')),
    },
  })
  const backend = await listenBackend({ handlers, extensions: { promptLogprobs }, address: '127.0.0.1:0' })
  const client = createBackendClient({ address: backend.address })
  const tryLoad: ServiceWorld['tryLoad'] = (settings, more = {}) =>
    client.loadModel({ Model: 'm', ...more, Proxy: { upstreamUrl: instance.origin, ...settings } })
  ensureSuccess(await tryLoad(proxy, options))
  return {
    client,
    instance,
    warnings,
    folder,
    tryLoad,
    asked: () => JSON.parse(instance.requests.at(-1)?.text() ?? 'null'),
    async [Symbol.asyncDispose]() {
      client.close()
      await backend.close({ graceMs: 0 })
      await upstream.close()
      await instance.close()
      await folder.close()
    },
  }
}

/** A reply of JSON. */
export function json(body: unknown, status = 200): UpstreamScript {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** A reply of other bytes. */
export function file(body: string, type: string): UpstreamScript {
  return { headers: { 'content-type': type }, body }
}

/** A reply of events. */
export function sse(...events: readonly unknown[]): UpstreamScript {
  const data = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  return { headers: { 'content-type': 'text/event-stream' }, body: data.join('') }
}

/** Collects all items of a stream. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}
