import { SvcError } from '@svc/errors'
import { heartbeat, registered, registration } from '../../../cluster/contract/registration.ts'
import { checkRegistration } from '../../../cluster/nodes/report.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { asNodeError } from './node-error.ts'
import type { NodeRouteParts } from './parts.ts'
import { message, replicaList } from './schemas.ts'
import { toWireReplica } from './to-wire.ts'

const worker = { access: 'node', family: 'compatible', tag: 'nodes', mapError: asNodeError } as const
const LIMITS = { maxBytes: 64 * 1024 }

/** `/api/node/*`: what workers call, with the registration token. */
export function workerRoutes(parts: NodeRouteParts): Route[] {
  const { directory, replicas, lostUses } = parts.nodes
  const change = (verb: 'drain' | 'resume' | 'deregister', summary: string, done: string): Route =>
    defineRoute({
      ...worker,
      method: 'POST',
      path: `/api/node/:id/${verb}`,
      summary,
      responses: { 200: { description: 'Done.', schema: async () => message } },
      async handler(call) {
        await directory[verb](call.param('id'))
        return json({ message: done })
      },
    })
  return [
    defineRoute({
      ...worker,
      method: 'POST',
      path: '/api/node/register',
      summary: 'A worker registers, or renews its credentials',
      body: async () => registration,
      responses: { 201: { description: 'Its id and state.', schema: async () => registered } },
      handler: (call) => register(call, parts),
    }),
    defineRoute({
      ...worker,
      method: 'POST',
      path: '/api/node/:id/heartbeat',
      summary: 'A worker is there; what it tells replaces what was known',
      quiet: true,
      body: async () => heartbeat,
      responses: { 200: { description: 'Noted.', schema: async () => message } },
      async handler(call) {
        await directory.heartbeat(call.param('id'), await readJsonBody(call, heartbeat, parts.bodies, LIMITS))
        return json({ message: 'heartbeat received' })
      },
    }),
    change('drain', 'A worker takes no new requests', 'node set to draining'),
    change('resume', 'A worker takes requests again', 'node resumed'),
    change('deregister', 'A worker goes away; its row and its approval stay', 'node deregistered'),
    defineRoute({
      ...worker,
      method: 'GET',
      path: '/api/node/:id/models',
      summary: 'The models on a worker',
      responses: { 200: { description: 'By name.', schema: async () => replicaList } },
      async handler(call) {
        const { id, status } = await directory.need(call.param('id'))
        // A worker that is about to end asks how long it has to wait.
        if (status === 'draining') await lostUses.removeAt(id, call.signal)
        return json((await replicas.list({ nodeId: id })).map((replica) => toWireReplica(replica)))
      },
    }),
    defineRoute({
      ...worker,
      method: 'DELETE',
      path: '/api/node/:id',
      summary: 'Forget a worker',
      responses: { 200: { description: 'Forgotten.', schema: async () => message } },
      async handler(call) {
        await directory.remove(call.param('id'))
        return json({ message: 'node deregistered' })
      },
    }),
  ]
}

async function register(call: Call, { nodes, bodies, mintCredentials, noteTakeover }: NodeRouteParts) {
  const report = checkRegistration(await readJsonBody(call, registration, bodies, LIMITS))
  const node = await nodes.directory.register(report, call.signal).catch(async (error: unknown) => {
    if (SvcError.is(error) && error.code === 'node_name_taken') {
      const { clientAddress, requestId } = call
      await noteTakeover({ name: report.name, address: report.address, clientAddress, requestId })
    }
    throw error
  })
  // A node that nobody has approved yet gets no way onto the bus.
  const credentials = node.isApproved ? await mintCredentials?.(node) : undefined
  return json(
    {
      id: node.id,
      name: node.name,
      node_type: node.kind,
      status: node.status,
      created_at: new Date(node.createdAt).toISOString(),
      ...(credentials === undefined ? {} : { nats_jwt: credentials.jwt, nats_user_seed: credentials.seed }),
    },
    { status: 201 },
  )
}
