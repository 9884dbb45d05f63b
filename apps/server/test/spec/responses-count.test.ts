import type { ResponseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

async function world(): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m')
  return server
}

async function count(server: TestServer, body: object): Promise<number> {
  const reply = await server.post('/v1/responses/input_tokens', { model: 'm', ...body })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.json()).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
  return (reply.json() as { input_tokens: number }).input_tokens
}

describe('POST /v1/responses/input_tokens', () => {
  it('counts the tokens that the model would read, as the other formats do, without a prediction', async () => {
    await using server = await world()
    const messages = [{ role: 'user', content: 'Hello there' }]
    const short = await count(server, { input: 'Hello there', instructions: 'Be brief.' })
    const counted = await server.post('/v1/messages/count_tokens', { model: 'm', system: 'Be brief.', messages })
    expect(counted.json()).toEqual({ input_tokens: short })
    expect(short).toBeGreaterThan(await count(server, { input: 'Hello there' }))
    expect((await server.post('/responses/input_tokens', { model: 'm', input: messages })).status).toBe(200)
    expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(false)
  })

  it('counts the conversation that is continued, also without an input', async () => {
    await using server = await world()
    const first = (
      await server.post('/v1/responses', { model: 'm', input: 'one two three' })
    ).json() as ResponseResource
    const alone = await count(server, { previous_response_id: first.id })
    expect(alone).toBeGreaterThan(await count(server, { input: 'one two three' }))
    expect(await count(server, { previous_response_id: first.id, input: 'four' })).toBeGreaterThan(alone)
  })

  it('refuses input that cannot be counted', async () => {
    await using server = await world()
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
    const cases: [object, number, object][] = [
      [{ input: [{ role: 'user', content: [image] }] }, 400, { param: 'input[0].content[0]' }],
      [{ previous_response_id: 'resp_x' }, 404, { type: 'not_found', param: 'previous_response_id' }],
      [{ input: 5 }, 400, { message: expect.stringMatching(/^failed to parse input: /) }],
      [{ model: 'nobody', input: 'hi' }, 400, { message: 'model configuration not found' }],
    ]
    for (const [body, status, error] of cases) {
      const reply = await server.post('/v1/responses/input_tokens', { model: 'm', ...body })
      expect([reply.status, reply.json()]).toMatchObject([status, { error }])
    }
  })
})
