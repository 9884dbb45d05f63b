import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)
const PAGE = readFileSync(new URL('it-does-not-work.md', DOCS), 'utf8')

let open: TestServer
let keyed: TestServer
beforeAll(async () => {
  open = await startTestServer()
  keyed = await startTestServer({ flags: ['--api-keys=k'] })
  const files = {
    'ghost.yaml': 'name: ghost\nbackend: some-engine\nparameters: {model: x}',
    'gone.yaml': 'name: gone\nbackend: llama\nparameters: {model: gone.gguf}',
    'bad.yaml': 'name: bad\nbackend: [',
    'vectors.yaml': 'name: vectors\nbackend: mock\nembeddings: true\nparameters: {model: x}',
  }
  for (const [name, text] of Object.entries(files)) await open.writeModelFile(name, text)
})
afterAll(async () => {
  await open.close()
  await keyed.close()
})

const ask = (model: string) => () => open.chat(model)
/** A mistake, its status, and the part of its message that the page quotes. */
const MISTAKES: Readonly<
  Record<string, readonly [make: () => Promise<{ status: number; text: string }>, status: number, quoted: string]>
> = {
  'no key': [() => keyed.chat('m'), 401, 'An authentication key is required'],
  'a wrong key': [() => keyed.chat('m', {}, { authorization: 'Bearer x' }), 401, 'An authentication key is required'],
  'a page of another origin': [
    () => open.chat('m', {}, { origin: 'http://localhost:3000' }),
    403,
    'cross-site request refused',
  ],
  'an unknown host name': [() => open.chat('m', {}, { host: 'my.host' }), 421, 'this host name is not served here'],
  'an unknown model': [ask('nope'), 404, 'not found'],
  'a model file with a mistake': [ask('bad'), 404, ', as its file cannot be used ('],
  'a missing backend': [ask('ghost'), 500, 'is not installed; known backends: '],
  'missing weights': [ask('gone'), 500, 'is not in the models folder'],
  'a chat with an embedder': [ask('vectors'), 400, 'makes embeddings or ranks documents; it does not generate text'],
  'a body that is not JSON': [
    () => open.call('/v1/chat/completions', { method: 'POST', body: "{'model': 1}" }),
    400,
    'failed parsing request body',
  ],
}

describe('the page about mistakes', () => {
  describe.each(Object.entries(MISTAKES))('%s', (_, [make, status, quoted]) => {
    verifies('docs:mistakes:quoted', 'has the message that the page quotes', async () => {
      const reply = await make()
      expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(quoted)])
      expect(PAGE).toContain(quoted)
      expect(PAGE).toContain(status === 500 ? quoted : String(status))
    })
  })

  it('names commands and flags that exist', () => {
    const lines = [...PAGE.matchAll(/`(?:svc )([^`]+)`/g)].map(([, line = '']) => line)
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) {
      const argv = line.replaceAll('…', 'x').split(' ')
      const command = loadConfig({ argv, env: {}, cwd: '/w' })
      expect(command.kind === 'usage-error' ? command.message : '', line).toBe('')
    }
    for (const [, flag = ''] of PAGE.matchAll(/`(--[a-z-]+)/g))
      expect(readFileSync(new URL('configuration.md', DOCS), 'utf8'), flag).toContain(`\`${flag}`)
  })

  it('is linked from the README, and its own links lead to headings that exist', () => {
    expect(readFileSync(new URL('../README.md', DOCS), 'utf8')).toContain('(docs/it-does-not-work.md)')
    for (const [, file = '', heading] of PAGE.matchAll(/\]\(([^)#]+)(?:#([^)]+))?\)/g)) {
      const path = new URL(file, DOCS)
      expect(existsSync(path), file).toBe(true)
      if (heading === undefined) continue
      const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      )
      expect(headings, join(file, heading)).toContain(heading)
    }
  })
})
