import { isRecord } from '../../lib/api-error.ts'

/** A change of a model file that the assistant asks for. */
export interface FileChange {
  readonly name: string
  /** Keys to set, or the whole text. */
  readonly body: Record<string, unknown> | string
  /** Whether the call only shows the difference. */
  readonly isDryRun: boolean
}

/** Reads the arguments of `edit_model_config`; undefined where they are not those of one change. */
export function readFileChange(text: string): FileChange | undefined {
  const args = readJson(text)
  if (!isRecord(args)) return undefined
  const { name, patch, config, dry_run: dryRun } = args
  if (typeof name !== 'string' || name === '') return undefined
  const isDryRun = dryRun !== false
  if (isRecord(patch) && config === undefined) return { name, body: patch, isDryRun }
  return typeof config === 'string' && patch === undefined ? { name, body: config, isDryRun } : undefined
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
