import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../../components/ui/toast.ts'
import { api, unwrap } from '../api-client.ts'
import type { Operation } from './operation.ts'
import { operationsQuery } from './operation-queries.ts'

/** Something that a person asks of an operation, or a new operation. */
export type OperationAction =
  | { readonly do: 'cancel' | 'pause' | 'dismiss'; readonly jobID: string }
  | { readonly do: 'retry'; readonly operation: Operation }
  | ({ readonly do: 'install' } & InstallTarget)
  | { readonly do: 'remove'; readonly kind: 'model' | 'backend'; readonly id: string }
  | { readonly do: 'upgrade'; readonly name: string }

/** The target of an installation. */
export interface InstallTarget {
  readonly kind: 'model' | 'backend'
  /** With the name of its gallery, where it has one. */
  readonly id: string
  /** The form of a model; the server chooses where it is absent. */
  readonly variant?: string | undefined
}

async function act(action: OperationAction): Promise<void> {
  switch (action.do) {
    case 'cancel':
    case 'pause':
    case 'dismiss':
      await change(action.do, action.jobID)
      return
    case 'retry': {
      const { jobID, id, isBackend } = action.operation
      await change('dismiss', jobID)
      await install({ kind: isBackend ? 'backend' : 'model', id })
      return
    }
    case 'install':
      await install(action)
      return
    case 'remove': {
      const { id } = action
      const init = { params: { path: { id } } }
      await (action.kind === 'model'
        ? unwrap(api.POST('/api/models/delete/{id}', init))
        : unwrap(api.POST('/api/backends/delete/{id}', init)))
      return
    }
    case 'upgrade':
      await unwrap(api.POST('/api/backends/upgrade/{name}', { params: { path: { name: action.name } } }))
  }
}

function change(verb: 'cancel' | 'pause' | 'dismiss', jobID: string): Promise<unknown> {
  const init = { params: { path: { jobID } } }
  if (verb === 'cancel') return unwrap(api.POST('/api/operations/{jobID}/cancel', init))
  if (verb === 'pause') return unwrap(api.POST('/api/operations/{jobID}/pause', init))
  return unwrap(api.POST('/api/operations/{jobID}/dismiss', init))
}

function install({ kind, id, variant }: InstallTarget): Promise<unknown> {
  if (kind === 'backend') return unwrap(api.POST('/api/backends/install/{id}', { params: { path: { id } } }))
  const query = variant === undefined ? {} : { variant }
  return unwrap(api.POST('/api/models/install/{id}', { params: { path: { id }, query } }))
}

/**
 * Acts on operations and shows a refusal. A dismissed operation leaves the list before the server has answered, and
 * comes back if the server refuses.
 */
export function useOperationAction() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    async onMutate(action) {
      if (action.do !== 'dismiss') return undefined
      await client.cancelQueries({ queryKey: operationsQuery.queryKey })
      const before = client.getQueryData(operationsQuery.queryKey)
      client.setQueryData(operationsQuery.queryKey, (list) => list?.filter(({ jobID }) => jobID !== action.jobID))
      return before
    },
    onError(error, _, before) {
      if (before !== undefined) client.setQueryData(operationsQuery.queryKey, before)
      notify('error', error.message)
    },
  })
}
