import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { LogSource } from '../../lib/backend-log/use-log.ts'
import type { paths } from '../../lib/schema.gen.ts'
import { readLogLines } from './log-lines.ts'

type Reply<Path extends '/api/nodes/placement' | '/api/nodes/scheduling' | '/api/nodes/{id}/backends'> =
  paths[Path]['get']['responses'][200]['content']['application/json']

/** Why a model would run where. */
export type Placement = Reply<'/api/nodes/placement'>
/** A worker as a placement sees it. */
export type Verdict = Placement['nodes'][number]
/** Rules for where a model runs. */
export type Rules = Reply<'/api/nodes/scheduling'>[number]
/** The rules as they are set. */
export type RulesDraft = NonNullable<
  paths['/api/nodes/scheduling']['post']['requestBody']
>['content']['application/json']
/** A backend of a worker. */
export type WorkerBackend = Reply<'/api/nodes/{id}/backends'>[number]

const POLL_MS = 5_000
const target = (id: string) => ({ params: { path: { id } } })

/** A worker. */
export const workerQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'one', id],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) => unwrap(api.GET('/api/nodes/{id}', { ...target(id), signal })),
  })

/** The models on a worker. */
export const workerModelsQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'models', id],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) => unwrap(api.GET('/api/nodes/{id}/models', { ...target(id), signal })),
  })

/** The backends of a worker, which is asked for them. */
export const workerBackendsQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', 'backends', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/nodes/{id}/backends', { ...target(id), signal })),
  })

/** The output of a model's backends on a worker. A line of an unknown form is left out. */
export function readWorkerLog(id: string, model: string): LogSource {
  return {
    socketPath: `/ws/nodes/${encodeURIComponent(id)}/backend-logs/${encodeURIComponent(model)}`,
    async fetchLines(signal) {
      const params = { path: { id, modelId: model } }
      return readLogLines(await unwrap(api.GET('/api/nodes/{id}/backend-logs/{modelId}', { params, signal })))
    },
  }
}

/** Something that is done to a worker. */
export type WorkerAction = 'approve' | 'drain' | 'resume' | 'remove'

/** Takes, drains, resumes or forgets a worker. */
export async function changeWorker(id: string, action: WorkerAction): Promise<void> {
  switch (action) {
    case 'approve':
      await unwrap(api.POST('/api/nodes/{id}/approve', target(id)))
      return
    case 'drain':
      await unwrap(api.POST('/api/nodes/{id}/drain', target(id)))
      return
    case 'resume':
      await unwrap(api.POST('/api/nodes/{id}/resume', target(id)))
      return
    case 'remove':
      await unwrap(api.DELETE('/api/nodes/{id}', target(id)))
  }
}

/** Gives a worker a label. @returns all its labels */
export function addLabel(id: string, key: string, value: string): Promise<Readonly<Record<string, string>>> {
  return unwrap(api.PATCH('/api/nodes/{id}/labels', { ...target(id), body: { [key]: value } }))
}

/** Takes a label that an administrator gave. @returns whether it is gone: a label that the worker gives itself stays */
export async function removeLabel(id: string, key: string): Promise<boolean> {
  await unwrap(api.DELETE('/api/nodes/{id}/labels/{key}', { params: { path: { id, key } } }))
  const labels = await unwrap(api.GET('/api/nodes/{id}/labels', target(id)))
  return !Object.hasOwn(labels, key)
}

/** Sets how many replicas of one model a worker may hold. @param value undefined: the worker says it */
export async function setMaxReplicas(id: string, value: number | undefined): Promise<void> {
  await (value === undefined
    ? unwrap(api.DELETE('/api/nodes/{id}/max-replicas-per-model', target(id)))
    : unwrap(api.PUT('/api/nodes/{id}/max-replicas-per-model', { ...target(id), body: { value } })))
}

/** Caps the device memory that models may take on a worker. @param value such as `8GB` or `80%`; undefined: the worker says it */
export async function setVramBudget(id: string, value: string | undefined): Promise<void> {
  await (value === undefined
    ? unwrap(api.DELETE('/api/nodes/{id}/vram-budget', target(id)))
    : unwrap(api.PUT('/api/nodes/{id}/vram-budget', { ...target(id), body: { value } })))
}

/** Unloads a model of a worker, or deletes its files there too. */
export async function changeModel(id: string, verb: 'unload' | 'delete', model: string): Promise<void> {
  const init = { ...target(id), body: { model_name: model } }
  await (verb === 'unload'
    ? unwrap(api.POST('/api/nodes/{id}/models/unload', init))
    : unwrap(api.POST('/api/nodes/{id}/models/delete', init)))
}

/** A backend to install: one of a gallery by its name, or an image by its address. */
export interface BackendDraft {
  readonly backend: string
  readonly uri: string
}

/** Installs a backend on a worker, in the background. */
export async function installBackend(id: string, { backend, uri }: BackendDraft): Promise<void> {
  const body = { backend, ...(uri === '' ? {} : { uri, name: backend }) }
  await unwrap(api.POST('/api/nodes/{id}/backends/install', { ...target(id), body }))
}

/** Upgrades a backend of a worker, in the background. */
export async function upgradeBackend(id: string, backend: string): Promise<void> {
  await unwrap(api.POST('/api/nodes/{id}/backends/upgrade', { ...target(id), body: { backend } }))
}

/** Deletes a backend of a worker. */
export async function deleteBackend(id: string, backend: string): Promise<void> {
  await unwrap(api.POST('/api/nodes/{id}/backends/delete', { ...target(id), body: { backend } }))
}

/** The rules of all models. */
export const rulesQuery = queryOptions({
  queryKey: ['nodes', 'rules'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/nodes/scheduling', { signal })),
})

/** Sets the rules of a model. */
export async function setRules(body: RulesDraft): Promise<void> {
  await unwrap(api.POST('/api/nodes/scheduling', { body }))
}

/** Removes the rules of a model. */
export async function removeRules(model: string): Promise<void> {
  await unwrap(api.DELETE('/api/nodes/scheduling/{model}', { params: { path: { model } } }))
}

/** Why a model would run on a worker, and not on the others. */
export const placementQuery = (model: string) =>
  queryOptions({
    queryKey: ['nodes', 'placement', model],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) => unwrap(api.GET('/api/nodes/placement', { params: { query: { model } }, signal })),
  })

/** The peers of the federation and the workers of the peer-to-peer network. */
export const peersQuery = queryOptions({
  queryKey: ['nodes', 'peers'],
  refetchInterval: POLL_MS,
  async queryFn({ signal }) {
    const [federation, workers] = await Promise.all([
      unwrap(api.GET('/api/p2p/federation', { signal })),
      unwrap(api.GET('/api/p2p/workers', { signal })),
    ])
    return { federated: federation.nodes, workers: workers.llama_cpp.nodes }
  },
})
/** A peer of the federation, or a worker of the network. */
export type Peer = Awaited<ReturnType<NonNullable<typeof peersQuery.queryFn>>>['federated'][number]
