import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './api-client.ts'
import type { paths } from './schema.gen.ts'

type Reply<Path extends (keyof paths & '/api/nodes') | '/api/nodes/models'> =
  paths[Path]['get']['responses'][200]['content']['application/json']

/** A worker of the cluster. Sizes are bytes; a total of 0 is not known. */
export type Worker = Reply<'/api/nodes'>[number]

/** A model on a worker. */
export type Replica = Reply<'/api/nodes/models'>[number]

/** Time between two looks at workers, in milliseconds: they beat every ten seconds. */
const POLL_MS = 5_000

/** The workers, by name. */
export const workersQuery = queryOptions({
  queryKey: ['nodes', 'list'],
  refetchInterval: POLL_MS,
  queryFn: ({ signal }) => unwrap(api.GET('/api/nodes', { signal })),
})

/** The models on all workers, by name. */
export const replicasQuery = queryOptions({
  queryKey: ['nodes', 'replicas'],
  refetchInterval: POLL_MS,
  queryFn: ({ signal }) => unwrap(api.GET('/api/nodes/models', { signal })),
})
