import { MODERATION_CATEGORIES } from '@svc/wire/openai'
import fc from 'fast-check'
import type * as z from 'zod'
import { pathsOf, type RouteRow } from '../../src/http/route-row.ts'
import { keysOf, valuesOf } from './schema-bodies.ts'
import type { TestServer } from './server.ts'

/** A row of the table whose requests are inference, with the schema of its bodies. */
export interface InferenceRoute extends RouteRow {
  readonly schema: z.ZodType
}

/** Every inference route of a server, read from its table. */
export async function inferenceRoutesOf({ server }: TestServer): Promise<InferenceRoute[]> {
  const loaded = server.routes.filter(isInference).map(async (row) => {
    if (row.body === undefined) throw new Error(`${row.path} has no schema of its bodies`)
    return { ...row, schema: await row.body() }
  })
  return Promise.all(loaded)
}

function isInference(row: RouteRow): boolean {
  return row.method === 'POST' && row.usecase !== undefined
}

/** The paths of a route, `m` for each of their parameters. */
export function concretePathsOf(route: RouteRow): string[] {
  return pathsOf(route).map((path) => path.replace(/:[A-Za-z_-]+/g, 'm'))
}

/** Models of {@link modelsForAll}, by what their files have beside the rest. */
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

/** Bodies of a route's schema that ask for one of these models: short ones that ask for something, and any others. */
export function bodiesOf({ schema }: InferenceRoute): fc.Arbitrary<Record<string, unknown>> {
  const bodies = fc.oneof(valuesOf(schema, ['input']), valuesOf(schema, 'some'))
  const isNamed = keysOf(schema).has('model')
  return fc
    .tuple(bodies, fc.constantFrom(...Object.keys(MODELS)))
    .map(([value, model]) => ({ ...(value as object), ...(isNamed ? { model } : {}) }))
}

/** What a model says of a text that it judges harmless. */
const VERDICT = JSON.stringify(Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, 0])))

/** Models that serve every inference route, whatever is let go; they answer in JSON, which many forms take. */
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
        known_usecases: ['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize', 'score'],
        known_input_modalities: ['text', 'image', 'audio', 'video'],
        pinned: true,
        ...keys,
      },
    )
  }
}
