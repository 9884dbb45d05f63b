import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type CommandOutcome, runBuilt } from '../support/built-server.ts'
import { hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'

/** A server with a reply for each path, and status 400 with another one for every other path. */
async function serveReplies(
  replies: ReadonlyMap<string, unknown>,
  other: unknown,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, reply) => {
    request.resume()
    const found = replies.get(request.url ?? '')
    reply.writeHead(found === undefined ? 400 : 200, { 'content-type': 'application/json', connection: 'close' })
    reply.end(JSON.stringify(found ?? other))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close')
    },
  }
}

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
  })

  verifies('model-admin:unused:pruned', 'shows and deletes files that no model needs', async () => {
    await using world = await startGalleryWorld()
    const { modelsPath, folder, url } = world.server
    await writeFile(join(modelsPath, 'own.safetensors'), 'own')
    const run = (...words: string[]): Promise<CommandOutcome> =>
      runBuilt(folder, ['models', 'prune', ...words, `--address=127.0.0.1:${new URL(url).port}`])
    expect(await run('--dry-run')).toMatchObject({
      code: 0,
      stdout: [
        'keeps  other  0.0 MB  own.safetensors',
        '0.0 MB in all',
        'An entry that stays goes with svc models prune FILE.',
      ].join('\n'),
    })
    expect(await run()).toMatchObject({ code: 0, stdout: 'no unused files' })
    expect(JSON.parse((await run('--dry-run', '--json')).stdout)).toMatchObject({ files: [{ size_bytes: 3 }] })
    expect(await run('gone.bin')).toMatchObject({ code: 1, stderr: expect.stringContaining('is not an unused file') })
    expect(await run('own.safetensors')).toMatchObject({
      code: 0,
      stdout: 'deleted  other  0.0 MB  own.safetensors\n0.0 MB in all',
    })
    expect(await readdir(modelsPath)).not.toContain('own.safetensors')
  })

  verifies('cli:output:no-escapes', 'shows the control characters of foreign texts, and sends none', async () => {
    const hostile = '\u001b[2J\u009b31m\u001b]52;c;cm0=\u0007\rforged\u202e\u200b\u{e0041}'
    const entry = { ...mockEntry('one'), description: `${hostile}\nsecond`, license: hostile }
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    world.setIndex([entry, { ...mockEntry('two'), name: `two${hostile}` }])
    const file = JSON.stringify({ name: 'shown', description: `${hostile}\nforged`, backend: 'mock' })
    await writeFile(join(world.server.modelsPath, 'shown.yaml'), file)
    await writeFile(join(world.server.modelsPath, 'odd.yaml'), '{"name": "odd\\u001b[2J"}')
    const { port } = new URL(world.server.url)
    const run = (...words: string[]): Promise<CommandOutcome> =>
      runBuilt(world.server.folder, [...words, `--address=127.0.0.1:${port}`])
    const outcomes = await Promise.all([
      run('models', 'available'),
      run('models', 'available', '--json'),
      run('models', 'install', 'one'),
      run('models', 'install', `two${hostile}`),
      run('models', 'show', 'shown'),
      run('models', 'show', hostile),
      run('models', 'list'),
      run(hostile),
    ])
    const history = [await run('operations', 'list'), await run('operations', 'history', '--json')]
    for (const { stdout, stderr } of [...outcomes, ...history])
      expect(`${stdout}${stderr}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    const [available, json, , , shown, , listed] = outcomes
    const escaped = '\\u001b[2J\\u009b31m\\u001b]52;c;cm0=\\u0007\\u000dforged\\u202e\\u200b\\udb40\\udc41'
    expect(available?.stdout.split('\n')[0]).toBe(`one  ${escaped}`)
    expect(JSON.parse(json?.stdout ?? '')[0]).toMatchObject({ name: 'one', description: `${hostile}\nsecond` })
    expect(shown?.stdout).toContain(`description  ${escaped.replace('\\u000d', ' ')} forged\n`)
    expect(listed?.stderr).toContain('odd.yaml')
    // a file for other programs stays as it is
    const exported = await run('models', 'export-config', 'shown')
    expect(exported.stdout).toBe(file)
  })

  verifies('cli:output:no-escapes', 'lets no server that it asks control the terminal, or forge a line', async () => {
    const hostile = '\u001b[2J\u009b31m\u001b]52;c;cm0=\u0007\r\u202e\nforged'
    const names = ['name', 'description', 'error', 'message', 'id', 'jobID', 'taskType', 'outcome', 'progress', 'phase']
    const row = { ...Object.fromEntries(names.map((name) => [name, hostile])), processed: true }
    const replies = new Map<string, unknown>([
      ['/models/available', [row]],
      ['/models/galleries', [row]],
      ['/backends/available', [row]],
      ['/backends/galleries', [row]],
      ['/backends/upgrades/check', { [hostile]: row }],
      ['/api/operations', { operations: [row] }],
      ['/api/operations/history', { operations: [row] }],
      ['/models/apply', { uuid: 'job' }],
      ['/models/jobs/job', row],
    ])
    await using server = await serveReplies(replies, { error: { message: hostile } })
    await using folder = await tempDir('svc-e2e-')
    const asked = [
      ...['models available', 'models available --json', 'models install one', 'models import hf://owner/repo'],
      ...['backends upgrade', 'operations history', 'operations cancel one'],
    ]
    const check = async (words: string): Promise<void> => {
      const { stdout, stderr } = await runBuilt(folder.path, [
        ...words.split(' '),
        `--address=127.0.0.1:${server.port}`,
      ])
      expect(`${stdout}${stderr}`, words).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^forged/mu)
      expect(`${stdout}${stderr}`, words).toContain('forged')
    }
    await Promise.all(asked.map(check))
  })

  it('prints JSON, installs by an address, and starts a failed installation again', async () => {
    await using world = await startGalleryWorld({ files: { '/owner/repo/resolve/main/w.gguf': WEIGHTS } })
    const content = Buffer.from('other content')
    world.setIndex([mockEntry('one', 'one.bin', content)])
    const { port } = new URL(world.server.url)
    const run = (...words: string[]): Promise<CommandOutcome> =>
      runBuilt(world.server.folder, [...words, `--address=127.0.0.1:${port}`])
    const json = async (...words: string[]): Promise<unknown> => JSON.parse((await run(...words, '--json')).stdout)
    expect(await json('models', 'available')).toMatchObject([{ name: 'one', installed: false }])
    expect(await json('models', 'import', 'hf://owner/repo/w.gguf', '--name=own')).toMatchObject({
      gallery_element_name: 'own',
      message: 'completed',
      progress: 100,
    })
    const failed = await run('models', 'install', 'one')
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('404') })
    const [operation] = (await json('operations', 'list')) as [{ jobID: string }]
    world.origin.files.set(hubPath('one.bin'), { content })
    expect(await run('operations', 'retry', operation.jobID)).toMatchObject({ code: 0, stdout: 'completed' })
    expect(await json('operations', 'history')).toMatchObject([
      { id: 'one', outcome: 'completed' },
      { id: 'one', outcome: 'failed' },
      { id: 'own', outcome: 'completed' },
    ])
    expect(await run('operations', 'retry', operation.jobID)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not one that failed'),
    })
    expect(await run('backends', 'upgrade')).toMatchObject({ code: 0, stdout: 'every backend is up to date' })
  })

  it('works on the folders where no server runs', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    world.setIndex([mockEntry('one')])
    await world.server.close()
    await using folder = await tempDir('svc-e2e-')
    const galleries = JSON.stringify([{ name: 'test', url: `${world.origin.origin}/index.yaml` }])
    const run = (...words: string[]): Promise<CommandOutcome> =>
      runBuilt(folder.path, [...words, '--address=127.0.0.1:1', `--galleries=${galleries}`], {
        env: { HF_ENDPOINT: world.origin.origin },
      })
    expect(await run('models', 'install', 'one')).toMatchObject({ code: 0, stdout: 'completed' })
    expect(await readFile(join(folder.path, 'models/one.bin'))).toEqual(Buffer.from(WEIGHTS))
    const exported = await run('models', 'export-config', 'one')
    expect(exported.stdout).toBe((await readFile(join(folder.path, 'models/one.yaml'), 'utf8')).trimEnd())
    expect(await run('models', 'delete', 'one')).toMatchObject({ code: 0 })
    expect(await run('models', 'install', 'none')).toMatchObject({ code: 1 })
    const listed = await run('operations', 'list')
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('no model found with name "none"') })
    const [id = ''] = listed.stdout.split(' ')
    expect(await run('operations', 'cancel', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not found'),
    })
    expect(await run('operations', 'dismiss', id)).toMatchObject({ code: 0, stdout: 'Operation dismissed' })
    expect(await run('operations', 'list')).toMatchObject({ code: 0, stdout: '' })
    const history = JSON.parse((await run('operations', 'history', '--json')).stdout) as { outcome: string }[]
    expect(history.map(({ outcome }) => outcome)).toEqual(['failed', 'completed'])
  })

  it('installs what a start asks for and ends, with --preload-backend-only', async () => {
    await using world = await startGalleryWorld({
      files: { [hubPath('one.bin')]: WEIGHTS, [hubPath('two.bin')]: WEIGHTS },
    })
    world.setIndex([mockEntry('one'), mockEntry('two')])
    await using folder = await tempDir('svc-e2e-')
    const galleries = JSON.stringify([{ name: 'test', url: `${world.origin.origin}/index.yaml` }])
    const run = (...flags: string[]): Promise<CommandOutcome> =>
      runBuilt(
        folder.path,
        ['run', ...flags, '--preload-backend-only', '--address=127.0.0.1:1', `--galleries=${galleries}`],
        { env: { HF_ENDPOINT: world.origin.origin } },
      )
    expect(await run('two', '--preload-models=[{"id": "one"}]')).toMatchObject({ code: 0 })
    for (const name of ['one', 'two']) {
      expect(await readFile(join(folder.path, `models/${name}.bin`))).toEqual(Buffer.from(WEIGHTS))
    }
    expect(await run('--preload-models=[{"id": "none"}]')).toMatchObject({ code: 1 })
    expect(await run('none')).toMatchObject({ code: 1 })
  })
})
