// Compares the processor time of this checkout's server with that of another commit's, in one run: a chat, an event of a
// stream and a start. It builds this checkout and, in a temporary worktree, the other commit; a pair starts both builds
// anew, on processor 0, and measures them in turn, with load and backend on processor 1. It prints the committed figures
// beside the others and ends with 1 where a figure rose by more than a tenth, beyond noise.
//   pnpm --filter @svc/bench guard [-- --base HEAD^ --pairs 12 --write]
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runToEnd } from './ending.ts'
import { buildBase, buildCheckout, findCommit } from './guard-base.ts'
import { openGuard } from './guard-pairs.ts'
import { readRecord, writeRecord } from './guard-record.ts'
import { judge, LIMIT, type Pair, toGuardTable, type Verdict } from './guard-verdict.ts'
import { FEWEST_VALUES } from './median-interval.ts'
import { readWholeNumber } from './option-checks.ts'
import { startBackend } from './relay-sides.ts'
import { BUILT_SERVER } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    base: { type: 'string', default: 'HEAD^' },
    pairs: { type: 'string', default: '12' },
    write: { type: 'boolean', default: false },
  },
})
const count = readWholeNumber('pairs', values.pairs, { least: FEWEST_VALUES, most: 1000 })
const PIECES = 200
const RECORD = fileURLToPath(new URL('../guard.json', import.meta.url))

const say = (text: string): void => void process.stderr.write(`${text}\n`)
const load = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10

/** Measures `count` pairs, and up to as many again while noise holds the limit. */
async function measure(entry: string, signal: AbortSignal): Promise<readonly Pair[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  let stopBackend = (): void => undefined
  try {
    const backend = await startBackend(folder, PIECES)
    stopBackend = () => backend.stop()
    const entries = { base: entry, head: BUILT_SERVER }
    const guard = await openGuard({ folder, backendPort: backend.port, pieces: PIECES, entries, signal })
    const pairs: Pair[] = []
    while (pairs.length < count || (pairs.length < 2 * count && judge(pairs).some(({ isOpen }) => isOpen))) {
      pairs.push(await guard.measurePair(pairs.length))
      say(`pair ${pairs.length} of ${pairs.length > count ? 2 * count : count}`)
    }
    return pairs
  } finally {
    stopBackend()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Prints a run. @returns whether all figures pass */
function report(pairs: readonly Pair[], verdicts: readonly Verdict[], base: string): boolean {
  const committed = readRecord(RECORD)
  console.log(
    `\nthis checkout over ${base.slice(0, 7)}, ${pairs.length} pairs, load of the machine ${load()}; the median of the pairs' ratios, in brackets the interval that holds it with 95 % confidence\n`,
  )
  console.log(toGuardTable(verdicts, committed))
  if (committed !== undefined) {
    const { commit, day, node, processor, load: then } = committed
    console.log(`\ncommitted: ${commit}, ${day}, Node ${node}, ${processor}, load ${then}`)
  }
  const failed = verdicts.filter(({ fails }) => fails)
  if (failed.length > 0) console.log(`\n${failed.length} of ${verdicts.length} rose by more than ${toPercent(LIMIT)} %`)
  return failed.length === 0
}

const toPercent = (ratio: number): string => ((ratio - 1) * 100).toFixed(0)

function write(pairs: readonly Pair[], verdicts: readonly Verdict[]): void {
  const pick = (name: Verdict['figure'], digits: number): number =>
    Number(verdicts.find(({ figure }) => figure === name)?.head.toFixed(digits))
  writeRecord(RECORD, {
    commit: findCommit('HEAD').slice(0, 7),
    day: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    processor: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    load: load(),
    pairs: pairs.length,
    chatUs: pick('chatUs', 0),
    eventUs: pick('eventUs', 2),
    startMs: pick('startMs', 0),
  })
}

await runToEnd(async (signal) => {
  const commit = findCommit(values.base)
  say('building this checkout …')
  await buildCheckout(signal)
  say(`building ${commit.slice(0, 7)} …`)
  const base = await buildBase(commit, signal)
  try {
    const pairs = await measure(base.entry, signal)
    const verdicts = judge(pairs)
    if (!report(pairs, verdicts, commit)) process.exitCode = 1
    if (values.write) write(pairs, verdicts)
  } finally {
    base.remove()
  }
})
