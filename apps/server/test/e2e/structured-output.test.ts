import { compileSchema } from '@svc/structured-output'
import { jsonSchemas, sampleSchemas } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { postChat } from './open-chat.ts'

interface Reply {
  readonly error?: { readonly message: string; readonly code: unknown }
  readonly choices?: readonly [{ readonly finish_reason: string; readonly message: { readonly content: string } }]
}

/** Parallel requests: as many as the llama backend answers in parallel. */
const AT_ONCE = 4

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
})
afterAll(() => server[Symbol.asyncDispose]())

/** Asks the demo model for an answer of a form, with so high a temperature that little but the form remains. */
async function ask(schema: unknown, seed: number): Promise<{ readonly status: number; readonly reply: Reply }> {
  const response = await postChat(server.url, 'demo', {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    temperature: 2,
    seed,
    max_tokens: 480,
  })
  // the tests of the official client check the form of a reply
  return { status: response.status, reply: (await response.json()) as Reply }
}

/** Readers of bodies drop keys that are special to JavaScript, and require a schema to be an object. */
function isCarried(schema: unknown): boolean {
  return typeof schema === 'object' && !/"(?:__proto__|constructor)":/.test(JSON.stringify(schema))
}

type Outcome = 'right' | 'refused' | 'cut off' | { readonly schema: string; readonly reply: Reply }

async function toOutcome(schema: unknown, seed: number): Promise<Outcome> {
  const { status, reply } = await ask(schema, seed)
  if (status === 400 && /^schema in response_format cannot be used/.test(reply.error?.message ?? '')) return 'refused'
  const wrong = { schema: JSON.stringify(schema), reply }
  const [choice] = reply.choices ?? []
  if (choice === undefined) return wrong
  if (choice.finish_reason === 'length') return 'cut off'
  const { check } = compileSchema(schema, { origin: { param: 'schema' } })
  return check(JSON.parse(choice.message.content)) === undefined ? 'right' : wrong
}

describe('structured output of the demo model', () => {
  it('of 300 generated schemas parses and is right, or the schema is refused before', async () => {
    const sampled = sampleSchemas(jsonSchemas.exact, 600).filter(isCarried).slice(0, 300)
    const schemas = [...sampled.entries()]
    const outcomes: Outcome[] = []
    const work = async (): Promise<void> => {
      for (let next = schemas.shift(); next !== undefined; next = schemas.shift()) {
        outcomes.push(await toOutcome(next[1], next[0]))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(outcomes.filter((outcome) => typeof outcome === 'object')).toEqual([])
    const count = (name: Outcome): number => outcomes.filter((outcome) => outcome === name).length
    expect(outcomes).toHaveLength(300)
    expect(count('refused')).toBeLessThan(30)
    // The others were cut off inside a text that the model did not end.
    expect(count('right')).toBeGreaterThan(250)
  })
})
