import { expect, it } from 'vitest'
import { readServerFields } from './server-fields.ts'

const NONE = { usual: [], required: false }

it.each(['mcp_approvals', 'mcp_prompt_args'])('metadata.%s is read up to a length', (key) => {
  const metadata = { mcp_servers: 'a', mcp_prompt: 'p', [key]: `{"a":${'['.repeat(300_000)}` }
  expect(() => readServerFields(metadata, NONE)).toThrow(`metadata.${key}: more than 262144 characters`)
})
