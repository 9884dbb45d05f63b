import type { ChatCompletionChunk } from '@svc/wire/openai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  chunkStream,
  createEmptyStream,
  cutAt,
  type JoinedStream,
  joinChunks,
  messagesStream,
} from '../../test/streams.ts'
import type { TranslateMode } from './reply-reader.ts'
import { createTranslator } from './translator.ts'

const now = () => 1_700_000_000_999
const translators = {
  provider_a: (mode: TranslateMode) => createTranslator({ provider: 'provider_a', mode, model: 'm', now }),
  provider_b: (mode: TranslateMode) => createTranslator({ provider: 'provider_b', mode, model: 'm', now }),
}
type Provider = keyof typeof translators

const collect = async (text: string, provider: Provider, mode: TranslateMode = 'full') => {
  const chunks: ChatCompletionChunk[] = []
  for await (const chunk of translators[provider](mode).events(cutAt(text))) chunks.push(chunk)
  return chunks
}
const hearAll = (text: string, provider: Provider, mode: TranslateMode = 'full') =>
  joinChunks(translators[provider](mode).events(cutAt(text)))
const failure = (code: string) => expect.objectContaining({ kind: 'upstream_failed', code })

const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece })
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const close = (index: number) => ({ type: 'content_block_stop', index })
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'large-1', usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4 } },
}
const stop = (stop_reason: string | null, usage: object = { output_tokens: 9 }) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
]
const events = [
  start,
  { type: 'ping' },
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'hm… ' }),
  delta(0, { type: 'thinking_delta', thinking: 'yes 🎉' }),
  delta(0, { type: 'signature_delta', signature: 's' }),
  close(0),
  open(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'Grüße, ' }),
  delta(1, { type: 'text_delta', text: '世界' }),
  close(1),
  open(2, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '' }),
  delta(2, { type: 'input_json_delta', partial_json: '{"id": 1234567890' }),
  delta(2, { type: 'input_json_delta', partial_json: '1234567890}' }),
  close(2),
  open(3, { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} }),
  close(3),
  ...stop('tool_use'),
]
const MESSAGES = messagesStream(...events)

