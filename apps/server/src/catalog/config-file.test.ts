import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseModelFile } from './config-file.ts'
import { formatProblem } from './config-problem.ts'
import { toCamelCase } from './keys/fields.ts'
import { modelKeys } from './keys/model-keys.ts'
import { readField } from './keys/read-field.ts'
import type { ModelConfig } from './model-config.ts'
import { readYaml } from './yaml/read-yaml.ts'

const PLACE = { file: 'm.yaml', folder: '/models', modifiedAt: 1_700_000_000_000 }
const FIXTURES = new URL('__fixtures__/model-yaml/', import.meta.url)

function parse(text: string | Uint8Array, file = 'm.yaml') {
  const { models, problems } = parseModelFile(text, { ...PLACE, file })
  return { models, problems: problems.map(formatProblem) }
}

function model(text: string): ModelConfig {
  const { models, problems } = parse(text)
  expect(problems).toEqual([])
  const [only] = models
  if (only === undefined) throw new Error('no model')
  return only
}

interface ExpectedFile {
  readonly file: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly unknown_keys?: readonly string[]
  readonly load_error?: boolean
}

const expectedFiles: readonly ExpectedFile[] = readFileSync(new URL('expected.jsonl', FIXTURES), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

/** Converts snake_case keys of the fixture to ours, except those of free maps. */
function camelCased(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => camelCased(each))
  if (typeof value !== 'object' || value === null || key === 'roles') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [toCamelCase(name), camelCased(each, name)]))
}

describe('files of existing galleries', () => {
  it('has a record for every file', () => {
    const files = readdirSync(FIXTURES).filter((name) => name.endsWith('.yaml'))
    expect(expectedFiles.map(({ file }) => file).sort()).toEqual(files.sort())
  })

  // verifies model-file:galleries:load-as-they-are
  it.each(expectedFiles.filter(({ config }) => config !== undefined))(
    'reads $file as the reference does',
    ({ file, ...expected }) => {
      const text = readFileSync(new URL(file, FIXTURES), 'utf8')
      const result = readYaml(text)
      if (!result.ok) throw new Error(result.reason)
      const reading = readField(modelKeys, result.root)
      expect(reading.problems).toEqual([])
      const { knownUsecases: _declared, ...keys } = reading.value ?? {}
      expect(keys).toEqual(camelCased(expected.config))
      const { models, problems } = parse(text, file)
      expect(problems).toEqual([])
      expect(models.map(({ name }) => name)).toEqual([expected.config?.name])
      expect(models[0]?.warnings.map(({ key }) => key).sort()).toEqual([...(expected.unknown_keys ?? [])].sort())
    },
  )

  it.each(expectedFiles.filter(({ load_error }) => load_error === true))('refuses $file', ({ file }) => {
    expect(parse(readFileSync(new URL(file, FIXTURES)), file)).toEqual({
      models: [],
      problems: ['16-wrong-type.yaml:4: context_size: expected a whole number, found text'],
    })
  })
})

