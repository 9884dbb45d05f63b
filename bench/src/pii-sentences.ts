// Scores all built-in detectors on labelled sentences that were written before and without their rules.
//   pnpm --filter @svc/bench pii-sentences [-- --misses --language de --held-out]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { analyzeText } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'
import { familyOfGroup, hasDetector, KINDS } from './pii-sentences-kinds.ts'
import { readSentences, type Sentence } from './pii-sentences-read.ts'
import {
  compare,
  maskedWithoutValue,
  type Outcome,
  type Score,
  score,
  scoreFamily,
  scoreKind,
} from './pii-sentences-score.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    misses: { type: 'boolean', default: false },
    language: { type: 'string' },
    'held-out': { type: 'boolean', default: false },
  },
})

const detectors = [createDetector({ name: 'all', settings: { builtins: ['all'] }, slices: { sliceMs: 60_000 } })]

async function scan(sentence: Sentence): Promise<Outcome> {
  const { scanned, spans } = await analyzeText(sentence.text, { detectors })
  if (scanned !== sentence.text) throw new Error(`line ${sentence.line}: another text was scanned`)
  return compare(sentence, spans)
}

const share = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(3)).padStart(8)

function row(name: string, line: Score): string {
  const recall = `${String(line.labels).padStart(6)}${share(line.typedRecall)}${share(line.untypedRecall)}`
  const precision = `${String(line.findings).padStart(7)}${share(line.typedPrecision)}${share(line.untypedPrecision)}`
  const measure = line.findings === 0 && line.typedRecall > 0 ? Number.NaN : line.f2
  return `${name.padEnd(34)}${recall}${precision}${share(line.labels === 0 ? Number.NaN : measure)}`
}

function printTables(outcomes: readonly Outcome[]): void {
  console.log(`${''.padEnd(34)}labels   typed untyped  found   typed untyped      F2`)
  console.log(`${''.padEnd(34)}        recall  recall         precis. precis.  typed`)
  for (const kind of Object.keys(KINDS)) {
    console.log(row(hasDetector(kind) ? kind : `${kind} (no detector)`, scoreKind(outcomes, kind)))
  }
  console.log()
  for (const language of new Set(outcomes.map(({ sentence }) => sentence.language))) {
    const own = outcomes.filter(({ sentence }) => sentence.language === language)
    console.log(row(`${language} structured (${own.length} texts)`, scoreFamily(own, 'structured')))
    console.log(row(`${language} secrets`, scoreFamily(own, 'secrets')))
  }
  console.log()
  const isStructured = (kind: string): boolean => KINDS[kind]?.family === 'structured'
  const all = outcomes.flatMap(({ labels }) => labels)
  console.log(row('structured kinds, goal 0.95', scoreFamily(outcomes, 'structured')))
  console.log(row('  without kinds of no detector', claimed(outcomes)))
  console.log(row('secrets in prose, goal 0.9', scoreFamily(outcomes, 'secrets')))
  const wrong = all.filter(({ label }) => isStructured(label.kind) && !label.checked)
  console.log(`structured values with a wrong check: ${wrong.filter(({ typed }) => typed).length} of ${wrong.length}`)
  const { masked, characters } = maskedWithoutValue(outcomes)
  const plain = outcomes.filter(({ labels }) => labels.length === 0).length
  const percent = ((100 * masked) / characters).toFixed(2)
  console.log(`${plain} texts without a private value: ${masked} of ${characters} characters masked (${percent} %)`)
}

/** The score of the structured kinds that a detector can find. */
function claimed(outcomes: readonly Outcome[]): Score {
  return score(
    outcomes,
    ({ kind }) => KINDS[kind]?.family === 'structured' && hasDetector(kind),
    ({ group }) => familyOfGroup(group) === 'structured',
  )
}

function printMisses({ sentence, labels, findings }: Outcome): void {
  const around = (start: number, end: number): string => {
    const [before, value, after] = [
      sentence.text.slice(Math.max(0, start - 40), start),
      sentence.text.slice(start, end),
      sentence.text.slice(end, end + 20),
    ]
    return JSON.stringify(`${before}«${value}»${after}`)
  }
  const place = `${sentence.language} line ${sentence.line}`
  for (const { label, typed, untyped, touched } of labels) {
    if (typed) continue
    const how = untyped ? 'other kind' : touched ? 'partly' : 'missed'
    const wrong = label.checked ? '' : ' (wrong check)'
    console.log(`${how.padEnd(10)} ${label.kind}${wrong} ${place} ${around(label.start, label.end)}`)
  }
  for (const { finding, verdict } of findings) {
    if (verdict !== 'false') continue
    console.log(`false      ${finding.group} ${place} ${around(finding.start, finding.end)}`)
  }
}

const name = values['held-out'] ? 'pii-sentences-held-out.txt' : 'pii-sentences.txt'
const file = readFileSync(join(import.meta.dirname, name), 'utf8')
const sentences = readSentences(file).filter(({ language }) => [undefined, language].includes(values.language))
const outcomes: Outcome[] = []
for (const sentence of sentences) outcomes.push(await scan(sentence))
if (values.misses) for (const outcome of outcomes) printMisses(outcome)
printTables(outcomes)
