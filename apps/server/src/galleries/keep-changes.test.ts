import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { keepChanges } from './keep-changes.ts'
import { parsePlanned } from './model-plan.ts'

const FILE = 'm.yaml'
const INSTALLED = `name: m
backend: mock
parameters:
  model: one.gguf
  temperature: 0.2
context_size: 10
options:
  - a:1
`
const NEXT = INSTALLED.replace('one.gguf', 'two.gguf').replace('0.2', '0.3')

function keep({
  present = INSTALLED,
  installed = INSTALLED,
  next = NEXT,
  requested = {},
  asked = {},
}: {
  readonly present?: string
  readonly installed?: string | undefined
  readonly next?: string
  readonly requested?: Record<string, unknown>
  readonly asked?: Record<string, unknown>
}): {
  readonly config: unknown
  readonly kept: readonly string[]
  readonly replaced: readonly string[]
  readonly text: string
} {
  const read = (text: string) => parsePlanned(text, FILE).raw
  const history = {
    installed: installed === '' ? undefined : read(installed),
    present: read(present),
    next: read(next),
    text: present,
    requested,
    asked,
  }
  const { text, kept, replaced } = keepChanges(history, FILE)
  return { config: parse(text), kept, replaced, text }
}

const plain = parse(NEXT) as Record<string, unknown>
const parameters = plain.parameters as Record<string, unknown>

describe('a model file that is installed again', () => {
  it.each<[string, string, Record<string, unknown>, readonly string[], readonly string[]]>([
    ['no change', INSTALLED, plain, [], []],
    [
      'another value',
      INSTALLED.replace('0.2', '0.9'),
      { ...plain, parameters: { ...parameters, temperature: 0.9 } },
      ['parameters.temperature'],
      [],
    ],
    [
      'a new key',
      `${INSTALLED}system_prompt: be kind\n`,
      { ...plain, system_prompt: 'be kind' },
      ['system_prompt'],
      [],
    ],
    [
      'a new block',
      `${INSTALLED}pii: { enabled: true, detectors: [ner] }\n`,
      { ...plain, pii: { enabled: true, detectors: ['ner'] } },
      ['pii.enabled', 'pii.detectors'],
      [],
    ],
    [
      'a key that nobody knows',
      `${INSTALLED}mine: { deep: [1] }\n`,
      { ...plain, mine: { deep: [1] } },
      ['mine.deep'],
      [],
    ],
    [
      'a key that was taken out',
      INSTALLED.replace('context_size: 10\n', ''),
      Object.fromEntries(Object.entries(plain).filter(([key]) => key !== 'context_size')),
      ['context_size'],
      [],
    ],
    [
      'a longer list',
      INSTALLED.replace('  - a:1\n', '  - a:1\n  - b:2\n'),
      { ...plain, options: ['a:1', 'b:2'] },
      ['options'],
      [],
    ],
    [
      'a map of the user',
      `${INSTALLED}roles: { user: U, assistant: A }\n`,
      { ...plain, roles: { user: 'U', assistant: 'A' } },
      ['roles.user', 'roles.assistant'],
      [],
    ],
    ['the value that comes now', INSTALLED.replace('0.2', '0.3'), plain, [], []],
    ['other weights', INSTALLED.replace('one.gguf', 'mine.gguf'), plain, [], ['parameters.model']],
    [
      'a key file of the administrator',
      `${INSTALLED}proxy: { api_key_file: /run/key, upstream_url: "https://up.example/v1" }\n`,
      { ...plain, proxy: { api_key_file: '/run/key', upstream_url: 'https://up.example/v1' } },
      ['proxy.api_key_file', 'proxy.upstream_url'],
      [],
    ],
  ])('has %s', (_what, present, config, kept, replaced) => {
    expect(keep({ present })).toMatchObject({ config, kept, replaced })
  })

  it('keeps other weights where the installation brings the same as before', () => {
    const { config, kept } = keep({ present: INSTALLED.replace('one.gguf', 'mine.gguf'), next: INSTALLED })
    expect([config, kept]).toMatchObject([{ parameters: { model: 'mine.gguf' } }, ['parameters.model']])
  })

  it('keeps comments and the order of keys', () => {
    const present = INSTALLED.replace('context_size: 10', '# small machine\ncontext_size: 5 # no more')
    const { text } = keep({ present })
    expect(text).toBe(present.replace('one.gguf', 'two.gguf').replace('0.2', '0.3'))
  })

  it('follows its request, unless the request says what the last one said', () => {
    const present = INSTALLED.replace('context_size: 10', 'context_size: 5')
    expect(keep({ present, next: NEXT.replace(': 10', ': 7'), asked: { context_size: 7 } })).toMatchObject({
      config: { context_size: 7 },
      replaced: ['context_size'],
    })
    expect(keep({ present, asked: { context_size: 10 }, requested: { context_size: 10 } })).toMatchObject({
      config: { context_size: 5 },
      kept: ['context_size'],
    })
  })

  it('keeps the keys of an earlier request, and not its files', () => {
    const requested = { context_size: 10, parameters: { model: 'one.gguf', temperature: 0.2 } }
    const next = NEXT.replace('context_size: 10', 'context_size: 99')
    expect(keep({ requested, next }).config).toMatchObject({
      context_size: 10,
      parameters: { model: 'two.gguf', temperature: 0.2 },
    })
  })

  it('of an older version keeps what reaches no further than the model, and says what goes', () => {
    const present = `${INSTALLED}system_prompt: be kind\nproxy: { upstream_url: "https://up.example/v1" }\n`
    const { config, kept, replaced } = keep({ installed: '', present })
    expect(config).toEqual({ ...plain, parameters: { ...parameters, temperature: 0.2 }, system_prompt: 'be kind' })
    expect(kept).toEqual(['parameters.temperature', 'system_prompt'])
    expect(replaced).toEqual(['parameters.model', 'proxy.upstream_url'])
  })

  it('is not written where the changes do not fit', () => {
    const present = INSTALLED.replace('context_size: 10', 'alias: other')
    expect(() => keep({ present, next: NEXT.replace('backend: mock', 'backend: llama') })).toThrow(SvcError)
  })
})
