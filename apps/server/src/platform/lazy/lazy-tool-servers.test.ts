import { expect, it } from 'vitest'
import { CONTEXT, modelWith, NEVER } from '../../mcp/__fixtures__/open-servers.ts'
import type { ToolServersOptions } from '../../mcp/tool-servers.ts'
import { createLazyToolServers } from './lazy-tool-servers.ts'

const MODEL = modelWith({ remote: { s: { url: 'https://tools.example/mcp' } } })
// Nothing is opened here.
const PARTS = {} as ToolServersOptions

it('has no servers where they are turned off', async () => {
  const servers = createLazyToolServers({ ...PARTS, isDisabled: true })
  expect(servers.hasServers(MODEL)).toBe(false)
  const opening = servers.openModel(MODEL, { context: CONTEXT, signal: NEVER })
  await expect(opening).rejects.toMatchObject({ kind: 'invalid_request', code: 'mcp_disabled' })
  await servers.close()
})

it('sees the servers of a file without loading anything', () => {
  const servers = createLazyToolServers({ ...PARTS, isDisabled: false })
  expect([servers.hasServers(MODEL), servers.hasServers(modelWith({})), servers.opened()]).toEqual([
    true,
    false,
    undefined,
  ])
})
