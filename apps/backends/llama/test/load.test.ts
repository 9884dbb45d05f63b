import { writeFile } from 'node:fs/promises'
import { ChatSupport, StatusResponse_State } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS, createModel } from './models.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

describe('before a model is loaded', () => {
  it('calls fail with the words hosts look for', async () => {
    const { client } = backend
    const expected = {
      kind: 'precondition_failed',
      code: 'model_not_loaded',
      message: expect.stringMatching(/model not loaded/),
    }
    await expect(client.predict({ Prompt: 'hello' })).rejects.toMatchObject(expected)
    await expect(client.predictStream({ Prompt: 'hello' }).next()).rejects.toMatchObject(expected)
    await expect(client.embedding({ Embeddings: 'hello' })).rejects.toMatchObject(expected)
    await expect(client.tokenizeString({ Prompt: 'hello' })).rejects.toMatchObject(expected)
    await expect(client.detokenize({ tokens: [1] })).rejects.toMatchObject(expected)
    await expect(client.modelMetadata({})).rejects.toMatchObject(expected)
    await expect(client.getMetrics({})).rejects.toMatchObject(expected)
  })

  it('the process reports it, with its general abilities', async () => {
    expect((await backend.client.status({})).state).toBe(StatusResponse_State.UNINITIALIZED)
    expect(await backend.client.extensions.capabilities({})).toMatchObject({ contextSize: 0, embeddings: false })
    expect(await backend.client.free({})).toMatchObject({ success: true })
  })
})

describe('a file that cannot be loaded', () => {
  const load = (file: string): Promise<unknown> => backend.client.loadModel({ Model: 'm', ModelFile: file, MMap: true })

  it('is named without its folder', async () => {
    expect(await load(`${backend.dir.path}/nope.gguf`)).toEqual({ success: false, message: 'nope.gguf: no such file' })
    expect(await load(backend.dir.path)).toMatchObject({ success: false, message: expect.not.stringContaining('/') })
  })

  it('is refused for its fault', async () => {
    const model = createModel({ chains: CHAINS })
    const write = async (name: string, content: Buffer): Promise<string> => await backend.writeModel(name, content)
    expect(await load(await write('text.gguf', Buffer.from('this is no model at all')))).toEqual({
      success: false,
      message: 'text.gguf: is not a GGUF file',
    })
    expect(await load(await write('cut.gguf', model.subarray(0, model.length - 64)))).toEqual({
      success: false,
      message: 'cut.gguf: is cut off: its weights end before they should',
    })
    expect(await load(await write('head.gguf', model.subarray(0, 1000)))).toMatchObject({ success: false })
  })

  it('is refused by the engine, in its words, where the header is sound', async () => {
    const keys = { 'general.architecture': { type: 'text', value: 'nonsense' } } as const
    const file = await backend.writeModel('odd.gguf', createModel({ keys }))
    expect(await load(file)).toEqual({ success: false, message: expect.stringMatching(/^odd\.gguf: .*nonsense/) })
  })

  it('is refused with options that make no sense', async () => {
    const file = await backend.writeModel('m.gguf', createModel({ chains: CHAINS }))
    const refused = async (options: object): Promise<unknown> =>
      await backend.client.loadModel({ Model: 'm', ModelFile: file, MMap: true, ...options })
    expect(await refused({ Options: ['parallel:0'] })).toMatchObject({ success: false })
    expect(await refused({ LoraAdapter: 'x.gguf' })).toMatchObject({ success: false })
    expect(await refused({ CacheTypeKey: 'q9' })).toMatchObject({ success: false })
  })

  it('leaves a process that still loads a good one', async () => {
    await backend.load({ chains: CHAINS })
    expect((await backend.client.predict({ Prompt: 'hello', Tokens: 1 })).message.toString()).toBe(' world')
    expect((await backend.client.status({})).state).toBe(StatusResponse_State.READY)
  })
})

