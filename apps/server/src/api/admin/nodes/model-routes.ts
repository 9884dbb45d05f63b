import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { admin, LIMITS } from './admin-routes.ts'
import type { NodeRouteParts } from './parts.ts'
import * as schemas from './schemas.ts'

/** What a worker does to its models. */
export function nodeModelRoutes({ nodes: { directory, calls }, bodies }: NodeRouteParts): Route[] {
  const changeModel = (verb: 'unload' | 'delete', summary: string): Route =>
    defineRoute({
      ...admin,
      method: 'POST',
      path: `/api/nodes/:id/models/${verb}`,
      summary,
      audit: { change: `node.model.${verb}`, target: 'id' },
      body: async () => schemas.modelBody,
      responses: { 200: { description: 'Done.', schema: async () => schemas.message } },
      async handler(call) {
        const { id } = await directory.need(call.param('id'))
        const { model_name: model } = await readJsonBody(call, schemas.modelBody, bodies, LIMITS)
        await calls.changeModel(id, `model.${verb}`, model, call.signal)
        return json({ message: verb === 'unload' ? 'model unloaded' : 'model deleted' })
      },
    })
  return [
    changeModel('unload', 'Unload a model of a worker'),
    changeModel('delete', 'Unload a model of a worker, and delete its files there'),
  ]
}