describe('a model', () => {
  it('has only its name when the file says nothing else', () => {
    expect(model('name: small')).toEqual({
      name: 'small',
      source: 'yaml',
      ...PLACE,
      disabled: false,
      pinned: false,
      roles: {},
      knownUsecases: [],
      knownInputModalities: [],
      knownOutputModalities: [],
      concurrencyGroups: [],
      backend: '',
      serving: { kind: 'none', reason: expect.stringContaining('neither a backend nor weights') },
      options: [],
      overrides: [],
      grpc: { attempts: 0, attemptsSleepSeconds: 0 },
      downloadFiles: [],
      artifacts: [],
      limits: { maxConcurrent: 0, retryAfterSeconds: 1 },
      featureFlags: {},
      strictAnswers: false,
      parameters: {},
      template: {},
      llm: {},
      vllm: {},
      diffusers: {},
      tts: {},
      function: {},
      reasoning: {},
      compression: {},
      pii: {},
      mitm: {},
      mcp: {},
      agent: {},
      raw: { name: 'small' },
      warnings: [],
    })
  })

  // verifies model-file:blocks:load
  it('groups its keys', () => {
    const config = model(`
name: full
backend: vllm
context_size: 8192
threads: 4
embeddings: yes
stopwords: [a, b]
gpu_layers: 0x10
quantization: awq
engine_args: {enable_prefix_caching: true, n: 1}
limit_mm_per_prompt: {image: 2}
parameters: {model: org/model, temperature: 0.5, logprobs: 3, logit_bias: {42: -1}}
template: {chat: "{{.Input}}", join_chat_messages_by_character: ""}
function: {grammar: {triggers: [{word: <call>}]}}
reasoning: {tag_pairs: [{start: a, end: b}]}
pii: {enabled: on, detectors: [ner]}
router: {candidates: [{model: small, labels: [x]}], knn: {k: 5}}
proxy: {mode: translate, provider: anthropic, api_key_env: KEY}
mitm: {hosts: [api.example.com]}
grpc: {attempts: 3, attempts_sleep_time: 1}
concurrency_groups: [" a ", a, ""]
known_usecases: [chat, FLAG_EMBEDDINGS, nonsense]
`)
    expect(config).toMatchObject({
      backend: 'vllm',
      contextSize: 8192,
      threads: 4,
      llm: { embeddings: true, stopwords: ['a', 'b'], gpuLayers: 16 },
      vllm: { quantization: 'awq', engineArgs: { enable_prefix_caching: true, n: 1 }, limitMmPerPrompt: { image: 2 } },
      parameters: { model: 'org/model', temperature: 0.5, logprobs: true, logitBias: { 42: -1 } },
      template: { chat: '{{.Input}}', joinChatMessagesByCharacter: '' },
      function: { grammar: { triggers: [{ word: '<call>' }] } },
      reasoning: { tagPairs: [{ start: 'a', end: 'b' }] },
      pii: { enabled: true, detectors: ['ner'] },
      router: { candidates: [{ model: 'small', labels: ['x'] }], knn: { k: 5 } },
      proxy: { mode: 'translate', provider: 'provider_b', apiKeyEnv: 'KEY' },
      mitm: { hosts: ['api.example.com'] },
      grpc: { attempts: 3, attemptsSleepSeconds: 1 },
      concurrencyGroups: ['a'],
      knownUsecases: ['chat', 'embeddings'],
    })
    expect(Object.keys(config.llm).sort()).toEqual(['embeddings', 'gpuLayers', 'stopwords'])
  })

  it('keeps unknown keys and warns of each with its line', () => {
    const config = model('name: m\nfuture:\n  nested: [1, {a: b}]\nparameters:\n  model: x\n  novel: 1\n')
    expect(config.raw).toEqual({ name: 'm', future: { nested: [1, { a: 'b' }] }, parameters: { model: 'x', novel: 1 } })
    expect(config.warnings.map(formatProblem)).toEqual([
      'm.yaml:2: future: unknown key, kept but not used',
      'm.yaml:6: parameters.novel: unknown key, kept but not used',
    ])
  })

  it('takes settings of groups that a recogniser may report beside those of patterns', () => {
    const detection = 'builtins: [email], operators: {PER: {keep_last: 1}}, entity_min_scores: {PER: 0.5}'
    const parsed = parse(`name: m\nbackend: onnx\nknown_usecases: [token_classify]\npii_detection: {${detection}}`)
    expect(parsed.problems).toEqual([])
  })

  it('takes keys of a filter that is gone, one warning each', () => {
    const config = model('name: m\npii:\n  enabled: true\n  patterns: [{name: x}]\n  response: true\n')
    expect(config.pii).toEqual({ enabled: true })
    expect(config.warnings.map(({ line, key }) => [line, key])).toEqual([
      [4, 'pii.patterns'],
      [5, 'pii.response'],
    ])
  })

  // verifies model-file:max-concurrent:key
  it('reads both spellings of the model limit', () => {
    expect(model('name: m\nmax_concurrent: 3').limits).toEqual({ maxConcurrent: 3, retryAfterSeconds: 1 })
    expect(model('name: m\nlimits: {max_concurrent: 4, retry_after_seconds: 7}').limits).toEqual({
      maxConcurrent: 4,
      retryAfterSeconds: 7,
    })
    expect(model('name: m\nmax_concurrent: 5\nlimits: {max_concurrent: 5}').limits.maxConcurrent).toBe(5)
  })

  it.each([
    ['provider_a', 'provider_a'],
    ['openai', 'provider_a'],
    ['provider_b', 'provider_b'],
    ['anthropic', 'provider_b'],
  ])('takes the provider %s for %s', (spelling, provider) => {
    expect(model(`name: m\nproxy: {provider: ${spelling}}`).proxy?.provider).toBe(provider)
  })

  it('is named after its file where the file does not name it', () => {
    expect(parse('backend: x', 'my-model.yml').models.map(({ name }) => name)).toEqual(['my-model'])
    expect(parse('name: ""\nbackend: x', 'other.yaml').models.map(({ name }) => name)).toEqual(['other'])
  })

  // verifies model-file:backend:gguf-default
  it('runs GGUF weights on the llama backend unless the file names another', () => {
    expect(model('name: m\nparameters: {model: x.GGUF}').backend).toBe('llama')
    expect(model('name: m\nbackend: mine\nparameters: {model: x.gguf}').backend).toBe('mine')
    expect(model('name: m\nparameters: {model: x.bin}').backend).toBe('')
  })

  it('is every entry of a list', () => {
    const all = parse('- name: a\n- name: b\n  threads: x\n- name: c\n- just text')
    expect(all.models.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(all.problems).toEqual([
      'm.yaml:3: threads: expected a whole number, found text',
      'm.yaml:5: is not a map of keys',
    ])
  })

  // verifies model-file:several:all
  it.each<[string, string, string[], string[]]>([
    ['two documents', 'name: a\n---\nname: b', ['a', 'b'], []],
    ['documents with marks at both ends', '---\nname: a\n...\n---\nname: b\n...\n', ['a', 'b'], []],
    ['a list and a model', '- name: a\n- name: b\n---\nname: c', ['a', 'b', 'c'], []],
    ['empty documents', '---\n---\nname: a\n---\n# nothing\n---\n~\n', ['a'], []],
    ['an anchor of its own in each', 'x: &x 1\nname: a\n---\nx: &x 2\nname: b', ['a', 'b'], []],
    [
      'an alias of another document',
      'x: &x 1\nname: a\n---\nname: *x',
      ['a'],
      ['m.yaml:4: alias "x" has no anchor before it'],
    ],
    ['a broken document', 'name: a\n---\nname: [\n---\nname: c', ['a', 'c'], [expect.stringContaining('m.yaml:4: ')]],
    [
      'a stray bracket',
      'name: a\n---\nname: b]]\nx: ]\n---\nname: c',
      ['a', 'c'],
      [expect.stringContaining('m.yaml:')],
    ],
    ['text behind the end', 'name: a\n...\nthe end', ['a'], ['m.yaml: holds no model']],
    [
      'a document that is too deep',
      `name: a\n---\nx: ${'['.repeat(99)}\n---\nname: c`,
      ['a', 'c'],
      [expect.any(String)],
    ],
    [
      'a name that stands twice in one',
      'name: a\n---\nname: b\nname: c',
      ['a'],
      ['m.yaml:4: key "name" is already defined at line 3'],
    ],
  ])('is every document of a file: %s', (_what, text, names, problems) => {
    const found = parse(text)
    expect(found.models.map(({ name }) => name)).toEqual(names)
    expect(found.problems).toEqual(problems)
  })

  it.each<[string, string, string[], string[]]>([
    [
      'an index',
      '- name: a\n  url: github:o/r/a.yaml\n- &x\n  name: b\n  files: []\n- <<: *x\n  name: c\n',
      [],
      ['m.yaml:1: holds 3 entries of a gallery, not models: add the gallery to the settings'],
    ],
    [
      'an index of overrides',
      '- {name: a, overrides: {backend: x}}',
      [],
      [expect.stringContaining('1 entries of a gallery')],
    ],
    [
      'an index of backends',
      '- {name: a, uri: "quay.io/x"}\n- {name: b, capabilities: {default: a}}',
      [],
      [expect.stringContaining('2 entries')],
    ],
    [
      'a model beside an entry',
      '- {name: a, backend: mock}\n- {name: b, urls: []}',
      ['a'],
      [expect.stringContaining('m.yaml:2: holds 1 entries')],
    ],
    [
      'models with texts to override',
      '- {name: a, backend: mock, overrides: [x=y]}\n- {name: b, backend: mock, url: x}',
      ['a', 'b'],
      [],
    ],
  ])('is not an entry of a gallery: %s', (_what, text, names, problems) => {
    const found = parse(text)
    expect(found.models.map(({ name }) => name)).toEqual(names)
    expect(found.problems).toEqual(problems)
  })

  // verifies model-file:galleries:load-as-they-are
  it.each([
    ['a stop word', 'stopwords: ["\\\'", a]', ["'", 'a']],
    ['several', 'stopwords: ["\\\'a\\\'"]', ["'a'"]],
    ['behind a backslash', 'stopwords: ["\\\\\'"]', ["\\'"]],
    ['behind an escaped backslash', 'stopwords: ["\\\\\\\'"]', ["\\'"]],
    ['beside other escapes', 'stopwords: ["\\n\\\'\\u0041\\""]', ['\n\'A"']],
    ['in plain and single quotes as it stands', "stopwords: [\\', 'x\\y']", ["\\'", 'x\\y']],
  ])('may write a single quote with a backslash: %s', (_what, text, stopwords) => {
    expect(model(`name: m\n${text}`).llm.stopwords).toEqual(stopwords)
  })
})

// verifies router:knn:k-max, proxy:key:one-source
describe('refused files', () => {
  it.each([
    ['', 'm.yaml: holds no model'],
    ['[]', 'm.yaml: holds no model'],
    ['just text', 'm.yaml: holds no model'],
    ['services: {web: {image: x}}', 'm.yaml:1: holds no key of a model'],
    ['name: [', 'm.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['name: a\nname: b', 'm.yaml:2: key "name" is already defined at line 1'],
    ['name: ../x', 'm.yaml:1: name: is not a name for a model'],
    ['name: "a\\nbackend: evil"', 'm.yaml:1: name: is not a name for a model'],
    ['name: m\nbackend: a/b', 'm.yaml:2: backend: may hold letters, digits, "-" and "_" only'],
    ['name: m\nbackend: llama.cpp', 'm.yaml:2: backend: may hold letters, digits, "-" and "_" only'],
    ['name: m\nparameters:\n  model: /etc/passwd', 'm.yaml:3: parameters.model: must not be an absolute path'],
    ['name: m\nparameters:\n  model: a/../../b', 'm.yaml:3: parameters.model: must not hold ".."'],
    ['name: m\nmmproj: C:\\x', 'm.yaml:2: mmproj: must not be an absolute path'],
    ['name: m\ndraft_model: ../x', 'm.yaml:2: draft_model: must not hold ".."'],
    ['name: m\nprompt_cache_path: ../x', 'm.yaml:2: prompt_cache_path: must not hold ".."'],
    [
      'name: m\ndownload_files:\n- filename: a\n- filename: /b',
      'm.yaml:4: download_files[1].filename: must not be an absolute path',
    ],
    [
      'name: m\npii_detection:\n  deny_list_files:\n    P: [ok, ../x]',
      'm.yaml:4: pii_detection.deny_list_files.P[1]: must not hold ".."',
    ],
    [
      'name: m\npii_detection:\n  allow_list_files:\n  - /x',
      'm.yaml:4: pii_detection.allow_list_files[0]: must not be an absolute path',
    ],
    [
      'name: m\npii_detection:\n  protected_terms_files:\n  - ok\n  - ../x',
      'm.yaml:5: pii_detection.protected_terms_files[1]: must not hold ".."',
    ],
    ['name: m\nalias: m', 'm.yaml:2: alias: points to itself'],
    ['name: m\nalias: ""', 'm.yaml:2: alias: names no model'],
    ['name: m\nalias: x\nbackend: y', 'm.yaml:3: backend: cannot be set beside alias'],
    ['name: m\nalias: x\nparameters: {model: y}', 'm.yaml:3: parameters.model: cannot be set beside alias'],
    ['name: m\nalias: x\nartifacts: [{target: model}]', 'm.yaml:3: artifacts: cannot be set beside alias'],
    [
      'name: m\nproxy:\n  api_key_env: A\n  api_key_file: B',
      'm.yaml:4: proxy.api_key_file: cannot be set beside api_key_env',
    ],
    ['name: m\nproxy: {mode: sideways}', 'm.yaml:2: proxy.mode: must be one of passthrough, translate'],
    ['name: m\nproxy: {mode: translate}', 'm.yaml:2: proxy.provider: is needed for the mode translate'],
    [
      'name: m\nproxy: {provider: other}',
      'm.yaml:2: proxy.provider: must be one of provider_a, openai, provider_b, anthropic',
    ],
    ['name: m\nrouter: {knn: {k: 1025}}', 'm.yaml:2: router.knn.k: must be between 0 and 1024'],
    ['name: m\nrouter: {score_normalization: max}', 'm.yaml:2: router.score_normalization: must be one of raw, mean'],
    [
      'name: m\nparameters: {pooling: max}',
      'm.yaml:2: parameters.pooling: must be one of backend, mean, last, decayed_mean',
    ],
    [
      'name: m\nparameters: {pooling: mean, pooling_half_life_tokens: 3}',
      'm.yaml:2: parameters.pooling_half_life_tokens: applies to the pooling decayed_mean only',
    ],
    [
      'name: m\nmcp:\n  remote: "a: ["',
      'm.yaml:3: mcp.remote: is not valid YAML or JSON: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'name: m\nmcp:\n  remote: |\n    mcpServers:\n      a:\n        url: ftp://x\n',
      'm.yaml:6: mcp.remote.mcpServers.a.url: is not an http or https address',
    ],
    [
      'name: m\nmcp:\n  stdio: |\n    {"mcpServers": {"a": {"args": []}}}\n',
      'm.yaml:4: mcp.stdio.mcpServers.a: has no command',
    ],
    [
      'name: m\nmcp:\n  stdio: |\n    mcpServers:\n      a:\n        command: x\n        approval: {t: maybe}\n',
      'm.yaml:7: mcp.stdio.mcpServers.a.approval.t: must be one of auto, ask, never',
    ],
    [
      'name: m\nmcp:\n  stdio: |\n    mcpServers:\n      a:\n        command: x\n        timeout: soon\n',
      'm.yaml:7: mcp.stdio.mcpServers.a.timeout: is not a time from 1ms to 24h, such as 90s',
    ],
    ['name: m\nmcp: {stdio: "[1]"}', 'm.yaml:2: mcp.stdio: must hold a map'],
    [
      'name: m\nengine_args: {x: .nan}',
      'm.yaml:2: engine_args: must be sayable in JSON: holds a number that is not finite',
    ],
    ['name: m\ncompression: {trigger_at_ratio: 2}', 'm.yaml:2: compression.trigger_at_ratio: must be between 0 and 1'],
    [
      'name: m\npii_detection: {entity_actions: {EMAIL: hide}}',
      'm.yaml:2: pii_detection.entity_actions.EMAIL: must be one of mask, block, allow',
    ],
    [
      'name: m\nartifacts: [{name: a, target: companion}]',
      'm.yaml:2: artifacts[0].target: must be model for the first entry',
    ],
    [
      'name: m\nartifacts:\n- {name: a, target: model}\n- {name: a, target: companion}',
      'm.yaml:4: artifacts[1].name: is used twice',
    ],
    [
      'name: m\nartifacts:\n- {name: a, target: model}\n- {name: b, target: model}',
      'm.yaml:4: artifacts[1].target: model belongs to the first entry',
    ],
    [
      'name: m\nmax_concurrent: 1\nlimits: {max_concurrent: 2}',
      'm.yaml:2: max_concurrent: differs from limits.max_concurrent, which is the same key',
    ],
    ['name: m\nmax_concurrent: -1', 'm.yaml:2: max_concurrent: must be between 0 and 2147483647'],
    ['name: m\nknown_usecases: chat', 'm.yaml:2: known_usecases: expected a list, found text'],
  ])('%j', (text, problem) => {
    expect(parse(text)).toEqual({ models: [], problems: [problem] })
  })

  it('names every mistake of a file', () => {
    expect(parse('name: m\nthreads: x\nf16: maybe\nparameters: [1]').problems).toEqual([
      'm.yaml:2: threads: expected a whole number, found text',
      'm.yaml:3: f16: expected a boolean, found text',
      'm.yaml:4: parameters: expected a map, found a list',
    ])
  })

  it('needs a name when its file name is not allowed as one', () => {
    expect(parse('backend: x', '-flag.yaml').problems).toEqual(['-flag.yaml:1: name: is missing'])
  })

  it('does not quote the file', () => {
    const { problems } = parse('name: m\nthreads: hunter2\nproxy: {api_key_env: [hunter2]}')
    expect(problems).toHaveLength(2)
    expect(problems.join()).not.toContain('hunter2')
  })
})

describe('mutated files', () => {
  const texts = readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(new URL(name, FIXTURES), 'utf8'))
  const splice = fc.record({
    text: fc.constantFrom(...texts),
    edits: fc.array(
      fc.record({
        at: fc.nat(1500),
        remove: fc.nat(20),
        insert: fc.oneof(
          fc.string({ maxLength: 6 }),
          fc.constantFrom(
            '[',
            '{',
            '- ',
            ': ',
            '\n',
            '\t',
            '&a',
            '*a',
            '<<: ',
            '"',
            '|',
            '!!',
            'name: ',
            '0x',
            '.inf',
            '~',
          ),
        ),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })

  it('give a model or problems that say where, never both and never a throw', () => {
    fc.assert(
      fc.property(splice, ({ text, edits }) => {
        const mutated = edits.reduce((now, { at, remove, insert }) => {
          const from = Math.min(at, now.length)
          return now.slice(0, from) + insert + now.slice(from + remove)
        }, text)
        const { models, problems } = parseModelFile(mutated, PLACE)
        expect(models.length === 0).toBe(problems.length > 0)
        for (const problem of problems) expect(formatProblem(problem)).toMatch(/^m\.yaml(:[1-9]\d*)?: ./)
        expect(() => JSON.stringify(models)).not.toThrow()
      }),
      { numRuns: 600 },
    )
  })
})
