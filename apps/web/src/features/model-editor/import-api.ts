import { api } from '../../lib/api-client.ts'
import { isRecord, readFailure } from '../../lib/api-error.ts'

/** The answer to an import by address. */
export type ImportAnswer =
  | { readonly kind: 'started' }
  /** Several backends could run the model, or none is known. */
  | { readonly kind: 'ambiguous'; readonly modality: string; readonly candidates: readonly string[] }

/** What somebody wishes of an import. */
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
  const { error, response } = await api.POST('/models/import-uri', { body: { uri, preferences } })
  if (response.ok) return { kind: 'started' }
  return readAmbiguity(error) ?? fail(response, error)
}

/** Reads the refusal of an ambiguous import; undefined for any other. */
export function readAmbiguity(body: unknown): Extract<ImportAnswer, { kind: 'ambiguous' }> | undefined {
  if (!isRecord(body) || body.error !== 'ambiguous import') return undefined
  const { modality, candidates } = body
  return {
    kind: 'ambiguous',
    modality: typeof modality === 'string' ? modality : '',
    candidates: Array.isArray(candidates) ? candidates.filter((one) => typeof one === 'string') : [],
  }
}

function fail(response: Response, body: unknown): never {
  throw readFailure(response, body)
}
