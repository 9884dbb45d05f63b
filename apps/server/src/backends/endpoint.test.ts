import { readdir, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, dirname } from 'node:path'
import { loadsRealFiles, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createSocketEndpoint, createTcpEndpoint, removeSocketFolder } from './endpoint.ts'

describe('createTcpEndpoint', () => {
  it('is a free loopback port with its own token', async () => {
    const [first, second] = [await createTcpEndpoint(), await createTcpEndpoint()]
    expect(first.address).toBe(`127.0.0.1:${first.port}`)
    expect(first.token).toMatch(/^[0-9a-f]{64}$/)
    expect(first.token).not.toBe(second.token)
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(first.port, '127.0.0.1', () => resolve())
    })
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('createSocketEndpoint', () => {
  it('is a short path in a folder that only this user can enter', async () => {
    await using dir = await tempDir()
    const endpoint = await createSocketEndpoint(dir.path)
    const path = endpoint.address.slice('unix:'.length)
    expect(dirname(dirname(path))).toBe(dir.path)
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
    expect(Buffer.byteLength(path)).toBeLessThan(100)
    expect(endpoint).not.toHaveProperty('token')
    await writeFile(path, '')
    await endpoint.release()
    expect(await readdir(dir.path)).toEqual([])
  })

  it('moves to /tmp when the path would be too long for a socket', async () => {
    const endpoint = await createSocketEndpoint(`/var/${'x'.repeat(90)}`)
    expect(dirname(endpoint.folder ?? '')).toBe('/tmp')
    await endpoint.release()
  })
})

describe('removeSocketFolder', () => {
  it('takes the socket of an ended backend away without harm to modules that load later', async () => {
    await using dir = await tempDir()
    const { address, folder = '' } = await createSocketEndpoint(dir.path)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(address.slice('unix:'.length), resolve))
    await removeSocketFolder(folder)
    expect(await readdir(dir.path)).toEqual([])
    expect(await loadsRealFiles()).toBe(true)
    server.close()
  })

  it('removes no folder with another name or with other contents', async () => {
    await using dir = await tempDir('other-')
    await removeSocketFolder(dir.path)
    const endpoint = await createSocketEndpoint(dir.path)
    const folder = endpoint.folder ?? ''
    await writeFile(`${folder}/kept`, '')
    await removeSocketFolder(folder)
    expect(await readdir(dir.path)).toEqual([basename(folder)])
    expect(await readdir(folder)).toEqual(['kept'])
  })
})
