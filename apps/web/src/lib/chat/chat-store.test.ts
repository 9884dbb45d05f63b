// @vitest-environment jsdom
import { eventually } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChatStore } from './chat-store.ts'
import { listPath } from './tree.ts'
import { createId, type Message } from './types.ts'

type Reply = (request: { readonly path: string; readonly body: unknown; readonly signal: AbortSignal }) => Response

/** A stream of events. @param isCut whether it ends without its end mark */
function stream(frames: readonly unknown[], { isCut = false } = {}): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const frame of frames) controller.enqueue(encoder.encode(`data: ${JSON.stringify(frame)}\n\n`))
      if (!isCut) controller.enqueue(encoder.encode('data: [DONE]\n\n'))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const text = (content: string) => ({ model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const failure = (status: number, error: object, headers = {}) => Response.json({ error }, { status, headers })

describe('ChatStore', () => {
  const requests: { path: string; body: unknown }[] = []
  const replies: Reply[] = []
  const original = globalThis.fetch

  beforeEach(() => {
    requests.length = 0
    replies.length = 0
    sessionStorage.clear()
    globalThis.fetch = async (input, init) => {
      const request = input instanceof Request ? input : undefined
      const path = new URL(request?.url ?? String(input)).pathname
      if (path.endsWith('/load-status')) return failure(404, { message: 'nothing loads' })
      const signal = init?.signal ?? request?.signal ?? new AbortController().signal
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
      requests.push({ path, body })
      const reply = replies.shift()
      if (reply === undefined) throw new Error(`no reply for ${path}`)
      return reply({ path, body, signal })
    }
  })
  afterEach(() => {
    globalThis.fetch = original
  })

  function begin() {
    const store = new ChatStore(createId())
    const { id } = store.createChat('m')
    const path = (): readonly Message[] => {
      const view = store.open(id).get()
      return view.state === 'ready' ? listPath(view.messages, view.entry.leafId) : []
    }
    const settle = () => eventually(() => expect(store.running.get().has(id)).toBe(false))
    return { store, id, path, settle }
  }

  test('keeps the answer and lists the chat by its first words', async () => {
    const { store, id, path, settle } = begin()
    replies.push(() => stream([text('Hel'), text('lo')]))
    store.send(id, '  What is\nthis? ', [])
    expect(store.running.get().has(id)).toBe(true)
    await settle()
    expect(path()).toMatchObject([{ role: 'user' }, { role: 'assistant', text: 'Hello', state: 'done' }])
    expect(store.entries.get()).toMatchObject([{ id, title: 'What is this?' }])
    expect(requests).toMatchObject([{ path: '/v1/chat/completions', body: { messages: [{ role: 'user' }] } }])
  })

  test('gives a refused message back to the composer and keeps nothing of it', async () => {
    const { store, id, path, settle } = begin()
    replies.push(() => failure(400, { code: 400, type: 'pii_blocked', message: 'blocked' }))
    store.send(id, 'my secret', [])
    await settle()
    expect(path()).toEqual([])
    expect(store.entries.get()).toEqual([])
    expect(store.drafts.open(id).get()).toMatchObject({
      text: 'my secret',
      failure: { status: 400, code: 'pii_blocked', message: 'blocked' },
    })
  })

  test('tries once more after the pause that a busy server asks for', async () => {
    const { store, id, path, settle } = begin()
    const busy = () => failure(429, { message: 'at capacity', type: 'rate_limit_error' }, { 'retry-after': '0.05' })
    replies.push(busy, () => stream([text('now')]))
    store.send(id, 'hello', [])
    await settle()
    expect(path().at(-1)).toMatchObject({ text: 'now', state: 'done' })
    replies.push(busy, busy)
    store.send(id, 'again', [])
    await settle()
    expect(path().at(-1)).toMatchObject({ text: '', state: 'failed', failure: { status: 429 } })
  })

  test('a retry that is called off leaves the reason', async () => {
    const { store, id, path, settle } = begin()
    replies.push(() => failure(503, { message: 'in cooldown' }, { 'retry-after': '60' }))
    store.send(id, 'hello', [])
    await eventually(() => expect(store.watchLive(id).get()?.phase).toBe('retrying'))
    store.stop(id)
    await settle()
    expect(path().at(-1)).toMatchObject({ state: 'failed', failure: { message: 'in cooldown' } })
  })

  test('goes on while the server says that it loads the model', async () => {
    const { store, id, path, settle } = begin()
    const loading = () => failure(503, { code: 'model_loading', message: 'loading' }, { 'retry-after': '0.01' })
    replies.push(loading, loading, loading, () => stream([text('loaded')]))
    store.send(id, 'hello', [])
    await settle()
    expect(path().at(-1)).toMatchObject({ text: 'loaded', state: 'done' })
  })

  test('keeps the part of an answer that broke off, and goes on with it', async () => {
    const { store, id, path, settle } = begin()
    replies.push(() => stream([text('one')], { isCut: true }))
    store.send(id, 'count', [])
    await settle()
    const part = path().at(-1) as Message
    expect(part).toMatchObject({ text: 'one', state: 'interrupted' })
    replies.push(() => stream([text(' two')]))
    store.continueAnswer(id, part.id)
    await settle()
    expect(path()).toHaveLength(2)
    expect(path().at(-1)).toMatchObject({ id: part.id, text: 'one two', state: 'done' })
    expect(requests.at(-1)?.body).toMatchObject({
      messages: [{ content: 'count' }, { role: 'assistant', content: 'one' }, { role: 'user' }],
    })
  })

  test('keeps an error inside of the stream beside the text', async () => {
    const { store, id, path, settle } = begin()
    replies.push(() => stream([text('part'), { error: { message: 'died', type: 'server_error' } }]))
    store.send(id, 'hello', [])
    await settle()
    expect(path().at(-1)).toMatchObject({ text: 'part', state: 'failed', failure: { message: 'died' } })
  })

  test('stops where the reader says so', async () => {
    const { store, id, path, settle } = begin()
    replies.push(({ signal }) => {
      const frame = new TextEncoder().encode(`data: ${JSON.stringify(text('part'))}\n\n`)
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(frame)
          signal.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
      return new Response(body)
    })
    store.send(id, 'hello', [])
    await eventually(() => expect(store.watchLive(id).get()?.message.text).toBe('part'))
    store.stop(id)
    await settle()
    expect(path().at(-1)).toMatchObject({ text: 'part', state: 'stopped' })
  })

  test('edits and repeats make versions, and a removed message comes back', async () => {
    const { store, id, path, settle } = begin()
    replies.push(
      () => stream([text('a')]),
      () => stream([text('b')]),
      () => stream([text('c')]),
    )
    store.send(id, 'first', [])
    await settle()
    const [question, answer] = path() as [Message, Message]
    store.regenerate(id, answer.id)
    await settle()
    expect(path().map((message) => message.text)).toEqual(['first', 'b'])
    store.send(id, 'second', [], question.id)
    await settle()
    expect(path().map((message) => message.text)).toEqual(['second', 'c'])
    store.showVersion(id, question.id)
    expect(path().map((message) => message.text)).toEqual(['first', 'b'])
    const undo = store.removeMessage(id, question.id)
    expect(path().map((message) => message.text)).toEqual(['second', 'c'])
    undo()
    expect(path().map((message) => message.text)).toEqual(['first', 'b'])
  })

  test('follows an answer in the background when the connection is cut', async () => {
    const { store, id, path, settle } = begin()
    store.change(id, {
      settings: { systemPrompt: '', stop: [], isThinking: true, isBackground: true },
    })
    const delta = (sequence: number, piece: string) => ({
      type: 'response.output_text.delta',
      sequence_number: sequence,
      delta: piece,
    })
    const created = { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', model: 'm' } }
    replies.push(
      () => stream([created, delta(1, 'one')], { isCut: true }),
      () => stream([delta(2, ' two'), { type: 'response.completed', sequence_number: 3, response: {} }]),
    )
    store.send(id, 'count', [])
    await settle()
    expect(requests.map(({ path: asked }) => asked)).toEqual(['/v1/responses', '/v1/responses/resp_1/events'])
    expect(path().at(-1)).toMatchObject({ text: 'one two', state: 'done' })
  })

  test('says that a browser without a database keeps nothing', async () => {
    const { store } = begin()
    await eventually(() => expect(store.storage.get().kind).toBe('absent'))
  })
})
