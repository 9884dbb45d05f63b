import { randomBytes } from 'node:crypto'
import { compose } from '../compose.ts'
import type { PlatformOptions } from '../platform/open-platform.ts'
import { createServerClient, type ServerClient } from './remote-client.ts'

/**
 * Starts a server of the folders that only this process talks to, and closes it after the work. It starts nothing of
 * its own.
 *
 * @throws {StartRefused} where a server runs on the same data; what the work throws
 */
export async function withOwnServer<T>(
  options: PlatformOptions,
  work: (server: ServerClient) => Promise<T>,
): Promise<T> {
  // Accounts and keys of the folders let this process in without a key of the user.
  const key = randomBytes(32).toString('hex')
  const config = {
    ...options.config,
    apiKeys: [key, ...options.config.apiKeys],
    address: { host: '127.0.0.1', port: 0 },
    models: [],
    loadToMemory: [],
    preloadModels: undefined,
    preloadModelsConfig: undefined,
    externalBackends: [],
    disableGalleryEndpoint: false,
  }
  const server = await compose({ ...options, config })
  try {
    return await work(createServerClient(server.url, config))
  } finally {
    await server.close()
  }
}
