import { SvcError } from '@svc/errors'
import { orLater } from '../../../cluster/nodes/pending-ops.ts'
import type { NodeBackend } from '../../../cluster/nodes/worker-calls.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { admin, LIMITS } from './admin-routes.ts'
import type { NodeRouteParts } from './parts.ts'
import * as schemas from './schemas.ts'

/** Backends of a worker. */
export function nodeBackendRoutes(parts: NodeRouteParts): Route[] {
  const { nodes, bodies } = parts
  const { directory, calls, pending } = nodes
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/:id/backends',
      summary: 'The backends of a worker',
      responses: { 200: { description: 'As the worker has them.', schema: async () => schemas.backendsOfNode } },
      async handler(call) {
        const node = await directory.need(call.param('id'))
        return json(node.kind === 'agent' ? [] : await calls.backends(node.id, call.signal))
      },
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/api/nodes/:id/backends/install',
      summary: 'Install a backend on a worker, in the background',
      audit: { change: 'node.backend.install', target: 'id' },
      body: async () => schemas.installBody,
      responses: { 202: { description: 'The operation.', schema: async () => schemas.startedJob } },
      async handler(call) {
        const body = await readJsonBody(call, schemas.installBody, bodies, LIMITS)
        const backend = body.backend ?? body.name ?? ''
        if (backend === '') throw new SvcError('invalid_request', 'backend is missing', { code: 'backend_missing' })
        const { uri, name, alias, backend_galleries: galleries } = body
        return startJob(call, parts, { op: 'install', backend: { backend, galleries, uri, name, alias } })
      },
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/api/nodes/:id/backends/upgrade',
      summary: 'Upgrade a backend of a worker, in the background',
      audit: { change: 'node.backend.upgrade', target: 'id' },
      body: async () => schemas.backendBody,
      responses: { 202: { description: 'The operation.', schema: async () => schemas.startedJob } },
      async handler(call) {
        const { backend } = await readJsonBody(call, schemas.backendBody, bodies, LIMITS)
        return startJob(call, parts, { op: 'upgrade', backend: { backend } })
      },
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/api/nodes/:id/backends/delete',
      summary: 'Delete a backend of a worker',
      audit: { change: 'node.backend.delete', target: 'id' },
      body: async () => schemas.backendBody,
      responses: { 200: { description: 'Deleted.', schema: async () => schemas.message } },
      async handler(call) {
        const { id } = await directory.need(call.param('id'))
        const { backend } = await readJsonBody(call, schemas.backendBody, bodies, LIMITS)
        await orLater(
          () => calls.deleteBackend(id, backend, { signal: call.signal }),
          () => pending.add(id, 'delete', { backend }),
        )
        return json({ message: 'backend deleted' })
      },
    }),
  ]
}

async function startJob(
  call: Call,
  { nodes, operations, backendGalleries }: NodeRouteParts,
  { op, backend }: { readonly op: 'install' | 'upgrade'; readonly backend: NodeBackend },
): Promise<HttpReply> {
  const node = await nodes.directory.need(call.param('id'))
  const { jobId } = await operations.enqueue({
    subject: 'backend',
    action: 'installation',
    fullName: backend.backend,
    nodeId: node.id,
    details: { op, nodeName: node.name, ...backend, galleries: backend.galleries ?? backendGalleries() },
  })
  const words = op === 'install' ? 'installation' : 'upgrade'
  return json(
    { jobID: jobId, statusUrl: `${call.baseUrl}backends/jobs/${jobId}`, message: `backend ${words} started` },
    { status: 202 },
  )
}
