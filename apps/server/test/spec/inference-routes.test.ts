import { eventually } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STAGE_ORDER, type StageObserver } from '../../src/inference/core/pipeline.ts'
import {
  arbitraryBodies,
  type InferenceRoute,
  listConcretePaths,
  listInferenceRoutes,
  modelsForAll,
} from '../support/inference-routes.ts'
import { listKeys } from '../support/schema-bodies.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const BEGUN = [...STAGE_ORDER]
const ENDED = [...STAGE_ORDER].reverse().map((name) => `/${name}`)
/** Maximum number of bodies to try for one answer of a route. */
const TRIES = 200

/** Records the stages that requests enter and leave, by request id. */
function recordStages(): { seen: Map<string, string[]>; observe: StageObserver } {
  const seen = new Map<string, string[]>()
  return {
    seen,
    observe(stage, { incoming }) {
      const id = incoming.context.requestId
      const note = (step: string): void => void seen.set(id, [...(seen.get(id) ?? []), step])
      note(stage)
      return () => note(`/${stage}`)
    },
  }
}

/** Lists the kinds of answers of a route. */
function listWays(route: InferenceRoute): Record<string, unknown>[] {
  const keys = listKeys(route.schema)
  const stream = keys.has('stream') ? [{ stream: false }, { stream: true }] : [{}]
  const background = keys.has('background') ? stream.map((way) => ({ ...way, background: true, store: true })) : []
  return [...stream, ...background]
}

describe('the inference routes of the table', () => {
  it('are all routes that take JSON for a model', async () => {
    await using server = await startTestServer()
    const routes = (await listInferenceRoutes(server)).map(({ path }) => path)
    const taking = server.server.routes.filter(
      ({ method, body, tag, form }) => method === 'POST' && body && tag === 'inference' && form !== true,
    )
    // realtime credentials ask no model: the turns of a conversation pass the stages
    const asking = taking.map(({ path }) => path).filter((path) => !path.startsWith('/v1/realtime/'))
    expect(asking.filter((path) => !routes.includes(path))).toEqual([])
    // known routes; further ones join by their declarations
    const known = ['/v1/chat/completions', '/v1/completions', '/v1/edits', '/v1/embeddings', '/v1/moderations']
    const others = ['/v1/messages', '/v1/messages/count_tokens', '/v1/responses', '/api/chat', '/api/generate']
    const rest = ['/api/embed', '/api/embeddings', '/v1/rerank', '/v1/tokenize', '/v1/detokenize', '/api/score']
    const media = ['/v1/images/generations', '/v1/video/generations', '/v1/detection']
    const sound = ['/v1/audio/speech', '/v1/text-to-speech/:voice_id', '/v1/sound-generation', '/v1/audio/vad']
    expect(routes).toEqual(expect.arrayContaining([...known, ...others, ...rest, ...media, ...sound]))
  })

  // verifies request:order:stages
  it('pass every stage in order, by each of their paths and in each way they answer', async () => {
    const { seen, observe } = recordStages()
    await using server = await startTestServer({ observeStage: observe })
    await modelsForAll(server)
    for (const route of await listInferenceRoutes(server)) {
      for (const path of listConcretePaths(route)) {
        for (const way of listWays(route)) {
          const id = await answered(server, route, path, way)
          await eventually(() => expect(seen.get(id), `${path} ${JSON.stringify(way)}`).toEqual([...BEGUN, ...ENDED]))
        }
      }
    }
    // and a refused request left the stages that it had entered
    for (const [id, steps] of seen) {
      const begun = steps.filter((step) => !step.startsWith('/'))
      expect(steps, id).toEqual([...begun, ...begun.map((name) => `/${name}`).reverse()])
      expect(begun, id).toEqual(BEGUN.slice(0, begun.length))
    }
  })
})

/** Sends bodies of a route's schema until one is answered. @returns the id of that request */
async function answered(server: TestServer, route: InferenceRoute, path: string, way: object): Promise<string> {
  const bodies = fc.sample(arbitraryBodies(route), { numRuns: TRIES, seed: 1 })
  for (const [index, body] of bodies.entries()) {
    const id = `${path}${JSON.stringify(way)}${index}`.replace(/[^A-Za-z0-9]+/g, '-')
    const reply = await server.post(path, { ...body, ...way }, { 'x-correlation-id': id })
    if (reply.status === 200) return id
  }
  throw new Error(`${path} answered none of ${TRIES} bodies of its schema with ${JSON.stringify(way)}`)
}
