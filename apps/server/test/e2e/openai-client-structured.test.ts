import OpenAI from 'openai'
import { LengthFinishReasonError } from 'openai/error'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  await server.model('scripted', { rules: [{ do: { text: JSON.stringify(PERSON, undefined, 1) } }] })
})
afterAll(() => server[Symbol.asyncDispose]())

const PERSON = { name: 'Ann', age: 7, likes: ['red'] }
const person = z.object({
  name: z.string().max(12),
  age: z.number().int().min(0).max(120),
  likes: z.array(z.enum(['red', 'green', 'blue'])).max(3),
})
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Who are you?' }]
const FIXED = { messages, temperature: 1, seed: 3, max_tokens: 300 }
const personFormat = zodResponseFormat(person, 'person')

describe.each([
  ['the demo model on llama', 'demo'],
  ['a scripted model on the mock', 'scripted'],
])('structured output of %s', (_, model) => {
  it('parse() with a zod schema gives a value of it', async () => {
    const completion = await client.chat.completions.parse({ model, ...FIXED, response_format: personFormat })
    const [choice] = completion.choices
    expect(choice?.finish_reason).toBe('stop')
    expect(person.safeParse(choice?.message.parsed)).toMatchObject({ success: true })
    expect(choice?.message.refusal).toBeNull()
  })

  it('stream() gives the same, and its parsed parts on the way', async () => {
    const stream = client.chat.completions.stream({ model, ...FIXED, response_format: personFormat })
    const snapshots: unknown[] = []
    stream.on('content.delta', ({ parsed }) => snapshots.push(parsed))
    const final = await stream.finalChatCompletion()
    expect(person.safeParse(final.choices[0]?.message.parsed)).toMatchObject({ success: true })
    expect(snapshots.at(-1)).toEqual(final.choices[0]?.message.parsed)
  })

  it('every choice of n is of the schema', async () => {
    const { choices } = await client.chat.completions.parse({ model, ...FIXED, n: 3, response_format: personFormat })
    expect(choices).toHaveLength(3)
    for (const { message } of choices) expect(person.safeParse(message.parsed)).toMatchObject({ success: true })
  })

  it('an answer cut by its limit is told as one', async () => {
    const cut = client.chat.completions.parse({ model, ...FIXED, max_tokens: 2, response_format: personFormat })
    await expect(cut).rejects.toBeInstanceOf(LengthFinishReasonError)
  })
})

describe('forms of an answer on the demo model', () => {
  const demo = { model: 'demo', ...FIXED }
  const answer = async (fields: object): Promise<string> => {
    const { choices } = await client.chat.completions.create({ ...demo, ...fields })
    expect(choices[0]?.finish_reason).toBe('stop')
    return choices[0]?.message.content ?? ''
  }

  it('json_schema without strict is held as well', async () => {
    const schema = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] }
    const format = { type: 'json_schema', json_schema: { name: 'choice', schema } }
    expect(JSON.parse(await answer({ response_format: format }))).toEqual({ yes: expect.any(Boolean) })
  })

  it('a grammar of local engines', async () => {
    expect(await answer({ grammar: 'root ::= "left" | "right"' })).toMatch(/^(left|right)$/)
  })

  it('tool_choice by name gives a call with arguments of its schema', async () => {
    const tool = zodFunction({ name: 'greet', parameters: z.object({ tone: z.enum(['kind', 'rude']) }) })
    const body = {
      model: 'demo',
      ...FIXED,
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'greet' } },
    } as const
    const { choices } = await client.chat.completions.parse({ ...body, tools: [tool] })
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(choices[0]?.message.tool_calls).toHaveLength(1)
    expect(choices[0]?.message.tool_calls?.[0]?.function).toMatchObject({
      name: 'greet',
      parsed_arguments: { tone: expect.stringMatching(/^(kind|rude)$/) },
    })
  })

  it('tool_choice required calls one of the tools', async () => {
    const tools = ['greet', 'leave'].map((name) => zodFunction({ name, parameters: z.object({}) }))
    const { choices } = await client.chat.completions.create({ ...demo, tools, tool_choice: 'required' })
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    for (const call of choices[0]?.message.tool_calls ?? []) {
      expect(call.type === 'function' && call.function.name).toMatch(/^(greet|leave)$/)
    }
  })

  it('logprobs of an answer, whole and streamed, are those of its tokens', async () => {
    const body = { model: 'demo', messages, temperature: 0, max_tokens: 6, logprobs: true, top_logprobs: 2 }
    const { choices } = await client.chat.completions.create(body)
    const entries = choices[0]?.logprobs?.content ?? []
    expect(
      entries
        .map(({ token }) => token)
        .join('')
        .trim(),
    ).toBe(choices[0]?.message.content?.trim())
    for (const { logprob, top_logprobs } of entries) {
      expect(logprob).toBeLessThanOrEqual(0)
      expect(top_logprobs).toHaveLength(2)
      expect(top_logprobs[0]?.logprob).toBeGreaterThanOrEqual(top_logprobs[1]?.logprob ?? 0)
    }
    const final = await client.chat.completions.stream(body).finalChatCompletion()
    expect(final.choices[0]?.logprobs?.content).toEqual(entries)
  })
})

describe('forms that cannot be held', () => {
  it('a schema that neither a grammar nor a check can express is refused before generation', async () => {
    const schema = { type: 'object', properties: { a: { $ref: 'https://example.com/other.json' } } }
    const format = { type: 'json_schema', json_schema: { name: 'far', schema } } as const
    const failed = client.chat.completions.create({ model: 'demo', ...FIXED, response_format: format })
    await expect(failed).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' })
  })

  it('an answer of a backend that is not of the schema is told of in a header', async () => {
    await server.model('careless', { rules: [{ do: { text: '{"name": 5}' } }] })
    const body = { model: 'careless', ...FIXED, response_format: personFormat }
    const { data, response } = await client.chat.completions.create(body).withResponse()
    expect(data.choices[0]?.message.content).toBe('{"name": 5}')
    expect(response.headers.get('x-svc-warning')).toMatch(/^answer_form_mismatch: /)
  })

  it('an answer of a strict model that is not of the schema is an error, never passed on', async () => {
    await server.model('liar', { rules: [{ do: { text: '{"name": 5}' } }] }, { strict_answers: true })
    const failed = client.chat.completions.create({ model: 'liar', ...FIXED, response_format: personFormat })
    await expect(failed).rejects.toBeInstanceOf(OpenAI.InternalServerError)
  })
})
