/* Prints recall and precision of each structured group: `pnpm --filter @svc/pii recall [-- EACH SEED]`. */
import { measureRecall } from './measure.ts'

const [each = 1000, seed = 7] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--')
  .map(Number)
for (const { group, found, missed, false: wrong } of await measureRecall({ each, seed })) {
  const recall = (found / (found + missed.length)).toFixed(3)
  const precision = (found / (found + wrong.length)).toFixed(3)
  process.stdout.write(`${group.padEnd(28)} recall ${recall}  precision ${precision}  of ${found + missed.length}\n`)
  if (process.env.SHOW_MISSES === '1') {
    for (const text of missed.slice(0, 6)) process.stdout.write(`    missed ${JSON.stringify(text)}\n`)
    for (const text of wrong.slice(0, 6)) process.stdout.write(`    false  ${JSON.stringify(text)}\n`)
  }
}
