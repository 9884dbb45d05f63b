import { execFile, spawn } from 'node:child_process'
import { readdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { delimiter, dirname } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { listenOnFreePort, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { BUILT_ENTRY, runBuilt, startBuiltServer } from '../support/built-server.ts'
import { postChat, readAnswer } from './open-chat.ts'

/** A public address that no machine has (RFC 5737): the start gets as far as listening. */
const PUBLIC = '203.0.113.1:0'
const OPEN_DOOR = 'ANYBODY WHO REACHES THIS ADDRESS HAS FULL ACCESS'

describe('a start', () => {
  it('through a symbolic link, from another folder, uses that folder and finds its own files', async () => {
    await using dir = await tempDir('svc-e2e-')
    await symlink(BUILT_ENTRY, dir.join('svc'))
    await using server = await startBuiltServer({ folder: dir.path, entry: dir.join('svc'), env: { SVC_THREADS: '1' } })
    expect(await readAnswer(await postChat(server.url, 'demo'))).not.toBe('')
    const folders = ['models', 'data', 'configuration', 'backends']
    expect(await readdir(dir.path)).toEqual(expect.arrayContaining(folders))
  })

  it.skipIf(process.platform !== 'linux')(
    'at a terminal greets with address, model and pages; in a pipe it does not',
    async () => {
      await using dir = await tempDir('svc-e2e-')
      const command = `'${process.execPath}' '${BUILT_ENTRY}' run --address 127.0.0.1:0`
      const { PATH = '' } = process.env
      const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
        cwd: dir.path,
        env: { PATH, TERM: 'xterm', HOME: dir.path },
      })
      let shown = ''
      for await (const piece of terminal.stdout) {
        shown += String(piece)
        if (shown.includes('svc models add FILE')) break
      }
      terminal.kill('SIGTERM')
      const plain = stripVTControlCharacters(shown)
      expect(shown).not.toBe(plain)
      const [, url = ''] = /Open +(http:\/\/127\.0\.0\.1:\d+)/.exec(plain) ?? []
      expect(url).not.toBe('')
      expect(plain).toMatch(/Model +demo/)
      expect(plain).not.toContain('{"level"')

      await using server = await startBuiltServer()
      expect(server.output()).not.toContain('svc models add')
    },
  )

  it('serves the API page with its own files only', async () => {
    await using server = await startBuiltServer()
    for (const [file, part] of [
      ['index.html', 'swagger-ui-bundle.js'],
      ['swagger-ui-bundle.js', 'SwaggerUIBundle'],
      ['swagger-ui.css', '.swagger-ui'],
      ['doc.json', '"openapi":"3.1'],
    ] as const) {
      const reply = await fetch(`${server.url}/swagger/${file}`)
      expect([file, reply.status]).toEqual([file, 200])
      expect((await reply.text()).includes(part)).toBe(true)
    }
  })

  it('by the name of the command alone is possible: the entry is a program', async () => {
    await using dir = await tempDir('svc-e2e-')
    await symlink(BUILT_ENTRY, dir.join('svc'))
    const PATH = [dir.path, dirname(process.execPath)].join(delimiter)
    const { stdout } = await promisify(execFile)('svc', ['--version'], { cwd: dir.path, env: { PATH } })
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
  })

  verifies(
    'flags:data-path:one-server',
    'on a data path in use ends with a sentence and code 75; the first server goes on',
    async () => {
      await using first = await startBuiltServer()
      const second = await runBuilt(first.folder, ['run', '--address', '127.0.0.1:0'])
      expect(second).toMatchObject({ code: 75, stdout: '' })
      expect(second.stderr).toBe(
        `svc: the data path ${first.folder}/data is in use by another server (process ${first.pid} on ${hostname()}); stop it, or give this one a place of its own`,
      )
      expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    },
  )

  it('on a port in use ends with a sentence and code 75, and leaves the data path free', async () => {
    await using dir = await tempDir('svc-e2e-')
    const taken = createServer()
    const port = await listenOnFreePort(taken)
    try {
      const refused = await runBuilt(dir.path, ['run', '--address', `127.0.0.1:${port}`])
      expect(refused).toMatchObject({ code: 75, stdout: '' })
      expect(refused.stderr).toMatch(new RegExp(`^svc: cannot listen on 127\\.0\\.0\\.1:${port}: .*EADDRINUSE[^\\n]*$`))
    } finally {
      taken.close()
    }
    await using server = await startBuiltServer({ folder: dir.path })
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  })
})

describe('an open door', () => {
  verifies('auth:public-bind:warned', 'on a public address causes a warning, and none with a key', async () => {
    await using dir = await tempDir('svc-e2e-')
    const open = await runBuilt(dir.path, ['run', '--address', PUBLIC, '--log-format', 'json'])
    expect(open.stdout).toContain(`"level":"warn"`)
    expect(open.stdout).toContain(OPEN_DOOR)
    const locked = await runBuilt(dir.path, ['run', '--address', PUBLIC], { env: { SVC_API_KEY: 'k' } })
    expect(locked.stdout).not.toContain(OPEN_DOOR)
    // both starts stop here, because no machine has the address
    expect([open.stderr, locked.stderr]).toEqual([
      expect.stringContaining('cannot listen on 203.0.113.1:0'),
      expect.stringContaining('cannot listen on 203.0.113.1:0'),
    ])
  })

  verifies(
    'auth:public-bind:refused',
    'is no start where that is asked for, except on this machine alone',
    async () => {
      await using dir = await tempDir('svc-e2e-')
      const refused = await runBuilt(dir.path, ['run', '--address', PUBLIC, '--require-auth-on-public-bind'])
      expect(refused).toMatchObject({ code: 78, stdout: '' })
      expect(refused.stderr).toMatch(/^svc: neither keys nor accounts are in use .*--api-keys[^\n]*$/)
      await using server = await startBuiltServer({ folder: dir.path, flags: ['--require-auth-on-public-bind'] })
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
      expect(server.output()).not.toContain(OPEN_DOOR)
    },
  )
})

it('REL-19: a server goes on after the reader of its output has closed', async () => {
  await using server = await startBuiltServer({ mock: {}, flags: ['--log-level', 'trace'] })
  await server.model('m')
  server.hangUp()
  for (let request = 0; request < 3; request += 1)
    expect(await readAnswer(await postChat(server.url, 'm'))).not.toBe('')
  expect((await fetch(`${server.url}/no-such-page`)).status).toBe(404)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})
