import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { PredictionEvent } from '../../inference/core/events.ts'
import { createWorld, SERVER_VAD, saying } from './__fixtures__/session-world.ts'

const TEXT = { fields: { output_modalities: ['text' as const] } }
const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type)
const END: PredictionEvent = { type: 'choice-end', choice: 0, finishReason: 'tool_calls' }

async function start(options: Parameters<typeof createWorld>[0] = TEXT) {
  const world = createWorld(options)
  await world.until('session.created')
  return world
}
const item = (id: string, text = id) => ({
  type: 'conversation.item.create',
  item: { type: 'message', id, role: 'user', content: [{ type: 'input_text', text }] },
})

describe('a response', () => {
  it('calls functions of the client, whose results the model reads', async () => {
    const world = await start()
    world.script(
      [
        { type: 'tool-call-start', choice: 0, index: 0, id: 'c1', name: 'weather' },
        { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{"city":' },
        { type: 'tool-call-delta', choice: 0, index: 0, arguments: '"Rome"}' },
        END,
      ],
      saying('Sunny.'),
    )
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }]
    await world.send({ type: 'session.update', session: { tools, tool_choice: 'required' } })
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    expect(typesOf(events).slice(-7)).toEqual([
      'conversation.item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ])
    expect(world.asked[0]).toMatchObject({
      tools: [{ type: 'function', function: { name: 'weather' } }],
      toolChoice: 'required',
    })
    const output = { type: 'function_call_output', call_id: 'c1', output: '25 degrees' }
    await world.send({ type: 'conversation.item.create', item: output })
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    expect(world.asked[1]?.messages).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '25 degrees' },
    ])
  })

  it('with input of its own leaves the history of the conversation as it is', async () => {
    const read: (readonly unknown[])[] = []
    const world = await start({
      ...TEXT,
      stages: {
        async compact(messages) {
          read.push(messages.map(({ content }) => content))
          return [{ role: 'system', content: 'summary' }]
        },
      },
    })
    await world.send(item('a'))
    const input = [{ type: 'item_reference', id: 'a' }, item('b').item]
    await world.send({ type: 'response.create', response: { conversation: 'none', input } })
    await world.until('response.done')
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    expect(read).toEqual([['a', 'b'], ['a']])
  })

  // verifies realtime:event:mcp-call, realtime:event:mcp-tools
  it('shows tools that the server runs, and asks for consent', async () => {
    const world = await start()
    const call = {
      choice: 0,
      source: 'mcp',
      server: 'shop',
      tool: 'buy',
      name: 'buy',
      arguments: '{}',
      hints: {},
    } as const
    world.script(
      [
        { type: 'server-tools', choice: 0, server: 'shop', tools: [{ name: 'buy', inputSchema: {}, hints: {} }] },
        { type: 'server-tool-call', id: 'm1', ...call },
        {
          type: 'server-tool-result',
          choice: 0,
          id: 'm1',
          name: 'buy',
          source: 'mcp',
          output: 'sold out',
          isError: true,
        },
        { type: 'server-tool-approval', id: 'm2', ...call },
        END,
      ],
      saying('Done.'),
    )
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    const types = typesOf(events)
    expect(types.filter((type) => type.includes('mcp'))).toEqual([
      'mcp_list_tools.in_progress',
      'mcp_list_tools.completed',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.in_progress',
      'response.mcp_call.failed',
    ])
    expect(events.at(-1)?.response).toMatchObject({
      output: [
        { type: 'mcp_call', error: { type: 'tool_execution_error', message: 'sold out' } },
        { type: 'mcp_approval_request', id: 'm2', name: 'buy' },
      ],
    })
    const consent = { type: 'mcp_approval_response', approval_request_id: 'm2', approve: true }
    await world.send({ type: 'conversation.item.create', item: consent })
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    expect([...(world.asked[1]?.approvals ?? [])]).toEqual([['m2', true]])
  })

  it('beside the conversation leaves nothing in it, and reads its own input', async () => {
    const world = await start()
    await world.send(item('known'))
    await world.until('conversation.item.done')
    const input = [{ type: 'item_reference', id: 'known' }, item('own').item]
    const response = { conversation: 'none', metadata: { topic: 'x' }, input, instructions: 'Be brief.' }
    await world.send({ type: 'response.create', response })
    const events = await world.until('response.done')
    expect(typesOf(events).some((type) => type.startsWith('conversation.'))).toBe(false)
    expect(events.at(-1)?.response).toMatchObject({ conversation_id: null, metadata: { topic: 'x' } })
    expect(world.asked[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'known' },
      { role: 'user', content: 'own' },
    ])
  })

  it('ends as incomplete at its limit of tokens', async () => {
    const world = await start()
    world.script([
      { type: 'text-delta', choice: 0, text: 'Well' },
      { type: 'choice-end', choice: 0, finishReason: 'length' },
    ])
    await world.send({ type: 'response.create', response: { max_output_tokens: 1 } })
    const events = await world.until('response.done')
    expect(world.asked[0]?.maxTokens).toBe(1)
    expect(events.at(-1)?.response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    })
  })

  it('is cancelled by its client, and only one runs in a conversation', async () => {
    const world = await start({
      ...TEXT,
      stages: {
        async *think(_request, { signal }) {
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error))
          })
        },
      },
    })
    await world.send({ type: 'response.create' })
    await world.send({ type: 'response.create', event_id: 'second' })
    const refused = await world.until('error')
    expect(refused.at(-1)?.error).toMatchObject({
      code: 'conversation_already_has_active_response',
      event_id: 'second',
    })
    await world.send({ type: 'response.cancel' })
    const events = await world.until('response.done')
    expect(events.at(-1)?.response).toMatchObject({ status_details: { reason: 'client_cancelled' } })
  })
})

