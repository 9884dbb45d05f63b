import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { readFailure } from '../../lib/api-error.ts'
import type { paths } from '../../lib/schema.gen.ts'

/** The answer to an import by address. */
export type ImportAnswer =
  | { readonly kind: 'started' }
  /** Several backends could run the model, or no suitable backend is known. */
  | { readonly kind: 'ambiguous'; readonly modality: string; readonly candidates: readonly string[] }

/** The user's wishes for an import. */
export interface ImportWishes {
  readonly uri: string
  readonly name?: string | undefined
  readonly backend?: string | undefined
  /** In the order of preference, with commas between. */
  readonly quantizations?: string | undefined
}

/** Installs the model behind an address. @throws ApiError for addresses that the server cannot use */
export async function importUri({ uri, name, backend, quantizations }: ImportWishes): Promise<ImportAnswer> {
  const preferences = {
    ...(name ? { name } : {}),
    ...(backend ? { backend } : {}),
    ...(quantizations ? { quantizations } : {}),
  }
  const { data, error, response } = await api.POST('/models/import-uri', { body: { uri, preferences } })
  if (data !== undefined) return { kind: 'started' }
  if (response.status === 400 && isQuestion(error))
    return { kind: 'ambiguous', modality: error.modality ?? '', candidates: error.candidates }
  throw readFailure(response, error)
}

type Failures = paths['/models/import-uri']['post']['responses']
type Refusal = Failures[400]['content']['application/json']
type Question = Refusal & { readonly candidates: readonly string[] }

/** Whether a refusal asks for a backend. */
function isQuestion(failure: Refusal | Failures['default']['content']['application/json']): failure is Question {
  return Array.isArray(failure.candidates)
}

/** Repositories of the model hub for words, the most fetched ones first. */
export const hubQuery = (words: string) =>
  queryOptions({
    queryKey: ['model-editor', 'hub', words],
    staleTime: 300_000,
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/models/hub-search', { params: { query: { q: words } }, signal }))).models,
  })
