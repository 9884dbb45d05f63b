// `npm run mutate -- packages/router`: plants small faults in a package, one at a time, and prints those that none of its
// tests notices. Faults are chosen at random, the same ones for the same seed. A run takes some seconds a fault.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listMutants, takeSample } from './mutants.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONFIG = fileURLToPath(new URL('mutate.config.ts', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** A fault that makes tests run for ever is noticed: after this long, and twice the time of all tests of the package. */
const LEAST_MS = 30_000
const SLOWER = 2

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: npm run mutate -- packages/NAME [--count 40] [--seed 1] [--only PART-OF-A-PATH]')
  process.exit(64)
}

/** Modules of the package without tests and generated ones. @returns {string[]} */
function listModules() {
  const entries = readdirSync(join(ROOT, folder ?? '', 'src'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /(?<!\.d|\.test|\.gen)\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/\/(gen|__fixtures__)\//.test(path) && path.includes(values.only))
    .sort()
}

/**
 * Runs the tests of the package that reach a module with a fault; all its tests if none is given.
 *
 * @param {{ readonly file: string } | undefined} mutant
 * @param {number} limitMs
 * @returns {Promise<{ readonly outcome: 'noticed' | 'unnoticed' | 'endless', readonly ms: number }>}
 */
function test(mutant, limitMs) {
  const since = performance.now()
  const some = mutant === undefined ? [] : ['related', mutant.file, '--passWithNoTests']
  const args = [...some, '--run', '--bail=1', '--config', CONFIG, '--project', String(folder), '--reporter=dot']
  const child = spawn(process.execPath, [VITEST, ...args], {
    cwd: ROOT,
    env: { ...process.env, SVC_MUTANT: JSON.stringify(mutant ?? {}) },
    stdio: 'ignore',
    detached: true,
  })
  let isEndless = false
  const timer = setTimeout(() => {
    isEndless = true
    // with the workers
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, limitMs)
  return new Promise((done, reject) => {
    child.once('error', reject).once('exit', (code) => {
      clearTimeout(timer)
      const outcome = isEndless ? 'endless' : code === 0 ? 'unnoticed' : 'noticed'
      done({ outcome, ms: performance.now() - since })
    })
  })
}

const modules = listModules().map((file) => ({ file, mutants: listMutants(readFileSync(file, 'utf8')) }))
const all = modules.flatMap(({ file, mutants }) => mutants.map((mutant) => ({ file, ...mutant })))
const sample = takeSample(all, { count: Number(values.count), seed: Number(values.seed) })
console.log(`${folder}: ${sample.length} of ${all.length} faults in ${modules.length} modules, seed ${values.seed}`)

const usual = await test(undefined, 600_000)
if (usual.outcome !== 'unnoticed') throw new Error(`the tests of ${folder} fail without a fault`)
const limitMs = LEAST_MS + SLOWER * usual.ms
let unnoticed = 0
for (const mutant of sample) {
  const { file, line, from, to } = mutant
  const { outcome } = await test(mutant, limitMs)
  if (outcome !== 'unnoticed') continue
  unnoticed += 1
  console.log(`${relative(ROOT, file)}:${line}: ${oneLine(from)} → ${oneLine(to)}`)
}
const share = sample.length === 0 ? 0 : (unnoticed / sample.length) * 100
console.log(`${unnoticed} of ${sample.length} faults unnoticed (${share.toFixed(0)} %)`)

/** @param {string} text */
function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
