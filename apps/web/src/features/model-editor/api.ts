import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { KnownModels } from './rules.ts'
import { readSchema, type Schema } from './schema-check.ts'

/** A model file as the server has it. */
export interface ModelFile {
  readonly text: string
  /** Changes with every change of the text. */
  readonly revision: string
}

async function fetchFile(name: string, signal?: AbortSignal): Promise<ModelFile> {
  const init = { params: { path: { name } }, ...(signal && { signal }) }
  const { config, config_revision } = await unwrap(api.GET('/models/edit/{name}', init))
  return { text: config, revision: config_revision }
}

/** The file of a model, fetched anew each time the editor opens. */
export const modelFileQuery = (name: string) =>
  queryOptions({
    queryKey: ['model-file', name],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) => fetchFile(name, signal),
  })

/** The file as it is now, after somebody else has changed it. */
export const readCurrentFile = (name: string): Promise<ModelFile> => fetchFile(name)

/** Result of a write. */
export interface WrittenFile {
  readonly revision: string
}

const AS_YAML = { bodySerializer: (text: string) => text, headers: { 'content-type': 'application/yaml' } }

/**
 * Writes the file of a model; the name in the text renames it.
 *
 * @param revision the file it is meant for
 * @throws ApiError with status 412 if the file has another revision by now
 */
export async function replaceFile(name: string, text: string, revision: string): Promise<WrittenFile> {
  const headers = { ...AS_YAML.headers, 'if-match': `"${revision}"` }
  const init = { ...AS_YAML, headers, params: { path: { name } }, body: text }
  return { revision: (await unwrap(api.POST('/models/edit/{name}', init))).config_revision }
}

/** Writes the file of a new model. @throws ApiError with status 409 where the name is taken */
export async function createFile(text: string): Promise<WrittenFile> {
  return { revision: (await unwrap(api.POST('/models/import', { ...AS_YAML, body: text }))).config_revision }
}

/** The JSON Schema of model files. */
export const schemaQuery = queryOptions({
  queryKey: ['model-editor', 'schema'],
  staleTime: Number.POSITIVE_INFINITY,
  async queryFn({ signal }): Promise<Schema> {
    return readSchema(await unwrap(api.GET('/api/models/config-schema', { signal })))
  },
})

/** The other models, as rules see them. */
export const knownModelsQuery = queryOptions({
  queryKey: ['model-editor', 'known-models'],
  async queryFn({ signal }): Promise<KnownModels> {
    const [{ data }, routers] = await Promise.all([
      unwrap(api.GET('/api/models/capabilities', { signal })),
      // a server without routers has no router status
      unwrap(api.GET('/api/router/status', { signal })).catch(() => ({ models: [] })),
    ])
    const isRouter = new Set(routers.models.map(({ name }) => name))
    return {
      uses: new Map(
        data.map(({ id, capabilities }) => [
          id,
          [
            ...capabilities.map((flag) => flag.replace(/^FLAG_/, '').toLowerCase()),
            ...(isRouter.has(id) ? ['router'] : []),
          ],
        ]),
      ),
      backends: new Map(data.map(({ id, backend }) => [id, backend])),
    }
  },
})

/** Names that a key can take, such as of backends. */
export const completionsQuery = (provider: string) =>
  queryOptions({
    queryKey: ['model-editor', 'completions', provider],
    async queryFn({ signal }): Promise<readonly string[]> {
      const init = { signal, params: { path: { provider } } }
      return (await unwrap(api.GET('/api/models/config-metadata/autocomplete/{provider}', init))).values
    },
  })

/** Estimated memory of a model with a context; undefined if its files do not say enough. */
export const memoryQuery = (model: string, contextSize: number) =>
  queryOptions({
    queryKey: ['model-editor', 'memory', model, contextSize],
    async queryFn(): Promise<number | null> {
      const body = { model, context_size: contextSize }
      return (await unwrap(api.POST('/api/models/vram-estimate', { body }))).vramBytes ?? null
    },
  })
