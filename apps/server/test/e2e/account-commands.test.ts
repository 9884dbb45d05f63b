import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { runBuilt, startBuiltServer } from '../support/built-server.ts'

it('commands in processes of their own work on the database of a running server, which obeys', async () => {
  await using dir = await tempDir('svc-e2e-')
  const made = await runBuilt(dir.path, ['users', 'create', 'ann@site.example'])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  await using server = await startBuiltServer({ folder: dir.path, flags: ['--auth-enabled'] })
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runBuilt(dir.path, words)
    expect([code, stderr], words.join(' ')).toEqual([0, ''])
    return stdout
  }
  expect(await run('users', 'create', 'bob@site.example')).toMatch(/^created the user bob@site.example/)
  const key = (await run('keys', 'create', 'bob@site.example')).split('\n')[0] ?? ''
  const status = async (path: string): Promise<number> =>
    (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
  expect([await status('/v1/models'), await status('/system')]).toEqual([200, 403])
  expect(await run('users', 'promote', 'bob@site.example')).toBe('bob@site.example is an admin')
  await expect.poll(() => status('/system')).toBe(200)
  const [, id = ''] = /^([0-9a-f]{32}) /m.exec(await run('keys', 'list', 'bob@site.example')) ?? []
  await run('keys', 'revoke', id)
  await expect.poll(() => status('/system')).toBe(401)
  expect(await run('invites', 'create')).toMatch(/^\/invite\/[0-9a-f]{64}\n/)
  const refused = await runBuilt(dir.path, ['users', 'promote', 'nobody'])
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: 'svc: there is no account nobody' })
  await server.stop()
})
