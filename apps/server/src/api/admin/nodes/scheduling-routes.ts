import { SvcError } from '@svc/errors'
import { explainPlacement } from '../../../cluster/decisions/choose-placement.ts'
import { createClusterIndex } from '../../../cluster/decisions/cluster-view.ts'
import { checkScheduling, schedulingBody } from '../../../cluster/nodes/scheduling-config.ts'
import type { Call } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { admin, LIMITS } from './admin-routes.ts'
import type { NodeRouteParts } from './parts.ts'
import * as schemas from './schemas.ts'
import { toWireScheduling } from './to-wire.ts'

const MODEL = '/api/nodes/scheduling/:model{.+}'

/** Rules of models, and what they lead to. */
export function schedulingRoutes(parts: NodeRouteParts): Route[] {
  const { scheduling } = parts.nodes
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/scheduling',
      summary: 'Rules for where models run',
      responses: { 200: { description: 'By model.', schema: async () => schemas.schedulingList } },
      handler: async () => json((await scheduling.list()).map(toWireScheduling)),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/api/nodes/scheduling',
      summary: 'Set the rules of a model',
      audit: { change: 'node.schedule' },
      body: async () => schedulingBody,
      responses: { 200: { description: 'The rules.', schema: async () => schemas.wireScheduling } },
      async handler(call) {
        const draft = checkScheduling(await readJsonBody(call, schedulingBody, parts.bodies, LIMITS))
        call.noteChange({ target: draft.model })
        return json(toWireScheduling(await scheduling.set(draft)))
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: MODEL,
      summary: 'The rules of a model',
      responses: { 200: { description: 'The rules.', schema: async () => schemas.wireScheduling } },
      async handler(call) {
        const rules = await scheduling.find(call.param('model'))
        if (rules === undefined) throw noRulesFound()
        return json(toWireScheduling(rules))
      },
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path: MODEL,
      summary: 'Remove the rules of a model',
      audit: { change: 'node.unschedule', target: 'model' },
      responses: { 204: { description: 'Removed.' } },
      async handler(call) {
        if (!(await scheduling.remove(call.param('model')))) throw noRulesFound()
        return new HttpReply(null, { status: 204 })
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/nodes/placement',
      summary: 'Why a model would run on a worker, and not on the others: `?model=`',
      query: async () => schemas.placementQuery,
      responses: { 200: { description: 'The verdict on every worker.', schema: async () => schemas.placement } },
      handler: (call) => explain(call, parts),
    }),
  ]
}

function noRulesFound(): SvcError {
  return new SvcError('not_found', 'the model has no rules', { code: 'scheduling_not_found' })
}

/** Sizes of the query are bytes; without them memory and disk are judged as those of a model whose size is not known. */
async function explain(call: Call, { nodes, isDiskChecked, isShared, groupsOf }: NodeRouteParts): Promise<HttpReply> {
  const model = call.query('model') ?? ''
  if (model === '') throw new SvcError('invalid_request', 'model is missing', { code: 'model_missing' })
  const [all, replicas, rules] = await Promise.all([
    nodes.directory.list(),
    nodes.replicas.list(),
    nodes.scheduling.list(),
  ])
  const scheduling = await nodes.scheduling.get(model)
  const minimums = new Map(rules.map((rule) => [rule.model, rule.minReplicas]))
  const { decision, nodes: verdicts } = explainPlacement({
    needs: {
      model,
      sizeBytes: readBytes(call, 'size_bytes'),
      memoryBytes: readBytes(call, 'memory_bytes'),
      concurrencyGroups: groupsOf(model),
    },
    view: createClusterIndex({ nodes: all, replicas }),
    scheduling,
    minReplicasOf: (name) => minimums.get(name) ?? 0,
    groupsOf,
    isDiskChecked: isDiskChecked(),
    ...(isShared ? { isStagedOn: () => true } : {}),
  })
  return json({
    model,
    decision: decision.kind,
    ...(decision.kind === 'chosen'
      ? { node_id: decision.nodeId, node_name: decision.nodeName, replica_index: decision.replicaIndex }
      : {}),
    ...(decision.kind === 'none' ? { reason: decision.reason } : {}),
    nodes: verdicts.map((verdict) => ({
      node_id: verdict.nodeId,
      node_name: verdict.nodeName,
      possible: verdict.isPossible,
      busy: verdict.isBusy,
      refusals: verdict.refusals,
      warnings: verdict.warnings,
      evictions: verdict.evictions.map((replica) => ({
        model_name: replica.model,
        replica_index: replica.replicaIndex,
      })),
      in_flight: verdict.inFlight,
      replicas: verdict.replicas,
      free_memory: verdict.freeMemory,
    })),
  })
}

function readBytes(call: Call, name: string): number | undefined {
  const text = call.query(name)
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) {
    throw new SvcError('invalid_request', `${name} is not a number of bytes`, { code: 'bad_query' })
  }
  return Number(text)
}