const chunk = (piece: object, rest: object = {}) => ({
  id: 'c1',
  created: 7,
  model: 'large-1',
  choices: [{ index: 0, delta: piece, finish_reason: null, ...rest }],
})
const USAGE = { prompt_tokens: 14, completion_tokens: 9, total_tokens: 23, prompt_tokens_details: { cached_tokens: 4 } }
const CHUNKS = chunkStream(
  chunk({ role: 'assistant', content: null }),
  chunk({ reasoning: 'hm… ' }),
  chunk({ reasoning_content: 'yes 🎉' }),
  chunk({ content: 'Grüße, ' }),
  chunk({ content: '世界' }),
  chunk({ tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"id": 1234567890' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '1234567890}' } }] }),
  chunk({ tool_calls: [{ index: 1, id: 'toolu_2', type: 'function', function: { name: 'g', arguments: '{}' } }] }),
  chunk({}, { finish_reason: 'tool_calls' }),
  { ...chunk({}), choices: [], usage: USAGE },
)
const STREAMS = { provider_a: CHUNKS, provider_b: MESSAGES }
const HEARD: JoinedStream = {
  text: 'Grüße, 世界',
  reasoning: 'hm… yes 🎉',
  calls: [
    { id: 'toolu_1', name: 'f', arguments: '{"id": 12345678901234567890}' },
    { id: 'toolu_2', name: 'g', arguments: '{}' },
  ],
  finish: 'tool_calls',
  usage: USAGE,
}
const HEARD_TEXT: JoinedStream = { text: 'Grüße, 世界', reasoning: '', calls: [], finish: 'stop', usage: USAGE }

describe.each(['provider_a', 'provider_b'] as const)('a stream of %s', (provider) => {
  it('says the same in the chat format', async () => {
    expect(await hearAll(STREAMS[provider], provider)).toEqual(HEARD)
  })

  it('is its text alone in mode text', async () => {
    const chunks = await collect(STREAMS[provider], provider, 'text')
    expect(await joinChunks(cutChunks(chunks))).toEqual(HEARD_TEXT)
    expect(JSON.stringify(chunks)).not.toMatch(/tool_calls|reasoning":"/)
  })

  it('is chunks of the format: the role first, one lane each, the end, then the usage', async () => {
    const chunks = await collect(STREAMS[provider], provider)
    const [first, ...rest] = chunks
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    for (const { id, object, model, choices } of chunks) {
      expect({ id, object, model }).toEqual({ id: first?.id, object: 'chat.completion.chunk', model: 'large-1' })
      expect(Object.keys(choices[0]?.delta ?? {}).filter((lane) => lane !== 'role').length).toBeLessThan(2)
    }
    expect(rest.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls')
    expect(rest.at(-1)).toMatchObject({ choices: [], usage: USAGE })
    expect(rest.slice(0, -1).some((item) => 'usage' in item)).toBe(false)
  })

  it('may be cut in two at any byte', async () => {
    const length = new TextEncoder().encode(STREAMS[provider]).length
    for (let offset = 0; offset <= length; offset += 1) {
      const chunks = translators[provider]('full').events(cutAt(STREAMS[provider], offset))
      expect(await joinChunks(chunks)).toEqual(HEARD)
    }
  })

  it('may come in any pieces', async () => {
    const length = new TextEncoder().encode(STREAMS[provider]).length
    const offsets = fc.array(fc.nat(length), { maxLength: 40 }).map((all) => all.toSorted((a, b) => a - b))
    await fc.assert(
      fc.asyncProperty(offsets, async (cuts) => {
        expect(await joinChunks(translators[provider]('full').events(cutAt(STREAMS[provider], ...cuts)))).toEqual(HEARD)
      }),
    )
  })

  it('that ends at any byte is complete or an error, and has no text beyond the whole', async () => {
    const bytes = new TextEncoder().encode(STREAMS[provider])
    let cuts = 0
    for (let end = 0; end < bytes.length; end += 1) {
      const heard = createEmptyStream()
      const ended = await joinChunks(translators[provider]('full').events(once(bytes.subarray(0, end))), heard).then(
        () => 'whole',
        (error: { code: string }) => error.code,
      )
      expect(HEARD.text.startsWith(heard.text) && HEARD.reasoning.startsWith(heard.reasoning)).toBe(true)
      if (ended === 'whole') expect({ ...heard, usage: USAGE }).toEqual(HEARD)
      else {
        cuts += 1
        expect(ended).toBe('upstream_cut')
        expect(heard.finish).toBeUndefined()
      }
    }
    expect(cuts).toBeGreaterThan(bytes.length / 2)
  })

  it('ends with its end event, despite later bytes', async () => {
    let wasEnded = false
    async function* endless() {
      try {
        yield new TextEncoder().encode(STREAMS[provider])
        await new Promise(() => {})
      } finally {
        wasEnded = true
      }
    }
    expect(await joinChunks(translators[provider]('full').events(endless()))).toEqual(HEARD)
    expect(wasEnded).toBe(true)
  })

  it('that is left early ends the request', async () => {
    let wasEnded = false
    async function* source() {
      try {
        yield new TextEncoder().encode(STREAMS[provider])
      } finally {
        wasEnded = true
      }
    }
    for await (const first of translators[provider]('full').events(source())) {
      expect(first.choices).toHaveLength(1)
      break
    }
    expect(wasEnded).toBe(true)
  })

  it('passes on the error of its connection', async () => {
    const lost = new Error('lost')
    async function* source() {
      yield new TextEncoder().encode(STREAMS[provider]).subarray(0, 400)
      throw lost
    }
    await expect(joinChunks(translators[provider]('full').events(source()))).rejects.toBe(lost)
  })

  it('refuses an event that is larger than 4 MiB', async () => {
    async function* source() {
      const piece = new Uint8Array(1024 * 1024).fill(0x61)
      for (;;) yield piece
    }
    await expect(joinChunks(translators[provider]('full').events(source()))).rejects.toMatchObject({
      kind: 'upstream_failed',
      code: 'upstream_unreadable',
    })
  })

  it('skips unreadable and unknown events', async () => {
    const noise = 'data: {broken\n\ndata: [1]\n\ndata: "x"\n\n: comment\n\ndata: {"type":"new_event","choices":[]}\n\n'
    expect(await hearAll(noise + STREAMS[provider], provider)).toEqual(HEARD)
  })

  it('reports an error inside it, after the content before', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const heard = createEmptyStream()
    const half = STREAMS[provider].slice(0, STREAMS[provider].indexOf('世界'))
    const whole = half.slice(0, half.lastIndexOf('\n\n') + 2)
    const chunks = translators[provider]('full').events(cutAt(whole + messagesStream(error)))
    await expect(joinChunks(chunks, heard)).rejects.toMatchObject({
      kind: 'upstream_failed',
      code: 'upstream_error',
      message: 'the upstream failed: Overloaded',
      details: { type: 'overloaded_error' },
    })
    expect(heard.text).toBe('Grüße, ')
  })
})

describe('a stream of messages', () => {
  it.each(['text', 'full'] as const)(
    'that stops with a refusal is an error in mode %s, after its text',
    async (mode) => {
      const heard = createEmptyStream()
      const text = messagesStream(start, open(0, { type: 'text', text: 'Well' }), close(0), ...stop('refusal'))
      const chunks = translators.provider_b(mode).events(cutAt(text))
      await expect(joinChunks(chunks, heard)).rejects.toEqual(failure('upstream_refusal'))
      expect(heard).toEqual({ ...createEmptyStream(), text: 'Well' })
    },
  )

  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['pause_turn', 'stop'],
    [null, 'stop'],
  ])('that stops with %s ends with %s', async (reason, finish) => {
    expect((await hearAll(messagesStream(start, ...stop(reason)), 'provider_b')).finish).toBe(finish)
  })

  it('has the last of the figures that it gives', async () => {
    const figures = { input_tokens: 20, output_tokens: 3, cache_creation_input_tokens: 1 }
    const { usage } = await hearAll(messagesStream(start, ...stop('end_turn', figures)), 'provider_b')
    expect(usage).toEqual({
      prompt_tokens: 25,
      completion_tokens: 3,
      total_tokens: 28,
      prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 1 },
    })
  })

  it('without figures has no usage', async () => {
    const text = messagesStream({ ...start, message: {} } as typeof start, ...stop('end_turn', {}))
    expect((await collect(text, 'provider_b')).at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  it('may give a block at once', async () => {
    const text = messagesStream(
      start,
      open(0, { type: 'thinking', thinking: 'hm' }),
      open(1, { type: 'text', text: 'hi' }),
      open(2, { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } }),
      ...stop('tool_use'),
    )
    expect(await hearAll(text, 'provider_b')).toMatchObject({
      reasoning: 'hm',
      text: 'hi',
      calls: [{ id: 'a', name: 'f', arguments: '{"a":1}' }],
    })
  })

  it('keeps no account of blocks without end', async () => {
    const blocks = Array.from({ length: 300 }, (_, index) => open(index, { type: 'tool_use', id: 'a', name: 'f' }))
    await expect(hearAll(messagesStream(start, ...blocks), 'provider_b')).rejects.toMatchObject({
      kind: 'upstream_failed',
    })
  })
})

