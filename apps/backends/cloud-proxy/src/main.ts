/**
 * Serves a model of an upstream provider as a model backend, for hosts that want a process for it. The server does the
 * same inside its own process.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createLog, serveBackend } from '@svc/backend-kit'
import { createHttpUpstream, createWayOut, readProxyVariables, readTrustStore } from '@svc/http-client'
import { createCloudProxy } from './cloud-proxy.ts'

const log = createLog(process.stderr)
const ca = await readTrustStore({
  environment: process.env,
  onEmpty: (variable, file) => log.warn(`${variable}: ${file} holds no certificates`),
})
const variables = readProxyVariables(process.env)
const wayOut = createWayOut(() => variables)
const upstream = createHttpUpstream({ ca, wayOut })
const secrets = {
  variable: (name: string) => process.env[name],
  file: (path: string) => readFile(path, 'utf8'),
}
await serveBackend({ handlers: createCloudProxy({ upstream, secrets, log }), onStop: () => upstream.close() })
