import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'

const fetchUnused = (signal: AbortSignal) => unwrap(api.GET('/api/models/unused', { signal }))

/** Files of the models folder that no model needs. */
export type UnusedFiles = Awaited<ReturnType<typeof fetchUnused>>

/** An unused file. */
export type UnusedFile = UnusedFiles['files'][number]

export const unusedQuery = queryOptions({
  queryKey: ['models', 'unused'],
  queryFn: ({ signal }) => fetchUnused(signal),
})

const prune = (files: readonly string[]) => unwrap(api.POST('/api/models/prune', { body: { files: [...files] } }))

/** The deleted files, and the reasons why others are left. */
export type PrunedFiles = Awaited<ReturnType<typeof prune>>

/** Deletes unused files by their names. */
export function usePrune() {
  return useMutation({ mutationFn: prune })
}