describe('the figures of a stream', () => {
  const seen = async (text: string, provider: Provider) => {
    const figures: number[] = []
    const onUsage = ({ total_tokens: total }: { total_tokens: number }) => figures.push(total)
    await joinChunks(translators[provider]('text').events(cutAt(text), { onUsage })).catch(() => {})
    return figures
  }

  it('are told as they come', async () => {
    expect(await seen(MESSAGES, 'provider_b')).toEqual([15, 23])
    expect(await seen(CHUNKS, 'provider_a')).toEqual([23])
    expect(await seen(chunkStream(chunk({ content: 'a' })), 'provider_a')).toEqual([])
  })

  it('are told behind the text of their event, also where the stream is left there', async () => {
    const figures = { usage: { prompt_tokens: 3, completion_tokens: 1 } }
    const stream = chunkStream({ ...chunk({ content: 'a' }), ...figures }, chunk({ content: 'b' }))
    const seen: string[] = []
    const options = { onUsage: () => void seen.push('figures') }
    for await (const { choices } of translators.provider_a('full').events(cutAt(stream), options)) {
      const { content } = choices[0]?.delta ?? {}
      if (content) seen.push(content)
      if (content === 'a') break
    }
    expect(seen).toEqual(['a', 'figures'])
  })

  it('are told also of a stream that fails', async () => {
    expect(await seen(MESSAGES.slice(0, 400), 'provider_b')).toEqual([15])
    const refusal = messagesStream(start, ...stop('refusal'))
    expect(await seen(refusal, 'provider_b')).toEqual([15, 23])
  })
})

