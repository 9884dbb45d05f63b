import type { BodyReader } from '../../../http/body.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { loadWithParts } from '../../../residency/load-with-parts.ts'
import type { Residency } from '../../../residency/residency.ts'
import { toLoadResponse } from './load-response.ts'
import { findModel, type ModelFinder, readModelName, readShutdown } from './named-model.ts'
import type { StatusSources } from './read-status.ts'
import { toStopResponse } from './stop-response.ts'

const schemas = () => import('./bodies.ts')

/** Options of {@link backendRoutes}. */
export interface BackendRouteParts extends StatusSources {
  readonly models: ModelFinder
  readonly residency: StatusSources['residency'] & Pick<Residency, 'load' | 'stop'>
  readonly bodies: BodyReader
  readonly opaqueErrors: boolean
}

/** `GET /backend/monitor`, `POST /backend/load` and `POST /backend/shutdown`, each also under `/v1` (§4.5). */
export function backendRoutes(parts: BackendRouteParts): Route[] {
  const { models, residency, bodies } = parts
  return [
    defineRoute({
      method: 'GET',
      path: '/backend/monitor',
      aliases: ['/v1/backend/monitor'],
      access: 'admin',
      family: 'compatible',
      tag: 'backends',
      summary: 'State and memory of a loaded model',
      quiet: true,
      revalidated: true,
      query: async () => (await schemas()).monitorQuery,
      responses: {
        200: {
          description: 'From the backend, or else from its process.',
          schema: async () => (await schemas()).monitorReply,
        },
      },
      async handler(call) {
        const missing = 'model query parameter is required'
        const name = call.query('model') || (await readModelName(call, bodies, missing))
        const model = findModel(models, name)
        const { readStatus } = await import('./read-status.ts')
        return json(await readStatus(model.name, parts, call.signal))
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/backend/load',
      aliases: ['/v1/backend/load'],
      access: 'admin',
      family: 'compatible',
      tag: 'backends',
      summary: 'Load a model, or all models of a realtime pipeline, and wait for it',
      audit: { change: 'model.load' },
      body: async () => (await schemas()).modelBody,
      responses: {
        200: { description: 'Everything is resident.', schema: async () => (await schemas()).loadReply },
        500: {
          description: 'A model could not be loaded; `loaded` lists the others.',
          schema: async () => (await schemas()).loadReply,
        },
      },
      async handler(call) {
        const name = await readModelName(call, bodies, 'model is required')
        const model = findModel(models, name)
        call.noteChange({ target: model.name })
        const resolve = (part: string) => models.resolve(part)
        const report = await loadWithParts(model, { resolve, residency, signal: call.signal })
        call.signal.throwIfAborted()
        return toLoadResponse(report, parts)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/backend/shutdown',
      aliases: ['/v1/backend/shutdown'],
      access: 'admin',
      family: 'compatible',
      tag: 'backends',
      summary: 'Stop the backend of a model, or of all models of a pipeline, once its running calls have ended',
      audit: { change: 'model.unload' },
      body: async () => (await schemas()).shutdownBody,
      responses: {
        200: {
          description: 'It is stopped; `message` says how.',
          schema: async () => (await schemas()).shutdownReply,
        },
        500: { description: 'It is not loaded, or its calls have not ended within 30 s and `force` was not set.' },
      },
      async handler(call) {
        const { model: name, force } = await readShutdown(call, bodies)
        const model = findModel(models, name)
        call.noteChange({ target: model.name })
        const { stopWithParts } = await import('../../../residency/stop-with-parts.ts')
        const resolve = (part: string) => models.resolve(part)
        return toStopResponse(model.name, await stopWithParts(model, { resolve, residency, force }))
      },
    }),
  ]
}
