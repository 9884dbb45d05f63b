// Scores a recogniser on texts that nobody here wrote: files of JSON lines with a text and the places of its names, as
// `svc pii eval` reads them. Files without any label give the share of characters that would be masked.
//   pnpm --filter @svc/bench pii-foreign -- --folder F [--weights F] [--min-score 0.4] [--most 2000] [--finds]
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { analyzeText } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'
import { evaluateDetectors, type FoundEntity } from '@svc/pii/evaluation'
import { createRecogniser } from '@svc/pii/recogniser'
import { InferenceSession, Tensor } from 'onnxruntime-node'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    folder: { type: 'string' },
    weights: {
      type: 'string',
      default: fileURLToPath(new URL('../../packages/demo-models/weights/demo-ner', import.meta.url)),
    },
    'min-score': { type: 'string', default: '0.4' },
    most: { type: 'string', default: '5000' },
    finds: { type: 'boolean', default: false },
  },
})
const { folder, weights, 'min-score': minScore, most, finds: shows } = values
if (folder === undefined) throw new Error('pii-foreign: name the folder of the texts, as --folder F')

const GROUPS = { PER: 'people', LOC: 'places', ORG: 'organisations' } as const
const { signal } = new AbortController()

const readJson = (name: string) => JSON.parse(readFileSync(join(weights, name), 'utf8'))
const session = await InferenceSession.create(join(weights, 'onnx/model_int8.onnx'), { intraOpNumThreads: 1 })
const classifier = createRecogniser({
  session,
  Tensor,
  config: readJson('config.json'),
  tokenizer: readJson('tokenizer.json'),
  tokenizerConfig: readJson('tokenizer_config.json'),
  aggregation: 'max',
})
const detectors = [createDetector({ name: 'recogniser', settings: { minScore: Number(minScore) }, classifier })]

async function find(text: string): Promise<readonly FoundEntity[]> {
  const { scanned, spans } = await analyzeText(text, { detectors })
  if (scanned !== text) throw new Error('another text was scanned')
  return spans.map(({ start, end, group, score = 0 }) => ({ start, end, group, score }))
}

async function printScores(name: string, lines: readonly string[]): Promise<void> {
  const { groups } = await evaluateDetectors({ lines, find, signal })
  const cells = Object.keys(GROUPS).map((wanted) => {
    const group = groups.find((each) => each.group === wanted)
    if (group === undefined || group.labels === 0) return '-'.padStart(24)
    const { f2, precision, recall } = group
    return `${f2.toFixed(3)} (${precision.toFixed(2)} ${recall.toFixed(2)}) ${String(group.labels).padStart(5)}`.padStart(
      24,
    )
  })
  console.log(`${name.padEnd(24)} ${cells.join('')}`)
}

async function printMasked(name: string, texts: readonly string[]): Promise<void> {
  let masked = 0
  let all = 0
  let touched = 0
  for (const text of texts) {
    const found = await find(text)
    masked += found.reduce((sum, { start, end }) => sum + end - start, 0)
    all += text.length
    if (found.length > 0) touched++
    if (shows)
      for (const { start, end, group, score } of found)
        console.log(`  ${group} ${score.toFixed(2)} ${text.slice(start, end)}`)
  }
  const share = `${((100 * masked) / all).toFixed(2)} % of ${all} characters masked`
  console.log(`${name.padEnd(24)} ${share}, in ${touched} of ${texts.length} texts`)
}

console.log(
  `${'F2 (precision recall)'.padEnd(24)} ${Object.values(GROUPS)
    .map((name) => `${name}, labels`.padStart(24))
    .join('')}`,
)
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .sort()) {
  const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n').slice(0, Number(most))
  const records = lines.map((line) => JSON.parse(line) as { text: string; spans: readonly unknown[] })
  const name = basename(file, '.jsonl')
  if (records.some(({ spans }) => spans.length > 0)) await printScores(name, lines)
  else
    await printMasked(
      name,
      records.map(({ text }) => text),
    )
}
