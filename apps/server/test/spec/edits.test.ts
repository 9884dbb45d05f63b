import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const EDITS = '/v1/edits'
const keys = { known_usecases: ['edit'], template: { edit: '{{.Instruction}}: {{.Input}}' } }
const request = { model: 'm', input: 'teh cat', instruction: 'Fix the spelling' }

/** Lists the requests that the mock got. */
function asked(server: TestServer, model = 'm'): Record<string, unknown>[] {
  return server
    .records(model)
    .filter(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')
    .map((record) => record.request as Record<string, unknown>)
}

describe('POST /v1/edits', () => {
  // verifies inference:route:edits
  it('changes a text by the template of the model, under the name that was asked for', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'the cat', promptTokens: 5, completionTokens: 2 } }] }, keys)
    for (const path of [EDITS, '/edits']) {
      const reply = await server.post(path, { ...request, temperature: 0.5, seed: 7 })
      expect(reply.status).toBe(200)
      expect(reply.json()).toEqual({
        id: reply.headers['x-correlation-id'],
        object: 'edit',
        created: expect.any(Number),
        model: 'm',
        choices: [{ index: 0, text: 'the cat' }],
        usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      })
    }
    expect(asked(server)[0]).toMatchObject({
      Prompt: 'Fix the spelling: teh cat',
      Messages: [],
      Temperature: 0.5,
      Seed: 7,
    })
  })

  it('counts choices over all texts, n of each', async () => {
    await using server = await startTestServer()
    const rules = [
      { contains: 'one', do: { text: 'eins', promptTokens: 3, completionTokens: 1 } },
      { contains: 'two', do: { text: 'zwei', promptTokens: 4, completionTokens: 1 } },
    ]
    await server.model('m', { rules }, keys)
    const reply = await server.post(EDITS, { ...request, input: ['one', 'two'], n: 2, stream: true })
    expect(reply.json()).toMatchObject({
      choices: ['eins', 'eins', 'zwei', 'zwei'].map((text, index) => ({ index, text })),
      usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 },
    })
    expect(asked(server).map(({ Prompt }) => Prompt)).toEqual([
      'Fix the spelling: one',
      'Fix the spelling: one',
      'Fix the spelling: two',
      'Fix the spelling: two',
    ])
  })

  it('takes an instruction alone, and the first model that edits when none is named', async () => {
    await using server = await startTestServer()
    await server.model('a-chat')
    await server.model('m', {}, keys)
    expect((await server.post(EDITS, { instruction: 'Write a poem' })).json()).toMatchObject({ model: 'm' })
    expect(asked(server)[0]).toMatchObject({ Prompt: 'Write a poem: ' })
  })

  it('sends the text alone to a model without a template for edits', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, { known_usecases: ['edit'] })
    await server.post(EDITS, request)
    expect(asked(server)[0]).toMatchObject({ Prompt: 'teh cat' })
  })

  it('measures times only for clients that ask', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, keys)
    const { usage } = (await server.post(EDITS, request, { 'extra-usage': 'true' })).json() as { usage: object }
    expect(usage).toMatchObject({
      timing_prompt_processing: expect.any(Number),
      timing_token_generation: expect.any(Number),
    })
  })

  it.each([
    ['instruction', { instruction: undefined }],
    ['input', { input: [] }],
    ['input', { input: 3 }],
    ['input', { input: Array.from({ length: 2049 }, () => 'a') }],
    ['input', { input: Array.from({ length: 1025 }, () => 'a'), n: 2 }],
    ['n', { n: 0 }],
  ])('refuses a wrong %s, and asks the model nothing', async (param, change) => {
    await using server = await startTestServer()
    await server.model('m', {}, keys)
    const reply = await server.post(EDITS, { ...request, ...change })
    expect(reply.status).toBe(400)
    expect(reply.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringMatching(/^failed parsing request body:/),
        param: expect.stringContaining(param),
      },
    })
    expect(asked(server)).toEqual([])
  })
})
