/**
 * A model of another instance as a model backend: what the server does in its own process, for hosts that want a process
 * for it.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createLog, serveBackend } from '@svc/backend-kit'
import { createHttpUpstream, readTrustStore } from '@svc/http-client'
import { createServiceHandlers } from '@svc/service-backend'

const log = createLog(process.stderr)
const ca = await readTrustStore({
  environment: process.env,
  onEmpty: (variable, file) => log.warn(`${variable}: ${file} holds no certificates`),
})
const upstream = createHttpUpstream({ ca })
const secrets = {
  variable: (name: string) => process.env[name],
  file: (path: string) => readFile(path, 'utf8'),
}
await serveBackend({ handlers: createServiceHandlers({ upstream, secrets, ca, log }), onStop: () => upstream.close() })
