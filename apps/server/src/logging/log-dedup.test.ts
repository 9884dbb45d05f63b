import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLogger } from './log.ts'
import { foldEqualLines } from './log-dedup.ts'

const line = (msg: string, time: number): string => `${JSON.stringify({ level: 'warn', time, msg })}\n`

describe('equal lines', () => {
  it('are folded into one, and a line with their number before the next one', () => {
    const lines: string[] = []
    const log = createLogger({
      level: 'info',
      format: 'json',
      dedup: 'true',
      destination: { write: (text) => lines.push(text) },
    })
    for (let count = 0; count < 4; count += 1) log.warn({ disk: 'full' }, 'cannot write')
    log.info('next')
    log.info('other')
    expect(lines.map((text) => JSON.parse(text) as { msg: string; repeated?: number })).toMatchObject([
      { msg: 'cannot write', disk: 'full' },
      { level: 'warn', repeated: 3, msg: 'the line before came again' },
      { msg: 'next' },
      { msg: 'other' },
    ])
  })
  it('are told apart by their fields, and all written unless they are to be folded', () => {
    const lines: string[] = []
    const destination = { write: (text: string) => lines.push(text) }
    const folding = createLogger({ level: 'info', format: 'json', dedup: 'true', destination })
    folding.info({ model: 'a' }, 'loaded')
    folding.info({ model: 'b' }, 'loaded')
    const plain = createLogger({ level: 'info', format: 'json', dedup: 'auto', destination })
    plain.info('same')
    plain.info('same')
    expect(lines).toHaveLength(4)
  })
  it('are counted also when nothing follows', async () => {
    const lines: string[] = []
    const folding = foldEqualLines({ write: (text) => lines.push(text) }, { quietMs: 1 })
    for (const time of [1, 2, 3]) folding.write(line('again', time))
    await eventually(() =>
      expect(lines.map((text) => JSON.parse(text))).toMatchObject([{ msg: 'again' }, { repeated: 2, time: 3 }]),
    )
  })
})
