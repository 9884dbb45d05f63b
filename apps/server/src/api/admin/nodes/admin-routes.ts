import { byNode } from '../../../cluster/nodes/by-node.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { asNodeError } from './node-error.ts'
import type { NodeRouteParts } from './parts.ts'
import * as schemas from './schemas.ts'
import { toWireNode, toWireReplica } from './to-wire.ts'

/** What all routes for administrators have. */
export const admin = { access: 'admin', family: 'compatible', tag: 'nodes', mapError: asNodeError } as const
/** Bounds of bodies. */
export const LIMITS = { maxBytes: 256 * 1024 }

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
