import type { ServerResponse } from 'node:http'
import { eventually, startHttpServer } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createServerClient } from '../remote-client.ts'
import { type AnswerPiece, askModel } from './ask-model.ts'

const event = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const delta = (fields: object, reason: string | null = null): string =>
  event({ choices: [{ index: 0, delta: fields, finish_reason: reason }] })
const HALF = delta({ content: 'half' })
const DONE = event('[DONE]')
const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' }

/** Asks a server that answers this way; the texts that came, and the message of the failure. */
async function ask(
  answer: (reply: ServerResponse) => void | Promise<void>,
): Promise<{ readonly text: string; readonly ends: readonly string[]; readonly fault?: string }> {
  await using server = await startHttpServer((request, reply) => {
    request.resume()
    void answer(reply)
  })
  const pieces: AnswerPiece[] = []
  let fault: string | undefined
  const client = createServerClient(server.origin, { apiKeys: [] })
  try {
    for await (const piece of askModel(client, { model: 'm', messages: [], signal: new AbortController().signal }))
      pieces.push(piece)
  } catch (error) {
    fault = String(error instanceof Error ? error.message : error)
  }
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  const ends = pieces.flatMap((piece) => (piece.kind === 'end' ? [piece.reason] : []))
  return { text, ends, ...(fault === undefined ? {} : { fault }) }
}

// verifies cli:chat:failures
describe('an answer', () => {
  it.each([
    [
      'an error in mid-stream',
      HALF + event({ error: { message: 'the backend ended' } }) + DONE,
      'half',
      'the backend ended',
    ],
    ['an error that is a text', event({ error: 'no memory' }), '', 'no memory'],
    ['an error without a message', event({ error: {} }), '', 'the model failed'],
    ['an error with a line of its own', event({ error: { message: 'a\n\u001b[2Jb' } }), '', 'a\\u000a\\u001b[2Jb'],
    ['a stream without an end', HALF, 'half', 'the answer ended early'],
    ['an empty stream', '', '', 'the answer ended early'],
    ['an event that is not JSON', `${HALF}data: {oops\n\n`, 'half', 'the server sent an event that is not JSON'],
  ])('with %s fails after what had come', async (_, body, text, fault) => {
    expect(await ask((reply) => void reply.writeHead(200, STREAM).end(body))).toEqual({ text, fault, ends: [] })
  })

  it('whose connection is cut fails', async () => {
    const answer = async (reply: ServerResponse): Promise<void> => {
      reply.writeHead(200, STREAM).write(HALF)
      await eventually(() => expect(reply.writableLength).toBe(0))
      reply.destroy()
    }
    expect(await ask(answer)).toMatchObject({ text: 'half', fault: expect.stringContaining('connection was lost') })
  })

  it.each([
    [429, '{"error": {"message": "model \\"m\\" is at capacity"}}', 'model "m" is at capacity'],
    [404, '{"error": "nothing here"}', 'nothing here'],
    [401, '{"error": {"message": "no key"}}', 'no key (--api-keys KEY or SVC_API_KEY names a key)'],
    [500, JSON.stringify({ error: 'E'.repeat(5_000_000) }), `${'E'.repeat(2047)}…`],
    [500, JSON.stringify({ error: { message: `${'E'.repeat(2046)}😀😀` } }), `${'E'.repeat(2046)}…`],
    [
      401,
      JSON.stringify({ error: '\n'.repeat(5000) }),
      `${'\\u000a'.repeat(2047)}… (--api-keys KEY or SVC_API_KEY names a key)`,
    ],
    [
      400,
      '{"error": "x", "hint": "h", "candidates": [{"toString": 1}, "a", ["b"]]}',
      'x: name one of a with --backend',
    ],
    [502, '<h1>Bad Gateway</h1>', 'the server answers with status 502'],
    [500, '', 'the server answers with status 500'],
    [200, 'hello', 'what answers there is not a server of models'],
    [200, '{"choices": []}', 'what answers there is not a server of models'],
  ])('of status %i with %j fails', async (status, body, fault) => {
    expect(await ask((reply) => void reply.writeHead(status).end(body))).toEqual({ text: '', ends: [], fault })
  })

  it.each([
    ['a usual stream', HALF + delta({}, 'stop') + DONE, ['stop']],
    ['one without the last event', HALF + delta({}, 'length'), ['length']],
    ['one without a reason', HALF + DONE, []],
    [
      'one with empty and foreign events',
      event({}) + event({ choices: [] }) + event({ choices: [{ delta: null }] }) + HALF + DONE,
      [],
    ],
    ['one with usage behind', HALF + delta({}, 'stop') + event({ choices: [], usage: {} }) + DONE, ['stop']],
  ])('as %s is whole', async (_, body, ends) => {
    expect(await ask((reply) => void reply.writeHead(200, STREAM).end(body))).toEqual({ text: 'half', ends })
  })

  it('gives thoughts apart', async () => {
    const body = delta({ reasoning: 'hm', reasoning_content: 'hm' }) + delta({ reasoning: 'ah' }) + HALF + DONE
    await using server = await startHttpServer((request, reply) => {
      request.resume()
      reply.writeHead(200, STREAM).end(body)
    })
    const client = createServerClient(server.origin, { apiKeys: [] })
    const kinds: string[] = []
    for await (const piece of askModel(client, { model: 'm', messages: [], signal: new AbortController().signal }))
      kinds.push(piece.kind === 'end' ? piece.reason : `${piece.kind} ${piece.text}`)
    expect(kinds).toEqual(['thinking hm', 'thinking ah', 'text half'])
  })
})
