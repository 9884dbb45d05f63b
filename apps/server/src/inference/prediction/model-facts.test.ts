import type { BackendClient } from '@svc/backend-client'
import { CapabilitiesReply, ChatSupport, ModelMetadataResponse } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createModelFactsReader } from './model-facts.ts'

const model = { name: 'm', backend: 'llama', parameters: { model: 'm.gguf' } } as unknown as ModelConfig
const signal = AbortSignal.any([])

/** A backend whose answers the test makes, with the number of its calls. */
function backend(metadata: () => Promise<ModelMetadataResponse>, abilities: Partial<CapabilitiesReply> = {}) {
  const asked = { times: 0 }
  const client = {
    modelMetadata: () => {
      asked.times += 1
      return metadata()
    },
    extensions: { capabilities: async () => CapabilitiesReply.fromPartial({ grammar: true, ...abilities }) },
  } as unknown as BackendClient
  return { client, asked }
}

const answer = (renderedTemplate: string) => Promise.resolve(ModelMetadataResponse.fromPartial({ renderedTemplate }))
const failure = (kind: 'not_implemented' | 'timeout') => Promise.reject(new SvcError(kind, 'no', { code: 'no' }))

describe('facts of a loaded model', () => {
  it('are asked for once', async () => {
    const { client, asked } = backend(() => answer('<think>'))
    const reader = createModelFactsReader()
    const facts = await Promise.all([1, 2, 3].map(async () => reader.read(client, { model, signal })))
    expect(facts[2]).toMatchObject({ renderedTemplate: '<think>', takesGrammarWithTools: true })
    expect(asked.times).toBe(1)
  })

  it.each([
    [ChatSupport.CHAT_SUPPORT_WITH_TOOLS, true],
    [ChatSupport.CHAT_SUPPORT_WITHOUT_TOOLS, false],
    [ChatSupport.CHAT_SUPPORT_NONE, undefined],
    [ChatSupport.CHAT_SUPPORT_UNSPECIFIED, undefined],
  ])('say for chat support %i whether prompts show tools: %s', async (chat, showsTools) => {
    const { client } = backend(() => answer(''), { chat })
    expect((await createModelFactsReader().read(client, { model, signal })).showsTools).toBe(showsTools)
  })

  it('release a caller that leaves at once, and reach the callers that stay', async () => {
    let tell: (reply: ModelMetadataResponse) => void = () => {}
    const slow = new Promise<ModelMetadataResponse>((resolve) => {
      tell = resolve
    })
    const { client, asked } = backend(() => slow)
    const reader = createModelFactsReader()
    const abort = new AbortController()
    const leaving = reader.read(client, { model, signal: abort.signal })
    const staying = reader.read(client, { model, signal })
    abort.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    await expect(reader.read(client, { model, signal: abort.signal })).rejects.toThrow('left')
    tell(await answer('<think>'))
    expect(await staying).toMatchObject({ renderedTemplate: '<think>' })
    expect(asked.times).toBe(1)
  })

  it.each([
    ['not_implemented', 1],
    ['timeout', 2],
  ] as const)('of a backend that says %s are asked for %i times in all', async (kind, times) => {
    let time = 0
    const { client, asked } = backend(() => (asked.times === 1 ? failure(kind) : answer('<think>')))
    const reader = createModelFactsReader({ now: () => time })
    const read = () => reader.read(client, { model, signal })
    expect(await read()).toMatchObject({ renderedTemplate: '', takesGrammarWithTools: true })
    await read()
    expect(asked.times).toBe(1)
    time = 30_000
    expect((await read()).renderedTemplate).toBe(times === 1 ? '' : '<think>')
    expect(asked.times).toBe(times)
  })
})
