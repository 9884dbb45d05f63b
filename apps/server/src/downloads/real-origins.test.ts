import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { listenOnFreePort, startCutProxy, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { noise, openDownloads, sha256 } from './__fixtures__/world.ts'

const MIB = 1024 * 1024
const content = noise(8 * MIB, 5)
const digest = sha256(content)

const whyNot = (program: string, args: readonly string[]): string | undefined => {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore' })
  if (error === undefined && status === 0) return undefined
  return `downloads from ${program} do not run: ${error?.message ?? `status ${status}`}`
}
const NGINX = whyNot('nginx', ['-v'])
const PYTHON = whyNot('python3', ['--version'])
for (const reason of [NGINX, PYTHON]) if (reason !== undefined) console.warn(reason)

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Origin extends AsyncDisposable {
  readonly port: number
}

async function start(create: (port: number, folder: string) => Promise<ChildProcess>): Promise<Origin> {
  const dir = await tempDir()
  await mkdir(dir.join('files'))
  await writeFile(dir.join('files', 'model.bin'), content)
  const port = await freePort()
  const child = await create(port, dir.path)
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}/model.bin`
  await expect.poll(() => fetch(url, { method: 'HEAD' }).then(({ status }) => status)).toBe(200)
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
      await dir.close()
    },
  }
}

const startNginx = (): Promise<Origin> =>
  start(async (port, folder) => {
    const config = `daemon off; master_process off; error_log ${folder}/error.log; pid ${folder}/pid;
events {}
http {
  access_log off; root ${folder}/files; default_type application/octet-stream;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server { listen 127.0.0.1:${port}; }
}`
    await writeFile(`${folder}/nginx.conf`, config)
    return spawn('nginx', ['-c', `${folder}/nginx.conf`, '-p', folder, '-e', `${folder}/error.log`], {
      stdio: 'ignore',
    })
  })

const startPython = (): Promise<Origin> =>
  start(async (port, folder) =>
    spawn('python3', ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '-d', `${folder}/files`], {
      stdio: 'ignore',
    }),
  )

describe.skipIf(NGINX !== undefined)('nginx', () => {
  it.each(['fin', 'rst'] as const)('is resumed at every tenth after a cut by %s', async (how) => {
    await using origin = await startNginx()
    await using proxy = await startCutProxy({ target: { port: origin.port } })
    await using world = await openDownloads({ retryMs: 1 })
    proxy.setCut({ direction: 'response', afterBytes: content.length / 10, how })
    const target = world.dir.join('model.bin')
    const source = { url: `http://127.0.0.1:${proxy.port}/model.bin`, trust: 'operator' } as const
    await world.downloader.download({ target, source, sha256: digest, signal: world.signal })
    expect(content.equals(await readFile(target))).toBe(true)
    // Each connection brings a tenth less its headers.
    expect(proxy.cuts).toBeGreaterThanOrEqual(10)
  })

  it('tells the size before anything is fetched', async () => {
    await using origin = await startNginx()
    await using world = await openDownloads()
    const source = { url: `http://127.0.0.1:${origin.port}/model.bin`, trust: 'operator' } as const
    expect(await world.downloader.measureSize(source, { signal: world.signal })).toBe(content.length)
  })
})

describe.skipIf(PYTHON !== undefined)("Python's http.server", () => {
  it('has no ranges: a cut download begins anew', async () => {
    await using origin = await startPython()
    await using proxy = await startCutProxy({ target: { port: origin.port } })
    await using world = await openDownloads({ retryMs: 50 })
    proxy.setCut({ direction: 'response', afterBytes: MIB, how: 'fin' })
    const target = world.dir.join('model.bin')
    const source = { url: `http://127.0.0.1:${proxy.port}/model.bin`, trust: 'operator' } as const
    const running = world.downloader.download({
      target,
      source,
      sha256: digest,
      signal: world.signal,
      onProgress: () => proxy.setCut(undefined),
    })
    await running
    expect(proxy.cuts).toBe(1)
    expect(content.equals(await readFile(target))).toBe(true)
  })
})
