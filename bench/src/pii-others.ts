// Compares the built-ins with Presidio, detect-secrets and gitleaks on the labelled sentences, whatever the kinds are
// called. A tool that is not installed is left out; nothing is installed.
//   pip install presidio-analyzer detect-secrets
//   pnpm --filter @svc/bench pii-others [-- --python /path/to/python3 --gitleaks /path/to/gitleaks]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { analyzeText } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'
import { KINDS } from './pii-sentences-kinds.ts'
import { readSentences, type Sentence } from './pii-sentences-read.ts'
import { compare, maskedWithoutValue, type Outcome } from './pii-sentences-score.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { python: { type: 'string', default: 'python3' }, gitleaks: { type: 'string', default: 'gitleaks' } },
})

type Range = readonly [start: number, end: number]

/** What a tool reports, text by text. */
interface Run {
  readonly name: string
  readonly found: readonly (readonly Range[])[]
}

const MAX_OUTPUT = 256 * 1024 * 1024

async function runOurs(texts: readonly string[]): Promise<Run> {
  const detectors = [createDetector({ name: 'all', settings: { builtins: ['all'] } })]
  const found: Range[][] = []
  for (const text of texts) {
    const { spans } = await analyzeText(text, { detectors })
    found.push(spans.map(({ start, end }) => [start, end]))
  }
  return { name: '@svc/pii, all built-ins', found }
}

function runPython(tool: string, texts: readonly string[]): Run | undefined {
  const script = join(import.meta.dirname, 'pii-others.py')
  const options = { input: JSON.stringify(texts), encoding: 'utf8', maxBuffer: MAX_OUTPUT } as const
  const { status, stdout, stderr, error } = spawnSync(values.python, [script, tool], options)
  if (error !== undefined || /ModuleNotFoundError/.test(stderr)) {
    console.log(`${tool} is not installed: left out`)
    return undefined
  }
  if (status !== 0) throw new Error(`${tool} failed:\n${stderr}`)
  const { version, found }: { version: string; found: Range[][] } = JSON.parse(stdout)
  return { name: `${tool} ${version}`, found }
}

/** Runs gitleaks on a folder with a file for each text, with its own rules. */
function runGitleaks(texts: readonly string[]): Run | undefined {
  const version = spawnSync(values.gitleaks, ['version'], { encoding: 'utf8' })
  if (version.error !== undefined) {
    console.log('gitleaks is not installed: left out')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'pii-others-'))
  try {
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index}.txt`), text)
    const report = join(folder, 'report.json')
    const flags = ['--report-format', 'json', '--report-path', report, '--exit-code', '0', '--no-banner']
    const { status, stderr } = spawnSync(values.gitleaks, ['dir', folder, ...flags], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`gitleaks failed:\n${stderr}`)
    const found: Range[][] = texts.map(() => [])
    for (const { File, Secret } of JSON.parse(readFileSync(report, 'utf8')) as { File: string; Secret: string }[]) {
      const index = Number(basename(File, '.txt'))
      found[index]?.push(...findAll(texts[index] ?? '', Secret))
    }
    // one that was built from its sources does not know its version
    return { name: `gitleaks ${/^v?[\d.]+/.exec(version.stdout)?.[0] ?? ''}`, found }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function findAll(text: string, value: string): Range[] {
  const ranges: Range[] = []
  if (value === '') return ranges
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    ranges.push([at, at + value.length])
  }
  return ranges
}

function judge(sentences: readonly Sentence[], { found }: Run): Outcome[] {
  return sentences.map((sentence, index) =>
    compare(
      sentence,
      (found[index] ?? []).map(([start, end]) => ({ start, end, group: '' })),
    ),
  )
}

/** The share of labelled values of a family that findings of any kind cover. */
function covered(outcomes: readonly Outcome[], family: 'structured' | 'secrets'): string {
  const labels = outcomes
    .flatMap((outcome) => outcome.labels)
    .filter(({ label }) => KINDS[label.kind]?.family === family)
  return (labels.filter(({ untyped }) => untyped).length / labels.length).toFixed(3)
}

function row(name: string, outcomes: readonly Outcome[]): string {
  const findings = outcomes.flatMap((outcome) => outcome.findings)
  const wrong = findings.filter(({ verdict }) => verdict === 'false').length
  const { masked, characters } = maskedWithoutValue(outcomes)
  return [
    name.padEnd(30),
    covered(outcomes, 'structured').padStart(10),
    covered(outcomes, 'secrets').padStart(9),
    String(findings.length).padStart(7),
    String(wrong).padStart(7),
    `${((100 * masked) / characters).toFixed(2)} %`.padStart(9),
  ].join('')
}

const sentences = readSentences(readFileSync(join(import.meta.dirname, 'pii-sentences.txt'), 'utf8'))
const texts = sentences.map(({ text }) => text)
const runs = [
  await runOurs(texts),
  runPython('presidio', texts),
  runPython('detect-secrets', texts),
  runGitleaks(texts),
]
for (const language of [undefined, 'en']) {
  const isWanted = (sentence: Sentence): boolean => language === undefined || sentence.language === language
  console.log(`\n${language ?? 'all languages'}: ${sentences.filter(isWanted).length} texts`)
  console.log(`${''.padEnd(30)}structured  secrets  found  false  masked of texts without a value`)
  for (const run of runs) {
    if (run === undefined) continue
    console.log(
      row(
        run.name,
        judge(sentences, run).filter((outcome) => isWanted(outcome.sentence)),
      ),
    )
  }
}
