import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { readFailure } from '../../lib/api-error.ts'

/** The values of all settings by key; secrets are masks. */
export type Values = Readonly<Record<string, unknown>>

export const valuesQuery = queryOptions({
  queryKey: ['settings', 'values'],
  queryFn: async ({ signal }): Promise<Values> => unwrap(api.GET('/api/settings', { signal })),
})

const fetchOrigins = async (signal?: AbortSignal) =>
  (await unwrap(api.GET('/api/settings/sources', signal === undefined ? {} : { signal }))).settings

/** A setting: its group, the source of its value, and its lock. */
export type Origin = Awaited<ReturnType<typeof fetchOrigins>>[number]

export const originsQuery = queryOptions({
  queryKey: ['settings', 'sources'],
  queryFn: ({ signal }) => fetchOrigins(signal),
})

/** The result of saving: the settings that do not act, each with the reason, and other faults of the values. */
export interface Saved {
  readonly unused: readonly { readonly key: string; readonly reason: string }[]
  readonly warnings: readonly string[]
}

/** Saves settings. A reply that names settings that do not act is not a failure: they were saved. */
async function saveSettings(patch: Readonly<Record<string, unknown>>): Promise<Saved> {
  const { data, error, response } = await api.POST('/api/settings', { body: { ...patch } })
  const unused = data?.not_in_force ?? error?.not_in_force
  if (!response.ok && unused === undefined) throw readFailure(response, error)
  return { unused: unused ?? [], warnings: data?.warnings ?? [] }
}

/** Saves a part of the settings; null takes a saved value away. It ends when the new values are here. */
export function useSaveSettings() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: saveSettings,
    onSuccess: () => Promise.all([cache.fetchQuery(valuesQuery), cache.fetchQuery(originsQuery)]),
  })
}

/** The pictures of the server. */
export const PICTURES = ['logo', 'logo_horizontal', 'favicon'] as const
export type Picture = (typeof PICTURES)[number]

/** Largest picture that the server takes. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024

/** Sets a picture, or restores the server's own. @throws ApiError for a file that is too large or not a picture */
async function putPicture({ kind, file }: { readonly kind: Picture; readonly file: File | undefined }): Promise<void> {
  const params = { path: { kind } }
  if (file === undefined) return void (await unwrap(api.DELETE('/api/branding/asset/{kind}', { params })))
  const form = new FormData()
  form.set('file', file)
  // the schema says text where a form has a file
  const body = { file: '' }
  await unwrap(api.POST('/api/branding/asset/{kind}', { params, body, bodySerializer: () => form }))
}

export function usePutPicture() {
  return useMutation({ mutationFn: putPicture })
}