describe('a stream of the compatible format', () => {
  it('with a finish reason but without [DONE] is complete', async () => {
    expect(await hearAll(CHUNKS.replace('data: [DONE]\n\n', ''), 'provider_a')).toEqual(HEARD)
  })

  it('that gives [DONE] but no reason ended as it should', async () => {
    expect(await hearAll(chunkStream(chunk({ content: 'a' })), 'provider_a')).toMatchObject({
      text: 'a',
      finish: 'stop',
    })
  })

  it('with [DONE] alone has no content', async () => {
    expect(await collect('data: [DONE]\n\n', 'provider_a')).toEqual([])
  })

  it('of several choices says the first', async () => {
    const other = { ...chunk({}), choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'length' }] }
    expect(await hearAll(chunkStream(chunk({ content: 'a' }), other), 'provider_a')).toMatchObject({ text: 'a' })
  })

  it("gives the text of the model's refusal as text", async () => {
    const text = chunkStream(chunk({ refusal: 'I ' }), chunk({ refusal: 'will not' }))
    expect(await hearAll(text, 'provider_a', 'text')).toMatchObject({ text: 'I will not' })
  })

  it('has calls of the older form, and creates missing ids', async () => {
    const text = chunkStream(
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{}' } }),
    )
    expect((await hearAll(text, 'provider_a')).calls).toEqual([
      { id: expect.stringMatching(/^call_\w{24}$/), name: 'f', arguments: '{}' },
    ])
  })
})

describe('the calls of a stream of the compatible format', () => {
  const call = (fields: object) => chunk({ tool_calls: [fields] })
  const raw = (data: string) => `data: ${data}\n\ndata: [DONE]\n\n`

  it.each([
    ['stop', 'tool_calls', '{}'],
    ['function_call', 'tool_calls', '{}'],
    ['tool_use', 'tool_calls', '{}'],
    ['tool_calls', 'tool_calls', '{}'],
    ['content_filter', 'content_filter', '{}'],
    ['length', 'length', ''],
  ])('end a stream that stops with %s with %s, and are never empty unless cut', async (given, finish, text) => {
    const stream = chunkStream(call({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }), {
      ...chunk({}, { finish_reason: given }),
    })
    expect(await hearAll(stream, 'provider_a')).toMatchObject({
      finish,
      calls: [{ id: 'a', name: 'f', arguments: text }],
    })
    expect((await hearAll(stream, 'provider_a', 'text')).finish).toBe(finish === 'tool_calls' ? 'stop' : finish)
  })

  it('that are none end a stream as text', async () => {
    const stream = chunkStream(chunk({ content: 'a' }, { finish_reason: 'tool_calls' }))
    expect(await hearAll(stream, 'provider_a')).toMatchObject({ text: 'a', finish: 'stop', calls: [] })
  })

  it('have arguments that are an object as the upstream wrote it, of the choice that is read', async () => {
    const other = '{"index":1,"delta":{"tool_calls":[{"function":{"name":"x","arguments":{"b":1}}}]}}'
    const mine =
      '{"index":0,"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":{"n": 12345678901234567890}}}]},"finish_reason":"stop"}'
    const { calls } = await hearAll(raw(`{"choices":[${other},${mine}]}`), 'provider_a')
    expect(calls).toEqual([
      { id: 'a', name: 'f', arguments: '{}' },
      { id: 'b', name: 'g', arguments: '{"n": 12345678901234567890}' },
    ])
  })

  it('share an index and begin with a new id or name', async () => {
    const { calls } = await hearAll(
      chunkStream(
        call({ id: 'f1', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }),
        call({ id: 'f2', function: { name: 'get_time', arguments: '{"zone":"CET"}' } }),
        chunk({}, { finish_reason: 'stop' }),
      ),
      'provider_a',
    )
    expect(calls.map(({ id, arguments: given }) => [id, given])).toEqual([
      ['f1', '{"city":"Oslo"}'],
      ['f2', '{"zone":"CET"}'],
    ])
  })
})

async function* once(bytes: Uint8Array) {
  yield bytes
}

async function* cutChunks(chunks: readonly ChatCompletionChunk[]) {
  yield* chunks
}
