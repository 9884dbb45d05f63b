import { expect, it } from 'vitest'
import { formatProgress } from './progress-line.ts'

const MB = 1_000_000
const half = { label: 'one.gguf', percent: 22, currentBytes: 50 * MB, totalBytes: 200 * MB }

it.each([
  [{ ...half, percent: 0, currentBytes: 0 }, 'one.gguf  [------------------------]  0 %  0 B of 200.0 MB'],
  [
    { ...half, bytesPerSecond: 50 * MB, secondsLeft: 3 },
    'one.gguf  [######------------------]  22 %  50.0 MB of 200.0 MB  50.0 MB/s  3 s left',
  ],
  [half, 'one.gguf  [######------------------]  22 %  50.0 MB of 200.0 MB'],
  [{ ...half, bytesPerSecond: 0 }, 'one.gguf  [######------------------]  22 %  50.0 MB of 200.0 MB'],
  [
    { ...half, bytesPerSecond: MB, secondsLeft: 139 },
    'one.gguf  [######------------------]  22 %  50.0 MB of 200.0 MB  1.0 MB/s  2 min 19 s left',
  ],
  [
    { ...half, bytesPerSecond: MB, secondsLeft: 7300 },
    'one.gguf  [######------------------]  22 %  50.0 MB of 200.0 MB  1.0 MB/s  2 h 1 min left',
  ],
  [{ ...half, percent: 90, currentBytes: 200 * MB }, 'one.gguf  [########################]  90 %'],
  [
    { label: 'n'.repeat(60), percent: 50, currentBytes: 0, totalBytes: 0 },
    `${'n'.repeat(39)}…  [############------------]  50 %`,
  ],
])('the progress %j is drawn as one line', (progress, line) => {
  expect(formatProgress(progress)).toBe(line)
})
