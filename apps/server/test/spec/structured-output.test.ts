import type { MockScript } from '@svc/backend-mock/script'
import { describe, expect, it } from 'vitest'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, inhabitants: { type: 'integer', multipleOf: 10 } },
  required: ['city', 'inhabitants'],
  additionalProperties: false,
}
const asked = (schema: unknown): Record<string, unknown> => ({
  response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
})

const STRICT = { strict_answers: true }

async function world(text: string, script: MockScript = {}, keys: Record<string, unknown> = {}): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text } }], ...script }, keys)
  return server
}

function listGrammars(server: TestServer): readonly string[] {
  return server
    .records('m')
    .filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
    .map(({ request }) => (request as { Grammar?: string }).Grammar ?? '')
}

describe('structured output', () => {
  it('gives the backend a grammar of the whole schema, and the client JSON that matches it', async () => {
    const text = '{"city": "Köln", "inhabitants": 1080000}'
    await using server = await world(text)
    const reply = await server.chat('m', asked(SCHEMA))
    expect(reply.status).toBe(200)
    expect(reply.json()).toMatchObject({ choices: [{ finish_reason: 'stop', message: { content: text } }] })
    const [grammar] = listGrammars(server)
    expect(grammar).toMatch(/^root ::= /m)
    for (const key of ['city', 'inhabitants']) expect(grammar).toContain(String.raw`\x22${key}\x22`)
  })

  it.each([
    ['a value that the schema forbids', '{"city": "Köln", "inhabitants": 1080001}', /inhabitants/],
    ['a value that is missing', '{"city": "Köln"}', /inhabitants/],
    ['text that is not JSON', 'Köln has many.', /not JSON/],
  ])('tells of an answer with %s, and delivers it', async (_name, text, reason) => {
    await using server = await world(text)
    const whole = await server.chat('m', asked(SCHEMA))
    expect(whole.status).toBe(200)
    expect(whole.json()).toMatchObject({ choices: [{ finish_reason: 'stop', message: { content: text } }] })
    const warning = whole.headers['x-svc-warning']
    expect(warning).toMatch(/^answer_form_mismatch: /)
    expect(warning).toMatch(reason)
    const stream = await server.chat('m', { ...asked(SCHEMA), stream: true })
    expect(stream.text).not.toContain('"error"')
    expect(sseData(stream.text).at(-1)).toBe('[DONE]')
    expect(stream.headers['x-svc-warning']).toBeUndefined()
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toMatch(/^svc_answer_form_mismatches_total 2$/m)
    expect(server.logLines.filter((line) => line.includes('answer_form_mismatch'))).toHaveLength(2)
  })

  it.each([
    ['a value that the schema forbids', '{"city": "Köln", "inhabitants": 1080001}', /inhabitants/],
    ['text that is not JSON', 'Köln has many.', /not JSON/],
  ])('refuses to pass on an answer with %s where the model is strict', async (_name, text, reason) => {
    await using server = await world(text, {}, STRICT)
    const whole = await server.chat('m', asked(SCHEMA))
    expect(whole.status).toBe(500)
    expect((whole.json() as { error: { message: string } }).error.message).toMatch(reason)
    const events = sseData((await server.chat('m', { ...asked(SCHEMA), stream: true })).text)
    expect(events.at(-2)).toMatchObject({ error: { message: expect.stringMatching(reason) } })
  })

  it('leaves an answer that was cut off as it is, with the reason', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: '{"city": "Kö', completionTokens: 4, promptTokens: 3 } }] })
    const reply = await server.chat('m', { ...asked(SCHEMA), max_tokens: 4 })
    expect(reply.json()).toMatchObject({ choices: [{ finish_reason: 'length', message: { content: '{"city": "Kö' } }] })
  })

  it('json_object, as a word or an object, is any object and nothing else', async () => {
    await using server = await world('{"a": [1]}')
    for (const format of ['json_object', { type: 'json_object' }]) {
      expect((await server.chat('m', { response_format: format })).status).toBe(200)
    }
    const [first, second] = listGrammars(server)
    expect(first).toMatch(/^root ::= /m)
    expect(second).toBe(first)
    await using other = await world('[1]')
    const list = await other.chat('m', { response_format: 'json_object' })
    expect([list.status, 'x-svc-warning' in list.headers]).toEqual([200, true])
    await using strict = await world('[1]', {}, STRICT)
    expect((await strict.chat('m', { response_format: 'json_object' })).status).toBe(500)
  })

  it('a grammar of the client goes on as it is, and text is free', async () => {
    await using server = await world('yes')
    await server.chat('m', { grammar: 'root ::= "yes" | "no"' })
    await server.chat('m', { response_format: { type: 'text' } })
    expect(listGrammars(server)).toEqual(['root ::= "yes" | "no"', ''])
  })

  it.each([
    ['a reference to elsewhere', asked({ $ref: 'https://example.com/schema' })],
    ['a value that never ends', asked({ $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })],
    ['two forms at once', { ...asked(SCHEMA), grammar: 'root ::= "a"' }],
    ['a grammar beside tools', { grammar: 'root ::= "a"', tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['a schema that is none', asked('text')],
    ['a form without its schema', { response_format: { type: 'json_schema', json_schema: { name: 'x' } } }],
  ])('refuses %s before anything is generated', async (_name, extra) => {
    await using server = await world('{}')
    const reply = await server.chat('m', extra)
    expect(reply.status).toBe(400)
    expect((reply.json() as { error: { message: string; param: string } }).error.param).toMatch(
      /response_format|grammar/,
    )
    expect(listGrammars(server)).toEqual([])
  })

  it('calls of a strict tool follow a grammar of its schema', async () => {
    const tool = { type: 'function', function: { name: 'place', strict: true, parameters: SCHEMA } }
    await using server = await world('{"name": "place", "arguments": {"city": "Köln", "inhabitants": 10}}')
    const reply = await server.chat('m', { tools: [tool] })
    expect(reply.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
    const [grammar] = listGrammars(server)
    expect(grammar).toContain(String.raw`\x22place\x22`)
    expect(grammar).not.toContain('answer')
  })

  verifies(
    'chat:tools:odd-schema',
    'leaves an odd keyword of a tool out with a warning on every route, and refuses it in a strict tool',
    async () => {
      await using server = await startTestServer()
      const text = '{"name": "place", "arguments": {"city": "Oslo"}}'
      await server.model('m', { rules: [{ rpc: 'Predict*', do: { text } }] }, { template: { chat: '{{.Input}}' } })
      const parameters = {
        type: 'object',
        properties: { city: { type: 'string', pattern: '^(?=.*[a-z]).+$' }, days: { type: 'integer' } },
        required: ['city'],
      }
      const definition = { name: 'place', parameters }
      const tools = [{ type: 'function', function: definition }]
      const messages = [{ role: 'user', content: 'Hello' }]
      const flat = [{ type: 'function', ...definition }]
      const schema = [{ name: 'place', input_schema: parameters }]
      const asked: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
        ['/v1/chat/completions', { messages, tools, tool_choice: 'required' }],
        ['/v1/chat/completions', { messages, tools, stream: true }],
        ['/v1/chat/completions', { messages, functions: [definition], function_call: { name: 'place' } }],
        ['/v1/responses', { input: 'Hello', tools: flat, tool_choice: 'required' }],
        ['/v1/messages', { messages, tools: schema, tool_choice: { type: 'any' }, max_tokens: 9 }],
        ['/api/chat', { messages, tools, stream: false }],
      ]
      for (const [path, body] of asked) {
        const reply = await server.post(path, { model: 'm', ...body })
        expect([path, reply.status]).toEqual([path, 200])
        expect(reply.headers['x-svc-warning'], path).toMatch(
          /(?:^|; )schema_left_out: the schemas of tools are used without place\/properties\/city\/pattern \(/,
        )
        expect(reply.text, path).toContain('Oslo')
      }
      const grammars = server.records('m').map(({ request }) => (request as { Grammar?: string })?.Grammar ?? '')
      expect(grammars.filter((grammar) => grammar.includes('days')).length).toBeGreaterThanOrEqual(asked.length)
      expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(/^svc_answer_form_mismatches_total 0$/m)
      const strict = [{ type: 'function', function: { ...definition, strict: true } }]
      const refused = await server.chat('m', { tools: strict })
      expect(refused.status).toBe(400)
      expect(refused.json()).toMatchObject({ error: { param: 'tools', message: expect.stringContaining('pattern') } })
    },
  )

  it('holds at once, where calls would wait for a word of the model', async () => {
    await using server = await startTestServer()
    await server.model(
      'm',
      { rules: [{ do: { text: '{}' } }] },
      { template: { chat: '{{.Input}}' }, function: { grammar: { triggers: [{ word: '<tool_call>' }] } } },
    )
    const tools = [{ type: 'function', function: { name: 'ping' } }]
    await server.chat('m', { response_format: 'json_object' })
    await server.chat('m', { tools })
    await server.chat('m', { tools, tool_choice: 'required' })
    const lazy = server
      .records('m')
      .filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
      .map(({ request }) => (request as { Metadata?: Record<string, string> }).Metadata?.grammar_lazy)
    expect(lazy).toEqual(['false', undefined, 'false'])
  })

  it('a call of a strict tool that its schema forbids is told of, and delivered', async () => {
    const tool = { type: 'function', function: { name: 'place', strict: true, parameters: SCHEMA } }
    await using server = await world('{"name": "place", "arguments": {"city": 5}}')
    const reply = await server.chat('m', { tools: [tool] })
    expect(reply.status).toBe(200)
    expect(reply.headers['x-svc-warning']).toMatch(/^answer_form_mismatch: /)
    expect(reply.json()).toMatchObject({
      choices: [{ finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'place' } }] } }],
    })
  })

  it('a call of a strict tool that its schema forbids is an error, never a call, where the model is strict', async () => {
    const tool = { type: 'function', function: { name: 'place', strict: true, parameters: SCHEMA } }
    await using server = await world('{"name": "place", "arguments": {"city": 5}}', {}, STRICT)
    const reply = await server.chat('m', { tools: [tool] })
    expect(reply.status).toBe(500)
    expect(reply.json()).toMatchObject({ error: { message: expect.stringContaining('form') } })
  })

  it('a model with templates of its file chooses between its tools and an answer', async () => {
    await using server = await startTestServer()
    const text = '{"name": "answer", "arguments": {"message": "Hello!"}}'
    await server.model(
      'm',
      { rules: [{ do: { text } }] },
      { template: { chat: '{{.Input}}', function: '{{range .Functions}}{{.Name}} {{end}}{{.Input}}' } },
    )
    const reply = await server.chat('m', { tools: [{ type: 'function', function: { name: 'ping' } }] })
    expect(reply.json()).toMatchObject({ choices: [{ finish_reason: 'stop', message: { content: 'Hello!' } }] })
    const request = server.records('m').find(({ rpc, event }) => rpc === 'Predict' && event === 'start')?.request
    expect(request).toMatchObject({ Prompt: 'ping answer Hello there', Grammar: expect.stringContaining('ping') })
  })
})
