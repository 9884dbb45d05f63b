import { Ollama } from 'ollama'
import { describe, expect, it } from 'vitest'
import { hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'

describe('the official client of the alternate ecosystem', () => {
  it('pulls a model with its progress, copies it, and deletes both', async () => {
    await using world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
    world.setIndex([mockEntry('one')])
    const client = new Ollama({ host: world.server.url })
    const lines: { status: string; total?: number; completed?: number }[] = []
    for await (const line of await client.pull({ model: 'one:latest', stream: true })) lines.push(line)
    expect(lines.at(-1)).toEqual({ status: 'success' })
    expect(lines.map(({ status }) => status)).toContain('pulling manifest')
    const names = async () => (await client.list()).models.map(({ name }) => name)
    expect(await names()).toEqual(['one:latest'])
    await client.copy({ source: 'one', destination: 'two' })
    expect(await names()).toEqual(['one:latest', 'two:latest'])
    expect((await world.server.chat('two')).text).toContain('I am one')
    await client.delete({ model: 'one' })
    expect(await names()).toEqual(['two:latest'])
    expect((await world.server.chat('two')).status).toBe(200)
    await client.delete({ model: 'two:latest' })
    expect(await names()).toEqual([])
  })

  it('is told why a pull fails, with and without a stream', async () => {
    await using world = await startGalleryWorld()
    world.setIndex([mockEntry('one')])
    const client = new Ollama({ host: world.server.url })
    await expect(client.pull({ model: 'none' })).rejects.toThrow('no model found with name "none"')
    const streamed = async (): Promise<void> => {
      for await (const line of await client.pull({ model: 'none', stream: true }))
        expect(line.status).not.toBe('success')
    }
    await expect(streamed()).rejects.toThrow('no model found')
    await expect(client.delete({ model: 'none' })).rejects.toThrow("model 'none' not found")
    await expect(client.copy({ source: 'none', destination: 'x' })).rejects.toThrow("model 'none' not found")
    await expect(client.push({ model: 'one' })).rejects.toThrow('not supported')
  })

  it('that leaves stops its pull, and the next one goes on', async () => {
    const big = Buffer.alloc(4 * 1024 * 1024, 3)
    await using world = await startGalleryWorld({ files: { [hubPath('big.bin')]: big } })
    world.setIndex([mockEntry('big', 'big.bin', big)])
    world.origin.faults.push({}, { stallAfter: 3 * 1024 * 1024 })
    const client = new Ollama({ host: world.server.url })
    const stream = await client.pull({ model: 'big', stream: true })
    for await (const line of stream) {
      if ((line.completed ?? 0) < 2.5 * 1024 * 1024) continue
      stream.abort()
      break
    }
    await expect.poll(async () => (await world.history())[0]?.outcome).toBe('cancelled')
    const before = world.origin.sentBytes
    expect(await client.pull({ model: 'big' })).toEqual({ status: 'success' })
    expect(world.origin.sentBytes - before).toBeLessThan(1.6 * 1024 * 1024)
  })
})
