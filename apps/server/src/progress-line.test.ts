import { describe, expect, it } from 'vitest'
import { createProgressLine } from './progress-line.ts'

const MB = 1_000_000

describe('a progress line', () => {
  it('shows the speed of the last seconds and the time that is left', () => {
    const line = createProgressLine()
    const at = (currentBytes: number, percent: number) => ({
      ...{ label: 'one.gguf', percent, currentBytes, totalBytes: 200 * MB },
    })
    expect(line.draw(at(0, 0), 0)).toBe('one.gguf  [------------------------]  0 %  0 B of 200.0 MB')
    expect(line.draw(at(50 * MB, 22), 1000)).toBe(
      'one.gguf  [######------------------]  22 %  50.0 MB of 200.0 MB  50.0 MB/s  3 s left',
    )
    expect(line.draw(at(60 * MB, 27), 11_000)).toBe('one.gguf  [#######-----------------]  27 %  60.0 MB of 200.0 MB')
    expect(line.draw(at(61 * MB, 27), 12_000)).toMatch(/ {2}1\.0 MB\/s {2}2 min 19 s left$/)
    expect(line.draw(at(200 * MB, 90), 13_000)).toBe('one.gguf  [########################]  90 %')
  })

  it('forgets the speed where the bytes go back', () => {
    const line = createProgressLine()
    const at = (currentBytes: number) => ({ label: 'x', percent: 1, currentBytes, totalBytes: 10 * MB })
    line.draw(at(5 * MB), 0)
    expect(line.draw(at(0), 1000)).not.toContain('/s')
  })

  it('shows the share of the work where no bytes are known, and cuts long names', () => {
    const drawn = createProgressLine().draw({ label: 'n'.repeat(60), percent: 50, currentBytes: 0, totalBytes: 0 }, 0)
    expect(drawn).toBe(`${'n'.repeat(39)}…  [############------------]  50 %`)
  })
})
