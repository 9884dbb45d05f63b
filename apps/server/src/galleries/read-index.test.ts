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
    ['a foreign tag', '- !!js/function x', 'unknown'],
    ['deep lists on one line', `- ${'['.repeat(20_000)}`, 'too deeply'],
    ['deep lists on many lines', `- a:\n${' [\n'.repeat(20_000)}`, 'too deeply'],
    ['deep blocks', `${Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')}`, 'too deeply'],
    ['compact deep lists', '- '.repeat(3000), 'too deeply'],
    ['bytes that are not UTF-8', '\xff\xfe', ''],
  ])('with %s is refused', async (_what, text, message) => {
    const refused = readIndex(Buffer.from(text, 'latin1'), { signal })
    await expect(refused).rejects.toMatchObject({
      code: 'gallery_invalid',
      message: expect.stringContaining(message),
    })
  })

  it.each<[string, string, unknown[], string[]]>([
    ['a key twice', '  name: two\n  description: a\n  description: b', ['two b'], ['a key stands twice']],
    [
      'keys twice, also deep',
      '  name: two\n  x: {a: 1, a: 2}\n  description: a\n  description: b',
      ['two b'],
      ['a key stands twice'],
    ],
    ['a colon in plain text', '  name: two\n  description: a: b', [], ['left out: bad indentation']],
    ['a tab as indentation', '  name: two\n\tdescription: a', [], ['left out']],
    ['a quote without an end', '  name: two\n  description: "a', [], ['left out']],
    ['a bracket without an end', '  name: two\n  tags: [a', [], ['left out']],
    ['a line without indentation', '  name: two\nlost text', [], ['left out']],
    ['an alias of nothing', '  name: two\n  description: *nothing', [], ['left out: unidentified alias']],
    ['a foreign tag', '  name: two\n  x: !!js/function y', [], ['left out: unknown tag']],
    [
      'lists that are too deep',
      `  name: two\n  x: ${'['.repeat(500)}`,
      [],
      ['left out: the index is nested too deeply'],
    ],
    ['a control character', '  name: two\n  description: "\u0001"', [], ['left out']],
    ['bytes that are not UTF-8', '  name: two\n  description: \xff', [], ['left out']],
    ['an escape of other readers', '  name: two\n  description: "it\\\'s \\\\\\\' ok"', ["two it's \\' ok"], []],
    [
      'an escape and a key twice',
      '  name: two\n  x: "\\\'"\n  x: "\\\'"\n  description: a',
      ['two a'],
      ['a key stands twice'],
    ],
    [
      'text that looks like entries',
      '  name: two\n  name: two\n  description: |\n    - name: three\n    - x',
      ['two - name: three\n- x\n'],
      ['a key stands twice'],
    ],
  ])('that has %s in one entry keeps the others', async (_what, entry, expected, messages) => {
    const index = `---\n# all\n- &one\n  name: one\n  description: first\n-\n${entry}\n- <<: *one\n  name: three\n`
    const warnings: string[] = []
    const bytes = Buffer.from(index, entry.includes('\xff') ? 'latin1' : 'utf8')
    const items = await readIndex(bytes, { onWarnings: (found) => warnings.push(...found), signal })
    const entries = items.map(toModelEntry).map((found) => found && `${found.name} ${found.description}`)
    expect(entries).toEqual(['one first', ...expected, 'three first'])
    expect(warnings).toEqual(messages.map((message) => expect.stringMatching(new RegExp(`^line 6: .*${message}`))))
  })

  it('whose faulty entry is the base of others loses these too', async () => {
    const warnings: string[] = []
    const text = '- &a\n  name: a: b\n- <<: *a\n  name: c\n- name: d\n'
    const items = await readIndex(Buffer.from(text), { onWarnings: (found) => warnings.push(...found), signal })
    expect(items).toEqual([{ name: 'd' }])
    expect(warnings).toEqual([expect.stringContaining('line 1:'), expect.stringContaining('line 3:')])
  })

  it('of entries that stand further in is read as well', async () => {
    const items = await readIndex(
      Buffer.from('  - name: a\n    tags:\n    - x\n    - y\n  - name: b: c\n  - name: d\n'),
      { signal },
    )
    expect(items).toEqual([{ name: 'a', tags: ['x', 'y'] }, { name: 'd' }])
  })

  it('tells a limited number of faults, and gives up where they would take too long', async () => {
    const warnings: string[] = []
    const onWarnings = (found: readonly string[]): void => void warnings.push(...found)
    const bad = Array.from({ length: 200 }, (_, index) => `- name: m-${index}\n  x: a: b\n`).join('')
    await readIndex(Buffer.from(`${bad}- name: kept\n`), { onWarnings, signal })
    expect(warnings).toHaveLength(51)
    expect(warnings.at(-1)).toBe('150 more entries have faults')
    const base = `- &base\n  name: base\n  text: ${'x'.repeat(100_000)}\n`
    const many = Array.from({ length: 2000 }, (_, index) => `- {<<: *base, name: m-${index}, name: m-${index}}\n`)
    await expect(read(base + many.join(''))).rejects.toThrow('too many faults')
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
