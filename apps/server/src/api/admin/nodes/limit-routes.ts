import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { admin, LIMITS } from './admin-routes.ts'
import type { NodeRouteParts } from './parts.ts'
import * as schemas from './schemas.ts'

/** Labels of a worker. */
export function nodeLabelRoutes({ nodes: { directory }, bodies }: NodeRouteParts): Route[] {
  const setLabels = (method: 'PUT' | 'PATCH', summary: string): Route =>
    defineRoute({
      ...admin,
      method,
      path: '/api/nodes/:id/labels',
      summary,
      audit: { change: 'node.labels', target: 'id' },
      body: async () => schemas.labelsBody,
      responses: { 200: { description: 'All labels of the worker.', schema: async () => schemas.wireLabels } },
      async handler(call) {
        const id = call.param('id')
        const given = await readJsonBody(call, schemas.labelsBody, bodies, LIMITS)
        const before = method === 'PATCH' ? (await directory.need(id)).ownLabels : {}
        return json(await directory.setLabels(id, { ...before, ...given }))
      },
    })
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/:id/labels',
      summary: 'The labels of a worker: its own, those of the server, those of administrators',
      responses: { 200: { description: 'The labels.', schema: async () => schemas.wireLabels } },
      handler: async (call) => json((await directory.need(call.param('id'))).labels),
    }),
    setLabels('PUT', 'Replace the labels that administrators gave'),
    setLabels('PATCH', 'Add labels to those that administrators gave'),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path: '/api/nodes/:id/labels/:key',
      summary: 'Remove a label that an administrator gave',
      audit: { change: 'node.labels', target: 'id' },
      responses: { 204: { description: 'Removed.' } },
      async handler(call) {
        const [id, key] = [call.param('id'), call.param('key')]
        const { ownLabels } = await directory.need(id)
        await directory.setLabels(id, Object.fromEntries(Object.entries(ownLabels).filter(([name]) => name !== key)))
        return new HttpReply(null, { status: 204 })
      },
    }),
  ]
}

/** Limits of a worker. */
export function nodeLimitRoutes({ nodes: { directory }, bodies }: NodeRouteParts): Route[] {
  const reset = (path: string, change: string, summary: string, work: (id: string) => Promise<void>): Route =>
    defineRoute({
      ...admin,
      method: 'DELETE',
      path,
      summary,
      audit: { change, target: 'id' },
      responses: { 200: { description: 'Reset.', schema: async () => schemas.reset } },
      async handler(call) {
        await work(call.param('id'))
        return json({ reset: true })
      },
    })
  return [
    defineRoute({
      ...admin,
      method: 'PUT',
      path: '/api/nodes/:id/max-replicas-per-model',
      summary: 'Set how many replicas of a model a worker may hold',
      audit: { change: 'node.max-replicas', target: 'id' },
      body: async () => schemas.replicasBody,
      responses: { 200: { description: 'The value.', schema: async () => schemas.replicasValue } },
      async handler(call) {
        const { value } = await readJsonBody(call, schemas.replicasBody, bodies, LIMITS)
        await directory.setMaxReplicas(call.param('id'), value)
        return json({ value })
      },
    }),
    reset(
      '/api/nodes/:id/max-replicas-per-model',
      'node.max-replicas',
      'Let the worker say how many replicas it may hold',
      (id) => directory.setMaxReplicas(id, undefined),
    ),
    defineRoute({
      ...admin,
      method: 'PUT',
      path: '/api/nodes/:id/vram-budget',
      summary: 'Cap the device memory that models may take on a worker',
      audit: { change: 'node.vram-budget', target: 'id' },
      body: async () => schemas.budgetBody,
      responses: { 200: { description: 'The value.', schema: async () => schemas.budgetValue } },
      async handler(call) {
        const { value } = await readJsonBody(call, schemas.budgetBody, bodies, LIMITS)
        await directory.setVramBudget(call.param('id'), value)
        return json({ value })
      },
    }),
    reset('/api/nodes/:id/vram-budget', 'node.vram-budget', 'Let the worker say its own cap', (id) =>
      directory.setVramBudget(id, undefined),
    ),
  ]
}