describe('a conversation', () => {
  it('has its items in the order that its client wants', async () => {
    const world = await start()
    await world.send(item('b'))
    await world.send({ ...item('a'), previous_item_id: 'root' })
    await world.send({ ...item('between'), previous_item_id: 'a' })
    await world.send({ type: 'conversation.item.delete', item_id: 'b' })
    const events = await world.until('conversation.item.deleted')
    const added = events.filter(({ type }) => type === 'conversation.item.added')
    expect(added.map((event) => event.previous_item_id)).toEqual([null, null, 'a'])
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    expect(world.asked[0]?.messages.map(({ content }) => content)).toEqual(['a', 'between'])
  })

  it('gives pictures to the model, and takes them as data only', async () => {
    const world = await start()
    const picture = (url: string) => ({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: url }] },
    })
    await world.send(picture('https://host.example/a.png'))
    await world.until('error')
    await world.send(picture('data:image/png;base64,AAAA'))
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    const url = { url: 'data:image/png;base64,AAAA' }
    expect(world.asked[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: '' },
      { type: 'image_url', image_url: url },
    ])
  })

  it('keeps only the words that were heard', async () => {
    const world = await start({})
    world.script(saying('One two three four five.', ' Six seven.'))
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    const added = events.find(({ type }) => type === 'response.output_item.added')
    const { id } = Object(added?.item) as { readonly id: string }
    const cut = { type: 'conversation.item.truncate', item_id: id, content_index: 0, audio_end_ms: 50 }
    await world.send(cut)
    await world.until('conversation.item.truncated')
    await world.send({ type: 'conversation.item.retrieve', item_id: id })
    const [retrieved] = await world.until('conversation.item.retrieved')
    expect(retrieved?.item).toMatchObject({ content: [{ transcript: 'One two' }] })
    await world.send({ ...cut, audio_end_ms: 60_000 })
    expect((await world.until('error')).at(-1)?.error).toMatchObject({ code: 'invalid_value', param: 'audio_end_ms' })
  })
})

