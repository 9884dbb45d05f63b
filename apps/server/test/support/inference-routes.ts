import { MODERATION_CATEGORIES } from '@svc/wire'
import fc from 'fast-check'
import type * as z from 'zod'
import { pathsOf, type RouteRow } from '../../src/http/route-row.ts'
import { keysOf, valuesOf } from './schema-bodies.ts'
import type { TestServer } from './server.ts'

/** A row of the table whose requests are inference, with the schema of its bodies. */
export interface InferenceRoute extends RouteRow {
  readonly body: z.ZodType
}

/** Every inference route of a server, read from its table. */
export function inferenceRoutesOf({ server }: TestServer): InferenceRoute[] {
  return server.routes.filter(isInference).map((row) => {
    if (row.body === undefined) throw new Error(`${row.path} has no schema of its bodies`)
    return { ...row, body: row.body }
  })
}

function isInference(row: RouteRow): boolean {
  return row.method === 'POST' && row.usecase !== undefined
}

/** The paths of a route, `m` for each of their parameters. */
export function concretePathsOf(route: RouteRow): string[] {
  return pathsOf(route).map((path) => path.replace(/:[A-Za-z_-]+/g, 'm'))
}

/** Bodies of a route's schema that ask for the model `m`: short ones that ask for something, and any others. */
export function bodiesOf({ body }: InferenceRoute): fc.Arbitrary<Record<string, unknown>> {
  const named = keysOf(body).has('model') ? { model: 'm' } : {}
  const bodies = fc.oneof(valuesOf(body, ['input']), valuesOf(body, 'some'))
  return bodies.map((value) => ({ ...(value as object), ...named }))
}

/** What a model says of a text that it judges harmless. */
const VERDICT = JSON.stringify(Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, 0])))

/** A model that serves every inference route, whatever is let go; it answers in JSON, which many forms take. */
export async function modelForAll(server: TestServer): Promise<void> {
  await server.model(
    'm',
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
    },
  )
}
