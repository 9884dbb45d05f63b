import { request } from 'node:http'
import { eventually } from '@svc/test-kit'
import { decodeNdjson } from '@svc/wire/ndjson'
import { decodeSse } from '@svc/wire/sse'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONVERSATION_FORMATS, type Conversation, conversation, type Figures } from '../support/conversations.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'

type Json = Record<string, unknown>

const HELLO: Conversation = {
  system: undefined,
  turns: [{ by: 'user', text: 'Hello there' }],
  temperature: undefined,
  topP: undefined,
  maxTokens: 100,
  stop: [],
  hasTools: false,
  stream: true,
}

/** Reads the values of a reply: its body, or the data of its events. */
async function readValues({ headers, body }: RawReply): Promise<Json[]> {
  const values: Json[] = []
  switch (headers['content-type']) {
    case 'application/x-ndjson':
      for await (const value of decodeNdjson([body])) values.push(Object(value))
      return values
    case 'text/event-stream':
      for await (const { data } of decodeSse([body])) if (data !== '[DONE]') values.push(JSON.parse(data))
      return values
    default:
      return [JSON.parse(body.toString('utf8'))]
  }
}

/** Gives the backend's last request for a model, without the ids of the request. */
function lastAsked(server: TestServer, model: string): Json {
  const record = server.records(model).findLast(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')
  const { CorrelationId: _, ...asked } = Object(record?.request)
  return asked
}

describe('the same conversation in every format', () => {
  it('gives the backend the same prompt and settings, and comes to the same usage', async () => {
    await using server = await startTestServer()
    const script = { rules: [{ rpc: 'Predict*', do: { text: 'Yes indeed, my friend' } }] }
    // a seed of the file, because each request would get a random one
    const parameters = { model: 'm.bin', seed: 7 }
    await server.model('messages', script, { parameters })
    await server.model('written', script, {
      parameters,
      template: {
        chat_message: '<|{{.RoleName}}|>{{.Content}}{{range .FunctionCall}}{{toJson .FunctionCall}}{{end}}',
        chat: '{{.Input}}\n<|assistant|>',
        function: '{{range .Functions}}{{.Name}}: {{toJson .Parameters}}\n{{end}}{{.Input}}\n<|assistant|>',
      },
    })
    await fc.assert(
      fc.asyncProperty(conversation, async (asked) => {
        for (const model of ['messages', 'written']) {
          const seen: { path: string; backend: Json; figures: Figures }[] = []
          for (const format of CONVERSATION_FORMATS) {
            // formats without ids on the wire give the same request only when no prompt shows ids
            if (model === 'messages' && !format.hasIds && asked.turns.some(({ by }) => by === 'tool')) continue
            const reply = await server.post(format.path, format.body(model, asked))
            expect(reply.status, reply.text).toBe(200)
            const figures = format.figures(await readValues(reply))
            expect(figures.read, `${format.path}: ${reply.text}`).toEqual(expect.any(Number))
            const { Messages, ...backend } = lastAsked(server, model)
            seen.push({
              path: format.path,
              backend: model === 'messages' ? { ...backend, Messages } : backend,
              figures,
            })
          }
          const [first, ...others] = seen
          for (const { path, ...other } of others) {
            expect(other, `${path} against ${first?.path}`).toEqual({
              backend: first?.backend,
              figures: first?.figures,
            })
          }
        }
      }),
      { numRuns: 40 },
    )
  })
})

/** Streaming routes, each with a request. */
const STREAMS: readonly { readonly path: string; body(model: string): object }[] = [
  ...CONVERSATION_FORMATS.map(({ path, body }) => ({ path, body: (model: string) => body(model, HELLO) })),
  { path: '/v1/completions', body: (model) => ({ model, prompt: 'Hello', stream: true }) },
  { path: '/api/generate', body: (model) => ({ model, prompt: 'Hello', stream: true }) },
]

describe.each(STREAMS)('a stream of $path', (format) => {
  it('that the backend breaks off has the earlier text once, and one error at its end', async () => {
    await using server = await startTestServer()
    const failure = { status: 'INTERNAL', message: 'no more', afterPieces: 2 } as const
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { pieces: ['one ', 'two ', 'three'], failure } }] })
    const reply = await server.post(format.path, format.body('m'))
    expect(reply.status).toBe(200)
    const deltas = [...reply.text.matchAll(/"(?:content|text|delta|response)":"((?:one|two|three) ?)"/g)].map(
      ([, text]) => text,
    )
    expect(deltas).toEqual(['one ', 'two '])
    expect(reply.text.match(/prediction failed: no more/g)?.length).toBe(format.path === '/v1/responses' ? 2 : 1)
    const last = reply.text
      .trim()
      .split('\n\n')
      .filter((frame) => frame !== 'data: [DONE]')
      .at(-1)
    expect(last).toContain('prediction failed: no more')
    // the next stream is complete again
    await server.model('fine', { rules: [{ rpc: 'Predict*', do: { text: 'fine' } }] })
    expect((await server.post(format.path, format.body('fine'))).text).not.toContain('failed')
  })

  it('whose client leaves ends the prediction', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { pieces: ['a'], repeat: 1_000_000, pieceDelayMs: 2 } }] })
    const outgoing = request(new URL(format.path, server.url), { method: 'POST', agent: false })
    outgoing.on('error', () => undefined)
    const begun = new Promise<void>((resolve) => {
      outgoing.on('response', (incoming) => {
        incoming.on('error', () => undefined)
        incoming.once('data', () => resolve())
      })
    })
    outgoing.end(JSON.stringify(format.body('m')))
    await begun
    outgoing.destroy()
    await eventually(() => expect(server.records('m').filter(({ event }) => event === 'cancel').length).toBe(1))
  })
})
