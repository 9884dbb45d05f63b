import { describe, expect, it } from 'vitest'
import { type CommandOutcome, runBuilt } from '../support/built-server.ts'
import { hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'

describe('a command for a running server', () => {
  it('installs a model with its progress, and shows, pauses and dismisses operations', async () => {
    await using world = await startGalleryWorld({
      files: { [hubPath('one.bin')]: WEIGHTS },
      flags: ['--api-keys=the-key'],
    })
    world.setIndex([mockEntry('one')])
    const { port } = new URL(world.server.url)
    const run = (...words: string[]): Promise<CommandOutcome> =>
      runBuilt(world.server.folder, [...words, `--address=127.0.0.1:${port}`, '--api-keys=the-key'])
    expect(await run('models', 'available')).toMatchObject({ code: 0, stdout: 'one  the model one' })
    const installed = await run('models', 'install', 'one')
    expect(installed).toMatchObject({ code: 0, stdout: 'completed' })
    expect(installed.stderr).toContain('100 %')
    expect((await run('operations', 'history')).stdout).toMatch(/^[0-9a-f-]{36} {2}installation {2}one {2}completed$/)
    expect(await run('models', 'install', 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no model found with name "none"'),
    })
    const [id = ''] = (await run('operations', 'list')).stdout.split(' ')
    expect(await run('operations', 'cancel', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not found'),
    })
    expect(await run('operations', 'dismiss', id)).toMatchObject({ code: 0, stdout: 'Operation dismissed' })
    expect((await run('operations', 'list')).stdout).toBe('')
    expect(await run('operations', 'pause')).toMatchObject({ code: 2, stderr: 'operations pause takes one ID' })
  }, 120_000)

  it('says that no server answers', async () => {
    await using world = await startGalleryWorld()
    const { port } = new URL(world.server.url)
    await world.server.close()
    const outcome = await runBuilt('/tmp', ['operations', 'list', `--address=127.0.0.1:${port}`])
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('the connection was refused') })
  }, 60_000)
})
