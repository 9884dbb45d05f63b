import fc from 'fast-check'
import type { ScannedRoute } from './scanned-routes.ts'

/**
 * Detectors of these bodies. A `canary` is in one text; a `parted` one is cut over parts of one message, a `crossing`
 * one over two messages.
 */
export const CANARY_PATTERNS = [
  { name: 'CANARY', match: 'canary-[0-9a-f]{8}' },
  { name: 'PARTED', match: 'parted-[0-9a-f]{8}' },
  { name: 'CROSSING', match: String.raw`crossing-[0-9a-f]{4}\s+[0-9a-f]{4}` },
] as const

/** A whole canary, or the first piece of a cut one, which its name reveals. */
const LEAK = /canary-[0-9a-f]{8}|(?:parted|crossing)-[0-9a-f]/
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^u]))/g
const BASE64 = /[A-Za-z0-9+/]{16,}={0,2}/g
/** Nesting of JSON in strings of JSON in these bodies. */
const MAX_LAYERS = 8
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Finds a canary in a text, in any layer of escapes, percent signs or base64; undefined when there is none. */
export function findLeak(text: string): string | undefined {
  let view = text
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const leak = LEAK.exec(view) ?? LEAK.exec(decoded(view))
    if (leak !== null) return leak[0]
    const next = view.replace(ESCAPE, (_, code?: string, character?: string) =>
      code === undefined
        ? (CONTROLS[character ?? ''] ?? character ?? '')
        : String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (next === view) break
    view = next
  }
  return undefined
}

function decoded(view: string): string {
  const percent = view.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return [percent, ...Array.from(view.matchAll(BASE64), ([run]) => Buffer.from(run, 'base64').toString('latin1'))].join(
    '\n',
  )
}

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.nat({ max: 16 ** digits - 1 }).map((number) => number.toString(16).padStart(digits, '0'))
const canary = hex(8).map((digits) => `canary-${digits}`)
const AROUND = [
  '',
  ' ',
  '\n',
  'Hi ',
  ' größe ',
  '日本',
  '😀',
  '\ud800',
  '\udc00',
  '"',
  '\\',
  '\\"',
  '{',
  '}',
  '[1,',
  '/',
  '\u0000',
  '\u2028',
  'x',
]
const around = fc.constantFrom(...AROUND)
/** A text with a canary in it. */
const text = fc.tuple(around, canary, around).map(([before, value, after]) => before + value + after)

/** Any value with canaries in its strings or keys. */
const { wild } = fc.letrec<{ wild: unknown }>((tie) => ({
  wild: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'wild' },
    text,
    fc.array(tie('wild'), { minLength: 1, maxLength: 3 }),
    fc
      .tuple(fc.constantFrom('text', 'content', 'name', 'x', 'type', 'ID'), tie('wild'))
      .map(([key, value]) => ({ [key]: value })),
    fc.tuple(text, fc.constantFrom(1, null, 'y', [])).map(([key, value]) => ({ [key]: value })),
    fc.tuple(tie('wild'), fc.double({ noNaN: true })).map(([value, number]) => ({ number, value, flag: true })),
  ),
}))

/** JSON text of such a value, JSON text of a string that holds it, and so on. */
const embedded = fc
  .tuple(wild, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }))
  .map(
    ([value, seeds]) =>
      seeds.reduce<unknown>((inner, seed) => writeJson(inner, { seed, doubles: false }), value) as string,
  )

const base64 = text.map((value) => Buffer.from(value.replace(/[\ud800-\udfff]/g, '')).toString('base64'))
const picture = fc.oneof(
  text.map((value) => `http://127.0.0.1:1/${encodeURIComponent(value.replace(/[\ud800-\udfff]/g, ''))}`),
  text.map((value) => `data:,${encodeURIComponent(value.replace(/[\ud800-\udfff]/g, ''))}`),
  base64.map((value) => `data:text/plain;base64,${value}`),
  fc
    .tuple(canary, fc.constantFrom('image/png', 'text/plain', 'x'), fc.constantFrom('', ';base64'))
    .map(([value, type, end]) => `data:${type};name=${value}${end},iVBOiVBO`),
  canary.map((value) => `data:text/plain;base64,${Buffer.from(`\xff ${value}`, 'latin1').toString('base64')}`),
)

/** A canary cut into two or three parts; each part shows that it is a piece. */
const pieces = fc.tuple(hex(8), fc.integer({ min: 8, max: 14 }), fc.boolean()).map(([digits, cut, twice]) => {
  const value = `parted-${digits}`
  return twice && cut < 14
    ? [value.slice(0, cut), value.slice(cut, cut + 1), value.slice(cut + 1)]
    : [value.slice(0, cut), value.slice(cut)]
})
const crossing = hex(8).map((digits) => [`so: crossing-${digits.slice(0, 4)}`, `${digits.slice(4)} it is`] as const)

