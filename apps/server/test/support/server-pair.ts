import { stringify } from 'yaml'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** Two servers in a row: the near one forwards requests for a model of the far one. */
export interface ServerPair extends AsyncDisposable {
  readonly near: TestServer
  readonly far: TestServer
  /** Writes a model of the near server that the far one serves. */
  forward(name: string, keys?: Record<string, unknown>, proxy?: Record<string, unknown>): Promise<void>
}

/** Starts both servers. */
export async function startServerPair(
  options: { readonly near?: TestServerOptions; readonly far?: TestServerOptions } = {},
): Promise<ServerPair> {
  const far = await startTestServer(options.far)
  const near = await startTestServer(options.near)
  return {
    near,
    far,
    forward: (name, keys = {}, proxy = {}) => writeForwarded(near, { name, url: far.url, keys, proxy }),
    async [Symbol.asyncDispose]() {
      await near.close()
      await far.close()
    },
  }
}

/** Writes the file of a model that another instance serves. */
export async function writeForwarded(
  server: TestServer,
  options: {
    readonly name: string
    readonly url: string
    readonly keys?: Record<string, unknown>
    readonly proxy?: Record<string, unknown>
  },
): Promise<void> {
  const { name, url, keys = {}, proxy = {} } = options
  const model = {
    name,
    backend: 'service-proxy',
    known_usecases: ['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize', 'score'],
    proxy: { upstream_url: url, ...proxy },
    ...keys,
  }
  await server.writeModelFile(`${name}.yaml`, stringify(model))
}
