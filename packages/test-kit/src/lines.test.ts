import { spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { collectLines } from './lines.ts'

describe('collectLines', () => {
  it('finds lines that came before and lines that come later, cut anywhere', async () => {
    const stream = new PassThrough()
    const collected = collectLines(stream)
    stream.write('one\r\ntw')
    await collected.waitFor('one')
    const second = collected.waitFor(/^two$/)
    stream.write(Buffer.from('o\nlöw').subarray(0, 4))
    stream.write(Buffer.from('o\nlöw').subarray(4))
    expect(await second).toBe('two')
    stream.destroy()
    expect(await collected.ended).toEqual(['one', 'two', 'löw'])
    expect(await collected.waitFor((line) => line.startsWith('l'))).toBe('löw')
  })

  it('fails with the collected lines when the stream ends without the line', async () => {
    const child = spawn(process.execPath, ['-e', 'console.log("cannot bind")'])
    const collected = collectLines(child.stdout)
    await expect(collected.waitFor('ready')).rejects.toThrow(/no line matched ready.*cannot bind/s)
    await expect(collected.waitFor('later')).rejects.toThrow('no line matched later')
  })
})
