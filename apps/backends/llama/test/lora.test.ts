import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS, createAdapter, createModel } from './models.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.writeModel('adapter.gguf', createAdapter('▁hello', '▁paris'))
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function say(): Promise<string> {
  return (await backend.client.predict({ Prompt: 'hello', Tokens: 1 })).message.toString()
}

describe('an adapter', () => {
  it("changes the model's answer in proportion to its scale", async () => {
    const ModelPath = backend.dir.path
    await backend.load({ chains: CHAINS }, { ModelPath, LoraAdapter: 'adapter.gguf' })
    expect(await say()).toBe(' paris')
    await backend.load({ chains: CHAINS }, { ModelPath, LoraAdapters: ['adapter.gguf'], LoraScales: [0.0001] })
    expect(await say()).toBe(' world')
  })

  it('is read anew once its file is another', async () => {
    const file = await backend.writeModel('model.gguf', createModel({ chains: CHAINS }))
    const load = async (): Promise<void> => {
      await backend.loadFile(file, { ModelPath: backend.dir.path, LoraAdapter: 'changing.gguf' })
    }
    await backend.writeModel('changing.gguf', createAdapter('▁hello', '▁paris'))
    await load()
    expect(await say()).toBe(' paris')
    await backend.writeModel('changing.gguf', createAdapter('▁hello', '▁london'))
    await load()
    expect(await say()).toBe(' london')
  })

  it('that is missing or no adapter fails the load, named without its folder', async () => {
    const model = await backend.writeModel('model.gguf', createModel({ chains: CHAINS }))
    const load = async (LoraAdapter: string): Promise<unknown> =>
      await backend.client.loadModel({
        Model: 'm',
        ModelFile: model,
        ModelPath: backend.dir.path,
        MMap: true,
        LoraAdapter,
      })
    expect(await load('none.gguf')).toEqual({ success: false, message: 'none.gguf: no such file' })
    expect(await load('model.gguf')).toEqual({ success: false, message: expect.stringMatching(/^model\.gguf: /) })
  })
})
