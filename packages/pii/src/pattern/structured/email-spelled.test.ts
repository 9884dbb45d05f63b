import { expect, it } from 'vitest'
import { analyzeText } from '../../analyze.ts'
import { createDetector } from '../../create-detector.ts'

const detector = createDetector({ name: 'mail', settings: { builtins: ['email'] } })

async function find(text: string): Promise<string[]> {
  const { spans, scanned } = await analyzeText(text, { detectors: [detector] })
  return spans.map(({ start, end }) => scanned.slice(start, end))
}

it.each([
  'ada at lab dot example',
  'ada.byron at lab dot co dot uk',
  'ada [at] lab [dot] org',
  'ada(at)lab(dot)org',
  'ada <at> lab <dot> org',
  'ada@lab dot org',
  'ada {at} lab {dot} org',
  'info at lab dot com',
  'ada dot byron at lab dot com',
  'ada dot m dot byron at lab dot com',
  'ada[dot]byron[at]lab[dot]org',
])('finds %s, wherever it begins', async (address) => {
  for (const lead of ['', 'x', 'é', 'xé']) expect(await find(`${lead} ${address}, please`)).toEqual([address])
  expect(await find(`${'lorem ipsum dot at '.repeat(1000)}; ${address}`)).toEqual([address])
})

it.each([
  'look at example dot com',
  'it is available at lab dot org',
  'a dot at the end dot com',
  'ada at lab dot thing',
  'the anecdote at lab',
  'polka dot dress at home',
])('does not find %s', async (text) => {
  expect(await find(text)).toEqual([])
})