describe('a loaded model', () => {
  it('has the context it was given', async () => {
    await backend.load({ chains: CHAINS }, { ContextSize: 100 })
    expect(await backend.client.extensions.capabilities({})).toMatchObject({ contextSize: 100 })
    expect(await backend.client.predict({ Prompt: 'loop' })).toMatchObject({ promptTokens: 2, tokens: 98 })
    const Prompt = 'hello '.repeat(99).trim()
    await expect(backend.client.predict({ Prompt })).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(await backend.client.predict({ Prompt: 'hello '.repeat(98).trim() })).toMatchObject({ tokens: 1 })
  })

  // verifies limits:context-size:trained
  it('has its training context for none and for -1', async () => {
    for (const ContextSize of [0, -1]) {
      await backend.load({ chains: CHAINS, contextLength: 768 }, { ContextSize })
      expect(await backend.client.extensions.capabilities({})).toMatchObject({ contextSize: 768 })
    }
  })

  it('stays when it is loaded again unchanged, and is replaced by another', async () => {
    const made = async (): Promise<number> => (await backend.client.getMetrics({})).tokensGenerated
    const file = await backend.writeModel('again.gguf', createModel({ chains: CHAINS }))
    await backend.loadFile(file)
    await backend.client.predict({ Prompt: 'hello', Tokens: 5 })
    await backend.loadFile(file)
    expect(await made()).toBe(5)
    await backend.loadFile(file, { ContextSize: 256 })
    expect(await made()).toBe(0)
    await writeFile(file, createModel({ chains: [['▁hello', '▁paris', '</s>']] }))
    await backend.loadFile(file, { ContextSize: 256 })
    expect((await backend.client.predict({ Prompt: 'hello', Tokens: 5 })).message.toString()).toBe(' paris')
  })

  it('continues text and refuses conversations where its file has no template', async () => {
    await backend.load({ chains: CHAINS, template: null })
    const ask = { UseTokenizerTemplate: true, Messages: [{ role: 'user', content: 'yes' }] }
    await expect(backend.client.predict(ask)).rejects.toMatchObject({
      kind: 'not_implemented',
      message: expect.stringContaining('continues text'),
    })
    expect((await backend.client.predict({ Prompt: 'hello', Tokens: 1 })).message.toString()).toBe(' world')
    expect(await backend.client.extensions.capabilities({})).toMatchObject({ chat: ChatSupport.CHAT_SUPPORT_NONE })
    expect(backend.output()).toMatch(/^warn: the file has no chat template: the model continues text$/m)
  })

  // verifies model-file:chat-template:tool-use
  it('uses the template named tool_use for conversations with tools', async () => {
    const named = {
      'tokenizer.chat_template.tool_use': { type: 'text', value: '{{ tools[0].function.name }}' },
    } as const
    await backend.load({ chains: CHAINS, template: '{{ messages[0].content }}', keys: named })
    const read = async (more: object): Promise<string> => {
      const ask = { UseTokenizerTemplate: true, Messages: [{ role: 'user', content: 'hello' }], ...more }
      const { tokens } = await backend.client.tokenizeString(ask)
      return (await backend.client.detokenize({ tokens })).content
    }
    expect(await read({})).toMatch(/hello$/)
    expect(await read({ Tools: '[{"type":"function","function":{"name":"weather"}}]' })).toMatch(/weather$/)
    const { chat } = await backend.client.extensions.capabilities({})
    expect(chat).toBe(ChatSupport.CHAT_SUPPORT_WITH_TOOLS)
  })

  it('loads with a template that cannot be read, and refuses conversations only', async () => {
    await backend.load({ chains: CHAINS, template: '{% if %}' })
    const ask = { UseTokenizerTemplate: true, Messages: [{ role: 'user', content: 'yes' }] }
    await expect(backend.client.predict(ask)).rejects.toMatchObject({ kind: 'not_implemented' })
    expect((await backend.client.predict({ Prompt: 'hello', Tokens: 1 })).message.toString()).toBe(' world')
    expect(backend.output()).toMatch(/^warn: the chat template cannot be read/m)
  })

  it('refuses a conversation in the words of its template', async () => {
    await backend.load({ chains: CHAINS, template: "{{ raise_exception('no system turns here') }}" })
    const ask = { UseTokenizerTemplate: true, Messages: [{ role: 'system', content: 'yes' }] }
    await expect(backend.client.predict(ask)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching(/no system turns here/),
    })
  })
})

describe('a stop', () => {
  it('ends the process with 0 while a model is loaded', async () => {
    await backend.load({ chains: CHAINS })
    expect(await backend.stop()).toBe(0)
    expect(backend.output()).not.toMatch(/GGML_ASSERT|terminate called|core dumped/)
  })
})
