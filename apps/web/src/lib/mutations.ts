import { applyChanges } from './changes.ts'
import type { paths } from './schema.gen.ts'

/** Reasons why a call that is not a GET leaves every page as it is. */
interface Nothing {
  readonly nothing: string
}

type Method = 'post' | 'put' | 'patch' | 'delete'
/** A call of the API client that may change something. */
type Mutation = {
  [Path in keyof paths & string]: {
    [M in Method]: paths[Path] extends Readonly<Record<M, object>> ? `${Uppercase<M>} ${Path}` : never
  }[Method]
}[keyof paths & string]

const RENEWS: Nothing = {
  nothing: 'the session is asked for anew, and the rest is forgotten',
}
const UPLOADS: Nothing = { nothing: 'the file is not a model before it is complete' }

/** The change that each call of the interface makes. */
export const MUTATIONS = {
  'POST /api/auth/login': RENEWS,
  'POST /api/auth/token-login': RENEWS,
  'POST /api/auth/register': RENEWS,
  'POST /api/auth/logout': RENEWS,
  'PUT /api/auth/profile': 'account.profile',
  'PUT /api/auth/password': 'account.password',
  'DELETE /api/auth/sessions': 'account.sessions',
  'POST /api/auth/api-keys': 'key.create',
  'PATCH /api/auth/api-keys/{id}': 'key.edit',
  'POST /api/auth/api-keys/{id}/rotate': 'key.rotate',
  'DELETE /api/auth/api-keys/{id}': 'key.revoke',
  'PUT /api/auth/admin/users/{id}/role': 'user.role',
  'PUT /api/auth/admin/users/{id}/status': 'user.status',
  'PUT /api/auth/admin/users/{id}/password': 'user.password',
  'DELETE /api/auth/admin/users/{id}': 'user.delete',
  'PUT /api/auth/admin/users/{id}/permissions': 'user.features',
  'PUT /api/auth/admin/users/{id}/models': 'user.models',
  'PUT /api/auth/admin/users/{id}/quotas': 'quota.set',
  'DELETE /api/auth/admin/users/{id}/quotas/{quota_id}': 'quota.delete',
  'POST /api/auth/admin/invites': 'invite.create',
  'DELETE /api/auth/admin/invites/{id}': 'invite.revoke',
  'POST /api/auth/admin/api-keys': 'key.create',
  'PATCH /api/auth/admin/api-keys/{id}': 'key.edit',
  'POST /api/auth/admin/api-keys/{id}/rotate': 'key.rotate',
  'DELETE /api/auth/admin/api-keys/{id}': 'key.revoke',
  'POST /api/limits': 'limit.create',
  'PATCH /api/limits/{id}': 'limit.change',
  'DELETE /api/limits/{id}': 'limit.delete',
  'PUT /api/prices': 'price.change',
  'POST /api/settings': 'setting.change',
  'POST /api/branding/asset/{kind}': 'branding.set',
  'DELETE /api/branding/asset/{kind}': 'branding.reset',
  'POST /backend/load': 'model.load',
  'POST /backend/shutdown': 'model.unload',
  'POST /models/edit/{name}': 'model.edit',
  'POST /models/import': 'model.create',
  'PUT /models/toggle-state/{name}/{action}': 'model.state',
  'PUT /models/toggle-pinned/{name}/{action}': 'model.pin',
  'POST /models/import-uri': 'model.import',
  'POST /api/models/install/{id}': 'model.install',
  'POST /api/models/delete/{id}': 'model.delete',
  'POST /api/models/uploads': UPLOADS,
  'PUT /api/models/uploads/{id}': UPLOADS,
  'DELETE /api/models/uploads/{id}': UPLOADS,
  'POST /api/models/uploads/{id}/finish': 'model.upload',
  'POST /api/models/copy/{name}': 'model.create',
  'POST /api/models/prune': 'model.prune',
  'POST /api/show': { nothing: 'it tells what the server knows of a model' },
  'POST /api/models/vram-estimate': { nothing: 'it estimates' },
  'POST /api/models/preview/{name}': { nothing: 'it estimates' },
  'POST /v1/mcp/tools/{model}/call': 'mcp',
  'POST /v1/mcp/sign-in/{model}/{server}': 'mcp',
  'DELETE /v1/mcp/sign-in/{model}/{server}': 'mcp',
  'POST /api/backends/install/{id}': 'backend.install',
  'POST /api/backends/install-external': 'backend.install',
  'POST /api/backends/delete/{id}': 'backend.delete',
  'POST /api/backends/upgrade/{name}': 'backend.upgrade',
  'POST /api/backends/upgrades/check': 'backend.check',
  'POST /api/operations/{jobID}/cancel': 'operation.cancel',
  'POST /api/operations/{jobID}/pause': 'operation.pause',
  'POST /api/operations/{jobID}/dismiss': 'operation.dismiss',
  'DELETE /api/operations/history': 'operation.clear-history',
  'POST /api/traces/clear': 'trace.clear',
  'POST /api/backend-traces/clear': 'trace.clear',
  'POST /api/router/{name}/corpus': 'corpus.add',
  'DELETE /api/router/{name}/corpus': 'corpus.clear',
  'POST /api/router/decide': 'inference',
  'POST /api/score': 'inference',
  'POST /api/pii/analyze': 'inference',
  'POST /api/pii/redact': 'inference',
  'POST /v1/chat/completions': 'inference',
  'POST /v1/embeddings': 'inference',
  'POST /v1/rerank': 'inference',
  'POST /v1/tokenize': 'inference',
  'POST /v1/moderations': 'inference',
  'POST /v1/audio/speech': 'inference',
  'POST /v1/audio/transcriptions': 'inference',
  'POST /v1/images/generations': 'inference',
  'POST /v1/images/edits': 'inference',
  'POST /v1/images/upscale': 'inference',
  'POST /v1/detection': 'inference',
  'POST /v1/video/generations': 'inference',
  'POST /v1/realtime/calls': 'inference',
  'POST /v1/responses': 'inference',
  'POST /v1/responses/{id}/cancel': 'inference',
  'POST /api/agents': 'agent.create',
  'POST /api/agents/import': 'agent.create',
  'PUT /api/agents/{name}': 'agent.update',
  'DELETE /api/agents/{name}': 'agent.delete',
  'PUT /api/agents/{name}/pause': 'agent.pause',
  'PUT /api/agents/{name}/resume': 'agent.resume',
  'POST /api/agents/{name}/chat': 'agent.chat',
  'DELETE /api/agents/{name}/observables': 'agent.clear',
  'POST /api/agent/tasks': 'task.create',
  'PUT /api/agent/tasks/{id}': 'task.update',
  'DELETE /api/agent/tasks/{id}': 'task.delete',
  'POST /api/agent/jobs/execute': 'job.execute',
  'POST /api/agent/jobs/{id}/cancel': 'job.cancel',
  'DELETE /api/agent/jobs/{id}': 'job.delete',
  'POST /api/agents/collections': 'collection.create',
  'DELETE /api/agents/collections/{name}': 'collection.delete',
  'POST /api/agents/collections/{name}/upload': 'collection.upload',
  'POST /api/agents/collections/{name}/reset': 'collection.reset',
  'POST /api/agents/collections/{name}/search': 'inference',
  'DELETE /api/agents/collections/{name}/entry/delete': 'collection.delete-entry',
  'POST /api/agents/collections/{name}/sources': 'collection.add-source',
  'DELETE /api/agents/collections/{name}/sources': 'collection.delete-source',
  'POST /api/agents/skills': 'skill.create',
  'POST /api/agents/skills/import': 'skill.import',
  'PUT /api/agents/skills/{name}': 'skill.update',
  'DELETE /api/agents/skills/{name}': 'skill.delete',
  'POST /api/agents/skills/{name}/resources': 'skill.add-file',
  'PUT /api/agents/skills/{name}/resources/{path}': 'skill.update-file',
  'DELETE /api/agents/skills/{name}/resources/{path}': 'skill.delete-file',
  'POST /api/nodes/{id}/approve': 'node.approve',
  'POST /api/nodes/{id}/drain': 'node.drain',
  'POST /api/nodes/{id}/resume': 'node.resume',
  'DELETE /api/nodes/{id}': 'node.remove',
  'PATCH /api/nodes/{id}/labels': 'node.labels',
  'DELETE /api/nodes/{id}/labels/{key}': 'node.labels',
  'PUT /api/nodes/{id}/max-replicas-per-model': 'node.max-replicas',
  'DELETE /api/nodes/{id}/max-replicas-per-model': 'node.max-replicas',
  'PUT /api/nodes/{id}/vram-budget': 'node.vram-budget',
  'DELETE /api/nodes/{id}/vram-budget': 'node.vram-budget',
  'POST /api/nodes/{id}/models/unload': 'node.model.unload',
  'POST /api/nodes/{id}/models/delete': 'node.model.delete',
  'POST /api/nodes/{id}/backends/install': 'node.backend.install',
  'POST /api/nodes/{id}/backends/upgrade': 'node.backend.upgrade',
  'POST /api/nodes/{id}/backends/delete': 'node.backend.delete',
  'POST /api/nodes/scheduling': 'node.schedule',
  'DELETE /api/nodes/scheduling/{model}': 'node.unschedule',
} as const satisfies Partial<Record<Mutation, string | Nothing>>

/**
 * Applies the change of a call that the server has answered. Refusals count: they say that the page showed something else
 * than the server has.
 */
export function applyMutation(method: string, path: string): void {
  const known: Readonly<Record<string, string | Nothing>> = MUTATIONS
  const change = known[`${method} ${path}`]
  if (typeof change === 'string') applyChanges([change])
}
