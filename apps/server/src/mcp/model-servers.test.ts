import { expect, it } from 'vitest'
import { readModelServers } from './model-servers.ts'
import { hasModelServers } from './model-texts.ts'

const read = (mcp: { remote?: string; stdio?: string }) => readModelServers({ mcp })

it('reads the shapes that model files have', () => {
  const remote = 'mcpServers:\n  a:\n    url: "https://a.example/mcp"\n    token: t\n'
  const stdio =
    '{"mcpServers": {"b": {"command": "run", "args": ["-x", 1], "env": {"PORT": 8080}}, "a": {"command": "x"}}}'
  expect(read({ remote, stdio })).toEqual([
    {
      kind: 'remote',
      name: 'a',
      url: 'https://a.example/mcp',
      token: 't',
      headers: {},
      transport: 'auto',
      prefix: '',
      deny: [],
      approval: 'auto',
      timeoutMs: 360_000,
    },
    {
      kind: 'stdio',
      name: 'b',
      command: 'run',
      args: ['-x', '1'],
      env: { PORT: '8080' },
      prefix: '',
      deny: [],
      approval: 'auto',
      timeoutMs: 360_000,
    },
  ])
})

it('reads the keys that are ours', () => {
  const keys =
    'url: "http://x"\n    prefix: x_\n    tools: {allow: [a], deny: [b]}\n    approval: {a: ask, "*": never}\n    timeout: 90'
  expect(read({ remote: `mcpServers:\n  s:\n    ${keys}\n` })[0]).toMatchObject({
    prefix: 'x_',
    allow: ['a'],
    deny: ['b'],
    approval: { a: 'ask', '*': 'never' },
    timeoutMs: 90_000,
  })
})

it.each([
  [{ remote: 'a: [' }, /^failed to get MCP config: mcp\.remote: is not valid YAML or JSON/],
  [{ stdio: '[1]' }, /^failed to get MCP config: mcp\.stdio: must hold a map/],
  [{ remote: '{"mcpServers": {"a": {}}}' }, /mcp\.remote\.mcpServers\.a: has no url/],
  [{ remote: '{"mcpServers": {"a": {"url": "http://u:p@x"}}}' }, /must not hold credentials/],
  [{ remote: '{"mcpServers": {"a": {"url": "http://x", "headers": {"Host": "y"}}}}' }, /may not set host/],
  [{ remote: '{"mcpServers": {"a": {"url": "http://x", "headers": {"x": "a\\nb"}}}}' }, /not one of a header/],
  [{ stdio: '{"mcpServers": {"a": {"command": "x", "env": {"a b": "c"}}}}' }, /not one of a variable/],
])('refuses %j', (mcp, message) => {
  expect(() => read(mcp)).toThrow(
    expect.objectContaining({ kind: 'internal', code: 'mcp_config', message: expect.stringMatching(message) }),
  )
})

it.each([
  [{}, false],
  [{ remote: '' }, false],
  [{ remote: '{"mcpServers": {}}', stdio: 'mcpServers:\n' }, false],
  [{ stdio: 'mcpServers:\n  a: {command: x}\n' }, true],
  [{ remote: 'a: [' }, true],
])('sees without reading whether %j names servers', (mcp, expected) => {
  expect(hasModelServers({ mcp })).toBe(expected)
})