describe('a client that stops the voice itself', () => {
  it('can be spoken to, and interrupted, as before', async () => {
    const world = createWorld({
      facts: { turnDetection: SERVER_VAD },
      stages: {
        speak: async () => ({
          sampleRate: 24_000,
          samples: (async function* () {
            yield new Float32Array(240_000)
          })(),
        }),
      },
    })
    await world.say('hi')
    await world.send({ type: 'response.create' })
    const done = (await world.until('response.done')).at(-1)?.response as { readonly output: { readonly id: string }[] }
    const place = { item_id: done.output[0]?.id, content_index: 0 }
    await world.send({ type: 'conversation.item.truncate', ...place, audio_end_ms: 500 })
    await world.until('conversation.item.truncated')
    await eventually(() => expect(world.taken.at(-1)).toBe('speaking false'))
    await world.clock.advance(5000)
    world.turn.listener.speechStarted({ startMs: 0 })
    expect(world.types()).toEqual(['input_audio_buffer.speech_started'])
  })
})

describe('a look-up of rights that fails', () => {
  it('is made anew with the next sound', async () => {
    let asked = 0
    const world = createWorld({
      facts: { turnDetection: SERVER_VAD },
      parts: {
        begin: async (_turn, { signal }) => {
          asked += 1
          if (asked === 1) throw new Error('no database')
          return { caller: {} as never, signal, close() {} }
        },
      },
    })
    const { signal } = new AbortController()
    const detect = () => world.turn.detectSpeech(new Float32Array(512), { signal })
    await expect(detect()).rejects.toThrow('no database')
    expect(await detect()).toEqual([])
  })
})

describe('settings', () => {
  it('of the beta are read as those of now', async () => {
    const world = await start({})
    const session = {
      modalities: ['text', 'audio'],
      voice: 'bob',
      input_audio_format: 'g711_ulaw',
      output_audio_format: 'pcm16',
      input_audio_transcription: null,
      turn_detection: { type: 'server_vad', threshold: 0.7 },
      max_response_output_tokens: 5,
    }
    await world.send({ type: 'session.update', session })
    const [updated] = await world.until('session.updated')
    expect(updated?.session).toMatchObject({
      output_modalities: ['audio'],
      max_output_tokens: 5,
      audio: {
        input: { format: { type: 'audio/pcmu' }, transcription: null, turn_detection: { threshold: 0.7 } },
        output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'bob' },
      },
    })
  })

  it('have tools of a bounded size', async () => {
    const world = await start({})
    const tool = { type: 'function', name: 'f', description: 'x'.repeat(1024 * 1024) }
    await world.send({ type: 'session.update', session: { tools: [tool] } })
    expect(world.events).toMatchObject([{ error: { code: 'session_update_error', param: 'tools' } }])
  })

  it('take the name of a voice, and no path to a file elsewhere', async () => {
    const world = await start({})
    for (const voice of ['/data/svc.db', '../svc.db', 'voices/../../svc.db', 'file:///etc/hosts', '~/.ssh/id']) {
      await world.send({ type: 'session.update', session: { audio: { output: { voice } } } })
      const refused = (await world.until('error')).at(-1)
      expect(refused, voice).toMatchObject({ error: { param: 'audio.output.voice' } })
    }
    await world.send({ type: 'session.update', session: { audio: { output: { voice: 'voices/bob.wav' } } } })
    const updated = (await world.until('session.updated')).at(-1)
    expect(updated).toMatchObject({ session: { audio: { output: { voice: 'voices/bob.wav' } } } })
  })

  it('keep the voice once the model has spoken, and the credentials of servers to themselves', async () => {
    const world = await start({})
    const tool = { type: 'mcp', server_label: 's', server_url: 'https://s.example', authorization: 'secret' }
    await world.send({ type: 'session.update', session: { audio: { output: { voice: 'bob' } }, tools: [tool] } })
    expect(JSON.stringify(await world.until('session.updated'))).not.toContain('secret')
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    await world.send({ type: 'session.update', session: { audio: { output: { voice: 'eve' } } } })
    expect((await world.until('error')).at(-1)?.error).toMatchObject({ code: 'session_update_error' })
  })

  it('of the type transcription allow no responses', async () => {
    const world = await start({ fields: { type: 'transcription' } })
    await world.send({ type: 'response.create' })
    expect((await world.until('error')).at(-1)?.error).toMatchObject({ code: 'invalid_event' })
  })
})