type Members = Record<string, unknown>
const part = (type: string) => (value: unknown) => ({ type, text: value })
const toParts = (type: string, values: readonly string[]) => values.map(part(type))

const unknown = fc.oneof(
  wild.map((value): Members => ({ metadata: { a: value } })),
  fc
    .tuple(fc.constantFrom('x_vendor', 'documents', 'user', 'stop', 'extra_body'), wild)
    .map(([key, value]): Members => ({ [key]: value })),
)

const chatMessages = fc.oneof(
  text.map((content) => [{ role: 'user', content }]),
  wild.map((content) => [{ role: 'user', content }]),
  fc
    .tuple(text, wild)
    .map(([value, more]) => [
      { role: 'user', content: [part('text')(value), { type: 'odd_part', more }], name: value },
    ]),
  pieces.map((values) => [{ role: 'user', content: toParts('text', values) }]),
  crossing.map((values) => values.map((content) => ({ role: 'user', content }))),
  fc.tuple(embedded, text).map(([value, name]) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: value } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: value },
  ]),
  wild.map((content) => [{ role: 'tool', tool_call_id: 'call_1', content }]),
  fc
    .tuple(embedded, embedded)
    .map(([one, other]) => [{ role: 'tool', tool_call_id: 'call_1', content: toParts('text', [one, other]) }]),
  picture.map((url) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]),
)
const tools = fc.tuple(text, text, wild).map(([description, key, value]) => ({
  type: 'function',
  function: {
    name: 'find',
    description,
    parameters: { type: 'object', properties: { [key]: { type: 'string', description, enum: [key], default: value } } },
  },
}))
const chat = fc.oneof(
  { weight: 5, arbitrary: chatMessages.map((messages): Members => ({ messages })) },
  { weight: 1, arbitrary: tools.map((tool): Members => ({ tools: [tool] })) },
  { weight: 1, arbitrary: text.map((content): Members => ({ prediction: { type: 'content', content } })) },
  { weight: 1, arbitrary: unknown },
)

const block = fc.oneof(
  text.map(part('text')),
  wild.map((value) => ({ type: 'tool_use', id: 'toolu_1', name: 'f', input: { value } })),
  fc.oneof(wild, embedded).map((content) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content })),
  text.map((thinking) => ({ type: 'thinking', thinking, signature: 's' })),
  text.map((data) => ({ type: 'document', source: { type: 'text', media_type: 'text/plain', data } })),
  base64.map((data) => ({ type: 'document', source: { type: 'base64', media_type: 'text/plain', data } })),
  picture.map((url) => ({ type: 'image', source: { type: 'url', url } })),
  wild.map((value) => ({ type: 'unheard_of', value })),
)
const messages = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(block, { minLength: 1, maxLength: 2 })
      .map((content): Members => ({ messages: [{ role: 'user', content }] })),
  },
  text.map((system): Members => ({ system })),
  fc.array(text, { minLength: 1, maxLength: 2 }).map((values): Members => ({ system: toParts('text', values) })),
  pieces.map((values): Members => ({ messages: [{ role: 'user', content: toParts('text', values) }] })),
  crossing.map((values): Members => ({ messages: values.map((content) => ({ role: 'user', content })) })),
  tools.map(
    ({ function: { name, description, parameters } }): Members => ({
      tools: [{ name, description, input_schema: parameters }],
    }),
  ),
  unknown,
)

const item = fc.oneof(
  text.map((content) => ({ role: 'user', content })),
  fc.tuple(text, wild).map(([value, more]) => ({
    type: 'message',
    role: 'user',
    content: [part('input_text')(value), { type: 'odd', more }],
  })),
  pieces.map((values) => ({ role: 'user', content: toParts('input_text', values) })),
  embedded.map((value) => ({ type: 'function_call', call_id: 'c1', name: 'f', arguments: value })),
  fc.oneof(wild, embedded).map((output) => ({ type: 'function_call_output', call_id: 'c1', output })),
  text.map((value) => ({
    type: 'reasoning',
    summary: toParts('summary_text', [value]),
    content: toParts('reasoning_text', [value]),
  })),
  embedded.map((input) => ({ type: 'custom_tool_call', call_id: 'c1', name: 'f', input })),
  wild.map((value) => ({ type: 'unheard_of', value })),
)
const responses = fc.oneof(
  { weight: 4, arbitrary: fc.array(item, { minLength: 1, maxLength: 2 }).map((input): Members => ({ input })) },
  text.map((input): Members => ({ input })),
  text.map((instructions): Members => ({ instructions })),
  tools.map(
    ({ function: { description, parameters } }): Members => ({
      tools: [{ type: 'function', name: 'f', description, parameters }],
    }),
  ),
  unknown,
)

const one = (key: string) =>
  fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })).map((value): Members => ({ [key]: value }))
const only = (...keys: string[]) =>
  fc.tuple(fc.constantFrom(...keys), text).map(([key, value]): Members => ({ [key]: value }))
