import { type BackendClient, createBackendClient, ensureSuccess } from '@svc/backend-client'
import type { ModelOptions, ProxyOptions, Result } from '@svc/backend-client/proto'
import { listenBackend } from '@svc/backend-kit'
import { createHttpUpstream } from '@svc/http-client'
import { startUpstream, type Upstream, type UpstreamScript } from '@svc/test-kit'
import { createCloudProxy } from '../src/cloud-proxy.ts'

/** A cloud proxy called over gRPC, and the upstream behind it. */
export interface CloudWorld extends AsyncDisposable {
  readonly client: BackendClient
  readonly provider: Upstream
  readonly warnings: string[]
  /** Loads a model and returns the result. */
  tryLoad(proxy: Partial<ProxyOptions>, options?: Partial<ModelOptions>): Promise<Result>
  /** Loads a model of the upstream. */
  load(proxy?: Partial<ProxyOptions>, options?: Partial<ModelOptions>): Promise<void>
  /** The JSON of the last request. */
  asked(): Record<string, unknown>
}

/** Variables and files of the world. */
const SECRETS: Readonly<Record<string, string>> = { KEY: 'sk-variable', EMPTY: '', '/key': 'sk-file\n', '/empty': ' ' }

/** Starts a proxy in this process. */
export async function startWorld(): Promise<CloudWorld> {
  const provider = await startUpstream()
  const upstream = createHttpUpstream()
  const warnings: string[] = []
  const handlers = createCloudProxy({
    upstream,
    log: { warn: (message) => warnings.push(message), error: (message) => warnings.push(message) },
    secrets: {
      variable: (name) => SECRETS[name],
      file: async (path) => {
        const text = SECRETS[path]
        if (text === undefined) throw new Error('ENOENT')
        return text
      },
    },
  })
  const backend = await listenBackend({ handlers, address: '127.0.0.1:0' })
  const client = createBackendClient({ address: backend.address })
  const tryLoad = (proxy: Partial<ProxyOptions>, options: Partial<ModelOptions> = {}): Promise<Result> =>
    client.loadModel({ Model: 'm', ...options, Proxy: { upstreamUrl: `${provider.origin}/v1/x?y=1`, ...proxy } })
  return {
    client,
    provider,
    warnings,
    tryLoad,
    load: async (proxy = {}, options = {}) => {
      ensureSuccess(await tryLoad(proxy, options))
    },
    asked: () => JSON.parse(provider.requests.at(-1)?.text() ?? 'null'),
    async [Symbol.asyncDispose]() {
      client.close()
      await backend.close({ graceMs: 0 })
      await upstream.close()
      await provider.close()
    },
  }
}

/** A reply of JSON. */
export function json(body: unknown, status = 200): UpstreamScript {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Collects all items of a stream. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}
