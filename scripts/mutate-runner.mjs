// Runs the tests of a package once for each fault that `mutate.mjs` sends, and answers whether one of them failed. The
// process stays, because a start of vitest takes longer than most tests.
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'

const CONFIG = fileURLToPath(new URL('mutate.config.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const [folder = ''] = process.argv.slice(2)

/**
 * Outcome of the last run. A run that the first failure cut short is `interrupted`, whatever the states of its tests.
 */
let outcome = 'passed'
const reporter = {
  /** @param {unknown} _modules @param {unknown} _errors @param {string} reason */
  onTestRunEnd(_modules, _errors, reason) {
    outcome = reason
  },
}
const vitest = await createVitest('test', {
  root: ROOT,
  config: CONFIG,
  project: [folder],
  watch: false,
  bail: 1,
  passWithNoTests: true,
  reporters: [reporter],
})

/** The file with the last fault. @type {string | undefined} */
let last

/** @param {{ readonly file?: string }} mutant without a file, all tests are run as they are */
async function hasFailure(mutant) {
  process.env.SVC_MUTANT = JSON.stringify(mutant)
  for (const file of [last, mutant.file]) {
    if (file === undefined) continue
    vitest.invalidateFile(file)
    vitest.watcher.invalidates.add(file)
  }
  last = mutant.file
  vitest.config.related = mutant.file === undefined ? undefined : [mutant.file]
  const specifications = await vitest.getRelevantTestSpecifications()
  if (specifications.length === 0) return false
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications)
  return unhandledErrors.length > 0 || outcome !== 'passed'
}

process.on('message', async (mutant) => {
  process.send?.({ hasFailure: await hasFailure(/** @type {{ file?: string }} */ (mutant)) })
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
