import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../../components/ui/toast.ts'
import { api, unwrap } from '../../lib/api-client.ts'
import { type InstalledModel, installedModelsQuery } from '../../lib/server-state.ts'

/** A change of one field of a model that is here. */
export interface Toggle {
  readonly name: string
  readonly field: 'pinned' | 'disabled'
  readonly value: boolean
}

/** Pins a model, or switches it off. The change shows at once and goes back if the server refuses. */
export function useToggle() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ name, field, value }: Toggle) => {
      if (field === 'pinned') {
        const action = value ? 'pin' : 'unpin'
        return unwrap(api.PUT('/models/toggle-pinned/{name}/{action}', { params: { path: { name, action } } }))
      }
      const action = value ? 'disable' : 'enable'
      return unwrap(api.PUT('/models/toggle-state/{name}/{action}', { params: { path: { name, action } } }))
    },
    async onMutate({ name, field, value }) {
      await client.cancelQueries({ queryKey: installedModelsQuery.queryKey })
      const before = client.getQueryData(installedModelsQuery.queryKey)
      const change = (model: InstalledModel) => (model.id === name ? { ...model, [field]: value } : model)
      client.setQueryData(installedModelsQuery.queryKey, (models) => models?.map(change))
      return before
    },
    onError(error, _, before) {
      client.setQueryData(installedModelsQuery.queryKey, before)
      notify('error', error.message)
    },
  })
}

/** Makes a model the one for new chats and for requests without a name, or takes that back. */
export function useDefaultModel() {
  return useMutation({
    mutationFn: (name: string) => unwrap(api.POST('/api/settings', { body: { default_model: name } })),
    onError: (error) => notify('error', error.message),
  })
}

/** Loads a model into memory, or takes it out. */
export function useLoading(name: string) {
  return useMutation({
    mutationFn: (verb: 'load' | 'stop') => {
      const init = { body: { model: name } }
      return verb === 'load' ? unwrap(api.POST('/backend/load', init)) : unwrap(api.POST('/backend/shutdown', init))
    },
  })
}
