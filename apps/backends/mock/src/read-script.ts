import { readFileSync } from 'node:fs'
import { SvcError } from '@svc/errors'
import type { MockScript } from './script.ts'

/** Variable with the path of a script that applies before a model is loaded. */
const SCRIPT_VARIABLE = 'MOCK_SCRIPT'

/** The script of a process at its start: the file in `MOCK_SCRIPT`, or none. */
export function readStartScript(env: Readonly<Record<string, string | undefined>>): MockScript {
  const file = env[SCRIPT_VARIABLE]
  return file ? parseScript(readFileSync(file, 'utf8')) : {}
}

/**
 * Reads the script in the options of a load: `script:<json>`, `script_file:<path>`, `record:<path>`. Missing options
 * keep their previous value.
 */
export function readLoadScript(options: readonly string[], before: MockScript): MockScript {
  let script = before
  for (const option of options) {
    const [, name, value = ''] = /^(script|script_file|record):(.*)$/s.exec(option) ?? []
    if (name === 'script') script = { ...script, ...parseScript(value) }
    if (name === 'script_file') script = { ...script, ...parseScript(readFileSync(value, 'utf8')) }
    if (name === 'record') script = { ...script, record: value }
  }
  return script
}

function parseScript(text: string): MockScript {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', 'a mock script is a JSON object')
  }
  return value as MockScript
}
