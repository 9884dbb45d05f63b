import { generateText, jsonSchema, Output, streamText, tool, wrapLanguageModel } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { piiMiddleware } from '../src/adapters/ai-sdk.ts'
import { createDetector } from '../src/detectors.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
const finishReason = { unified: 'stop', raw: undefined } as const

/** What the model was sent, as one text. */
const sent = (model: MockLanguageModelV3) =>
  JSON.stringify([...model.doGenerateCalls, ...model.doStreamCalls].map(({ prompt, tools }) => [prompt, tools]))

describe('the middleware of the AI SDK', () => {
  it('hides values from the model, in every part, and gives them back in the reply', async () => {
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [
          { type: 'text', text: 'I write to [REDACTED:EMAIL_001].' },
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'send', input: '{"to":"[REDACTED:EMAIL_001]"}' },
        ],
        finishReason,
        usage,
        warnings: [],
      }),
    })
    const { text, toolCalls } = await generateText({
      model: wrapLanguageModel({ model, middleware: piiMiddleware() }),
      system: 'The user is ada@lab.example.',
      tools: {
        send: tool({ description: 'Writes, as bob@lab.example', inputSchema: jsonSchema({ type: 'object' }) }),
      },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Write to ada@lab.example' },
            { type: 'file', data: new Uint8Array([1, 2, 3]), mediaType: 'application/pdf' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'call-0', toolName: 'find', input: { ip: '10.1.2.3' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call-0',
              toolName: 'find',
              output: { type: 'json', value: { card: '4111 1111 1111 1111' } },
            },
          ],
        },
      ],
    })
    expect(text).toBe('I write to ada@lab.example.')
    expect(toolCalls[0]?.input).toEqual({ to: 'ada@lab.example' })
    expect(sent(model)).not.toMatch(/@lab|10\.1\.2|4111/)
    expect(sent(model)).toContain('"toolCallId":"call-0"')
    const [, user, , result] = model.doGenerateCalls[0]?.prompt ?? []
    expect(result?.content).toMatchObject([
      { type: 'tool-result', output: { type: 'json', value: { card: expect.stringMatching(/^\[REDACTED:/) } } },
    ])
    expect(user?.content[1]).toMatchObject({ type: 'file', data: new Uint8Array([1, 2, 3]) })
  })

  it('hides values in formats of replies and in stop sequences', async () => {
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [{ type: 'text', text: '{"to":"[REDACTED:EMAIL_001]"}' }],
        finishReason,
        usage,
        warnings: [],
      }),
    })
    const schema = jsonSchema<{ to: string }>({
      type: 'object',
      description: 'like bob@lab.example',
      properties: { to: { type: 'string', enum: ['ada@lab.example'] } },
    })
    const { output } = await generateText({
      model: wrapLanguageModel({ model, middleware: piiMiddleware() }),
      prompt: 'Find ada@lab.example',
      output: Output.object({ schema, description: 'for eve@lab.example' }),
      stopSequences: ['zoe@lab.example'],
    })
    expect(output).toEqual({ to: 'ada@lab.example' })
    const [{ responseFormat, stopSequences } = {}] = model.doGenerateCalls
    expect(responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } })
    expect(stopSequences).toEqual([expect.stringMatching(/^\[REDACTED:EMAIL_\d+\]$/)])
    expect(JSON.stringify(model.doGenerateCalls)).not.toContain('@lab')
  })

  it('gives them back in streams, at every cut', async () => {
    const text = 'To [REDACTED:EMAIL_001], now'
    for (let cut = 1; cut < text.length; cut += 3) {
      const model = new MockLanguageModelV3({
        doStream: async () => ({
          stream: convertArrayToReadableStream([
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: text.slice(0, cut) },
            { type: 'text-delta', id: '1', delta: text.slice(cut) },
            { type: 'text-end', id: '1' },
            { type: 'finish', finishReason, usage },
          ]),
        }),
      })
      const wrapped = wrapLanguageModel({ model, middleware: piiMiddleware() })
      expect(await streamText({ model: wrapped, prompt: 'Mail ada@lab.example' }).text).toBe('To ada@lab.example, now')
      expect(sent(model)).not.toContain('ada@lab')
    }
  })

  it('refuses files on request, in results of tools too, and leaves ids of calls', async () => {
    const middleware = piiMiddleware({ blockUnscannedMedia: true })
    const filter = (value: readonly object[]) => {
      const toolCallId = 'function-call-5053695391468454662'
      const output = { type: 'content', value }
      const call = { type: 'tool-call', toolCallId, toolName: 'find', input: {} }
      const prompt = [
        { role: 'assistant', content: [call] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'find', output }] },
      ]
      return middleware.transformParams({ params: { prompt } })
    }
    for (const part of [
      { type: 'image-data', data: 'AAECAwQFBgcICQ==', mediaType: 'image/png' },
      { type: 'file-url', url: 'https://lab.example/x.pdf' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1]) } },
    ]) {
      await expect(filter([part])).rejects.toMatchObject({ code: 'pii_blocked' })
    }
    const text = JSON.stringify(await filter([{ type: 'text', text: 'ada@lab.example' }]))
    expect(text.split('function-call-5053695391468454662')).toHaveLength(3)
    expect(text).toContain('"value":[{"type":"text","text":"[REDACTED:EMAIL_001]"}]')
  })

  it('sends nothing when a policy refuses the prompt', async () => {
    const model = new MockLanguageModelV3()
    const detectors = [createDetector({ name: 'p', settings: { builtins: ['email'], defaultAction: 'block' } })]
    const wrapped = wrapLanguageModel({ model, middleware: piiMiddleware({ detectors }) })
    await expect(generateText({ model: wrapped, prompt: 'Mail ada@lab.example' })).rejects.toMatchObject({
      code: 'pii_blocked',
    })
    expect(model.doGenerateCalls).toEqual([])
  })
})
