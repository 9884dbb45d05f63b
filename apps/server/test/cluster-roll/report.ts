import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from '../kill-runs/requests.ts'

/** Failures of one step that are printed. */
const SHOWN = 5

/** A request that got no answer, or an error. A stream that broke after its beginning is told apart. */
function findFailures(outcomes: readonly Outcome[]): readonly Outcome[] {
  return outcomes.filter((outcome) => outcome.kind !== 'served' && !isCutStream(outcome))
}

/** Whether a stream began and then ended with an error, or with its connection. */
function isCutStream({ kind, stream, status }: Outcome): boolean {
  return stream && status === 200 && (kind === 'refused' || kind === 'cut')
}

/** Prints a step. @returns the number of its failures */
export function report(step: string, ms: number, outcomes: readonly Outcome[]): number {
  const failures = findFailures(outcomes)
  const cells = [
    step.padEnd(44),
    (ms / 1000).toFixed(1).padStart(7),
    String(outcomes.length).padStart(9),
    String(failures.length).padStart(7),
    String(outcomes.filter(isCutStream).length).padStart(12),
    String(Math.max(0, ...outcomes.map(({ took }) => took))).padStart(11),
  ]
  console.log(cells.join(''))
  for (const { kind, model, url, stream, status, detail, took } of failures.slice(0, SHOWN)) {
    console.log(
      `      ! ${kind}: ${stream ? 'stream' : 'request'} to ${model} at ${url}, ${took} ms, ${status ?? ''} ${detail}`,
    )
  }
  return failures.length
}

/** Prints the heading of the steps. */
export function printHeading(): void {
  console.log('step                                         seconds requests failed cut streams longest ms')
}

/** Writes the output of all programs into a folder. */
export async function writeOutputs(
  folder: string,
  outputs: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [index, { name, text }] of outputs.entries()) {
    await writeFile(join(folder, `${index}-${name}.log`), text)
  }
  console.log(`logs: ${folder}`)
}
