import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS } from './models.ts'

const PROMPT = Array(200).fill('hello').join(' ')
let backend: TestBackend
let Options: string[]

beforeAll(async () => {
  backend = await startBackend()
  Options = ['parallel:2', `slot_save_path:${backend.dir.path}`]
  await backend.load({ chains: CHAINS }, { Options })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

const file = (name: string): string => path.join(backend.dir.path, name)

/** Reads the usual prompt; returns the number of tokens read and the slot. */
async function read(): Promise<{ tokens: number; slot: number }> {
  await backend.client.predict({ Prompt: `${PROMPT} world`, Tokens: 3, PromptCacheAll: true })
  const { promptTokensProcessed, slotId } = await backend.client.getMetrics({})
  return { tokens: promptTokensProcessed, slot: slotId }
}

describe('a slot', () => {
  it('is saved to a file and read back by a model that was loaded anew', async () => {
    const first = await read()
    expect(first.tokens).toBe(202)
    const saved = await backend.client.extensions.saveSlot({ slot: first.slot, path: file('a.slot') })
    expect(saved.tokens).toBe(204n)
    expect(saved.bytes).toBe(BigInt((await readFile(file('a.slot'))).length))
    await backend.client.free({})
    await backend.loadFile(file('tiny.gguf'), { Options })
    const restored = await backend.client.extensions.restoreSlot({ slot: 1, path: file('a.slot') })
    expect(restored).toMatchObject({ tokens: saved.tokens, bytes: saved.bytes })
    expect(await read()).toEqual({ tokens: 1, slot: 1 })
    const { message } = await backend.client.predict({ Prompt: `${PROMPT} world`, Tokens: 2, PromptCacheAll: true })
    expect(message.toString()).toBe(' the weather')
  })

  it('leaves no file behind that is larger than allowed', async () => {
    const { slot } = await read()
    const save = backend.client.extensions.saveSlot({ slot, path: file('b.slot'), maxBytes: 1000n })
    await expect(save).rejects.toMatchObject({ kind: 'insufficient_storage', code: 'slot_too_large' })
    expect((await readdir(backend.dir.path)).filter((name) => name.startsWith('b.slot'))).toEqual([])
  })

  it('is saved while it answers', async () => {
    const controller = new AbortController()
    const replies = backend.client.predictStream({ Prompt: 'loop', Tokens: 400 }, { signal: controller.signal })
    await replies.next()
    const { slotId: slot } = await backend.client.getMetrics({})
    const { tokens } = await backend.client.extensions.saveSlot({ slot, path: file('c.slot') })
    expect(Number(tokens)).toBeGreaterThanOrEqual(2)
    const text: string[] = []
    for await (const { message } of replies) text.push(message.toString())
    expect(` yes${text.join('')}`).toBe(' yes no code math'.repeat(100))
  })

  it('is not read back from a damaged file, or one of another model', async () => {
    const { slot } = await read()
    await backend.client.extensions.saveSlot({ slot, path: file('d.slot') })
    const bytes = await readFile(file('d.slot'))
    await writeFile(file('short.slot'), bytes.subarray(0, 1000))
    await writeFile(file('tiny.slot'), 'x')
    const restore = async (name: string): Promise<unknown> =>
      await backend.client.extensions.restoreSlot({ slot, path: file(name) })
    for (const name of ['short.slot', 'tiny.slot']) {
      await expect(restore(name)).rejects.toMatchObject({ kind: 'unprocessable', code: 'bad_slot_file' })
    }
    await expect(restore('none.slot')).rejects.toMatchObject({ kind: 'invalid_request' })
    await backend.load({ chains: CHAINS, contextLength: 300 }, { Options })
    await expect(restore('d.slot')).rejects.toMatchObject({ kind: 'unprocessable', code: 'bad_slot_file' })
    expect((await read()).tokens).toBe(202)
  })

  it('must be there', async () => {
    const { saveSlot, restoreSlot } = backend.client.extensions
    for (const slot of [-1, 2]) {
      await expect(saveSlot({ slot, path: file('e.slot') })).rejects.toMatchObject({ kind: 'invalid_request' })
      await expect(restoreSlot({ slot, path: file('a.slot') })).rejects.toMatchObject({ kind: 'invalid_request' })
    }
    await expect(saveSlot({ slot: 0, path: 'e.slot' })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('stays where it is without a folder for slots', async () => {
    expect((await backend.client.extensions.capabilities({})).slots).toBe(3)
    await backend.load({ chains: CHAINS })
    expect((await backend.client.extensions.capabilities({})).slots).toBe(2)
    const save = backend.client.extensions.saveSlot({ slot: 0, path: file('f.slot') })
    await expect(save).rejects.toMatchObject({ kind: 'precondition_failed', code: 'slots_disabled' })
  })
})
