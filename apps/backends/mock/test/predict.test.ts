import { expect, it } from 'vitest'
import { collect, startMock } from './world.ts'

it('answers with one sentence, whole and in words, and counts', async () => {
  await using world = await startMock()
  const whole = await world.client.predict({ Prompt: 'hello you' })
  expect(whole).toMatchObject({ message: Buffer.from('This is a mocked response.'), tokens: 5, promptTokens: 2 })
  const replies = await collect(world.client.predictStream({ Prompt: 'hello you' }))
  expect(replies.map(({ message }) => message.toString())).toEqual(['This', ' is', ' a', ' mocked', ' response.', ''])
  expect(replies.map(({ tokens }) => tokens)).toEqual([1, 2, 3, 4, 5, 5])
})

it('repeats its load options and its request', async () => {
  await using world = await startMock()
  const say = async (Prompt: string) => {
    const metadata = { Prompt, Metadata: { enable_thinking: 'true' } }
    const streamed = await collect(world.client.predictStream(metadata))
    const whole = (await world.client.predict(metadata)).message.toString()
    expect(streamed.map(({ message }) => message.toString()).join('')).toBe(whole)
    return whole
  }
  expect(JSON.parse(await say('ECHO_LOAD_PARAMS'))).toEqual({
    model: 'm',
    model_file: '/models/m',
    draft_model: '',
    mmproj: '',
  })
  expect(JSON.parse(await say('ECHO_PREDICT_METADATA'))).toEqual({ enable_thinking: 'true' })
  expect(await say('please ECHO_SERVED_MODEL now')).toBe('SERVED_MODEL=m')
  expect(await say('MOCK_LEAK_EMAIL')).toContain('alice@example.com')
})

it('fails on request: at once, in the middle, always with status UNKNOWN', async () => {
  await using world = await startMock()
  const failure = { kind: 'internal', details: { grpcCode: 2 } }
  for (const Prompt of ['MOCK_ERROR', 'MOCK_ERROR_IMMEDIATE']) {
    await expect(world.client.predict({ Prompt })).rejects.toMatchObject(failure)
    await expect(world.client.predictStream({ Prompt }).next()).rejects.toMatchObject(failure)
  }
  let text = ''
  const read = async () => {
    for await (const { message } of world.client.predictStream({ Prompt: 'MOCK_ERROR_MIDSTREAM' })) {
      text += message.toString()
    }
  }
  await expect(read()).rejects.toMatchObject(failure)
  expect(text).toBe('Partial resp')
})

it('writes tool calls as text', async () => {
  await using world = await startMock()
  const call = (location: string) => `{"name": "get_weather", "arguments": {"location":"${location}"}}`
  expect((await world.client.predict({ Prompt: 'SINGLE_TOOL_CALL' })).message.toString()).toBe(call('San Francisco'))
  const replies = await collect(world.client.predictStream({ Prompt: 'MULTI_TOOL_CALL' }))
  expect(replies.map(({ message }) => message.toString()).join('')).toBe(`${call('Rome')}\n${call('Paris')}`)
})

it('calls the first tool it is offered, until it has a result', async () => {
  await using world = await startMock()
  const Tools = JSON.stringify([{ type: 'function', function: { name: 'look_up' } }])
  const asked = await world.client.predict({ Prompt: 'hi', Tools })
  expect(JSON.parse(asked.message.toString())).toMatchObject({ name: 'look_up' })
  const answered = await world.client.predict({ Messages: [{ role: 'tool', content: 'sunny' }], Tools })
  expect(answered.message.toString()).toMatch(/^Based on the tool results/)
})

it('parses for the host where it is asked to', async () => {
  await using world = await startMock()
  const whole = await world.client.predict({ Prompt: 'AUTOPARSER_TOOL_CALL' })
  expect(whole.message).toHaveLength(0)
  expect(whole.chatDeltas.at(-1)?.toolCalls).toEqual([
    { index: 0, id: 'call_mock_123', name: 'search_collections', arguments: '{"query":"localai"}' },
  ])
  const deltas = (await collect(world.client.predictStream({ Prompt: 'AUTOPARSER_TOOL_CALL' }))).flatMap(
    ({ chatDeltas }) => chatDeltas,
  )
  expect(deltas.map(({ reasoningContent }) => reasoningContent).join('')).toBe('I need to search for information.')
  const pieces = deltas.flatMap(({ toolCalls }) => toolCalls)
  expect(pieces.map(({ name }) => name).filter(Boolean)).toEqual(['search_collections'])
  expect(pieces.map((piece) => piece.arguments).join('')).toBe('{"query":"localai"}')

  const content = await world.client.predict({ Prompt: 'AUTOPARSER_CONTENT' })
  expect(content.message).toHaveLength(0)
  expect(content.chatDeltas).toMatchObject([{ reasoningContent: expect.any(String) }, { content: expect.any(String) }])

  const both = await world.client.predict({ Prompt: 'AUTOPARSER_THINKING_CONTENT' })
  expect(both.chatDeltas.map((delta) => delta.content).join('')).toBe(both.message.toString())
  expect(both.chatDeltas.some(({ reasoningContent }) => reasoningContent !== '')).toBe(true)
})

it('breaks characters apart', async () => {
  await using world = await startMock({ rules: [{ do: { text: 'a😀', split: 'bytes' } }] })
  const replies = await collect(world.client.predictStream({}))
  expect(replies.map(({ message }) => message.toString('hex'))).toEqual(['61', 'f0', '9f', '98', '80', ''])
})

it('repeats pieces as often as it is told', async () => {
  await using world = await startMock({ rules: [{ do: { pieces: ['a', 'b'], repeat: 3 } }] })
  expect((await world.client.predict({})).message.toString()).toBe('ababab')
  expect((await collect(world.client.predictStream({}))).map(({ message }) => message.toString()).join('')).toBe(
    'ababab',
  )
})

it('reports log probabilities when asked', async () => {
  await using world = await startMock()
  expect((await world.client.predict({})).logprobs).toHaveLength(0)
  const { logprobs } = await world.client.predict({ Logprobs: 1, TopLogprobs: 3 })
  const { content } = JSON.parse(logprobs.toString())
  expect(content).toHaveLength(5)
  expect(content[0]).toMatchObject({ token: 'This', bytes: [84, 104, 105, 115] })
  expect(content[0].logprob).toBeLessThanOrEqual(0)
  expect(content[0].top_logprobs).toHaveLength(3)
  const [first] = await collect(world.client.predictStream({ Logprobs: 1 }))
  expect(JSON.parse(first?.logprobs.toString() ?? '')).toMatchObject({ content: [{ token: 'This', top_logprobs: [] }] })
})

it('waits before the first piece and between the others', async () => {
  await using world = await startMock({ rules: [{ do: { text: 'a b c', delayMs: 60, pieceDelayMs: 40 } }] })
  await collect(world.client.predictStream({}))
  const [start, end] = world.records().filter(({ rpc }) => rpc === 'PredictStream')
  // Three pieces and the closing reply: at least 60 + 3 * 40, with the precision of millisecond timers.
  expect((end?.at ?? 0) - (start?.at ?? 0)).toBeGreaterThan(170)
})
