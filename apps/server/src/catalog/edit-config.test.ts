import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findModelName, patchConfig, toBlockStyle } from './edit-config.ts'
import { readYamlDocuments } from './yaml/read-yaml.ts'
import { toPlainValue } from './yaml/scalars.ts'

const STYLES = [
  (index: number) => `# File ${index}
name: m-${index} # its name
backend: llama-cpp
parameters:
  model: x-${index}.gguf # the weights
  temperature: 0.${index % 9}

# Unknown, and kept.
vendor_${index}:
  - &anchor {deep: [${index}, ~, 'x'], "quoted": "yes"}
  - *anchor
template:
  chat: |
    Line one ${index}
      indented "quotes" # no comment

    last
`,
  (index: number) => `backend: mock
description: "long ${'words '.repeat(40)}${index}"
name: m-${index}
options: [ a:b, 'c:d' ]
parameters: { model: x.bin, stop: [ "\\n", '</s>' ] }
`,
  (index: number) => `---
name: 'm-${index}'
parameters:
    model: y.bin
    top_p: 1.0
roles: {user: "U ${index}"}
? parallel_requests
: true
`,
]

describe('a change of a model file', () => {
  it('of 500 files keeps every key, every comment and the order of what it does not change', () => {
    for (let index = 0; index < 500; index += 1) {
      const text = STYLES[index % STYLES.length]?.(index) ?? ''
      const { text: after } = patchConfig(text, { parameters: { top_k: index + 1 }, context_size: 2048 }, 'm.yaml')
      const before = parse(text)
      expect(parse(after)).toEqual({
        ...before,
        parameters: { ...before.parameters, top_k: index + 1 },
        context_size: 2048,
      })
      expect(after.match(/#.*/g)).toEqual(text.match(/#.*/g))
      expect(Object.keys(parse(after)).slice(0, Object.keys(before).length)).toEqual(Object.keys(before))
    }
  })

  it('cannot add a key by a value', () => {
    const { text } = patchConfig('name: a\nbackend: mock\n', { description: 'x\nbackend: evil' }, 'a.yaml')
    expect(parse(text)).toEqual({ name: 'a', backend: 'mock', description: 'x\nbackend: evil' })
  })

  it.each([
    ['text that is too deep', `name: a\nx: ${'['.repeat(200)}`, {}],
    ['a list', '- name: a\n  backend: mock\n', { backend: 'x' }],
    ['a change that makes no model', 'name: a\nbackend: mock\n', { threads: 'many' }],
  ])('of %s is refused', (_what, text, patch) => {
    expect(() => patchConfig(text, patch, 'a.yaml')).toThrow('not valid')
  })

  it.each<[string, string, string]>([
    [
      'a list',
      '# all\n- name: a # one\n  backend: mock\n- name: b\n  backend: mock\n',
      '# all\n- name: a # one\n  backend: mock\n- name: b\n  backend: mock\n  pinned: true\n',
    ],
    [
      'documents',
      'name: a\nbackend: mock\n---\nname: b # two\nbackend: mock\n',
      'name: a\nbackend: mock\n---\nname: b # two\nbackend: mock\npinned: true\n',
    ],
    [
      'a list in a document',
      'name: a\nbackend: mock\n---\n- {name: b, backend: mock}\n',
      'name: a\nbackend: mock\n---\n- {name: b, backend: mock, pinned: true}\n',
    ],
    [
      'documents with marks at their ends',
      'name: a\nbackend: mock\n...\nname: b\nbackend: mock\n',
      'name: a\nbackend: mock\n...\n---\nname: b\nbackend: mock\npinned: true\n',
    ],
    ['one without a name', '- backend: mock\n', '- backend: mock\n  pinned: true\n'],
    [
      'an odd escape',
      'name: b\nstopwords: ["\\\'"]\nbackend: mock\n',
      'name: b\nstopwords: ["\'"]\nbackend: mock\npinned: true\n',
    ],
  ])('changes the one model that is meant in %s', (_what, before, after) => {
    expect(patchConfig(before, { pinned: true }, 'a.yaml', 'b').text).toBe(after)
  })

  it('changes no model of a file that holds none of its name', () => {
    const text = '- {name: a, backend: mock}\n- {name: c, backend: mock}\n'
    expect(() => patchConfig(text, { pinned: true }, 'a.yaml', 'b')).toThrow('none with its name')
  })
})

describe('JSON in block style', () => {
  it.each([
    ['{"name":"m","backend":"x"}', 'name: m\nbackend: x\n'],
    ['  {"a": [], "b": {}}\n', 'a: []\nb: {}\n'],
    [
      '{"a": ["1", 1, 1.0, true, "true", null, "null"]}',
      'a:\n  - "1"\n  - 1\n  - 1.0\n  - true\n  - "true"\n  - null\n  - "null"\n',
    ],
    ['{"a": {"b": {"c": "x: y #z"}}}', 'a:\n  b:\n    c: "x: y #z"\n'],
    ['{"n": 12345678901234567890}', 'n: 12345678901234567890\n'],
    ['name: m # own\n', 'name: m # own\n'],
    ['[{"name": "a"}]', '[{"name": "a"}]'],
    ['{name: m, backend: x}', '{name: m, backend: x}'],
    ['{"name": "m",}', '{"name": "m",}'],
    ['5', '5'],
  ])('%s', (text, expected) => {
    expect(toBlockStyle(text)).toBe(expected)
  })

  it('keeps every value', () => {
    const values = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 4 }))
    fc.assert(
      fc.property(values, (value) => {
        const json = JSON.stringify(value, null, 2)
        const [read] = readYamlDocuments(toBlockStyle(json))
        const [direct] = readYamlDocuments(json)
        expect(read?.ok === true ? toPlainValue(read.root) : read).toEqual(
          direct?.ok === true ? toPlainValue(direct.root) : direct,
        )
      }),
    )
  })
})

describe('the name in a text', () => {
  it.each([
    ['name: m', 'm'],
    ['{"backend": "x", "name": "a/b"}', 'a/b'],
    ['---\nbackend: x\n---\nname: second', 'second'],
    ['name: ../x', undefined],
    ['name: [m]', undefined],
    ['name: [', undefined],
    ['- name: m', undefined],
    ['', undefined],
  ])('%j has the name %s', (text, name) => {
    expect(findModelName(text)).toBe(name)
  })
})
