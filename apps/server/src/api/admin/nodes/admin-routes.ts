import type { Replica } from '../../../cluster/contract/nodes.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { asNodeError } from './node-error.ts'
import type { NodeRouteParts } from './parts.ts'
import * as schemas from './schemas.ts'
import { toWireNode, toWireReplica } from './to-wire.ts'

/** What all routes for administrators have. */
export const admin = { access: 'admin', family: 'compatible', tag: 'nodes', mapError: asNodeError } as const
/** Bounds of bodies. */
export const LIMITS = { maxBytes: 256 * 1024 }

function byNode(replicas: readonly Replica[]): ReadonlyMap<string, readonly Replica[]> {
  const groups = new Map<string, Replica[]>()
  for (const replica of replicas) {
    const group = groups.get(replica.nodeId)
    if (group === undefined) groups.set(replica.nodeId, [replica])
    else group.push(replica)
  }
  return groups
}

/** `/api/nodes`: the workers, for administrators. */
export function nodeRoutes({ nodes }: NodeRouteParts): Route[] {
  const { directory, replicas } = nodes
  const change = (verb: 'approve' | 'drain' | 'resume', summary: string, done: string): Route =>
    defineRoute({
      ...admin,
      method: 'POST',
      path: `/api/nodes/:id/${verb}`,
      summary,
      audit: { change: `node.${verb}`, target: 'id' },
      responses: { 200: { description: 'Done.', schema: async () => schemas.message } },
      async handler(call) {
        await directory[verb](call.param('id'))
        return json({ message: done })
      },
    })
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes',
      summary: 'The workers',
      responses: { 200: { description: 'By name.', schema: async () => schemas.nodeList } },
      async handler() {
        const [all, models] = await Promise.all([directory.list(), replicas.list()])
        const grouped = byNode(models)
        return json(all.map((node) => toWireNode(node, grouped.get(node.id) ?? [])))
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/models',
      summary: 'The models on all workers',
      responses: { 200: { description: 'By name.', schema: async () => schemas.replicaList } },
      async handler() {
        const [all, models] = await Promise.all([directory.list(), replicas.list()])
        const names = new Map(all.map(({ id, name }) => [id, name]))
        return json(models.map((replica) => toWireReplica(replica, names.get(replica.nodeId))))
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/:id',
      summary: 'A worker',
      responses: { 200: { description: 'The worker.', schema: async () => schemas.wireNode } },
      async handler(call) {
        const node = await directory.need(call.param('id'))
        return json(toWireNode(node, await replicas.list({ nodeId: node.id })))
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/:id/models',
      summary: 'The models on a worker',
      responses: { 200: { description: 'By name.', schema: async () => schemas.replicaList } },
      async handler(call) {
        const { id, name } = await directory.need(call.param('id'))
        return json((await replicas.list({ nodeId: id })).map((replica) => toWireReplica(replica, name)))
      },
    }),
    change('approve', 'Take a worker that waits', 'node approved'),
    change('drain', 'Send no new requests to a worker', 'node set to draining'),
    change('resume', 'Send requests to a worker again', 'node resumed'),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path: '/api/nodes/:id',
      summary: 'Forget a worker',
      audit: { change: 'node.remove', target: 'id' },
      responses: { 200: { description: 'Forgotten.', schema: async () => schemas.message } },
      async handler(call) {
        await directory.remove(call.param('id'))
        return json({ message: 'node deregistered' })
      },
    }),
  ]
}

/** Labels and limits of a worker. */
export function nodeLimitRoutes({ nodes: { directory }, bodies }: NodeRouteParts): Route[] {
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
