// Measures MB of JSON a second read and walked for its text by the PII filter, over `JSON.parse` and a plain walk of
// all strings, in one run: interleaved rounds, medians. Also measures the time of one chat request of 2,000 tokens.
//   pnpm --filter @svc/bench pii-walk [-- --rounds 15]
import { parseArgs } from 'node:util'
import { applySplices, parseJson } from '@svc/json'
import { collectSegments, type DocumentFormat } from '@svc/pii/documents'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { rounds: { type: 'string', default: '15' } },
})
const rounds = Number(values.rounds)

const SENTENCE = 'The quick brown fox jumps over the lazy dog and keeps on running through the forest until nightfall. '
const TOKENS_A_SENTENCE = 20

interface Body {
  readonly name: string
  readonly format: DocumentFormat
  readonly body: unknown
}

const messages = (count: number, words: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index % 3 === 0 ? [{ type: 'text', text: SENTENCE.repeat(words) }] : SENTENCE.repeat(words),
  }))

const tools = Array.from({ length: 20 }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool_${index}`,
    description: 'Looks something up and says what it found.',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 6 }, (_unused, field) => [
          `field_${field}`,
          { type: 'string', description: 'What to look for.' },
        ]),
      ),
      required: ['field_0'],
    },
  },
}))

const calls = Array.from({ length: 100 }, (_, index) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: `call_${index}`,
        type: 'function',
        function: { name: 'tool_1', arguments: JSON.stringify({ field_0: SENTENCE, page: index }) },
      },
    ],
  },
  {
    role: 'tool',
    tool_call_id: `call_${index}`,
    content: JSON.stringify({ results: [{ title: 'A title', body: SENTENCE, score: 0.5 }] }),
  },
]).flat()

const CHAT: Body = {
  name: 'chat, 2,000 tokens in 20 messages',
  format: 'chat-completions',
  body: { model: 'demo', messages: messages(20, 2000 / 20 / TOKENS_A_SENTENCE), temperature: 0.7 },
}
const BODIES: readonly Body[] = [
  CHAT,
  {
    name: 'the same with 20 tools',
    format: 'chat-completions',
    body: { model: 'demo', messages: messages(20, 5), tools },
  },
  { name: '100 tool calls and results', format: 'chat-completions', body: { model: 'demo', messages: calls } },
  { name: 'one text of 4 MB', format: 'ollama-generate', body: { model: 'demo', prompt: SENTENCE.repeat(40_000) } },
  {
    name: '4 MB of image data',
    format: 'chat-completions',
    body: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(1_000_000)}` } }],
        },
      ],
    },
  },
]

/** All strings of a value: the least cost of walking the result of `JSON.parse`. */
function countStrings(value: unknown): number {
  if (typeof value === 'string') return 1
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) count += countStrings(member)
  return count
}

function median(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0
}

/** Milliseconds of one run of a function, on average over about 20 ms. */
function measureTime(run: () => unknown): number {
  const begun = performance.now()
  let count = 0
  let spent = 0
  do {
    run()
    count += 1
    spent = performance.now() - begun
  } while (spent < 20)
  return spent / count
}

console.log(`${rounds} interleaved rounds, medians; MB are 10^6 bytes`)
for (const { name, format, body } of BODIES) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const document = parseJson(bytes)
  const runs = {
    collect: () => collectSegments(document, format).segments.length,
    both: () => collectSegments(parseJson(bytes), format).segments.length,
    plain: () => countStrings(JSON.parse(decoder.decode(bytes))),
    rewrite: () => {
      const { segments, toSplices } = collectSegments(document, format)
      const result = toSplices(new Map(segments.map((segment) => [segment, `${segment.text} `])))
      return result.kind === 'splices' ? applySplices(bytes, result.splices).length : 0
    },
  }
  const times = { collect: [] as number[], both: [] as number[], plain: [] as number[], rewrite: [] as number[] }
  for (const run of Object.values(runs)) measureTime(run)
  for (let round = 0; round < rounds; round++) {
    for (const [key, run] of Object.entries(runs)) times[key as keyof typeof runs].push(measureTime(run))
  }
  const ms = {
    collect: median(times.collect),
    both: median(times.both),
    plain: median(times.plain),
    rewrite: median(times.rewrite),
  }
  const megabytes = (milliseconds: number) => (bytes.length / milliseconds / 1000).toFixed(1).padStart(7)
  console.log(
    `\n${name} (${(bytes.length / 1e6).toFixed(3)} MB, ${collectSegments(document, format).segments.length} texts)`,
  )
  console.log(`  texts collected              ${megabytes(ms.collect)} MB/s  ${ms.collect.toFixed(3)} ms`)
  console.log(`  tokens read and collected    ${megabytes(ms.both)} MB/s  ${ms.both.toFixed(3)} ms`)
  console.log(`  JSON.parse and a plain walk  ${megabytes(ms.plain)} MB/s  ${ms.plain.toFixed(3)} ms`)
  console.log(`  every text replaced          ${megabytes(ms.rewrite)} MB/s  ${ms.rewrite.toFixed(3)} ms`)
  console.log(`  read and collected / plain   ${(ms.plain / ms.both).toFixed(2)}`)
}
