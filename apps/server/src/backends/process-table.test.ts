import { mkdir, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { parseProcessStat, readProcessStat, readProcessTable } from './process-table.ts'

const REAL =
  '4242 (node) S 4200 4242 4200 34816 4242 4194304 2500 10 0 0 120 30 4 2 20 0 11 0 987654 1100000000 12000 18446744073709551615 1 1 0 0 0 0 0 16781312 134234626 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0'

describe('parseProcessStat', () => {
  it('reads the fields it needs', () => {
    expect(parseProcessStat(REAL)).toEqual({
      pid: 4242,
      state: 'S',
      parentPid: 4200,
      groupId: 4242,
      sessionId: 4200,
      cpuTicks: 156,
      startTicks: 987_654,
    })
  })

  it('is not misled by the name of a program', () => {
    const tricky = REAL.replace('(node)', '(a) R 1 (1 1) x)')
    expect(parseProcessStat(tricky)).toEqual(parseProcessStat(REAL))
  })

  it.each(['', 'x', '1 (a', '1 (a) S 1', REAL.replace('987654', 'many')])('gives nothing for %j', (text) => {
    expect(parseProcessStat(text)).toBeUndefined()
  })
})

describe('readProcessTable', () => {
  it('is undefined without /proc', async () => {
    await using dir = await tempDir()
    expect(await readProcessTable(dir.path)).toBeUndefined()
    expect(await readProcessTable(dir.join('missing'))).toBeUndefined()
  })

  it('knows groups and families', async () => {
    await using dir = await tempDir()
    const add = async (pid: number, parentPid: number, groupId: number, state = 'S') => {
      await mkdir(dir.join(String(pid)))
      const zeros = Array.from({ length: 15 }, () => '0').join(' ')
      await writeFile(
        dir.join(String(pid), 'stat'),
        `${pid} (p) ${state} ${parentPid} ${groupId} ${groupId} ${zeros} 7`,
      )
    }
    await add(10, 1, 10)
    await add(11, 10, 10)
    await add(12, 10, 10, 'Z')
    await add(13, 11, 13)
    await add(14, 13, 13)
    await add(15, 1, 10)
    await add(16, 1, 16)
    await mkdir(dir.join('not-a-process'))
    const table = await readProcessTable(dir.path)
    const pids = (stats: readonly { pid: number }[] | undefined) => stats?.map(({ pid }) => pid).sort((a, b) => a - b)
    expect(pids(table?.group(10))).toEqual([10, 11, 15])
    expect(pids(table?.family(10))).toEqual([10, 11, 13, 14, 15])
    expect(table?.family(12)).toEqual([])
    expect(table?.family(99)).toEqual([])
  })

  it.runIf(process.platform === 'linux')('sees this process', async () => {
    const table = await readProcessTable()
    expect(table?.get(process.pid)).toMatchObject({ pid: process.pid, parentPid: process.ppid })
    expect(table?.get(process.pid)?.startTicks).toBe(readProcessStat(process.pid)?.startTicks)
  })
})