const carried = fc.array(text, { minLength: 1, maxLength: 3 }).map((contents): Members => {
  const json = JSON.stringify(contents.map((content) => ['user', content]))
  return { prompt: 'Again', context: Array.from({ length: json.length }, (_, index) => json.charCodeAt(index)) }
})

const SECRETS: Readonly<Record<ScannedRoute['scanned'], fc.Arbitrary<Members>>> = {
  'chat-completions': chat,
  messages,
  responses,
  completions: fc.oneof(one('prompt'), only('suffix', 'user', 'stop'), unknown),
  embeddings: fc.oneof(
    one('input'),
    chatMessages.map((list): Members => ({ messages: list })),
    unknown,
  ),
  edits: fc.oneof(one('input'), only('instruction', 'input'), unknown),
  'ollama-chat': fc.oneof(
    chat,
    only('system'),
    picture.map((url): Members => ({ messages: [{ role: 'user', content: 'x', images: [url] }] })),
  ),
  'ollama-generate': fc.oneof(
    only('prompt', 'system', 'suffix', 'template'),
    carried,
    picture.map((url): Members => ({ images: [url] })),
    unknown,
  ),
  'ollama-embed': fc.oneof(one('input'), only('prompt'), unknown),
}

/** Further members of a body of each format. */
const PLAIN: Readonly<Record<ScannedRoute['scanned'], Members>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'Hi' }] },
  messages: { max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
  responses: { input: 'Hi', store: false },
  completions: { prompt: 'Hi' },
  embeddings: { input: 'Hi' },
  edits: { instruction: 'Hi', input: 'there' },
  'ollama-chat': { messages: [{ role: 'user', content: 'Hi' }] },
  'ollama-generate': { prompt: 'Hi' },
  'ollama-embed': { input: 'Hi' },
}

/** Bodies of a route's format for one of these models, with at least one canary in a scanned text. */
export function canaryBodies(
  { scanned, path = '' }: Pick<ScannedRoute, 'scanned'> & Partial<Pick<ScannedRoute, 'path'>>,
  models: readonly string[],
): fc.Arbitrary<{ model: string; body: string }> {
  return fc
    .record({
      model: fc.constantFrom(...models),
      secrets: fc.array(SECRETS[scanned], { minLength: 1, maxLength: 2 }),
      stream: fc.boolean(),
      seed: fc.nat(),
    })
    .map(({ model, secrets, stream, seed }) => {
      // Without tools no server of a model is needed.
      const choice = path.includes('/mcp/') ? { tool_choice: 'none' } : {}
      const value = { model, ...PLAIN[scanned], stream, ...Object.assign({}, ...secrets), ...choice }
      const doubles = !/"(?:parted|so: crossing)-/.test(JSON.stringify(value))
      return { model, body: writeJson(value, { seed, doubles }) }
    })
}

/**
 * Writes JSON as an attacker does to hide text: characters as escapes, white space anywhere and, with `doubles`, keys
 * that are duplicated exactly or in another case.
 */
export function writeJson(
  value: unknown,
  { seed, doubles }: { readonly seed: number; readonly doubles: boolean },
): string {
  const random = createRandom(seed)
  const share = random() < 0.5 ? 0 : random()
  const blank = (): string => (random() < 0.1 ? (['\n', '\t', ' ', '\r\n'][Math.floor(random() * 4)] ?? '') : '')
  const character = (unit: string): string => {
    if (random() < share) {
      const code = unit.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${random() < 0.5 ? code : code.toUpperCase()}`
    }
    if (unit === '/' && random() < 0.5) return '\\/'
    return JSON.stringify(unit).slice(1, -1)
  }
  // By code units, so that one half of a pair may be an escape and the other one not.
  const string = (whole: string): string =>
    `"${Array.from(whole, (each) => (each.length === 1 ? character(each) : random() < share ? [...each.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16)}`).join('') : each)).join('')}"`
  const member = (key: string, item: unknown): string[] => {
    const own = `${blank()}${string(key)}${blank()}:${write(item)}`
    if (!doubles || key === 'model' || key === 'stream') return [own]
    const chance = random()
    if (chance < 0.02) return [own, own]
    if (chance < 0.04) return [`${string(key)}:"harmless"`, own]
    if (chance < 0.06) return [own, `${string(key)}:"harmless"`]
    if (chance < 0.07) return [own, `${string(key.toUpperCase())}:${write(item)}`]
    return [own]
  }
  const write = (item: unknown): string => {
    if (typeof item === 'string') return blank() + string(item) + blank()
    if (Array.isArray(item)) return `[${item.map(write).join(',')}]`
    if (typeof item !== 'object' || item === null) return blank() + (JSON.stringify(item) ?? 'null')
    return `{${Object.entries(item)
      .flatMap(([key, each]) => member(key, each))
      .join(',')}}`
  }
  return write(value)
}

/** Creates random numbers in 0..1 from a seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
