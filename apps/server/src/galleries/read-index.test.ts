import { describe, expect, it } from 'vitest'
import { makeBackendIndex, makeModelIndex } from './__fixtures__/make-index.ts'
import { isMetaBackend } from './gallery.ts'
import { readIndex } from './read-index.ts'
import { toBackendEntry, toModelEntry } from './to-entry.ts'

const { signal } = new AbortController()
const read = (text: string): Promise<readonly unknown[]> => readIndex(Buffer.from(text), { signal })

describe('an index', () => {
  it('of the published size is read whole, with what its anchors merge', async () => {
    const models = (await read(makeModelIndex(1700))).map(toModelEntry)
    expect(models).toHaveLength(1700)
    expect(models[1698]).toMatchObject({
      name: 'model-1698',
      license: 'apache-2.0',
      tags: ['llm', 'gguf', 'cpu', 'family-1695'],
      url: 'github:owner/repo/chatml.yaml@master',
      files: [{ filename: 'model-1698.Q4_K_M.gguf', sha256: '0123456789abcdef'.repeat(4) }],
      overrides: { backend: 'llama-cpp' },
    })
    const backends = (await read(makeBackendIndex(1000))).map(toBackendEntry)
    expect(backends.filter((entry) => entry !== undefined && isMetaBackend(entry))).toHaveLength(100)
    expect(backends[999]).toMatchObject({
      name: 'cpu-engine-999',
      alias: 'engine',
      capabilities: { default: 'cpu-engine-990' },
    })
  })

  it.each([
    ['no list', 'name: x', 'is not a list'],
    ['broken YAML', '- name: [', ''],
    ['a key twice', '- name: a\n  name: b', 'duplicated'],
    ['a foreign tag', '- !!js/function x', 'unknown'],
    ['deep lists on one line', `- ${'['.repeat(20_000)}`, 'too deeply'],
    ['deep lists on many lines', `- a:\n${' [\n'.repeat(20_000)}`, 'too deeply'],
    ['deep blocks', `${Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')}`, 'too deeply'],
    ['compact deep lists', '- '.repeat(3000), 'too deeply'],
    ['bytes that are no text', '\xff\xfe', ''],
  ])('with %s is refused', async (_what, text, message) => {
    const refused = readIndex(Buffer.from(text, 'latin1'), { signal })
    await expect(refused).rejects.toMatchObject({
      code: 'gallery_invalid',
      message: expect.stringContaining(message),
    })
  })

  it('loses the entries that hold too much, and no others', async () => {
    const bomb = ['- &a [x, x, x, x, x, x, x, x, x, x]']
    for (let index = 1; index < 12; index += 1) {
      const before = String.fromCharCode(96 + index)
      const one = String.fromCharCode(97 + index)
      bomb.push(`- &${one} [${Array.from({ length: 10 }, () => `*${before}`).join(', ')}]`)
    }
    const entries = await read(`${bomb.join('\n')}\n- name: kept\n  __proto__: {polluted: true}\n`)
    expect(entries.map(toModelEntry).filter((entry) => entry !== undefined)).toMatchObject([{ name: 'kept' }])
    expect(entries).toHaveLength(5)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('is left alone once nobody waits for it', async () => {
    const stop = new AbortController()
    const reading = readIndex(Buffer.from(makeModelIndex(1700)), { signal: stop.signal })
    stop.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
  })
})
