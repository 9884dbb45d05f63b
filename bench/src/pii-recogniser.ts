// Measures the demo recogniser on its held-out texts beside only rules: F2 of each group by language, and the share of
// labelled characters that is covered; then the time of 20,000 characters on one processor. The server must be built.
//   pnpm --filter @svc/bench pii-recogniser
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DetectorEvaluation, evaluateDetectors, type FoundEntity } from '@svc/pii/evaluation'
import { type Measured, readCpuSeconds } from './processes.ts'
import { startServer } from './server.ts'

const TEXTS = new URL('../../packages/demo-models/evaluation/ner/texts.jsonl', import.meta.url)
const LANGUAGES = { en: 'English', de: 'German', fr: 'French', es: 'Spanish', it: 'Italian' } as const
const GROUPS = ['PER', 'LOC', 'ORG', 'STREET_ADDRESS', 'DATE'] as const
const SETS = {
  rules: ['rules'],
  recogniser: ['demo-ner'],
  'rules and recogniser': ['rules', 'demo-ner'],
} as const
const LENGTH = 20_000
const ROUNDS = 7
const { signal } = new AbortController()

interface Analysis {
  readonly entities: readonly {
    readonly entity_type: string
    readonly start: number
    readonly end: number
    readonly score: number
  }[]
}

async function analyze(url: string, text: string, detectors: readonly string[]): Promise<readonly FoundEntity[]> {
  const body = JSON.stringify({ text, detectors, offset_encoding: 'utf16' })
  const reply = await fetch(`${url}/api/pii/analyze`, { method: 'POST', body })
  if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`)
  const { entities } = (await reply.json()) as Analysis
  return entities.map(({ entity_type: group, start, end, score }) => ({ group, start, end, score }))
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8)

function printSet(title: string, evaluations: ReadonlyMap<string, DetectorEvaluation>): void {
  console.log(`\n${title}`)
  console.log(`  ${'F2'.padEnd(10)} ${GROUPS.map((group) => group.padStart(15)).join('')}    covered  false finds`)
  for (const [language, { groups, total }] of evaluations) {
    const cells = GROUPS.map((wanted) => {
      const found = groups.find(({ group }) => group === wanted)
      return (found === undefined || found.labels === 0 ? '-' : found.f2.toFixed(3)).padStart(15)
    })
    console.log(
      `  ${language.padEnd(10)} ${cells.join('')}   ${percent(total.coverage)}  ${String(total.false).padStart(11)}`,
    )
  }
}

function printGroups(evaluation: DetectorEvaluation): void {
  console.log('\nrecogniser, all languages')
  for (const { group, labels, precision, recall, f2, coverage } of evaluation.groups) {
    const figures = `precision ${percent(precision)}  recall ${percent(recall)}  F2 ${f2.toFixed(3)}  covered ${percent(coverage)}`
    console.log(`  ${group.padEnd(16)} ${String(labels).padStart(5)} labels  ${figures}`)
  }
}

/** A process and the processes that it started. */
function listTree(pid: number): number[] {
  const parents = readdirSync('/proc')
    .map(Number)
    .filter((other) => other > 0)
    .flatMap((other) => {
      try {
        const fields = readFileSync(`/proc/${other}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
        return [[other, Number(fields[1])] as const]
      } catch {
        return []
      }
    })
  const tree = [pid]
  for (const member of tree) tree.push(...parents.flatMap(([other, parent]) => (parent === member ? [other] : [])))
  return tree
}

const readTreeSeconds = (pid: number): number => listTree(pid).reduce((sum, member) => sum + readCpuSeconds(member), 0)

async function measureSpeed({ url, pid }: Measured, lines: readonly string[]): Promise<void> {
  const prose = lines.map((line) => (JSON.parse(line) as { text: string }).text).join('\n\n')
  const text = prose.slice(0, LENGTH)
  await analyze(url, text, ['demo-ner'])
  const rounds: { wall: number; processor: number; found: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    const used = readTreeSeconds(pid)
    const found = (await analyze(url, text, ['demo-ner'])).length
    rounds.push({ wall: (performance.now() - begun) / 1000, processor: readTreeSeconds(pid) - used, found })
  }
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
  const least = Math.min(...rounds.map(({ wall }) => wall))
  console.log(`\n${LENGTH} characters on one processor, ${rounds[0]?.found} finds, ${ROUNDS} rounds`)
  console.log(
    `  processor time ${median(rounds.map(({ processor }) => processor)).toFixed(2)} s (median), ` +
      `wall time ${median(rounds.map(({ wall }) => wall)).toFixed(2)} s (median), ${least.toFixed(2)} s (least)`,
  )
}

const lines = readFileSync(TEXTS, 'utf8').trim().split('\n')
const folder = mkdtempSync(join(tmpdir(), 'svc-recogniser-'))
const rules = { name: 'rules', backend: 'pattern', pii_detection: { builtins: ['all'] } }
const server = await startServer({
  folder,
  models: [rules],
  cpu: 0,
  env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' },
})
try {
  for (const [title, detectors] of Object.entries(SETS)) {
    const known = new Map<string, readonly FoundEntity[]>()
    const find = async (text: string) => {
      const found = known.get(text) ?? (await analyze(server.url, text, detectors))
      known.set(text, found)
      return found
    }
    const evaluate = (chosen: readonly string[]) => evaluateDetectors({ lines: chosen, find, signal })
    const evaluations = new Map<string, DetectorEvaluation>()
    for (const [code, language] of Object.entries(LANGUAGES)) {
      const own = lines.filter((line) => (JSON.parse(line) as { language: string }).language === code)
      evaluations.set(language, await evaluate(own))
    }
    const all = await evaluate(lines)
    printSet(title, evaluations.set('all', all))
    if (title === 'recogniser') printGroups(all)
  }
  await measureSpeed(server, lines)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
