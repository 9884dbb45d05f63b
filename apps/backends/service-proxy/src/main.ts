/**
 * Serves a model of another instance as a model backend, for hosts that want a process for it. The server does the same
 * inside its own process.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createLog, serveBackend } from '@svc/backend-kit'
import { createHttpUpstream, createWayOut, readProxyVariables, readTrustStore } from '@svc/http-client'
import { createServiceHandlers } from '@svc/service-backend'

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
const { promptLogprobs, ...handlers } = createServiceHandlers({ upstream, secrets, ca, wayOut, log })
await serveBackend({ handlers, extensions: { promptLogprobs }, onStop: () => upstream.close() })
