import { MODERATION_CATEGORIES } from '@svc/wire/openai'
import fc from 'fast-check'
import type * as z from 'zod'
import { listPaths, type RouteInfo } from '../../src/http/route-info.ts'
import { SAVED_ID, writeSavedState } from './saved-state.ts'
import { createValues, listKeys } from './schema-bodies.ts'
import type { TestServer } from './server.ts'

/** An inference route of the table, with the schema of its bodies. */
export interface InferenceRoute extends RouteInfo {
  readonly schema: z.ZodType
}

/** Lists every inference route of a server that takes JSON, from its table. */
export async function listInferenceRoutes({ server }: TestServer): Promise<InferenceRoute[]> {
  const loaded = server.routes.filter(isInference).map(async (route) => {
    if (route.body === undefined) throw new Error(`${route.path} has no schema of its bodies`)
    return { ...route, schema: await route.body() }
  })
  return Promise.all(loaded)
}

function isInference(route: RouteInfo): boolean {
  return route.method === 'POST' && route.usecase !== undefined && route.form !== true
}

/** Gives the paths of a route, with `m` for each parameter. */
export function listConcretePaths(route: RouteInfo): string[] {
  return listPaths(route).map((path) => path.replace(/:[A-Za-z_-]+/g, 'm'))
}

/** Uses of a model that serves every inference route. */
export const EVERY_USECASE = [
  ...['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize', 'score'],
  ...['image', 'video', 'detection', 'stores'],
  ...['tts', 'sound_generation', 'vad'],
]

/** Models of {@link modelsForAll}, by their further keys. */
const MODELS: Readonly<Record<string, Record<string, unknown>>> = {
  m: {},
  'm-written': {
    template: {
      chat_message: '<|{{.RoleName}}|>{{.Content}}{{range .FunctionCall}}{{toJson .FunctionCall}}{{end}}',
      chat: '{{.Input}}\n<|assistant|>',
      function: '{{.Input}}{{range .Functions}}{{.Name}}: {{toJson .Parameters}}{{end}}<|assistant|>',
      completion: '{{.Input}}',
      edit: '{{.Instruction}}: {{.Input}}',
    },
  },
  'm-masked': { pii: { enabled: true, detectors: ['masking'] } },
  'm-restored': { pii: { enabled: true, detectors: ['masking'], reversible_redactions: true } },
  'm-blocked': { pii: { enabled: true, detectors: ['blocking'] } },
}

/** Fields whose value is that of something saved before. */
const FIXED: Readonly<Record<string, object>> = { '/v1/slots/restore': { id: SAVED_ID } }

/** Bodies of a route's schema for one of these models: short ones that ask for something, and any others. */
export function arbitraryBodies({ path, schema }: InferenceRoute): fc.Arbitrary<Record<string, unknown>> {
  const bodies = fc.oneof(createValues(schema, ['input']), createValues(schema, 'some'))
  const keys = listKeys(schema)
  const name = keys.has('model') ? 'model' : keys.has('store') && keys.has('backend') ? 'store' : undefined
  return fc.tuple(bodies, fc.constantFrom(...Object.keys(MODELS))).map(([value, model]) => ({
    ...(value as object),
    ...(name === undefined ? {} : { [name]: model }),
    ...FIXED[path],
  }))
}

/** Answer of a model that judges a text harmless. */
export const VERDICT = JSON.stringify(Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, 0])))

/**
 * Writes models that serve every inference route with any optional fields; they answer in JSON, which many forms
 * accept.
 */
export async function modelsForAll(server: TestServer): Promise<void> {
  const detector = { known_usecases: ['token_classify'], pinned: true }
  await server.model('masking', {}, { ...detector, pii_detection: {} })
  await server.model('blocking', {}, { ...detector, pii_detection: { entity_actions: { EMAIL: 'block' } } })
  for (const [name, keys] of Object.entries(MODELS)) {
    await server.model(
      name,
      {
        rules: [
          { rpc: 'Predict*', contains: 'harassment/threatening', do: { text: VERDICT } },
          { rpc: 'Predict*', do: { text: '{}' } },
        ],
      },
      {
        known_usecases: EVERY_USECASE,
        known_input_modalities: ['text', 'image', 'audio', 'video'],
        pinned: true,
        slot_save_path: 'slots',
        ...keys,
      },
    )
    await writeSavedState(server.modelsPath, name)
  }
}
