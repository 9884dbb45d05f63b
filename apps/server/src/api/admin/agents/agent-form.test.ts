import { expect, it } from 'vitest'
import { showConfig, toAgentConfig } from './agent-form.ts'
import { agentForm } from './agent-schemas.ts'

const url = 'https://tools.example/mcp'
const BEFORE = {
  name: 'a',
  mcp_servers: [
    { url },
    { url, name: 'one', token: 'first' },
    { url, name: 'two', token: 'second' },
    { url, token: 'third' },
    { url, token: 'fourth' },
  ],
}
const read = (value: unknown) => toAgentConfig(agentForm.parse(value), BEFORE)

it('a masked token keeps its own value among servers of one address', () => {
  expect(read(showConfig(BEFORE)).mcp_servers).toEqual(BEFORE.mcp_servers)
  const [, , two] = BEFORE.mcp_servers
  expect(read({ name: 'a', mcp_servers: [{ ...two, token: '***' }] }).mcp_servers).toEqual([two])
  expect(() => read({ name: 'a', mcp_servers: [{ url: `${url}/other`, token: '***' }] })).toThrow(
    /token: \*\*\* stands/,
  )
})

it('an agent has a bounded configuration', () => {
  expect(() => read({ name: 'a', own: 'x'.repeat(1_100_000) })).toThrow(/1048576 characters/)
})
